//! Settings change what an answer costs, never the answer.

use proptest::prelude::*;
use raddle_predict::{Answer, Causes, Query, Settings, answer};
use raddle_trace::Trace;

use crate::brute_force::claims;
use crate::brute_force::compare::queries;
use crate::brute_force::small_trace::{config, small_trace};

const SWITCHES: [(bool, bool); 4] = [(true, true), (true, false), (false, true), (false, false)];

fn all_queries(trace: &Trace) -> Vec<Query> {
    claims::all(trace).iter().flat_map(|claim| queries(trace, claim)).collect()
}

/// Whether each query is feasible; `None` where that stays open.
fn answers(trace: &Trace, queries: &[Query], (chop, share): (bool, bool)) -> Vec<Option<bool>> {
    let causes = Causes::with(trace, Settings { chop, share, ..Settings::default() });
    let verdict = |query| match answer(&causes, query) {
        Answer::Witnessed(_) => Some(true),
        Answer::Infeasible(_) => Some(false),
        Answer::Unknown => None,
    };
    queries.iter().map(verdict).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn chopping_and_sharing_change_no_answer(trace in small_trace()) {
        let queries = all_queries(&trace);
        let [first, others @ ..] = SWITCHES.map(|switches| answers(&trace, &queries, switches));
        for other in others {
            prop_assert_eq!(&first, &other);
        }
    }
}
