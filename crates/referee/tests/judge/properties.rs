//! What holds for any witness of any trace.

use proptest::prelude::*;
use raddle_finding::ReadWitnessType;
use raddle_generate::{Config, Preset, Shape, Size, generate};
use raddle_referee::{Claim, Objection, Rule, Transaction, judge, reordering};
use raddle_trace::check::Mode;
use raddle_trace::{EventId, Sequence, Trace};

use crate::checked;

/// A trace of 60 events of every kind.
fn generated(seed: u64) -> Trace {
    let tiny = Preset { size: Size::Tiny, shape: Shape::Full }.config();
    let config = Config { seed, events: 60, threads: 4, truncate: true, ..tiny };
    checked(generate(&config).expect("the config makes sense"))
}

fn observed(trace: &Trace) -> Vec<EventId> {
    (0..trace.len() as u32).map(EventId).collect()
}

fn sequence(events: &[EventId]) -> Sequence {
    events.iter().copied().collect()
}

fn is_reordering(trace: &Trace, order: &[EventId]) -> Result<(), Objection> {
    reordering(trace, &sequence(order), &[])
}

/// Lets two neighbours of different threads change places wherever the result is a reordering.
fn shaken(trace: &Trace, swaps: &[prop::sample::Index]) -> Vec<EventId> {
    let mut order = observed(trace);
    for swap in swaps {
        let at = swap.index(order.len() - 1);
        order.swap(at, at + 1);
        if is_reordering(trace, &order).is_err() {
            order.swap(at, at + 1);
        }
    }
    order
}

/// Whether the events of each thread ascend.
fn keeps_program_order(trace: &Trace, order: &[EventId]) -> bool {
    let mut last = vec![None; trace.n_threads()];
    order.iter().all(|&event| {
        let last = &mut last[trace.thread(event).index()];
        last.replace(event) < Some(event)
    })
}

/// What each read of a sequence sees, with the places of the sequence in the trace.
fn views(trace: &Trace, original: impl Fn(EventId) -> EventId) -> Vec<Vec<Option<EventId>>> {
    let reads = observed(trace).into_iter().filter(|&event| trace.code(event).reads());
    let seen = reads.map(|read| {
        let writers = trace.writers(read).into_iter().map(|(_, write)| write.map(&original));
        (original(read), writers.collect())
    });
    let mut seen: Vec<(EventId, Vec<_>)> = seen.collect();
    seen.sort();
    seen.into_iter().map(|(_, writers)| writers).collect()
}

fn any_event() -> impl Strategy<Value = EventId> {
    prop_oneof![9 => 0u32..62, 1 => 0..u32::MAX].prop_map(EventId)
}

fn any_form() -> impl Strategy<Value = ReadWitnessType> {
    (1u8..=3).prop_map(|number| number.try_into().expect("there are three forms"))
}

fn any_claim() -> impl Strategy<Value = Claim> {
    let e = any_event;
    let write = || prop::option::of(any_event());
    prop_oneof![
        (e(), e()).prop_map(|(first, second)| Claim::Race { first, second }),
        prop::collection::vec(e(), 0..4).prop_map(|blocked| Claim::Deadlock { blocked }),
        (e(), e(), e(), e(), e()).prop_map(|(first, remote, second, from, to)| {
            let transaction = Transaction { from, to };
            Claim::Atomicity { first, remote, second, transaction }
        }),
        (e(), write(), write(), any_form()).prop_map(|(read, writer, challenger, form)| {
            Claim::Read { read, writer, challenger, form }
        }),
        e().prop_map(|wait| Claim::LostWakeup { wait }),
    ]
}

proptest! {
    #[test]
    fn the_observed_order_cut_anywhere_is_a_reordering(seed: u64) {
        let trace = generated(seed);
        let order = observed(&trace);
        for end in 0..=order.len() {
            prop_assert_eq!(is_reordering(&trace, &order[..end]), Ok(()));
        }
    }

    #[test]
    fn a_shuffle_that_breaks_program_order_is_refused(
        seed: u64,
        order in Just((0..60).map(EventId).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let trace = generated(seed);
        prop_assume!(!keeps_program_order(&trace, &order));
        prop_assert!(reordering(&trace, &sequence(&order), &order).is_err());
    }

    #[test]
    fn two_events_of_one_thread_that_change_places_break_p(
        seed: u64,
        (a, b) in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let trace = generated(seed);
        let mut order = observed(&trace);
        let a = a.get(&order).index();
        let b = b.get(trace.thread_events(trace.thread(order[a]))).index();
        if a == b {
            return Ok(());
        }
        order.swap(a, b);
        let objection = is_reordering(&trace, &order).expect_err("program order is broken");
        prop_assert_eq!((objection.rule(), objection.place()), (Rule::P, Some(a.min(b))));
    }

    #[test]
    fn a_witness_that_is_accepted_is_a_well_formed_trace_with_the_same_views(
        seed: u64,
        swaps in prop::collection::vec(any::<prop::sample::Index>(), 0..200),
    ) {
        let trace = generated(seed);
        let order = shaken(&trace, &swaps);
        let rebuilt = Trace::new(trace.select(&order), Mode::Strict);
        let rebuilt = match rebuilt {
            Ok(rebuilt) => rebuilt,
            Err(violation) => return Err(TestCaseError::fail(violation.to_string())),
        };
        prop_assert_eq!(views(&rebuilt, |event| order[event.index()]), views(&trace, |event| event));
    }

    #[test]
    fn neighbours_that_change_places_are_judged_the_same_each_time(
        seed: u64,
        swaps in prop::collection::vec(any::<prop::sample::Index>(), 1..50),
        last: prop::sample::Index,
    ) {
        let trace = generated(seed);
        let mut order = shaken(&trace, &swaps);
        let at = last.index(order.len() - 1);
        if trace.thread(order[at]) == trace.thread(order[at + 1]) {
            return Ok(());
        }
        order.swap(at, at + 1);
        let answer = is_reordering(&trace, &order);
        prop_assert_eq!(&is_reordering(&trace, &order), &answer);
        if let Err(objection) = answer {
            let place = objection.place().expect("a step has a place");
            prop_assert!(place >= at, "all before was in order: {}", objection);
        }
    }

    #[test]
    fn any_claim_and_any_witness_are_judged_without_panic(
        seed: u64,
        claim in any_claim(),
        witness in prop::collection::vec(any_event(), 0..80),
        end in 0usize..60,
    ) {
        let trace = generated(seed);
        let witness = sequence(&witness);
        let answer = judge(&trace, &claim, &witness);
        prop_assert_eq!(&judge(&trace, &claim, &witness), &answer);
        let order = observed(&trace);
        if let Err(objection) = judge(&trace, &claim, &sequence(&order[..end])) {
            prop_assert!(!objection.to_string().is_empty());
        }
    }
}
