//! The rules of saturation, each on a trace that it is needed for and on one that it says nothing of.

use raddle_causality::{
    Cause, Chains, Cut, Edge, Held, Implied, Order, Outcome, Problem, Relations, orders, saturate,
};
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;
use raddle_trace::{EventId, ThreadId, Trace};

/// A question about a trace; events are numbers of lines, from 0.
#[derive(Clone, Copy, Default)]
struct Question<'a> {
    /// How many events of each thread must happen; all if it says nothing.
    must: Option<&'a [u32]>,
    /// How many can; as many as there are if it says nothing.
    may: Option<&'a [u32]>,
    /// How many have happened before.
    past: Option<&'a [u32]>,
    /// How many happened before as observed, in whatever order.
    base: Option<&'a [u32]>,
    free: &'a [u32],
    asked: &'a [(u32, u32)],
}

const ALL: Question =
    Question { must: None, may: None, past: None, base: None, free: &[], asked: &[] };

fn after<'a>(asked: &'a [(u32, u32)]) -> Question<'a> {
    Question { asked, ..ALL }
}

/// Expects the orders that saturation adds to those asked for, as `lock 1<2`, or `cycle`, `more 1` or `before 1`.
#[track_caller]
fn check(text: &str, question: Question, expected: &str) {
    let trace = Trace::new(sketch(text).expect("an example"), Mode::Strict).expect("well-formed");
    for is_shared in [false, true] {
        assert_eq!(answer(&trace, question, is_shared), expected, "shared: {is_shared}");
    }
}

fn answer(trace: &Trace, question: Question, is_shared: bool) -> String {
    let chains = Chains::new(trace);
    let order = match is_shared {
        true => Order::saturated(trace, Relations::ALL, &chains),
        false => Order::new(trace, Relations::ALL),
    };
    let implied = is_shared.then(|| Implied::new(trace, &order, &chains));
    let threads = (0..trace.n_threads() as u32).map(ThreadId);
    let full: Vec<u32> = threads.map(|t| trace.thread_events(t).len() as u32).collect();
    let edge = |&(before, after): &(u32, u32)| Edge {
        before: EventId(before),
        after: EventId(after),
        cause: Cause::Asked,
    };
    let none = vec![0; full.len()];
    let problem = Problem {
        trace,
        order: &order,
        chains: &chains,
        implied: implied.as_ref(),
        held: &Held::new(trace),
        must: &Cut::from(question.must.map_or(full.clone(), <[u32]>::to_vec)),
        base: &Cut::from(question.past.or(question.base).map_or(none, <[u32]>::to_vec)),
        base_is_past: question.past.is_some(),
        bounds: question.may.unwrap_or(&full),
        free: &question.free.iter().map(|&read| EventId(read)).collect::<Vec<_>>(),
        asked: &question.asked.iter().map(edge).collect::<Vec<_>>(),
    };
    match saturate(&problem) {
        Outcome::Closed(_) => {
            let added = orders(&problem).into_iter().filter(|edge| edge.cause != Cause::Asked);
            let mut added: Vec<String> = added.map(shown).collect();
            added.sort();
            added.join(" ")
        }
        Outcome::Cycle(_) => "cycle".to_owned(),
        Outcome::More(event) => format!("more {}", event.0),
        Outcome::Before(event) => format!("before {}", event.0),
    }
}

fn shown(edge: Edge) -> String {
    let cause = match edge.cause {
        Cause::Lock(_) => "lock",
        Cause::View(_) => "view",
        Cause::Match => "match",
        Cause::Asked | Cause::Order => "other",
    };
    format!("{cause}:{}<{}", edge.before.0, edge.after.0)
}

const TWO_SCOPES: &str = "A acq l\nA w x\nA rel l\nB acq l\nB w y\nB rel l";

