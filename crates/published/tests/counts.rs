//! Statistics and candidates on traces small enough to count by hand.

use raddle_published::funnel::{atomicity, races};
use raddle_published::{Statistics, reads, statistics};
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;
use raddle_trace::{EventId, Range, Trace, VarId};

use crate::trace;

#[test]
fn statistics_count_events_and_the_objects_that_occur() {
    let text = "a fork b; a acq l; a wait c; a rel l; b acq l; b w x; b notify c; b rel l; a acq l;
        a wake c; a r x; a rel l; a w y";
    let expected = Statistics {
        n_threads: 2,
        n_events: 13,
        n_lock_events: 6,
        n_locks: 1,
        n_wait_notify_events: 3,
        n_conditions: 1,
        n_read_write_events: 3,
        n_shared_variables: 1,
    };
    assert_eq!(statistics(&trace(text)), expected);
}

/// Checks candidates: races, atomicity violations of the whole threads, possible witnesses of reads.
#[track_caller]
fn check(trace: &Trace, expected: [u64; 3]) {
    let threads = (0..trace.n_threads() as u32).map(raddle_trace::ThreadId);
    let ends = |t| {
        let events = trace.thread_events(t);
        (events[0], events[events.len() - 1])
    };
    let transactions: Vec<(EventId, EventId)> = threads.map(ends).collect();
    let found = [
        races(trace, &mut |_| true).total,
        atomicity(trace, &transactions, &mut |_| true).total,
        reads(trace, &mut |_| true).n_possible,
    ];
    assert_eq!(found, expected);
}

#[test]
fn reads_do_not_conflict() {
    check(&trace("a r x; b r x; b r x"), [0, 0, 0]);
}

#[test]
fn a_write_conflicts_with_all() {
    check(&trace("a w x; b r x; b r x"), [2, 1, 6]);
}

#[test]
fn atomic_accesses_do_not_race_and_can_be_torn_apart() {
    check(&trace("a w.sc x; b r.sc x; b r.sc x"), [0, 1, 6]);
}

#[test]
fn a_remote_read_has_to_fall_between_two_writes() {
    check(&trace("a r x; b w x; b r x; b w x"), [2, 1, 6 + 6]);
}

#[test]
fn a_read_modify_write_does_not_challenge_itself() {
    check(&trace("a w x; b rmw x"), [1, 0, 3]);
}

/// Three variables: a word and its two halves.
fn word_and_halves(text: &str) -> Trace {
    let mut events = sketch(&text.replace(';', "\n")).unwrap();
    for (name, offset, size) in [("word", 0, 8), ("low", 0, 4), ("high", 4, 4)] {
        let var = VarId(events.tables.variables.find(name).unwrap());
        events.tables.set_range(var, Range { region: 0, offset, size });
    }
    Trace::new(events, Mode::Strict).unwrap()
}

#[test]
fn accesses_that_share_several_cells_are_one_candidate() {
    let trace = word_and_halves("a w low; a w high; b w word; c w word");
    // The halves with two words, and both words; the halves are no pair of their own.
    check(&trace, [5, 2, 0]);
}

#[test]
fn each_writer_of_a_wide_read_has_challengers_of_its_own() {
    let trace = word_and_halves("a w low; a w high; b w low; b r word");
    // Its low half is b's: a's write or the initial value instead. Its high half is a's: the latter.
    check(&trace, [3, 2, 3 * 2 + 3]);
}
