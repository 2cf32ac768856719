//! What the shortcut relies on, and that it changes no verdict.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p raddle-referee prefixes` searches for longer.

use proptest::prelude::*;
use proptest::sample::Index;
use raddle_finding::ReadWitnessType;
use raddle_referee::{
    Claim, Objection, Transaction, judge, judge_from, reordering, reordering_from,
};
use raddle_trace::{EventId, Sequence, ThreadId, Trace};

use crate::any_trace::{Case, any_trace};
use crate::{sequence, trace};

/// One step of a witness: the next event of a thread, or any event at all.
#[derive(Clone, Debug)]
enum Move {
    Next(u32),
    Any(u32),
}

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![60 => (0..4u32).prop_map(Move::Next), 1 => (0..50u32).prop_map(Move::Any)]
}

/// Witnesses that begin with the observed order and go on by one move each; a move that the referee,
/// replaying everything, does not let happen is left out of those behind it.
fn attempts(trace: &Trace, n_observed: u32, moves: &[Move], free: &[EventId]) -> Vec<Sequence> {
    let mut witness = Sequence::default();
    witness.push_run(0..n_observed);
    let mut attempts = vec![witness.clone()];
    for a_move in moves {
        let Some(event) = event(trace, &witness, a_move) else { continue };
        let mut longer = witness.clone();
        longer.push(event);
        attempts.push(longer.clone());
        if reordering_from(trace, &longer, free, 0).is_ok() {
            witness = longer;
        }
    }
    attempts
}

/// The last of these witnesses.
fn witness(trace: &Trace, n_observed: u32, moves: &[Move], free: &[EventId]) -> Sequence {
    attempts(trace, n_observed, moves, free).pop().expect("the observed order is the first")
}

fn event(trace: &Trace, witness: &Sequence, a_move: &Move) -> Option<EventId> {
    let thread = match *a_move {
        Move::Any(event) => return Some(EventId(event)),
        Move::Next(thread) => ThreadId(thread),
    };
    let n_happened = witness
        .iter()
        .filter(|&event| event.index() < trace.len() && trace.thread(event) == thread)
        .count();
    trace.thread_events(thread).get(n_happened).copied()
}

/// Claims without free reads that a witness may show: all lost wake-ups, and all races and deadlocks
/// between what threads do next.
fn claims_at_end(trace: &Trace, witness: &Sequence) -> Vec<Claim> {
    let next = |thread| event(trace, witness, &Move::Next(thread));
    let next: Vec<_> = (0..trace.n_threads() as u32).filter_map(next).collect();
    let pairs = || next.iter().flat_map(|&a| next.iter().map(move |&b| (a, b)));
    let waits = trace.waits().iter().filter(|wait| wait.notify.is_some());
    let lost = waits.map(|wait| Claim::LostWakeup { wait: wait.wait });
    let races = pairs().map(|(first, second)| Claim::Race { first, second });
    let deadlocks = pairs().map(|(a, b)| Claim::Deadlock { blocked: vec![a, b] });
    lost.chain(races).chain(deadlocks).collect()
}

/// Claims with a free read about some of the accesses.
fn claims_with_free_read(trace: &Trace, at: [Index; 3]) -> Vec<Claim> {
    let is_access = |&event: &EventId| trace.code(event).is_access();
    let accesses: Vec<_> = (0..trace.len() as u32).map(EventId).filter(is_access).collect();
    if accesses.is_empty() {
        return Vec::new();
    }
    let [read, remote, _] = at.map(|at| *at.get(&accesses));
    let mut claims: Vec<_> = (1..=3).flat_map(|form| reads(trace, read, remote, form)).collect();
    let own = trace.thread_events(trace.thread(read)).iter().copied().filter(is_access);
    let own: Vec<_> = own.collect();
    let other = *at[2].get(&own);
    let (first, second) = (read.min(other), read.max(other));
    let transaction = Transaction { from: first, to: second };
    claims.push(Claim::Atomicity { first, remote, second, transaction });
    claims
}