#[test]
fn r_a_scope_that_begins_before_the_end_of_another_ends_before_that_begins() {
    check(TWO_SCOPES, ALL, "");
    check(TWO_SCOPES, after(&[(1, 4)]), "lock:2<3");
    check(TWO_SCOPES, after(&[(4, 1)]), "lock:5<0");
    check(TWO_SCOPES, after(&[(1, 4), (4, 1)]), "cycle");
    // Where the other begins before this one has ended, and no earlier, is enough.
    check(TWO_SCOPES, after(&[(0, 5)]), "lock:2<3");
    // A scope that need not end begins before the last event that must happen.
    let open = Question { must: Some(&[3, 2]), ..after(&[(1, 4)]) };
    check(TWO_SCOPES, open, "lock:2<3");
    let other_locks = TWO_SCOPES.replace("B acq l", "B acq k").replace("B rel l", "B rel k");
    check(&other_locks, after(&[(1, 4)]), "");
}

#[test]
fn r_readers_do_not_exclude_each_other() {
    let readers = TWO_SCOPES.replace("acq l", "acq.sh l").replace("rel l", "rel.sh l");
    check(&readers, after(&[(1, 4)]), "");
    let one_reader = TWO_SCOPES.replace("A acq l", "A acq.sh l").replace("A rel l", "A rel.sh l");
    check(&one_reader, after(&[(1, 4)]), "lock:2<3");
    // The last scope that excludes is the one that matters, not the last of all.
    let text = "A acq l\nA rel l\nA acq.sh l\nA w x\nA rel.sh l\nB acq.sh l\nB w y\nB rel.sh l";
    check(text, after(&[(3, 6)]), "lock:1<5");
}

#[test]
fn i_a_scope_that_does_not_end_rules_out_others_behind_it() {
    let asked = &[(1, 4)];
    let stops = Question { must: Some(&[2, 3]), may: Some(&[2, 3]), ..after(asked) };
    check(TWO_SCOPES, stops, "cycle");
    check(TWO_SCOPES, Question { may: Some(&[3, 3]), ..stops }, "more 2");
    check(TWO_SCOPES, Question { asked: &[(4, 1)], ..stops }, "lock:5<0");
    // Also where the order of the trace says that the scope begins before.
    let reads = TWO_SCOPES.replace("B w y", "B r x");
    check(&reads, Question { must: Some(&[2, 2]), ..ALL }, "more 2");
    let open = "A acq l\nA w x\nB w y";
    check(open, after(&[(1, 2)]), "");
}

#[test]
fn f_a_scope_in_which_its_thread_stops_comes_behind_those_that_the_query_says() {
    let stops = Question { must: Some(&[2, 3]), may: Some(&[2, 3]), ..ALL };
    check(TWO_SCOPES, stops, "");
    check(TWO_SCOPES, Question { asked: &[(5, 0), (1, 4)], ..stops }, "cycle");
}

#[test]
fn v1_a_write_before_a_read_that_does_not_read_it_comes_before_the_one_read() {
    let text = "A w x\nB w x\nC r x\nC w y";
    check(text, ALL, "");
    check(text, after(&[(0, 2)]), "view:0<1");
    check(text, after(&[(0, 3)]), "");
    check(text, after(&[(1, 0), (0, 2)]), "cycle");
    let other_cell = "A w z\nB w x\nC r x\nA r x\nB r z";
    check(other_cell, after(&[(0, 2)]), "");
}

#[test]
fn v1_nothing_comes_before_a_read_of_the_initial_value() {
    let text = "A r x\nB w x";
    check(text, after(&[(1, 0)]), "cycle");
    check(text, Question { free: &[0], ..after(&[(1, 0)]) }, "");
}

#[test]
fn v2_a_write_behind_a_write_comes_behind_its_reads() {
    let text = "A w x\nB r x\nC w x";
    check(text, ALL, "");
    check(text, after(&[(0, 2)]), "view:1<2");
    check(text, after(&[(2, 0)]), "");
    check(text, Question { free: &[1], ..after(&[(0, 2)]) }, "");
    // A read that need not happen is behind nothing.
    check(text, Question { must: Some(&[1, 0, 1]), ..after(&[(0, 2)]) }, "");
}

