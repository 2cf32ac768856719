//! What is left out of a recording changes no finding: the races of what is kept are those of
//! everything, by the places in the code that race.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use raddle_native::recording::{Native, Options, Recording, read};
use raddle_native::symbol::Symbols;
use raddle_predict::{Causes, Job, races};
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_wire::{Code, HEADER_LEN, MAGIC, Record, VERSION};

const N_THREADS: usize = 3;
const N_LOCKS: usize = 2;
const LOCKS: u64 = 0x9000;

/// What a thread does next, if it can.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Reads these variables in turn, so many times.
    Loop {
        first: u64,
        second: u64,
        times: usize,
    },
    Write(u64),
    Local,
    Lock(usize),
    Unlock(usize),
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0u64..3, 0u64..3, 1usize..6)
            .prop_map(|(first, second, times)| Act::Loop { first, second, times }),
        3 => (0u64..3).prop_map(Act::Write),
        1 => Just(Act::Local),
        2 => (0..N_LOCKS).prop_map(Act::Lock),
        2 => (0..N_LOCKS).prop_map(Act::Unlock),
    ]
}

/// Some execution as a recording: acts that cannot be are left out.
fn record(acts: &[(usize, Act)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((HEADER_LEN as u32).to_le_bytes());
    bytes.resize(HEADER_LEN, 0);
    let mut put = |code: Code, object: u64, pc: u64| {
        let record = Record::new(code, object, 8, pc, 0);
        bytes.extend(record.head.to_le_bytes());
        bytes.extend(record.tail.to_le_bytes());
    };
    let mut holders = [None; N_LOCKS];
    for &(thread, act) in acts {
        put(Code::Switch, thread as u64, 0);
        // A place in the code for each thread, operation and variable.
        let place = |kind: u64, variable: u64| 0x1000 * (thread as u64 + 1) + 16 * kind + variable;
        match act {
            Act::Loop { first, second, times } => {
                for variable in (0..times).flat_map(|_| [first, second]) {
                    put(Code::Read, 8 * variable, place(1, variable));
                }
            }
            Act::Write(variable) => put(Code::Write, 8 * variable, place(2, variable)),
            Act::Local => put(Code::Write, 0x4000 + 64 * thread as u64, place(3, 0)),
            Act::Lock(lock) if holders[lock].is_none() => {
                holders[lock] = Some(thread);
                put(Code::Lock, LOCKS + 64 * lock as u64, place(4, 0));
            }
            Act::Unlock(lock) if holders[lock] == Some(thread) => {
                holders[lock] = None;
                put(Code::Unlock, LOCKS + 64 * lock as u64, place(5, 0));
            }
            Act::Lock(_) | Act::Unlock(_) => {}
        }
    }
    bytes
}

fn load(bytes: &[u8], locals: bool) -> Native {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("recording");
    fs::write(&path, bytes).unwrap();
    let recording = Recording::open(&path).unwrap();
    read(&recording, &Options { locals, ..Options::default() }, &mut Symbols::new()).unwrap()
}

/// The pairs of places that race.
fn racy_places(native: Native) -> BTreeSet<(String, String)> {
    let trace = Trace::new(native.events, Mode::Strict).unwrap();
    let causes = Causes::new(&trace);
    let job = Job { n_workers: 1, progress: &mut |_, _| true };
    let found = races(&causes, true, job).unwrap();
    assert!(found.unknown.is_empty());
    let place = |event| {
        let location = trace.location(event).unwrap();
        trace.tables.locations.get(location.0).unwrap().to_owned()
    };
    let pair = |race: &raddle_predict::Race| {
        let (first, second) = (place(race.first), place(race.second));
        if first < second { (first, second) } else { (second, first) }
    };
    found.races.iter().map(pair).collect()
}

proptest! {
    #[test]
    fn the_same_places_race(acts in prop::collection::vec((0..N_THREADS, any_act()), 1..24)) {
        let bytes = record(&acts);
        let (all, kept) = (load(&bytes, true), load(&bytes, false));
        prop_assert!(kept.events.len() <= all.events.len());
        prop_assert_eq!(racy_places(kept), racy_places(all));
    }
}

#[test]
fn something_is_left_out_and_the_race_is_still_there() {
    let reads = Act::Loop { first: 0, second: 1, times: 50 };
    let bytes = record(&[(0, Act::Write(1)), (1, reads), (0, Act::Write(0))]);
    let (all, kept) = (load(&bytes, true), load(&bytes, false));
    assert_eq!((all.events.len(), kept.events.len()), (102, 8));
    assert_eq!(racy_places(kept).len(), 2);
}