fn reads(trace: &Trace, read: EventId, challenger: EventId, form: u8) -> Vec<Claim> {
    let form = ReadWitnessType::try_from(form).expect("there are three forms");
    let writer = trace.writers(read).first().and_then(|&(_, write)| write);
    let claim = |challenger| Claim::Read { read, writer, challenger, form };
    vec![claim(Some(challenger)), claim(None)]
}

/// The reads that the claim frees, which a witness has to be made for.
fn freed(claim: &Claim) -> Vec<EventId> {
    match *claim {
        Claim::Read { read, .. } => vec![read],
        Claim::Atomicity { remote, second, .. } => vec![remote, second],
        _ => Vec::new(),
    }
}

/// The verdicts are the same however much of the prefix is believed.
fn same_verdicts<F>(n_prefix: u32, from: F) -> Result<(), TestCaseError>
where
    F: Fn(u32) -> Result<(), Objection>,
{
    let replayed = from(0);
    for n_believed in 1..=n_prefix {
        prop_assert_eq!(&from(n_believed), &replayed, "{} are believed", n_believed);
    }
    Ok(())
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: default.cases.max(2000), ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_observed_order_of_any_trace_obeys_all_rules(Case(trace) in any_trace()) {
        let mut observed = Sequence::default();
        observed.push_run(0..trace.len() as u32);
        prop_assert_eq!(reordering_from(&trace, &observed, &[], 0), Ok(()));
        for end in 0..trace.len() as u32 {
            let mut cut = Sequence::default();
            cut.push_run(0..end);
            prop_assert_eq!(reordering_from(&trace, &cut, &[], 0), Ok(()));
        }
    }

    #[test]
    fn a_prefix_is_judged_as_if_it_were_replayed(
        Case(trace) in any_trace(),
        end: Index,
        moves in prop::collection::vec(any_move(), 0..30),
        at: [Index; 3],
    ) {
        let n_observed = end.index(trace.len() + 1) as u32;
        let no_free_read = witness(&trace, n_observed, &moves, &[]);
        let at_end = claims_at_end(&trace, &no_free_read).into_iter();
        let cases = at_end.map(|claim| (claim, no_free_read.clone()));
        let with_free_read = claims_with_free_read(&trace, at).into_iter();
        let cases = cases.chain(with_free_read.map(|claim| {
            let witness = witness(&trace, n_observed, &moves, &freed(&claim));
            (claim, witness)
        }));
        for (claim, witness) in cases {
            let judged = |n_believed| judge_from(&trace, &claim, &witness, n_believed);
            same_verdicts(witness.prefix(), judged)?;
            prop_assert_eq!(judge(&trace, &claim, &witness), judged(0));
        }
    }

    #[test]
    fn a_prefix_is_a_reordering_as_if_it_were_replayed(
        Case(trace) in any_trace(),
        end: Index,
        moves in prop::collection::vec(any_move(), 0..30),
        free in prop::collection::vec((0..40u32).prop_map(EventId), 0..3),
    ) {
        let n_observed = end.index(trace.len() + 1) as u32;
        let attempts = attempts(&trace, n_observed, &moves, &free);
        for witness in &attempts {
            let replayed = reordering_from(&trace, witness, &free, 0);
            prop_assert_eq!(reordering(&trace, witness, &free), replayed);
        }
        let last = attempts.last().expect("the observed order is the first");
        same_verdicts(last.prefix(), |n| reordering_from(&trace, last, &free, n))?;
    }
}

#[test]
fn a_prefix_that_is_longer_than_the_trace_is_believed_up_to_its_end() {
    let trace = trace("A w x\nA w y");
    let objection = reordering(&trace, &sequence(&[0, 1, 2, 3]), &[]).expect_err("2 is no event");
    assert_eq!((objection.event(), objection.place()), (Some(EventId(2)), Some(2)));
}