#[test]
fn v2_every_write_comes_behind_the_reads_of_the_initial_value() {
    check("A r x\nB w x", ALL, "view:0<1");
    check("A w x\nA r x\nB w x", ALL, "");
    check("A r x\nB w x", Question { free: &[0], ..ALL }, "");
}

#[test]
fn rules_are_applied_behind_free_reads() {
    let text = "A r x\nB r y\nA w y\nA w z";
    check(text, ALL, "view:1<2");
    check(text, Question { free: &[0], ..ALL }, "view:1<2");
}

#[test]
fn w_a_wait_comes_before_the_notify_that_ends_it_if_the_wake_up_must_happen() {
    let text = "A wait.pre c\nB notify c\nA wake c";
    check(text, ALL, "match:0<1");
    check(text, after(&[(1, 0)]), "cycle");
    check(text, Question { must: Some(&[1, 1]), ..after(&[(1, 0)]) }, "");
    check("A wait.pre c\nB notify c\nA wake.timeout c", after(&[(1, 0)]), "");
}

#[test]
fn what_follows_from_two_rules_is_found() {
    // The locks put the write of B behind that of A, and so behind the read of that.
    let text = "A acq l\nA w x\nA rel l\nC r x\nB acq l\nB w x\nB rel l";
    check(text, ALL, "");
    check(text, after(&[(0, 5)]), "lock:2<4 view:3<5");
}

#[test]
fn a_scope_that_is_open_in_the_past_ends_before_others_begin() {
    let past = Question { past: Some(&[2, 0]), ..ALL };
    check(TWO_SCOPES, past, "lock:2<3");
    check(TWO_SCOPES, Question { past: Some(&[3, 0]), ..ALL }, "");
    check(TWO_SCOPES, Question { must: Some(&[2, 3]), may: Some(&[2, 3]), ..past }, "cycle");
    check(TWO_SCOPES, Question { must: Some(&[2, 3]), ..past }, "more 2");
    check(TWO_SCOPES, Question { must: Some(&[2, 0]), may: Some(&[2, 3]), ..past }, "");
}

#[test]
fn a_read_of_what_the_past_has_written_comes_before_writes_to_come() {
    let text = "A w x\nB r x\nC w x";
    check(text, Question { past: Some(&[1, 0, 0]), ..ALL }, "view:1<2");
    check(text, Question { past: Some(&[1, 0, 0]), free: &[1], ..ALL }, "");
    check(text, Question { base: Some(&[1, 0, 0]), ..ALL }, "");
}

#[test]
fn an_order_into_the_base_is_said_and_one_into_the_past_is_a_cycle() {
    let text = "A w x\nB w y";
    check(text, Question { base: Some(&[1, 0]), ..after(&[(1, 0)]) }, "before 0");
    check(text, Question { past: Some(&[1, 0]), ..after(&[(1, 0)]) }, "cycle");
    check(text, Question { past: Some(&[1, 0]), ..after(&[(0, 1)]) }, "");
}

/// Causes of a cycle lead from each event to the next, in threads or by orders, and back.
#[test]
fn a_cycle_names_its_orders() {
    let trace = Trace::new(sketch(TWO_SCOPES).unwrap(), Mode::Strict).unwrap();
    let chains = Chains::new(&trace);
    let asked = [(1, 4), (4, 1)].map(|(before, after)| Edge {
        before: EventId(before),
        after: EventId(after),
        cause: Cause::Asked,
    });
    let problem = Problem {
        trace: &trace,
        order: &Order::new(&trace, Relations::ALL),
        chains: &chains,
        implied: None,
        held: &Held::new(&trace),
        must: &Cut::from(vec![3, 3]),
        base: &Cut::empty(2),
        base_is_past: false,
        bounds: &[3, 3],
        free: &[],
        asked: &asked,
    };
    let Outcome::Cycle(core) = saturate(&problem) else { panic!("it is a cycle") };
    assert_eq!(core, asked);
}
