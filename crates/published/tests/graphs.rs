//! Universal causality graphs: the example of the paper, and the cases where Algorithm 1 is wrong
//! as written.
//!
//! Events are named by their thread and their position in it: `a9` is the tenth event of thread a.

use raddle_published::universal::{Algorithm, Constraints, Property, Universal, as_written};
use raddle_trace::{EventId, Trace};

use crate::trace;

/// The threads of the paper's Fig. 1, in an order in which they can run.
const FIGURE_1: &str =
    "a acq l3; a acq l1; a wait c; a rel l1; b acq l1; b notify c; b rel l1; b w y;
    a acq l1; a wake c; a acq l2; a rel l3; a rel l1; a w x; a rel l2;
    b acq l3; b w y; b acq l2; b rel l2; b rel l3; b w x; b w z";

fn event(trace: &Trace, name: &str) -> EventId {
    let (thread, position) = name.split_at(1);
    let thread = trace.tables.threads.find(thread).unwrap();
    trace.thread_events(raddle_trace::ThreadId(thread))[position.parse::<usize>().unwrap()]
}

fn name(trace: &Trace, e: EventId) -> String {
    format!("{}{}", trace.tables.thread(trace.thread(e)), trace.position(e))
}

/// `a9 b9` is a race, `a1 b1 a4` an atomicity violation.
fn property(trace: &Trace, text: &str) -> Property {
    let events: Vec<_> = text.split_whitespace().map(|name| event(trace, name)).collect();
    match events[..] {
        [first, second] => Property::Race { first, second },
        [first, remote, second] => Property::Atomicity { first, remote, second },
        _ => panic!("{text}"),
    }
}

/// The edges of a property as the paper has them.
fn seeds(trace: &Trace, property: Property) -> Vec<(EventId, EventId)> {
    as_written(trace, property, Constraints { locks: false, synchronisation: false }).edges
}

/// Checks what is possible: Algorithm 1 as written, the rules R, I and F on the threads as a whole,
/// and the corrected algorithm.
#[track_caller]
fn check(text: &str, asked: &str, expected: [bool; 3]) {
    let trace = trace(text);
    let universal = Universal::new(&trace);
    let property = property(&trace, asked);
    let both = Constraints::BOTH;
    let found = [
        universal.allows(property, both, Algorithm::AsWritten),
        universal.is_acyclic(&seeds(&trace, property), both),
        universal.allows(property, both, Algorithm::Corrected),
    ];
    assert_eq!(found, expected);
}

#[track_caller]
fn check_figure_1(by: Constraints, expected: bool, edges: &str) {
    let trace = trace(FIGURE_1);
    let property = property(&trace, "a9 b9");
    let universal = Universal::new(&trace);
    let written = as_written(&trace, property, by);
    let mut found: Vec<String> = written
        .edges
        .iter()
        .map(|&(a, b)| format!("{}>{}", name(&trace, a), name(&trace, b)))
        .collect();
    found.sort_unstable();
    assert_eq!(found.join(" "), edges);
    assert_eq!(written.is_acyclic, expected);
    assert_eq!(universal.is_acyclic(&seeds(&trace, property), by), expected);
    assert_eq!(universal.allows(property, by, Algorithm::Corrected), expected);
}

#[test]
fn locks_alone_do_not_rule_out_the_race_of_figure_1() {
    check_figure_1(Constraints::LOCKS, true, "a8>b9 b2>a4 b7>a6 b8>a0 b8>a9");
}

#[test]
fn wait_and_notify_alone_do_not_rule_out_the_race_of_figure_1() {
    check_figure_1(Constraints::SYNCHRONISATION, true, "a2>b1 a8>b9 b1>a5 b8>a9");
}

#[test]
fn both_together_rule_out_the_race_of_figure_1() {
    let edges = "a10>b6 a2>b1 a3>b0 a7>b4 a8>b9 b1>a5 b2>a4 b7>a6 b8>a0 b8>a9";
    check_figure_1(Constraints::BOTH, false, edges);
}

#[test]
fn the_graph_of_figure_1_cannot_be_chopped() {
    let trace = trace(FIGURE_1);
    let barrier = Universal::new(&trace).barrier(property(&trace, "a9 b9"));
    assert_eq!(barrier, Some(vec![0, 0]));
}

#[test]
fn what_came_before_the_last_lock_free_states_is_chopped() {
    let trace = trace("a acq l; a w x; a rel l; b acq l; b w x; b rel l; b w y; a acq m; a w y");
    let barrier = Universal::new(&trace).barrier(property(&trace, "a4 b3"));
    assert_eq!(barrier, Some(vec![3, 3]));
}

#[test]
fn line_11_misses_a_lock_that_is_never_released() {
    let text = "a w v; a acq l1; a rel l1; b acq l1; b acq l0; b rel l0";
    check(text, "a0 b1", [true, false, true]);
}

#[test]
fn a_release_is_part_of_its_section() {
    let text = "a acq l0; a acq l1; a w v; a rel l0; a rel l1;
        b acq l1; b acq l0; b rel l1; b rel l0";
    check(text, "a4 b3", [true, false, false]);
}

#[test]
fn a_deadlock_behind_a_race_does_not_hide_it() {
    let text = "a acq l1; a acq l0; a rel l1; a rel l0; b acq l0; b acq l1; b rel l1; b rel l0";
    check(text, "a1 b1", [false, false, true]);
}

#[test]
fn the_first_event_of_a_thread_comes_after_its_fork() {
    check("a w v; a fork b; a w v; b w v", "a0 b0", [true, true, false]);
}

#[test]
fn the_first_event_of_a_thread_can_race_with_what_follows_its_fork() {
    check("a w v; a fork b; a w v; b w v", "a2 b0", [true, true, true]);
}

#[test]
fn the_remote_thread_may_go_on_to_its_release() {
    let text = "a acq l; a w v; a rel l; a acq l; a w v; a rel l; b acq l; b w v; b rel l";
    check(text, "a1 b1 a4", [true, true, true]);
}

#[test]
fn a_transaction_in_one_section_is_atomic() {
    let text = "a acq l; a w v; a w v; a rel l; b acq l; b w v; b rel l";
    check(text, "a1 b1 a2", [false, false, false]);
}

#[test]
fn with_six_threads_an_acyclic_graph_is_not_enough() {
    let text = "a w v; a r v; b acq l1; b branch; b branch; b rel l1; c acq l1; c branch; c branch;
        c rel l1; d acq l2; d branch; d branch; d rel l2; e acq l2; e branch; e branch; e rel l2; f w v";
    let trace = trace(text);
    let edges = "a1 b2 a1 c2 b1 d2 b1 e2 c1 d2 c1 e2 d1 f0 e1 f0 f0 a1";
    let events: Vec<_> = edges.split(' ').map(|name| event(&trace, name)).collect();
    let edges: Vec<_> = events.chunks(2).map(|edge| (edge[0], edge[1])).collect();
    assert!(Universal::new(&trace).is_acyclic(&edges, Constraints::BOTH));
}
