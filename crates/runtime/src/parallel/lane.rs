//! Lanes: threads that are recorded, and how each writes what it does.

use core::arch::{asm, global_asm};
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use alloc::boxed::Box;
use raddle_wire::{Code, Record, TextKind};

use super::{LANES, exit, sync};
use crate::pthread::once::Once;
use crate::record::Recorder;
use crate::sys;
use crate::thread::Start;

/// A thread that is recorded.
pub struct Lane {
    /// Threads are numbered in the order in which they are made; the main thread is 0.
    pub number: u32,
    /// Where its records go; only the thread itself writes.
    pub recorder: Recorder,
    /// Its number in the system.
    pub system_id: Cell<i32>,
    /// What it is about to do once.
    pub once: Cell<Option<Once>>,
    /// The C library's name of it (`pthread_t`).
    pub(super) handle: AtomicUsize,
    /// Whether the thread is in the middle of something here.
    pub(super) is_busy: Cell<bool>,
    /// Records that are no plain accesses, and how many of them are atomic ones.
    pub(super) n_others: AtomicU64,
    pub(super) n_atomics: AtomicU64,
    /// How often the C library has run the destructors of the thread that ends.
    pub(super) n_rounds: Cell<u32>,
    pub(super) start: Option<Start>,
    pub(super) argument: *mut c_void,
}

// SAFETY: what others ask of a lane (its number, its handle, its counts) does not change or is atomic. All else is its
// thread's own.
unsafe impl Sync for Lane {}

// As `raddle_thread`: one pointer per thread, found without a call.
global_asm!(
    ".pushsection .tbss,\"awT\",@nobits",
    ".balign 8",
    ".hidden raddle_lane",
    ".globl raddle_lane",
    ".type raddle_lane,@object",
    ".size raddle_lane, 8",
    "raddle_lane:",
    ".zero 8",
    ".popsection",
);

/// The lane of the calling thread, if it is recorded.
#[inline(always)]
pub fn lane() -> Option<&'static Lane> {
    let lane: *const Lane;
    // SAFETY: reads the variable defined above; lanes are never freed.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + raddle_lane@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{0}]",
            out(reg) lane,
            options(nostack, readonly, preserves_flags),
        );
        lane.as_ref()
    }
}

pub(super) fn set_lane(lane: *const Lane) {
    // SAFETY: writes the variable defined above.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + raddle_lane@GOTTPOFF]",
            "mov qword ptr fs:[{0}], {1}",
            out(reg) _,
            in(reg) lane,
            options(nostack, preserves_flags),
        );
    }
}

impl Lane {
    pub(super) fn new(number: u32, start: Option<Start>, argument: *mut c_void) -> &'static Lane {
        let lane: &'static Lane = Box::leak(Box::new(Lane {
            number,
            recorder: Recorder::new(),
            system_id: Cell::new(0),
            once: Cell::new(None),
            handle: AtomicUsize::new(0),
            is_busy: Cell::new(false),
            n_others: AtomicU64::new(0),
            n_atomics: AtomicU64::new(0),
            n_rounds: Cell::new(0),
            start,
            argument,
        }));
        LANES.with(|lanes| lanes.push(lane));
        lane
    }

    /// The calling thread is this one from here on.
    pub(super) fn enter(&'static self) {
        self.system_id.set(sys::thread_id() as i32);
        set_lane(self);
        exit::watch(self);
        sync(Record::new(Code::Begin, 0, 0, 0, 0));
        if let Some(start) = self.start {
            self.text(TextKind::ThreadStart, &(start as usize as u64).to_le_bytes());
        }
    }

    /// Does something during which a handler is not recorded; nothing if this is one.
    #[inline]
    pub(super) fn alone(&self, act: impl FnOnce(&Lane)) {
        if !self.is_busy.replace(true) {
            act(self);
            self.is_busy.set(false);
        }
    }

    /// Whether this is what the C library calls it.
    pub fn has(&self, handle: usize) -> bool {
        self.handle.load(Ordering::Relaxed) == handle
    }

    /// Writes text.
    pub fn text(&self, kind: TextKind, text: &[u8]) {
        self.with_recorder(|recorder| recorder.text(kind, &[text]));
    }

    /// Writes what is neither an access nor an event.
    pub fn with_recorder(&self, act: impl FnOnce(&Recorder)) {
        self.alone(|lane| {
            let before = lane.recorder.n_written();
            act(&lane.recorder);
            lane.leave_out(lane.recorder.n_written() - before);
        });
    }

    /// So many of its records are no accesses.
    pub(super) fn leave_out(&self, n: u64) {
        self.n_others.store(self.n_others.load(Ordering::Relaxed) + n, Ordering::Relaxed);
    }

    /// Writes a record that has no number.
    #[inline]
    pub(super) fn put(&self, record: Record) {
        if !self.recorder.put(record) {
            self.put_slowly(record);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_slowly(&self, record: Record) {
        self.alone(|lane| lane.recorder.write(record));
    }

    /// Writes a number and what has it, in a row.
    pub(super) fn put_numbered(&self, number: u64, records: &[Record]) {
        let n = records.len() as i64 + 1;
        if self.recorder.is_on() && self.recorder.make_room_for(n) {
            let number = Record::new(Code::Number, number, 0, 0, 0);
            [number].iter().chain(records).for_each(|&record| {
                self.recorder.put(record);
            });
            self.leave_out(n as u64);
        }
    }
}
