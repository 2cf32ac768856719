//! The recorder: 16 bytes an event, into a stage that is written to a file whenever it is full.
//!
//! The stage is memory that the host shares, so it outlives the process: if that is killed, the
//! host puts it where it belongs in the file. Writing is several times cheaper than mapping the file,
//! where every page is a fault, and a full disk is an error and not a signal. A limit of the length of
//! files would be one, so it is looked at before.
//!
//! A stage is zero behind the last record. Its place in the file is published (`Control::stage_at`) after
//! the one before was written and cleared: at any moment a stage is either in the file as a whole, or
//! not yet cleared.
//!
//! If the host wants no more of a run than its recording can hold, the run ends with the first event that does not fit,
//! or before the next access. The recorder only notes that it is full: it is called in the middle of operations.
//!
//! Under control there is one recorder. Threads that run at once have one each, whose stage is a piece
//! of the file ([`pieces`](crate::parallel::pieces)).

mod recorder;

use core::mem;

use raddle_wire::{
    Code, Flags, HEADER_LEN, Header, MAGIC, OutcomeKind, Record, RecordingState, VERSION,
};

use crate::host;
use crate::outcome::{self, End};
use crate::state::State;

pub use recorder::{Recorder, peek};

/// The header of a recording.
pub fn header(threading: u32, stacks: bool) -> Header {
    const { assert!(mem::size_of::<Header>() == HEADER_LEN) };
    Header {
        magic: MAGIC,
        version: VERSION,
        len: HEADER_LEN as u32,
        threading,
        stacks: stacks.into(),
        reserved: [0; 5],
    }
}

/// An event of the running thread that is not on the fast path: hashed, recorded, counted.
pub fn event(state: &State, record: Record) {
    state.hash.set(hash_of(state, record));
    state.recorder.write(record);
    end_at_limit(state, record.pc());
    if state.explore.looks_for_races() {
        state.races.observe(state.current().number, record, state.explore.point());
    }
    // What comes here by the fast path is counted where it begins.
    const FAST: [Code; 5] =
        [Code::Read, Code::Write, Code::ReadRange, Code::WriteRange, Code::Free];
    if !record.code().is_some_and(|code| FAST.contains(&code)) {
        state.n_others.set(state.n_others.get() + 1);
    }
    state.budget.set(state.budget.get() - 1);
}

/// Whether the recording has reached its limit and the run has to end with it.
pub fn is_over(state: &State) -> bool {
    let is_full = state.recorder.state() == RecordingState::Limit as u32;
    is_full && host::has(Flags::ENDS_WITH_RECORDING)
}

/// Ends the run if it has to end with the recording.
pub fn end_at_limit(state: &State, pc: u64) {
    if is_over(state) {
        over(state, pc);
    }
}

/// Ends the run because the recording is full.
#[cold]
fn over(state: &State, pc: u64) -> ! {
    let end = End { kind: OutcomeKind::Limit, pc, address: 0 };
    outcome::finish(state, end, format_args!("{FULL}"))
}

/// Why a run ends with its recording.
pub const FULL: &str = "the largest size of the recording";

/// Something that is no event, but that others have to know of.
pub fn note(state: &State, record: Record) {
    state.recorder.write(record);
    if state.explore.looks_for_races() {
        state.races.observe(state.current().number, record, state.explore.point());
    }
}

/// An event of the running thread that changed nothing and orders nothing, though when it happened
/// matters: its time ran out, or it looked at something.
pub fn in_vain(state: &State, pc: u64) {
    event(state, Record::new(Code::Pass, 0, 0, pc, 0));
}

/// The hash with one more event.
#[inline(always)]
pub fn hash_of(state: &State, record: Record) -> u64 {
    let same = state.same.get();
    let mut head = record.head & same.head;
    let object = record.object();
    if object >= same.stack {
        // Where the main stack begins depends on the environment; what lies above the frames
        // (arguments and environment) is one region. Frames begin at a page, so that their layout does not.
        let depth = same.stack_base.saturating_sub(object);
        head = head & !((1 << 48) - 1) | depth;
    }
    crate::hash::add(state.hash.get(), Record { head, tail: record.tail & same.tail ^ same.thread })
}
