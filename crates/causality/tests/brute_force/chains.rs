//! Chains equal scans of the trace.

use proptest::prelude::*;
use raddle_causality::{Chain, Chains};
use raddle_trace::{CellId, EventId, LockId, LockMode, Trace};

use crate::matrix::threads;
use crate::rules::events;
use crate::small_trace::{config, small_trace};

/// All that chains say, thread by thread, against what is there: items with the places where they begin.
fn equals<'a, T: Copy + PartialEq + std::fmt::Debug + 'a>(
    trace: &Trace,
    chains: impl Iterator<Item = Chain<'a, T>>,
    expected: &[(EventId, T)],
) -> Result<(), TestCaseError> {
    let chains: Vec<Chain<T>> = chains.collect();
    let mut n_items = 0;
    for thread in threads(trace) {
        let own = expected.iter().filter(|item| trace.thread(item.0) == thread);
        let mut own: Vec<(EventId, T)> = own.copied().collect();
        own.sort_by_key(|item| item.0);
        let mut of_thread = chains.iter().filter(|chain| chain.thread == thread);
        let Some(chain) = of_thread.next() else {
            prop_assert!(own.is_empty());
            continue;
        };
        prop_assert!(of_thread.next().is_none());
        n_items += own.len();
        for n in 0..=trace.thread_events(thread).len() as u32 {
            let is_before = |item: &&(EventId, T)| trace.position(item.0) < n;
            let (before, behind): (Vec<_>, Vec<_>) = own.iter().partition(is_before);
            let values =
                |items: &[&(EventId, T)]| items.iter().map(|item| item.1).collect::<Vec<T>>();
            prop_assert_eq!(chain.before(n), values(&before));
            prop_assert_eq!(chain.last_before(n), values(&before).pop());
            prop_assert_eq!(chain.from(n), values(&behind));
        }
    }
    prop_assert_eq!(n_items, expected.len());
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn chains_equal_scans(trace in small_trace()) {
        let chains = Chains::new(&trace);
        for cell in (0..trace.n_cells() as u32).map(CellId) {
            let touches = |&e: &EventId| {
                let (_, var) = trace.op(e).encode();
                trace.code(e).is_access()
                    && trace.cells(raddle_trace::VarId(var)).any(|other| other == cell)
            };
            let all: Vec<EventId> = events(&trace).filter(touches).collect();
            let is_shared = all.iter().any(|&e| trace.thread(e) != trace.thread(all[0]));
            prop_assert_eq!(chains.is_shared(cell), is_shared);
            let all: Vec<_> = all.into_iter().filter(|_| is_shared).map(|e| (e, e)).collect();
            equals(&trace, chains.accesses(cell), &all)?;
            let writes: Vec<_> =
                all.into_iter().filter(|&(e, _)| trace.code(e).writes()).collect();
            equals(&trace, chains.writes(cell), &writes)?;
        }
        for lock in (0..trace.tables.locks.len() as u32).map(LockId) {
            let all = (0u32..).map(raddle_trace::ScopeId).zip(trace.scopes());
            let own = all.filter(|(_, scope)| scope.lock == lock);
            let own: Vec<_> = own.map(|(id, scope)| (scope.acquire, id)).collect();
            equals(&trace, chains.scopes(lock), &own)?;
        }
    }

    #[test]
    fn the_last_excluding_scope_equals_a_scan(trace in small_trace()) {
        let chains = Chains::new(&trace);
        for scope in trace.scopes() {
            for chain in chains.scopes(scope.lock) {
                for n in 0..=trace.thread_events(chain.thread).len() as u32 {
                    let excludes = |other: &&raddle_trace::Scope| {
                        (other.lock, other.thread) == (scope.lock, chain.thread)
                            && other.thread != scope.thread
                            && [scope.mode, other.mode].contains(&LockMode::Exclusive)
                            && trace.position(other.acquire) < n
                    };
                    let last = trace.scopes().iter().filter(excludes).max_by_key(|s| s.acquire);
                    prop_assert_eq!(chain.last_excluding(&trace, n, scope), last);
                }
            }
        }
    }
}
