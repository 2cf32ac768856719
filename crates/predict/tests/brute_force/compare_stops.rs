//! What the engine says of a claim, beside what brute force says.

use proptest::prelude::*;
use raddle_predict::{Answer, Causes, Effort, Query, answer, deadlock_query, race_query};
use raddle_referee::{Claim, judge};
use raddle_trace::Trace;

use crate::oracle::Oracle;

/// Compares the answers to all of these claims with brute force.
pub(crate) fn compare_all(trace: &Trace, claims: &[Claim]) -> Result<(), TestCaseError> {
    let (causes, mut oracle) = (Causes::new(trace), Oracle::new(trace));
    claims.iter().try_for_each(|claim| {
        compare(trace, &causes, claim, &queries(trace, claim), oracle.is_feasible(claim))
    })
}

fn queries(trace: &Trace, claim: &Claim) -> Vec<Query> {
    match claim {
        Claim::Race { first, second } => vec![race_query(trace, *first, *second)],
        Claim::Deadlock { blocked } => vec![deadlock_query(trace, blocked)],
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
        match answer(causes, query, Effort::default()) {
            Answer::Witnessed(witness) => {
                feasible = true;
                let judged = judge(trace, claim, &witness);
                prop_assert!(judged.is_ok(), "{:?}: {:?}", claim, judged);
            }
            Answer::Infeasible(_) => {}
            Answer::Unknown => prop_assert!(false, "{:?}: unknown", claim),
        }
    }
    prop_assert_eq!(feasible, expected, "{:?}", claim);
    Ok(())
}
