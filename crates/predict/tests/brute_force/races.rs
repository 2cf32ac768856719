//! Every pair of accesses races exactly if brute force finds a reordering.

use proptest::prelude::*;
use raddle_predict::{Answer, Causes, answer, race_query};
use raddle_referee::{Claim, judge};
use raddle_trace::{EventId, Order, Trace};

use crate::oracle::{access, is_begun, reachable};
use crate::small_trace::{config, small_trace};

fn compare(trace: &Trace) -> Result<(), TestCaseError> {
    let cuts = reachable(trace);
    let causes = Causes::new(trace);
    let accesses: Vec<_> =
        (0..trace.len() as u32).map(EventId).filter(|&e| access(trace, e).is_some()).collect();
    for &a in &accesses {
        for &b in accesses.iter().filter(|&&b| b > a && trace.thread(b) != trace.thread(a)) {
            let races = cuts.iter().any(|cut| {
                [a, b].iter().all(|&e| {
                    let thread = trace.thread(e);
                    cut[thread.index()] == trace.position(e) && is_begun(trace, cut, thread)
                })
            });
            match answer(&causes, &race_query(trace, a, b)) {
                Answer::Witnessed(witness) => {
                    prop_assert!(races, "{:?} and {:?}: {:?}", a, b, witness);
                    if let (Some((x, _, wx)), Some((y, _, wy))) =
                        (access(trace, a), access(trace, b))
                    {
                        let plain = |e| trace.code(e).order() == Order::Plain;
                        let conflict = (wx || wy) && x.start < y.end && y.start < x.end;
                        if conflict && (plain(a) || plain(b)) {
                            let claim = Claim::Race { first: a, second: b };
                            let judged = judge(trace, &claim, &witness);
                            prop_assert!(judged.is_ok(), "{:?}", judged);
                        }
                    }
                }
                Answer::Infeasible(reason) => {
                    prop_assert!(!races, "{:?} and {:?}: {:?}", a, b, reason)
                }
                Answer::Unknown => prop_assert!(false, "unknown"),
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn races_equal_brute_force(trace in small_trace()) {
        compare(&trace)?;
    }
}
