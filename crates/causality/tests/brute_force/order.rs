//! The order is what holds in every reordering that keeps edges, and rule R is right.

use proptest::prelude::*;
use raddle_causality::{Chains, Order, Relations};
use raddle_trace::Trace;

use crate::matrix::{Matrix, count, threads};
use crate::query::Query;
use crate::reorderings::Reorderings;
use crate::rules::{events, set};
use crate::small_trace::{config, small_trace};

fn equals(trace: &Trace, order: &Order, matrix: &Matrix) -> Result<(), TestCaseError> {
    for after in events(trace) {
        let past = matrix.past(after) | set([after]);
        prop_assert_eq!(set(order.cut(trace, after).events(trace)), past);
        for before in events(trace) {
            let is_before = before == after || matrix.has(before, after);
            prop_assert_eq!(order.reaches(trace, before, after), is_before);
        }
        for thread in threads(trace) {
            prop_assert_eq!(order.n_before(trace, after, thread), count(trace, past, thread));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn clocks_equal_closure(trace in small_trace(), reads_from in any::<bool>()) {
        let order = Order::new(&trace, Relations { reads_from });
        equals(&trace, &order, &Matrix::new(&trace, |_| reads_from))?;
    }

    #[test]
    fn rule_r_equals_rounds(trace in small_trace(), reads_from in any::<bool>()) {
        let order = Order::saturated(&trace, Relations { reads_from }, &Chains::new(&trace));
        let mut matrix = Matrix::new(&trace, |_| reads_from);
        matrix.exclude(&trace);
        equals(&trace, &order, &matrix)?;
    }

    #[test]
    fn every_reordering_keeps_the_order(trace in small_trace()) {
        let order = Order::saturated(&trace, Relations::ALL, &Chains::new(&trace));
        let all = threads(&trace).map(|thread| trace.thread_events(thread).len() as u32).collect();
        let query = Query { must: 0, bounds: all, free: None, asked: Vec::new() };
        let reorderings = Reorderings::new(&trace, &query, 0);
        for e in events(&trace) {
            let past = set(order.cut(&trace, e).events(&trace)) & !set([e]);
            prop_assert_eq!(past & !reorderings.always_before(e), 0);
        }
    }
}
