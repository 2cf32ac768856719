//! Anything at all may be in a recording.

use proptest::prelude::*;
use raddle_wire::{Code, HEADER_LEN, Record, TextKind};

use super::{Build, shown};
use crate::recording::{Note, Options, Passes};

fn sample() -> Build {
    Build::new()
        .text(TextKind::ThreadName, b"the first of all threads")
        .does(Code::Begin, 0)
        .counted(Code::SemaphoreInit, 0x10, 1)
        .alloc(0x1000, 64)
        .write(0x1000)
        .does(Code::Fork, 1)
        .on(1)
        .does(Code::Lock, 0x2000)
        .read(0x1000)
        .does(Code::Unlock, 0x2000)
        .does(Code::Free, 0x1000)
        .does(Code::End, 0)
        .on(0)
        .does(Code::Join, 1)
}

#[test]
fn a_recording_that_is_cut_off_is_the_beginning_of_the_whole() {
    let sample = sample();
    let whole = shown(&sample.all());
    let n_records = (sample.bytes.len() - HEADER_LEN) / 16;
    let mut lengths = Vec::new();
    for n in 0..=n_records {
        let mut cut = sample.clone();
        cut.bytes.truncate(HEADER_LEN + 16 * n);
        let native = cut.all();
        assert!(
            whole
                .replace("the first of all threads", "main")
                .starts_with(&shown(&native).replace("the first of all threads", "main"))
        );
        // The text and its two records are cut in the middle.
        let inside = n == 1 || n == 2;
        assert_eq!(native.note, inside.then_some(Note::CutText { record: 0 }));
        lengths.push(native.events.len());
    }
    assert!(lengths.is_sorted());
    assert_eq!(lengths.last(), Some(&10));
}

#[test]
fn what_was_never_written_is_the_end() {
    let mut killed = sample();
    let n_records = (killed.bytes.len() - HEADER_LEN) as u64 / 16;
    killed.bytes.resize(killed.bytes.len() + 4096, 0);
    let native = killed.all();
    assert_eq!(native.note, Some(Note::Cut { record: n_records }));
    assert_eq!(shown(&native), shown(&sample().all()));
}

#[test]
fn half_a_record_is_none() {
    let mut build = Build::new().write(8).write(8);
    build.bytes.truncate(HEADER_LEN + 25);
    let native = build.all();
    assert_eq!((native.events.len(), native.note), (1, Some(Note::Partial { record: 1 })));
}

#[test]
fn an_unknown_code_ends_what_is_read() {
    let build = Build::new().write(8).record(Record { head: 200 << 48, tail: 0 }).write(8);
    let native = build.all();
    assert_eq!(native.events.len(), 1);
    assert_eq!(
        native.note.unwrap().to_string(),
        "record 1 has code 200, which is unknown; what follows was not read"
    );
}

#[test]
fn a_thread_beyond_all_traces_ends_what_is_read() {
    let native = Build::new().write(8).on(1 << 20).write(8).all();
    assert_eq!(native.events.len(), 1);
    assert_eq!(native.note, Some(Note::Thread { record: 1, number: 1 << 20 }));
}

fn any_record() -> impl Strategy<Value = Record> {
    let code = prop_oneof![1u8..12, 16u8..20, 24u8..28, 32u8..46, 64u8..69];
    let object = prop_oneof![4 => 0u64..40, 1 => any::<u64>()];
    (code, object, any::<u8>(), 0u16..4).prop_map(|(code, object, detail, extra)| {
        Record::new(Code::from_number(code).unwrap(), object, detail, object, extra)
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_to_some_end(
        bytes in prop::collection::vec(any::<u8>(), 0..600),
        locals: bool,
        stacks: bool,
    ) {
        let mut build = Build::new();
        build.bytes.extend(bytes);
        let native = build.read_with(Options { locals, stacks, ..Options::default() });
        prop_assert_eq!(native.positions.len(), native.events.len());
    }

    #[test]
    fn any_records_are_read_to_some_end(
        records in prop::collection::vec(any_record(), 0..60),
        locals: bool,
    ) {
        let build = records.iter().fold(Build::new(), |build, &record| build.record(record));
        let native = build.read_with(Options { locals, stacks: true, ..Options::default() });
        let order: Vec<_> = (0..native.events.len() as u32).map(raddle_trace::EventId).collect();
        let (events, guide) = native.split();
        let steps = guide.steer(&events, &order, &[], &Passes::default());
        let counted = |step: &&raddle_wire::Step| step.kind() == Some(raddle_wire::StepKind::Thread);
        let n_steps: u64 = steps.iter().filter(counted).map(|step| step.times).sum();
        prop_assert!(n_steps <= records.len() as u64);
        // Whatever it is, it can be repaired.
        raddle_trace::Trace::new(events, raddle_trace::check::Mode::Normalise).unwrap();
    }
}
