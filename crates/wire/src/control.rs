//! The page that host and runtime share.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use alloc::vec::Vec;

use crate::shared::{Plain, Shared};

use crate::numbered::numbered;

/// The file descriptor under which a target finds the [`Control`]; the runtime closes it.
pub const CONTROL_FD: i32 = 987;
/// The file descriptor under which a target finds the recording; the runtime closes it.
pub const RECORDING_FD: i32 = 986;

/// Bytes of text in an answer.
pub const MESSAGE_MAX: usize = 1024;
/// Of [`Control::stage_at`]: nothing is in the stage.
pub const NO_STAGE: u64 = u64::MAX;
/// How many blocked threads are described.
pub const BLOCKED_MAX: usize = 64;

/// What the host asks for and what the runtime answers.
///
/// Behind it in the same memory lie the steps of the plan, the stage, and room for the steps that
/// are taken. The *stage* has the end of the recording: records are written there, and to the file
/// when it is full. So a target that is killed leaves every record behind.
#[repr(C)]
pub struct Control {
    /// [`crate::MAGIC`].
    pub magic: [u8; 8],
    /// [`crate::VERSION`].
    pub version: Shared<u32>,
    /// Bytes of this structure.
    pub len: u32,

    // What the host asks for.
    /// A [`Threading`].
    pub threading: u32,
    /// [`Flags`].
    pub flags: u32,
    /// How many events a thread may do without a scheduling point before others get a turn.
    pub slice: u32,
    /// Where random numbers begin.
    pub seed: u64,
    /// A run ends after so many events; 0: never.
    pub max_events: u64,
    /// A recording ends after so many bytes; 0: never. See [`Flags::ENDS_WITH_RECORDING`].
    pub max_recording: u64,
    /// Where the plan begins, in bytes from the start of this structure, and how many steps it has.
    pub plan_offset: u64,
    /// See `plan_offset`.
    pub n_plan: u64,
    /// Where the steps that were taken go, and how many there is room for.
    pub taken_offset: u64,
    /// See `taken_offset`.
    pub taken_max: u64,
    /// Where the stage is, and how many bytes it has, which is a multiple of [`crate::RECORD_LEN`].
    pub stage_offset: u64,
    /// See `stage_offset`.
    pub stage_len: u64,
    /// Of an exploration: where the [`crate::board::Board`] is.
    pub board_offset: u64,

    // What the runtime answers.
    /// A [`Phase`].
    pub phase: AtomicU32,
    /// An [`crate::OutcomeKind`].
    pub outcome: Shared<u32>,
    /// The thread that the outcome is about.
    pub thread: Shared<u32>,
    /// Of `Exited`.
    pub exit_code: Shared<i32>,
    /// Of `Crash` and `Abort`.
    pub signal: Shared<i32>,
    /// Bytes of `message`.
    pub message_len: Shared<u32>,
    /// Where it happened; 0 if nobody knows.
    pub pc: Shared<u64>,
    /// The address that it is about.
    pub address: Shared<u64>,
    /// Of `Diverged`: the step of the plan.
    pub diverged_at: Shared<u64>,
    /// Text for people.
    message: [Shared<u64>; MESSAGE_MAX / 8],
    /// Of `Deadlock`: who waits for what.
    pub blocked: [Shared<Blocked>; BLOCKED_MAX],
    /// How many of them there are; there may be more than are described.
    pub n_blocked: Shared<u32>,
    /// A [`RecordingState`].
    pub recording: Shared<u32>,
    /// Where in the file the stage belongs, which is there already if the file is longer than that;
    /// [`NO_STAGE`] if nothing is in it.
    pub stage_at: AtomicU64,
    /// Bytes of the recording that are in use.
    pub recording_len: Shared<u64>,
    /// How many steps were taken; more than `taken_max` means that the rest was dropped.
    pub n_taken: Shared<u64>,
    /// Locks that were unlocked by who did not hold them, while the run went on.
    pub misuses: [Shared<Misuse>; MISUSES_MAX],
    /// How many of them there are.
    pub n_misuses: Shared<u64>,
    /// How many pieces of instrumented code have said that they are there.
    pub n_instrumented: Shared<u64>,
    /// How many memory accesses the compiler told of, atomic ones included.
    pub n_accesses: Shared<u64>,
    /// How many events there were in all.
    pub n_events: Shared<u64>,
    /// How many scheduling points.
    pub n_points: Shared<u64>,
    /// How many times another thread went on.
    pub n_switches: Shared<u64>,
    /// How many threads there were.
    pub n_threads: Shared<u32>,
    /// How many processes the target started, which ran on their own.
    pub n_processes: AtomicU32,
    /// How many system calls were seen.
    pub n_syscalls: Shared<u64>,
    /// Of all events: what happened, where and to what.
    pub event_hash: Shared<u64>,
}

impl Control {
    /// Forgets what was told of a run: another one begins.
    pub fn clear_answer(&self) {
        self.outcome.set(0);
        self.thread.set(0);
        self.exit_code.set(0);
        self.signal.set(0);
        self.message_len.set(0);
        self.pc.set(0);
        self.address.set(0);
        self.diverged_at.set(0);
        self.n_blocked.set(0);
        self.n_misuses.set(0);
        self.n_taken.set(0);
        self.n_accesses.set(0);
        self.n_events.set(0);
        self.n_points.set(0);
        self.n_switches.set(0);
        self.n_threads.set(0);
        self.n_processes.store(0, Ordering::Relaxed);
        self.n_syscalls.set(0);
        self.event_hash.set(0);
    }

