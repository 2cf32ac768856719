//! What is found in a log, beside what the run can do.

use std::collections::BTreeSet;

use raddle_predict::{Causes, Deadlock, Job, deadlocks};
use raddle_trace::check::Mode;
use raddle_trace::format::{Options, read_raw};
use raddle_trace::{EventId, Events, Op, Trace};

use crate::lock_cycles::enumerate;
use crate::lock_cycles::log::{Log, Places};
use crate::lock_cycles::run::Run;

/// A wait, in words: the thread, its lock, its place.
type Wait = (String, String, String);

/// A run with its log.
pub(crate) struct Case {
    log: Log,
    /// What the run can do.
    pub expected: BTreeSet<Vec<Wait>>,
    /// The same if reads may see other writes.
    pub possible: BTreeSet<Vec<Wait>>,
}

/// What was found and what was not.
#[derive(Debug)]
pub(crate) struct Difference {
    pub text: String,
    pub missed: Vec<Vec<Wait>>,
    pub unreal: Vec<Vec<Wait>>,
}

impl Case {
    pub(crate) fn new(seed: u64) -> Case {
        Case::of(&Run::new(seed), seed)
    }

    /// What is logged of a run, in a way that follows from a seed.
    pub(crate) fn of(run: &Run, seed: u64) -> Case {
        let log = Log::new(run, seed);
        let words = |&(thread, lock, step): &enumerate::Wait| {
            (format!("T{thread}"), format!("L{lock}"), log.places.of(step))
        };
        let all = |are_reads_free: bool| {
            let cycles = enumerate::cycles(run, are_reads_free);
            cycles.iter().map(|cycle| turned(cycle.iter().map(words).collect())).collect()
        };
        let (expected, possible) = (all(false), all(true));
        Case { expected, possible, log }
    }

    /// Compares all deadlocks that are found in the log, after a change of its events.
    pub(crate) fn compare(&self, change: impl Fn(Events) -> Events) -> Result<(), Difference> {
        if self.log.text.is_empty() {
            return Ok(());
        }
        let options = Options::default();
        let events = read_raw(self.log.text.as_bytes(), options).expect("it is STD text").events;
        let trace = Trace::new(change(events), Mode::Normalise).expect("it can be repaired");
        let n_repairs = trace.repairs().len();
        assert!(!self.log.is_clean || n_repairs == 0, "{:?}\n{}", trace.repairs(), self.log.text);
        let hidden = trace.repairs().iter().any(|repair| repair.hides_wait);
        let all = found(&trace, true).0;
        let missed: Vec<_> = self.expected.difference(&all).cloned().collect();
        let unreal: Vec<_> = all.difference(&self.expected).cloned().collect();
        if hidden || !missed.is_empty() || !unreal.is_empty() {
            return Err(Difference { text: self.log.text.clone(), missed, unreal });
        }
        self.compare_places(&trace)
    }

    /// By default there is one deadlock for each cycle of places. What only free reads allow is a possible cycle, and
    /// nothing is both.
    fn compare_places(&self, trace: &Trace) -> Result<(), Difference> {
        let by_place = |cycles: &BTreeSet<Vec<Wait>>| -> BTreeSet<Vec<Wait>> {
            let place = |(thread, lock, place): &Wait| match self.log.places {
                Places::None => (thread.clone(), lock.clone(), String::new()),
                _ => (String::new(), String::new(), place.clone()),
            };
            cycles.iter().map(|cycle| turned(cycle.iter().map(place).collect())).collect()
        };
        let (found, possible) = found(trace, false);
        let (found, possible) = (by_place(&found), by_place(&possible));
        let expected = by_place(&self.expected);
        let (free, either) = (by_place(&self.possible), &found | &possible);
        let missed = expected.difference(&found).chain(free.difference(&either));
        let missed: Vec<_> = missed.cloned().collect();
        let unreal = found.difference(&expected).chain(possible.intersection(&found));
        let unreal: Vec<_> = unreal.cloned().collect();
        match missed.is_empty() && unreal.is_empty() {
            true => Ok(()),
            false => Err(Difference { text: self.log.text.clone(), missed, unreal }),
        }
    }
}

/// The deadlocks, and the possible cycles.
fn found(trace: &Trace, all: bool) -> (BTreeSet<Vec<Wait>>, BTreeSet<Vec<Wait>>) {
    let job = Job { n_workers: 1, progress: &mut |_, _| true };
    let found = deadlocks(&Causes::new(trace), all, job).expect("the referee agrees");
    assert_eq!(found.n_unknown, 0);
    let cycle =
        |blocked: &[EventId]| turned(blocked.iter().map(|&event| words(trace, event)).collect());
    let deadlocks = found.deadlocks.iter().map(|Deadlock { blocked, .. }| cycle(blocked)).collect();
    (deadlocks, found.possible.iter().map(|blocked| cycle(blocked)).collect())
}

fn words(trace: &Trace, event: EventId) -> Wait {
    let (Op::Acquire { lock, .. } | Op::Request { lock, .. }) = trace.op(event) else {
        panic!("{event:?} takes no lock")
    };
    let place = trace.location(event).and_then(|place| trace.tables.locations.get(place.0));
    let lock = trace.tables.locks.get(lock.0).unwrap_or_default();
    let thread = trace.tables.thread(trace.thread(event));
    (thread.to_owned(), lock.to_owned(), place.unwrap_or_default().to_owned())
}

/// The same cycle from its least wait on.
fn turned(cycle: Vec<Wait>) -> Vec<Wait> {
    let turns = (0..cycle.len()).map(|n| [&cycle[n..], &cycle[..n]].concat());
    turns.min().unwrap_or_default()
}
