//! Recording without control: threads run at once, and each writes down what it does.
//!
//! In: what hooks tell when nobody is under control ([`State::active`] is none then). Out: pieces
//! of the recording, one thread each. A thread with a [`Lane`] is recorded, others are not.
//!
//! - P1: Plain accesses go into the thread's own piece, without looking at anything shared.
//! - P2: What orders threads has a number of one counter. What lets others go on (giving a lock
//!   back, creating a thread) is numbered and written before it is done, what had to wait (taking
//!   a lock, joining) after. So numbers respect what happens before what, and wherever the process
//!   is killed, whoever went on because of something finds it in the recording.
//! - P3: An atomic operation and its number are one under a lock of its address, so numbers are in
//!   the order of the operations there.
//! - P4: Taking a number is a full fence: all that a thread did before it is over, for everybody,
//!   before anybody gets a larger one.
//!
//! A signal's handler may run between any two instructions here. A record's place is taken before
//! it is written; what takes longer is marked ([`Lane::is_busy`]), and a handler meanwhile is not
//! recorded.

pub mod exit;
pub mod lock;
pub mod pieces;
mod spin;
pub mod thread;
mod turn;

use core::arch::{asm, global_asm};
use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use alloc::boxed::Box;
use alloc::vec::Vec;
use raddle_wire::{Code, Flags, Phase, RECORDING_FD, Record, TextKind, Threading};

use crate::pthread::once::Once;
use crate::record::{self, Recorder};
use crate::state::State;
use crate::thread::Start;
use crate::{module, signal, sys};

use spin::Spin;
pub use turn::Turn;

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
    handle: AtomicUsize,
    /// Whether the thread is in the middle of something here.
    is_busy: Cell<bool>,
    /// Records that are no plain accesses, and how many of them are atomic ones.
    n_others: Cell<u64>,
    n_atomics: Cell<u64>,
    /// How often the C library has run the destructors of the thread that ends.
    n_rounds: Cell<u32>,
    start: Option<Start>,
    argument: *mut c_void,
}

// SAFETY: a lane's cells are its thread's own; others only ask for counts, which may be late.
unsafe impl Send for Lane {}
// SAFETY: as above.
unsafe impl Sync for Lane {}

static IS_ON: AtomicBool = AtomicBool::new(false);
static LANES: Spin<Vec<&'static Lane>> = Spin::new(Vec::new());

#[repr(align(64))]
struct Counter(AtomicU64);
static COUNTER: Counter = Counter(AtomicU64::new(1));

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

fn set_lane(lane: *const Lane) {
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

/// Whether the host asked for this.
pub fn is_chosen(state: &State) -> bool {
    // SAFETY: it is mapped if it is not null.
    !state.control.get().is_null()
        && unsafe { state.control() }.threading == Threading::Parallel as u32
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
pub unsafe fn begin(state: &'static State) {
    let control = state.control();
    let main = Lane::new(0, None, core::ptr::null_mut());
    main.handle.store(real!(fn pthread_self() -> usize), Ordering::Relaxed);
    if state.has(Flags::RECORD) {
        pieces::begin(RECORDING_FD, control.max_recording);
        let header = record::header(control.threading, state.has(Flags::STACKS));
        main.recorder.begin_one_of_many(0, Some(header));
        main.with_recorder(module::record_all);
    }
    exit::begin();
    IS_ON.store(true, Ordering::SeqCst);
    main.enter();
    control.phase.store(Phase::Running as u32, Ordering::Release);
    signal::begin();
}

/// This process is a child: it is not recorded.
pub fn leave_child() {
    IS_ON.store(false, Ordering::Relaxed);
    set_lane(core::ptr::null());
}

impl Lane {
    fn new(number: u32, start: Option<Start>, argument: *mut c_void) -> &'static Lane {
        let lane: &'static Lane = Box::leak(Box::new(Lane {
            number,
            recorder: Recorder::new(),
            system_id: Cell::new(0),
            once: Cell::new(None),
            handle: AtomicUsize::new(0),
            is_busy: Cell::new(false),
            n_others: Cell::new(0),
            n_atomics: Cell::new(0),
            n_rounds: Cell::new(0),
            start,
            argument,
        }));
        LANES.with(|lanes| lanes.push(lane));
        lane
    }

    /// The calling thread is this one from here on.
    unsafe fn enter(&'static self) {
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
    fn alone(&self, act: impl FnOnce(&Lane)) {
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
    fn leave_out(&self, n: u64) {
        self.n_others.set(self.n_others.get() + n);
    }

    /// Writes a record that has no number.
    #[inline]
    fn put(&self, record: Record) {
        if self.recorder.room() > 0 {
            // SAFETY: there is room.
            unsafe { self.recorder.put(record) };
        } else {
            self.put_slowly(record);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_slowly(&self, record: Record) {
        self.alone(|lane| lane.recorder.write(record));
    }

    /// Writes a number and what has it, in a row.
    fn put_numbered(&self, number: u64, records: &[Record]) {
        let n = records.len() as i64 + 1;
        if self.recorder.is_on() && self.recorder.make_room_for(n) {
            // SAFETY: there is room for all.
            unsafe {
                self.recorder.put(Record::new(Code::Number, number, 0, 0, 0));
                records.iter().for_each(|&record| self.recorder.put(record));
            }
            self.leave_out(n as u64);
        }
    }
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
            let (all, others) = (lane.recorder.n_written(), lane.n_others.get());
            let plain = all.saturating_sub(others);
            counts.1 += plain + others / 2;
            counts.2 += plain + lane.n_atomics.get();
        }
        counts
    })
}
