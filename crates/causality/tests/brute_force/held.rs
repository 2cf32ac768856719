//! Held scopes equal a scan of all scopes.

use proptest::prelude::*;
use raddle_causality::Held;
use raddle_trace::{EventId, ScopeId};

use crate::matrix::threads;
use crate::rules::events;
use crate::small_trace::{config, small_trace};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn held_scopes_equal_a_scan(trace in small_trace()) {
        let held = Held::new(&trace);
        // Those that begin last come first.
        let open = |e: EventId| -> Vec<ScopeId> {
            let is_open = |s: &ScopeId| {
                let scope = &trace.scopes()[s.index()];
                scope.thread == trace.thread(e)
                    && scope.acquire <= e
                    && scope.release().is_none_or(|release| e < release)
            };
            let mut open: Vec<ScopeId> =
                (0..trace.scopes().len() as u32).map(ScopeId).filter(is_open).collect();
            open.sort_by_key(|s| std::cmp::Reverse(trace.scopes()[s.index()].acquire));
            open
        };
        for e in events(&trace) {
            prop_assert_eq!(held.after(e).collect::<Vec<_>>(), open(e));
            prop_assert_eq!(held.node(e).is_none(), open(e).is_empty());
            for other in events(&trace).filter(|&other| held.node(other) == held.node(e)) {
                prop_assert_eq!(open(other), open(e));
            }
        }
        for thread in threads(&trace) {
            prop_assert_eq!(held.inside(&trace, thread, 0).count(), 0);
            for (n, &e) in (1..).zip(trace.thread_events(thread)) {
                prop_assert_eq!(held.inside(&trace, thread, n).collect::<Vec<_>>(), open(e));
            }
        }
    }
}
