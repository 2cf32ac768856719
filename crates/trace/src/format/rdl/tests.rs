//! The native format: round trips, damage, and what is refused.

use super::{BLOCK_EVENTS, Loss, Writer, write};
use crate::check::Mode;
use crate::events::Events;
use crate::format::{BlockProblem, Format, Options, ReadError, read_raw, sketch};
use crate::id::{BarrierId, EventId, LocationId, SemaphoreId, StackId, ThreadId, VarId};
use crate::op::{Kind, Op, Order};
use crate::tables::{Frame, Range};
use crate::trace::Trace;

fn bytes(events: &Events) -> Vec<u8> {
    let mut out = Vec::new();
    write(events, &mut out, &mut ()).unwrap();
    out
}

#[track_caller]
fn decoded(bytes: &[u8]) -> (Events, Option<Loss>) {
    let raw = read_raw(bytes, Options::default()).unwrap();
    assert_eq!(raw.format, Format::Rdl);
    (raw.events, raw.loss)
}

/// A trace with everything a trace can have.
fn rich() -> Events {
    let mut events = sketch(
        "T1 wait.pre c\nT2 post s\nT2 take s\nT2 notify c\nT1 wake c\nT1 w x\nT2 r y\nT1 arrive b\nT1 acq.sh l\nT1 rmw x",
    )
    .unwrap();
    events.tables.set_initial(SemaphoreId(0), 3);
    events.tables.set_parties(BarrierId(0), 2);
    events.tables.regions.intern(b"heap").unwrap();
    events.tables.set_range(VarId(1), Range { region: 0, offset: 1 << 40, size: 8 });
    let outer = events.tables.add_frame(Frame { caller: None, location: 1 });
    events.tables.add_frame(Frame { caller: Some(outer), location: 0 });
    events.set_stack(EventId(5), StackId(1));
    events.set_value(EventId(5), u64::MAX);
    events.set_value(EventId(6), 7);
    events.set_value(EventId(9), 8);
    events.set_found(EventId(9), 7);
    events.claims.nested_locks = true;
    events.source = Default::default();
    events
}

/// A trace of several blocks.
fn long(n: usize) -> Events {
    let mut events = Events::default();
    for thread in ["main", "worker"] {
        events.tables.threads.intern(thread.as_bytes()).unwrap();
    }
    for i in 0..n {
        let name = format!("v{}", i % 1000);
        let var = VarId(events.tables.variables.intern(name.as_bytes()).unwrap());
        let location = LocationId(events.tables.locations.intern(name.as_bytes()).unwrap());
        let op = Op::Write { var, order: Order::Plain };
        events.push(ThreadId((i / 10 % 2) as u32), op, Some(location));
    }
    events
}

#[test]
fn everything_a_trace_has_comes_back() {
    let events = rich();
    let (found, loss) = decoded(&bytes(&events));
    assert_eq!(found, events);
    assert_eq!(loss, None);
}

#[test]
fn many_blocks_come_back_in_order() {
    let events = long(3 * BLOCK_EVENTS + 17);
    assert_eq!(decoded(&bytes(&events)), (events, None));
}

#[test]
fn a_recorder_can_append_while_it_goes() {
    let whole = long(100);
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, whole.claims).unwrap();
    let mut so_far = Events::default();
    for n in [1, 50, 50, 99, 100] {
        so_far = long(n);
        writer.flush(&so_far, &mut ()).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(decoded(&file), (so_far, None));
}

#[test]
fn a_file_cut_anywhere_yields_every_complete_block() {
    let events = long(2 * BLOCK_EVENTS + 5);
    let file = bytes(&events);
    let mut kept = Vec::new();
    for end in (0..file.len()).rev().step_by(61).chain(file.len() - 40..file.len()) {
        match read_raw(&file[..end], Options::default()) {
            Ok(raw) if raw.format == Format::Rdl => {
                let loss = raw.loss.expect("a cut file has lost something");
                assert_eq!(loss.n_events, raw.events.len() as u64);
                assert_eq!(loss.offset + loss.n_bytes, end as u64);
                assert!(raw.events.codes == events.codes[..raw.events.len()]);
                kept.push(raw.events.len());
            }
            Ok(_) => panic!("read as text"),
            Err(ReadError::Block { .. } | ReadError::Line(_) | ReadError::Empty) => kept.push(0),
            Err(error) => panic!("{error}"),
        }
    }
    kept.sort_unstable();
    kept.dedup();
    assert_eq!(kept, [0, BLOCK_EVENTS, 2 * BLOCK_EVENTS, events.len()]);
}

