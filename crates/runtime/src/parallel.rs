//! Recording without control: threads run at once, and each writes down what it does.
//!
//! In: what hooks report when no thread is under control ([`State::active`] is none then). Out: pieces
//! of the recording, one thread each. A thread with a [`Lane`] is recorded, others are not.
//!
//! - P1: Plain accesses go into the thread's own piece, without looking at anything shared.
//! - P2: What orders threads has a number of one counter. What lets others go on (giving a lock
//!   back, creating a thread) is numbered and written before it is done, what had to wait (taking
//!   a lock, joining) after. So numbers respect what happens before what, and wherever the process
//!   is killed, what let a thread go on is in the recording.
//! - P3: An atomic operation and its number are one under a lock of its address, so numbers are in
//!   the order of the operations there.
//! - P4: Taking a number is a full fence: all that a thread did before it is over, for all threads,
//!   before another one gets a larger number.
//!
//! A signal's handler may run between any two instructions here. A record's place is taken before
//! it is written; what takes longer is marked ([`Lane::is_busy`]), and a handler meanwhile is not
//! recorded.

pub mod end;
pub mod exit;
mod lane;
pub mod lock;
pub mod pieces;
pub mod spin;
pub mod thread;
mod turn;

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use alloc::vec::Vec;
use raddle_wire::{Flags, Phase, RECORDING_FD, Record, Threading};

use crate::{heap, host, module, record, signal};

use lane::set_lane;
pub use lane::{Lane, lane};
use spin::Spin;
pub use turn::Turn;

static IS_ON: AtomicBool = AtomicBool::new(false);
static LANES: Spin<Vec<&'static Lane>> = Spin::new(Vec::new());

#[repr(align(64))]
struct Counter(AtomicU64);
static COUNTER: Counter = Counter(AtomicU64::new(1));

/// Whether the host asked for this.
pub fn is_chosen() -> bool {
    host::page().is_some_and(|control| control.threading == Threading::Parallel as u32)
}

/// Whether threads are being recorded.
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// The next number.
pub fn number() -> u64 {
    COUNTER.0.fetch_add(1, Ordering::SeqCst)
}

/// Recording begins, with the main thread.
pub fn begin() {
    let control = host::control();
    let main = Lane::new(0, None, core::ptr::null_mut());
    main.handle.store(real!(fn pthread_self() -> usize), Ordering::Relaxed);
    if host::has(Flags::RECORD) {
        pieces::begin(RECORDING_FD, control.max_recording);
        let header = record::header(control.threading, host::has(Flags::STACKS));
        main.recorder.begin_one_of_many(RECORDING_FD, 0, Some(header));
        main.with_recorder(module::record_all);
    }
    exit::begin();
    IS_ON.store(true, Ordering::SeqCst);
    main.enter();
    heap::record_early();
    control.phase.store(Phase::Running as u32, Ordering::Release);
    signal::begin();
}

/// This process is a child: it is not recorded.
pub fn leave_child() {
    IS_ON.store(false, Ordering::Relaxed);
    set_lane(core::ptr::null());
}

/// A plain access of the calling thread.
#[inline]
pub fn access(record: Record) {
    if let Some(lane) = lane() {
        lane.put(record);
    }
}

/// Something that orders nothing and is no access either.
pub fn aside(record: Record) {
    if let Some(lane) = lane() {
        lane.put(record);
        lane.leave_out(1);
    }
}

/// Something that orders threads, numbered now.
pub fn sync(record: Record) {
    sync_all(&[record]);
}

/// The same of several records that belong together.
pub fn sync_all(records: &[Record]) {
    if let Some(lane) = lane() {
        lane.alone(|lane| lane.put_numbered(number(), records));
    }
}

/// Records what a call has done, if it returned 0; what it returned.
pub fn done(result: i32, record: Record) -> i32 {
    if result == 0 {
        sync(record);
    }
    result
}

/// How much was recorded: threads, events, and how many of those are accesses.
pub fn counts() -> (u32, u64, u64) {
    LANES.with(|lanes| {
        let mut counts = (lanes.len() as u32, 0, 0);
        for lane in lanes.iter() {
            let (all, others) = (lane.recorder.n_written(), lane.n_others.load(Ordering::Relaxed));
            let plain = all.saturating_sub(others);
            counts.1 += plain + others / 2;
            counts.2 += plain + lane.n_atomics.load(Ordering::Relaxed);
        }
        counts
    })
}