    /// Where the text for people is, in bytes from the start of this structure.
    pub const MESSAGE_OFFSET: usize = core::mem::offset_of!(Control, message);

    /// Writes text for people; what is too long is cut.
    pub fn set_message(&self, text: &[u8]) {
        let text = &text[..text.len().min(MESSAGE_MAX)];
        for (to, from) in self.message.iter().zip(text.chunks(8)) {
            let mut word = [0; 8];
            word[..from.len()].copy_from_slice(from);
            to.set(u64::from_ne_bytes(word));
        }
        self.message_len.set(text.len() as u32);
    }

    /// The text for people.
    pub fn message(&self) -> Vec<u8> {
        let len = (self.message_len.get() as usize).min(MESSAGE_MAX);
        let bytes = self.message.iter().flat_map(|word| word.get().to_ne_bytes());
        bytes.take(len).collect()
    }

    /// Who waits for what, as far as there was room.
    pub fn blocked(&self) -> Vec<Blocked> {
        self.blocked.iter().take(self.n_blocked.get() as usize).map(Shared::get).collect()
    }

    /// The locks that were unlocked by who did not hold them.
    pub fn misuses(&self) -> Vec<Misuse> {
        let n = usize::try_from(self.n_misuses.get()).unwrap_or(MISUSES_MAX);
        self.misuses.iter().take(n).map(Shared::get).collect()
    }
}

numbered! {
    /// How threads are run.
    pub enum Threading: u32 {
        /// All on one thread of the system, one at a time.
        Coroutines = 0,
        /// Each on its own, one at a time.
        Threads = 1,
        /// Each on its own, all at once, recorded and not controlled.
        Parallel = 2,
    }
}

/// Bits of [`Control::flags`].
pub struct Flags;

impl Flags {
    /// Write a recording.
    pub const RECORD: u32 = 1;
    /// Record calls of functions, too.
    pub const STACKS: u32 = 2;
    /// Addresses are the same in every run (no address space randomisation): they are hashed.
    pub const FIXED_ADDRESSES: u32 = 4;
    /// Do not catch system calls: a thread that blocks in one blocks all.
    pub const NO_TRAP: u32 = 8;
    /// The program was not instrumented, and that is known.
    pub const UNINSTRUMENTED: u32 = 16;
    /// A debugger watches: stop by a trap where the run ends.
    pub const DEBUGGER: u32 = 32;
    /// Every access is a scheduling point, not only synchronisation and atomics.
    pub const POINTS_ALL: u32 = 64;
    /// Plans are on the board, many of them.
    pub const EXPLORE: u32 = 128;
    /// The program makes futex calls itself, so some of what it does with their words is not seen.
    pub const HALF_SEEN: u32 = 256;
    /// Record what accesses read and wrote, too: for runs that are told.
    pub const VALUES: u32 = 512;
    /// Unlocking what the thread does not hold ends the run.
    pub const STRICT_LOCKS: u32 = 1024;
    /// A run ends where its recording reaches `max_recording`, and does not go on without one.
    pub const ENDS_WITH_RECORDING: u32 = 2048;
    /// When the plan is used up, any thread that can go on is as likely as any other at every point; otherwise a thread
    /// goes on as long as it can, then the next one.
    pub const RANDOM: u32 = 4096;
}

numbered! {
    /// How far the runtime came.
    pub enum Phase: u32 {
        /// The runtime was never loaded.
        Absent = 0,
        /// It was loaded.
        Loaded = 1,
        /// It was loaded behind the C library, so the program would have run without control.
        Late = 2,
        /// `main` began under control.
        Running = 3,
        /// The outcome was written.
        Ended = 4,
    }
}

numbered! {
    /// What became of the recording.
    pub enum RecordingState: u32 {
        /// It is whole as far as the run went.
        Whole = 0,
        /// It ended at `max_recording`.
        Limit = 1,
        /// It ended because the disk was full.
        DiskFull = 2,
    }
}

/// A lock was unlocked by a thread that did not hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Misuse {
    /// From where it was called.
    pub pc: u64,
    /// The lock.
    pub address: u64,
    /// Of the point whose choice led there.
    pub point: u32,
    /// What it is: 0 a mutex, 1 a spin lock.
    pub what: u16,
    /// Who held it: 0 no thread, 1 another thread.
    pub held: u16,
}

// SAFETY: two numbers of 8 bytes, and 8 bytes of smaller ones.
unsafe impl Plain for Misuse {}

impl Misuse {
    /// What was done, for people.
    pub fn text(&self) -> &'static str {
        match (self.what, self.held) {
            (0, 0) => "unlock of a mutex, which no thread holds",
            (0, _) => "unlock of a mutex, which another thread holds",
            (_, 0) => "unlock of a spin lock, which no thread holds",
            _ => "unlock of a spin lock, which another thread holds",
        }
    }
}

/// How many are described of a run; further ones of the same locks follow from these.
pub const MISUSES_MAX: usize = 4;

/// What a blocked thread waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Blocked {
    /// Its number.
    pub thread: u32,
    /// A [`crate::Code`]: what it wants to do.
    pub code: u32,
    /// The object.
    pub object: u64,
    /// From where it was called.
    pub pc: u64,
    /// Who has the object, plus one; 0: nobody, or several.
    pub holder: u32,
    /// Zero.
    pub reserved: u32,
}

// SAFETY: two numbers of 4 bytes, two of 8, and two of 4.
unsafe impl Plain for Blocked {}