#[test]
fn a_flipped_bit_is_found_and_the_blocks_before_it_are_kept() {
    let events = long(2 * BLOCK_EVENTS);
    let clean = bytes(&events);
    for at in (16..clean.len()).step_by(103) {
        let mut file = clean.clone();
        file[at] ^= 0x10;
        match read_raw(&file, Options::default()) {
            Ok(raw) => {
                assert!(raw.loss.is_some(), "byte {at}");
                assert!(raw.events.codes == events.codes[..raw.events.len()]);
            }
            Err(ReadError::Block { .. }) => {}
            Err(error) => panic!("byte {at}: {error}"),
        }
    }
}

#[test]
fn another_version_is_refused_by_name() {
    let mut file = bytes(&rich());
    file[8] = 9;
    let error = read_raw(&file, Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at byte 0: the file has format version 9; this program reads version 1"
    );
}

/// Reads a file that was written before tries were marked.
#[track_caller]
fn check_old(text: &str, expected: &[bool]) {
    let mut file = bytes(&sketch(text).unwrap());
    file[10] &= !2;
    let (events, _) = decoded(&file);
    let acquires = events.codes.iter().filter(|code| code.kind() == Kind::Acquire);
    assert_eq!(acquires.map(|code| code.is_tried()).collect::<Vec<_>>(), expected);
}

#[test]
fn old_files_mark_tries_by_the_lack_of_a_request() {
    check_old("A req l\nA acq l\nB acq k\nB rel k", &[false, true]);
    check_old("A req l\nB acq k\nA acq l", &[true, false]);
    check_old("B req k\nA acq l\nA wait.pre c\nA rel l\nA acq l\nA wake.timeout c", &[true, false]);
    // Without requests, nothing says that an acquire does not wait.
    check_old("A acq l\nB acq k", &[false, false]);
}

#[test]
fn files_say_which_acquires_were_only_tried() {
    let events = sketch("A req l\nA acq l\nB acq k\nB tryacq m\nB tryacq.sh n").unwrap();
    assert!(decoded(&bytes(&events)).0.codes == events.codes);
}

#[test]
fn bytes_behind_the_end_are_reported() {
    let mut file = bytes(&rich());
    file.extend(b"more");
    let (events, loss) = decoded(&file);
    assert_eq!(events, rich());
    let problem = BlockProblem::Content("bytes follow the end");
    assert_eq!(loss.map(|loss| (loss.problem, loss.n_bytes)), Some((problem, 4)));
}

#[test]
fn a_compressed_file_is_read_too() {
    let file = zstd::encode_all(&bytes(&rich())[..], 0).unwrap();
    assert_eq!(decoded(&file), (rich(), None));
}

#[test]
fn a_file_that_needs_too_much_memory_is_refused_by_its_headers() {
    let file = bytes(&long(2 * BLOCK_EVENTS));
    let options = Options { max_memory: Some(1 << 20), ..Options::default() };
    assert!(matches!(read_raw(&file, options), Err(ReadError::TooLarge { .. })));
}

#[test]
fn names_of_any_number_and_length_fit() {
    let mut events = long(10);
    for i in 0..9 {
        events.tables.variables.intern(vec![b'a' + i; 1 << 20].as_slice()).unwrap();
    }
    assert_eq!(decoded(&bytes(&events)), (events, None));
}

#[test]
fn a_trace_read_from_the_file_is_well_formed_or_refused() {
    let events = sketch("T1 rel l").unwrap();
    let (events, _) = decoded(&bytes(&events));
    assert!(Trace::new(events, Mode::Strict).is_err());
}
