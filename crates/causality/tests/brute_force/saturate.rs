//! Saturation comes to the same as its rules in rounds, and says only what holds in every reordering.

use proptest::prelude::*;
use raddle_causality::{
    Cause, Chains, Clocks, Cut, Edge, Held, Implied, Order, Outcome, Problem, Relations, orders,
    saturate,
};
use raddle_trace::Trace;

use crate::matrix::{Matrix, count, threads};
use crate::naive;
use crate::query::{Query, choices};
use crate::reorderings::Reorderings;
use crate::rules::{Set, events, has, set};
use crate::small_trace::{config, small_trace};

/// What is known of a trace, with and without what is shared by all queries.
struct Known<'a> {
    trace: &'a Trace,
    order: Order,
    chains: Chains,
    held: Held,
    implied: Option<Implied>,
}

impl<'a> Known<'a> {
    fn new(trace: &'a Trace, is_saturated: bool, is_implied: bool) -> Known<'a> {
        let chains = Chains::new(trace);
        let order = match is_saturated {
            true => Order::saturated(trace, Relations::ALL, &chains),
            false => Order::new(trace, Relations::ALL),
        };
        let implied = is_implied.then(|| Implied::new(trace, &order, &chains));
        Known { trace, held: Held::new(trace), order, chains, implied }
    }

    fn with<T>(&self, query: &Query, base: Base, ask: impl FnOnce(&Problem) -> T) -> T {
        let cut = |events| Cut::from(Query::cut(self.trace, events));
        let edge = |&(before, after): &_| Edge { before, after, cause: Cause::Asked };
        let asked: Vec<Edge> = query.asked.iter().map(edge).collect();
        ask(&Problem {
            trace: self.trace,
            order: &self.order,
            chains: &self.chains,
            implied: self.implied.as_ref(),
            held: &self.held,
            must: &cut(query.must),
            base: &cut(base.events),
            base_is_past: base.is_past,
            bounds: &query.bounds,
            free: query.free.as_slice(),
            asked: &asked,
        })
    }

    /// Saturates until nothing more must happen and nothing leads into the base; the latter is left
    /// smaller then.
    fn saturate(&self, query: &mut Query, base: &mut Base) -> Option<Clocks> {
        let mut order = Matrix::new(self.trace, |read| !query.is_free(read));
        order.exclude(self.trace);
        loop {
            match self.with(query, *base, saturate) {
                Outcome::Closed(clocks) => return Some(clocks),
                Outcome::Cycle(_) => return None,
                Outcome::More(event) => {
                    query.must |= set([event]) | order.past(event);
                    if query.must & !query.may(self.trace) != 0 {
                        return None;
                    }
                }
                Outcome::Before(event) => {
                    assert!(!base.is_past && has(base.events, event));
                    base.events &= set([event]) - 1;
                }
            }
        }
    }
}

/// What comes before a window.
#[derive(Clone, Copy, Debug)]
struct Base {
    events: Set,
    is_past: bool,
}

const NO_BASE: Base = Base { events: 0, is_past: false };

/// The events of a clock.
fn past(trace: &Trace, clock: &[u32]) -> Set {
    let first = |(thread, &n): (_, &u32)| set(trace.thread_events(thread)[..n as usize].to_vec());
    threads(trace).zip(clock).map(first).fold(0, |all, own| all | own)
}

/// The rules in rounds find what saturation finds, and the orders that it adds make the rest.
fn equals_rounds(known: &Known, query: &Query) -> Result<(), TestCaseError> {
    let trace = known.trace;
    let expected = naive::saturate(trace, query);
    let mut query = query.clone();
    let clocks = known.saturate(&mut query, &mut NO_BASE.clone());
    prop_assert_eq!(clocks.is_some(), expected.is_some());
    let (Some(clocks), Some((must, order))) = (clocks, expected) else { return Ok(()) };
    prop_assert_eq!(query.must, must);
    let mut added = Matrix::new(trace, |read| !query.is_free(read));
    for edge in known.with(&query, NO_BASE, orders) {
        prop_assert!(edge.cause != Cause::Order);
        added.add(edge.before, edge.after);
    }
    added.close();
    for e in events(trace).filter(|&e| has(must, e)) {
        let clock = clocks.of(trace, e).expect("it is in the window");
        let own = order.past(e) | set([e]);
        let expected: Vec<u32> = threads(trace).map(|thread| count(trace, own, thread)).collect();
        prop_assert_eq!(clock, expected);
        prop_assert_eq!(added.past(e) & !set([e]) & !order.past(e), 0);
    }
    Ok(())
}

/// What saturation says holds in every reordering that answers the query.
fn is_right(known: &Known, query: &Query, mut base: Base) -> Result<(), TestCaseError> {
    let trace = known.trace;
    let past_base = if base.is_past { base.events } else { 0 };
    let all = Reorderings::new(trace, query, past_base);
    let mut grown = query.clone();
    let clocks = known.saturate(&mut grown, &mut base);
    prop_assert!(clocks.is_some() || !all.exist(), "a cycle, though there is a reordering");
    let Some(clocks) = clocks.filter(|_| all.exist()) else { return Ok(()) };
    prop_assert_eq!(grown.must & !all.always(trace), 0);
    for e in events(trace) {
        let Some(clock) = clocks.of(trace, e) else {
            prop_assert!(has(base.events, e) || !has(grown.must, e));
            continue;
        };
        prop_assert_eq!(past(trace, clock) & !set([e]) & !all.always_before(e), 0);
    }
    for edge in known.with(&grown, base, orders) {
        prop_assert!(has(all.always_before(edge.after), edge.before), "{:?}", edge);
    }
    Ok(())
}

/// A query adds to what a trace can be, so that more of them are needed.
fn more() -> ProptestConfig {
    ProptestConfig { cases: config().cases.max(6000), ..config() }
}

proptest! {
    #![proptest_config(more())]

    #[test]
    fn saturation_equals_rounds(
        trace in small_trace(),
        choices in choices(),
        known in prop::sample::select(vec![(false, false), (true, false), (true, true)]),
    ) {
        prop_assume!(!trace.is_empty());
        let known = Known::new(&trace, known.0, known.1);
        equals_rounds(&known, &choices.query(&trace))?;
    }

    #[test]
    fn what_saturation_adds_holds_in_every_reordering(
        trace in small_trace(),
        choices in choices(),
        is_shared in any::<bool>(),
        n_base in 0..3usize,
    ) {
        prop_assume!(!trace.is_empty());
        let known = Known::new(&trace, is_shared, is_shared);
        let query = choices.query(&trace);
        let not_needed = events(&trace).find(|&e| !has(query.must, e));
        let n_first = not_needed.map_or(trace.len(), |e| e.index());
        let first = [0, choices.base.index(n_first + 1)][n_base.min(1)];
        let events = set(events(&trace).take(first));
        is_right(&known, &query, Base { events, is_past: false })?;
    }

    #[test]
    fn what_saturation_adds_behind_a_past_holds_in_every_reordering(
        trace in small_trace(),
        choices in choices(),
        is_shared in any::<bool>(),
    ) {
        prop_assume!(!trace.is_empty());
        let known = Known::new(&trace, is_shared, is_shared);
        let mut query = choices.query(&trace);
        let all = Reorderings::new(&trace, &query, 0);
        let base = *choices.base.get(&all.nodes);
        query.must |= base;
        is_right(&known, &query, Base { events: base, is_past: true })?;
    }
}
