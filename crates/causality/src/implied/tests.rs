//! Implied orders come to the same as the rules for all pairs of events.

use proptest::prelude::*;
use raddle_generate::{Config, Shape, generate};
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;
use raddle_trace::{Kind, LockMode};

use super::*;
use crate::edges::Relations;

/// Orders, each with the event because of which it holds.
type Because = Vec<(EventId, EventId, EventId)>;

fn events(trace: &Trace) -> impl Iterator<Item = EventId> + Clone + use<> {
    (0..trace.len() as u32).map(EventId)
}

/// Rules R, V1 and V2 for all pairs, once.
fn rules(trace: &Trace, order: &Order) -> Because {
    let is_before = |a: EventId, b: EventId| a != b && order.reaches(trace, a, b);
    let mut all = Because::new();
    for scope in trace.scopes() {
        let excludes = |other: &&raddle_trace::Scope| {
            let modes = [scope.mode, other.mode];
            (other.lock, other.thread != scope.thread) == (scope.lock, true)
                && modes.contains(&LockMode::Exclusive)
        };
        let inside =
            |&e: &EventId| e >= scope.acquire && scope.release().is_none_or(|release| e < release);
        for &e in trace.thread_events(scope.thread).iter().filter(|e| inside(e)) {
            for other in trace.scopes().iter().filter(excludes) {
                let begun = other.release().filter(|_| is_before(other.acquire, e));
                all.extend(begun.map(|release| (e, release, scope.acquire))); // R
            }
        }
    }
    for (read, cell, writer) in events(trace).flat_map(|read| views(trace, read)) {
        let is_other = |&e: &EventId| writes(trace, e, cell) && e != read && Some(e) != writer;
        for other in events(trace).filter(is_other) {
            if let Some(writer) = writer.filter(|_| is_before(other, read)) {
                all.push((read, other, writer)); // V1
            }
            if writer.is_none_or(|writer| is_before(writer, other)) {
                all.push((other, read, other)); // V2
            }
        }
    }
    all
}

fn views(trace: &Trace, read: EventId) -> Vec<(EventId, CellId, Option<EventId>)> {
    trace.writers(read).into_iter().map(|(cell, writer)| (read, cell, writer)).collect()
}

fn writes(trace: &Trace, e: EventId, cell: CellId) -> bool {
    let (_, var) = trace.op(e).encode();
    trace.code(e).writes() && trace.cells(VarId(var)).any(|other| other == cell)
}

/// What follows from the order and from all that holds because of what comes before an event.
fn closure(trace: &Trace, order: &Order, because: &Because, e: EventId) -> Vec<Vec<bool>> {
    let row = |b| events(trace).map(|a| order.reaches(trace, a, b)).collect();
    let mut past: Vec<Vec<bool>> = events(trace).map(row).collect();
    for &(_, before, after) in because.iter().filter(|edge| order.reaches(trace, edge.0, e)) {
        past[after.index()][before.index()] = true;
    }
    for middle in 0..past.len() {
        for after in 0..past.len() {
            if past[after][middle] {
                let earlier = past[middle].clone();
                past[after].iter_mut().zip(earlier).for_each(|(own, other)| *own |= other);
            }
        }
    }
    past
}

fn implied(trace: &Trace) -> (Order, Implied) {
    let chains = Chains::new(trace);
    let order = Order::saturated(trace, Relations::ALL, &chains);
    let implied = Implied::new(trace, &order, &chains);
    (order, implied)
}

proptest! {
    #[test]
    fn implied_orders_equal_the_rules_for_all_pairs(
        seed in any::<u64>(),
        events in 16..45usize,
        threads in 2..5u32,
        truncate in any::<bool>(),
        is_full in any::<bool>(),
    ) {
        let shape = if is_full { Shape::Full } else { Shape::Plain }.config();
        let knobs = Config { burst: 2, locking: 0.4, readers: 0.2, shared: 1.0, local: 0.1, ..shape };
        let config = Config { events, threads, locks: 2, vars: 3, seed, truncate, ..knobs };
        let trace = Trace::new(generate(&config).unwrap(), Mode::Strict).unwrap();
        let (order, implied) = implied(&trace);
        let edges: Because = implied.edges.iter().map(|(b, e)| (*b, e.before, e.after)).collect();
        prop_assert!(edges.is_sorted_by_key(|edge| edge.0));
        prop_assert!(edges.iter().all(|edge| edge.1 < edge.2 && edge.2 <= edge.0));
        prop_assert!(edges.iter().all(|edge| !order.reaches(&trace, edge.1, edge.2)));
        let all = rules(&trace, &order);
        for e in self::events(&trace) {
            let (found, expected) = (&edges, &all);
            prop_assert_eq!(closure(&trace, &order, found, e), closure(&trace, &order, expected, e));
            let last = EventId(trace.len() as u32 / 2);
            let within = implied.edges.iter().filter(|edge| e <= edge.0 && edge.0 <= last);
            prop_assert!(implied.within(e, last).iter().eq(within));
        }
    }
}

/// Orders as `because: before<after`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let trace = Trace::new(sketch(text).unwrap(), Mode::Strict).unwrap();
    assert!(events(&trace).all(|e| trace.code(e).kind() != Kind::Wake), "rule W is of a query");
    let (_, implied) = implied(&trace);
    let shown = |(because, edge): &(EventId, Edge)| {
        format!("{}: {}<{}", because.0, edge.before.0, edge.after.0)
    };
    assert_eq!(implied.edges.iter().map(shown).collect::<Vec<_>>().join(", "), expected);
}

#[test]
fn r_a_scope_that_begins_before_an_event_inside_another_ends_before_that() {
    check("A acq l\nA w x\nA rel l\nB acq l\nB r x\nB rel l", "4: 2<3");
    check("A acq l\nA w x\nA rel l\nB acq l\nB rel l\nB r x", "");
    check("A acq l\nA w x\nA rel l\nB acq k\nB r x\nB rel k", "");
    check("A acq.sh l\nA w x\nA rel.sh l\nB acq.sh l\nB r x\nB rel.sh l", "");
}

#[test]
fn v1_a_write_before_a_read_comes_before_the_one_read() {
    check("A w x\nA fork B\nC w x\nB r x", "3: 0<2");
    check("A w x\nB fork D\nC w x\nD r x", "");
}

#[test]
fn v2_a_write_behind_a_write_comes_behind_its_reads() {
    check("A w x\nA fork B\nC r x\nB w x", "3: 2<3");
    check("A w x\nC r x\nB w x", "");
    check("C r x\nB w x", "1: 0<1");
    check("A w x\nA fork B\nC r y\nB w x", "");
}
