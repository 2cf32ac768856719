//! The traces of the corpus are what `corpus/README.md` says.

use std::path::PathBuf;

use raddle_trace::check::{Mode, Rule};
use raddle_trace::format::{self, Loaded, Options, ReadError};

fn open(name: &str, mode: Mode) -> Result<Loaded, ReadError> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/traces").join(name);
    format::open(&path, Options { mode, ..Options::default() }, &mut ())
}

#[test]
fn bank_is_well_formed() {
    let trace = open("bank.std", Mode::Strict).unwrap().trace;
    assert_eq!((trace.len(), trace.n_threads(), trace.tables.locks.len()), (28, 4, 1));
}

#[test]
fn the_wait_of_queue_is_matched() {
    let trace = open("queue.std", Mode::Strict).unwrap().trace;
    let notify = trace.waits()[0].notify.unwrap();
    let location = trace.location(notify).unwrap();
    assert_eq!(trace.tables.locations.get(location.0), Some("queue.c:22"));
}

#[test]
fn reentrant_is_refused_or_repaired() {
    let Err(ReadError::IllFormed(violation)) = open("reentrant.std", Mode::Strict) else {
        panic!("a lock is taken twice");
    };
    assert_eq!((violation.rule, violation.place.line), (Rule::NotReentrant, Some(4)));
    assert_eq!(open("reentrant.std", Mode::Normalise).unwrap().trace.repairs().len(), 3);
}
