//! What the engine says of a claim, beside what brute force says.

use proptest::prelude::*;
use raddle_predict::{
    Answer, Causes, Query, answer, atomicity_queries, deadlock_query, final_read_query,
    lost_wakeup_query, race_query, read_query,
};
use raddle_referee::{Claim, judge, reordering};
use raddle_trace::{EventId, Sequence, Trace};

use crate::brute_force::oracle::Oracle;

/// Compares the answers to all of these claims with brute force.
pub(crate) fn compare_all(trace: &Trace, claims: &[Claim]) -> Result<(), TestCaseError> {
    let (causes, mut oracle) = (Causes::new(trace), Oracle::new(trace));
    claims.iter().try_for_each(|claim| {
        compare(trace, &causes, claim, &queries(trace, claim), oracle.is_feasible(claim))
    })
}

/// The queries of a claim; it is feasible if one of them is.
pub(crate) fn queries(trace: &Trace, claim: &Claim) -> Vec<Query> {
    match *claim {
        Claim::Race { first, second } => vec![race_query(trace, first, second)],
        Claim::Deadlock { ref blocked } => vec![deadlock_query(trace, blocked)],
        Claim::Atomicity { first, remote, second, .. } => {
            atomicity_queries(trace, [first, remote, second])
        }
        Claim::Read { read, writer, challenger, form } => {
            vec![read_query(trace, read, writer, challenger, form)]
        }
        Claim::FinalRead { writer, challenger } => {
            vec![final_read_query(trace, writer, challenger)]
        }
        Claim::LostWakeup { wait } => vec![lost_wakeup_query(trace, wait)],
        _ => unreachable!("no query for {claim:?}"),
    }
}

fn compare(
    trace: &Trace,
    causes: &Causes,
    claim: &Claim,
    queries: &[Query],
    expected: bool,
) -> Result<(), TestCaseError> {
    let mut feasible = false;
    for query in queries {
        match answer(causes, query) {
            Answer::Witnessed(witness) => {
                feasible = true;
                check_witness(trace, claim, query, &witness)?;
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => prop_assert!(false, "{:?}: unknown", claim),
        }
    }
    prop_assert_eq!(feasible, expected, "{:?}", claim);
    Ok(())
}

/// The referee accepts the witness, and no longer, with the same reads free, when a thread does one
/// thing less.
fn check_witness(
    trace: &Trace,
    claim: &Claim,
    query: &Query,
    witness: &Sequence,
) -> Result<(), TestCaseError> {
    let judged = judge(trace, claim, witness);
    prop_assert!(judged.is_ok(), "{:?}: {:?}: {:?}", claim, witness, judged);
    let events: Vec<EventId> = witness.iter().collect();
    for (at, &e) in events.iter().enumerate() {
        let is_last = events[at + 1..].iter().all(|&o| trace.thread(o) != trace.thread(e));
        let shorter: Sequence = events.iter().copied().filter(|&o| o != e).collect();
        let needless = judge(trace, claim, &shorter).is_ok()
            && reordering(trace, &shorter, &query.free).is_ok();
        prop_assert!(!is_last || !needless, "{:?}: {:?} does not need {:?}", claim, witness, e);
    }
    Ok(())
}
