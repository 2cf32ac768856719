//! The board: where host and runtime hand plans and runs to each other during an exploration.
//!
//! It lies behind the [`Control`] in the same memory, and behind it lie the addresses that are
//! points and a ring of [`Slot`]s. The host fills slots and counts them ([`Board::posted`]); the
//! runtime runs what is posted, in order, writes each run into the slot of its plan and counts
//! ([`Board::done`]). Who waits sleeps on the other one's counter.

use core::mem::size_of;
use core::sync::atomic::AtomicU32;

use crate::numbered::numbered;
use crate::policy::PolicyRecord;
use crate::{Control, Shared};

/// How many plans can be under way.
pub const N_SLOTS: usize = 64;
/// The most choices of a prefix.
pub const PREFIX_MAX: usize = 1 << 20;
/// The most numbers that a policy comes with.
pub const LIST_MAX: usize = 1 << 18;
/// The most points of a run.
pub const POINTS_MAX: usize = 1 << 20;
/// The most alternatives of all points of a run.
pub const ALTERNATIVES_MAX: usize = 1 << 22;
/// The most operations of all points of a run.
pub const OPERATIONS_MAX: usize = 1 << 20;
/// The most accesses that are points.
pub const SITES_MAX: usize = 1 << 16;
/// The address of a misfit that needs more threads than were made in advance.
pub const MISFIT_THREADS: u64 = u64::MAX;
/// The address of a misfit that needs a thread with another stack. Others are numbers of calls.
pub const MISFIT_STACK: u64 = u64::MAX - 1;
/// The most races that are reported of one run.
pub const RACES_MAX: usize = 256;

/// Bytes of a race.
pub const RACE_LEN: usize = 64;

/// What is the same for all plans, and the counters.
#[repr(C)]
pub struct Board {
    /// A [`Model`].
    pub model: Shared<u32>,
    /// How many threads are made before `main`, for the program to use.
    pub n_pool: Shared<u32>,
    /// How many of [`Layout::sites`] are in use.
    pub n_sites: Shared<u32>,
    /// How many plans were posted, ever.
    pub posted: AtomicU32,
    /// How many of them were run.
    pub done: AtomicU32,
    /// The host sleeps until `done` is this; it does not if it is `done` already.
    pub wake_at: AtomicU32,
    /// Not 0 while the runtime sleeps until `posted` changes.
    pub runtime_sleeps: AtomicU32,
    /// Not 0 if the run under way has to end.
    pub stop: AtomicU32,
    /// How many pages are put back after a run.
    pub n_pages: AtomicU32,
    /// Why the runtime makes a child for every plan though it was to put memory back: a [`Fallback`].
    pub fallback: AtomicU32,
    /// Not 0 once the runtime is ready for plans.
    pub ready: AtomicU32,
}

numbered! {
    /// How a process runs many plans.
    pub enum Model: u32 {
        /// It runs one plan and ends.
        Once = 0,
        /// It makes a child for every plan.
        Fork = 1,
        /// It puts its memory back after every plan.
        Snapshot = 2,
    }
}

numbered! {
    /// Why memory cannot be put back at all.
    pub enum Fallback: u32 {
        /// It can.
        None = 0,
        /// The system does not let system calls be caught, so it is not known what a run changes.
        NoTrap = 1,
        /// The system does not give the address space.
        NoRoom = 2,
    }
}

/// A plan, and the run that it became. Behind it lie the arrays that [`Layout`] names.
#[repr(C)]
pub struct Slot {
    // The plan.
    /// Choices of the prefix.
    pub n_prefix: Shared<u32>,
    /// Who decides behind the prefix.
    pub policy: Shared<PolicyRecord>,
    /// After how many points the run is cut; 0: never.
    pub n_points_max: Shared<u32>,
    /// [`Wants`].
    pub wants: Shared<u32>,

    // The run.
    /// How many points there were.
    pub n_points: Shared<u32>,
    /// How many alternatives, of all points.
    pub n_alternatives: Shared<u32>,
    /// How many operations, of all points and of those who were left at the end.
    pub n_operations: Shared<u32>,
    /// How many races.
    pub n_races: Shared<u32>,
    /// How many accesses were forgotten when races were looked for.
    pub n_forgotten: Shared<u32>,
    /// How many loops were taken for endless.
    pub n_endless: Shared<u32>,
    /// Zero.
    pub reserved: Shared<u32>,
    /// Where they are.
    pub endless: [Shared<u64>; ENDLESS_MAX],
    /// Of what the program wrote to its output.
    pub output_hash: Shared<u64>,
    /// The part for answers describes a run.
    pub control: Control,
}

/// Bits of [`Slot::wants`].
pub struct Wants;

impl Wants {
    /// What each thread is about to do, per point.
    pub const OPERATIONS: u32 = 1;
    /// Data races.
    pub const RACES: u32 = 2;
    /// What was open, per point; without it, only what was taken.
    pub const ALTERNATIVES: u32 = 4;
}

/// A point of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct PointRecord {
    /// The thread that ran before it.
    pub current: u16,
    /// How many alternatives are described.
    pub n_open: u16,
    /// Which of them was taken.
    pub taken: u16,
    /// How many operations.
    pub n_operations: u16,
    /// [`PointFlags`].
    pub flags: u16,
    /// Zero.
    pub reserved: u16,
}

/// Bits of [`PointRecord::flags`].
pub struct PointFlags;

impl PointFlags {
    /// Leaving the current thread is a preemption.
    pub const PREEMPTIBLE: u16 = 1;
    /// Leaving it is free only because it spins.
    pub const SPINNING: u16 = 2;
    /// What was chosen can block.
    pub const BLOCKING: u16 = 4;
    /// The choice is which thread is woken.
    pub const WAITER: u16 = 8;
    /// The current thread could go on, but is set aside: it does the same again and again.
    pub const ASIDE: u16 = 16;
    /// It changes something in each round, and puts it back.
    pub const RESTORES: u16 = 32;
    /// Its loop is taken for endless.
    pub const ENDLESS: u16 = 64;
}

/// An operation of a thread at a point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct OperationRecord {
    /// Who.
    pub thread: u32,
    /// An [`crate::Access`].
    pub access: u32,
    /// To what.
    pub object: u64,
}

/// A choice of a prefix: the number of a thread, and this bit if it is the one that is woken.
pub const CHOICE_WAITER: u32 = 1 << 24;
/// The thread that ran before spins there: leaving it is free and sets it aside.
pub const CHOICE_SPINS: u32 = 1 << 25;
/// It has done a whole round and is not even offered ([`PointFlags::ASIDE`]).
pub const CHOICE_ASIDE: u32 = 1 << 26;
/// See [`PointFlags::RESTORES`].
pub const CHOICE_RESTORES: u32 = 1 << 27;
/// See [`PointFlags::ENDLESS`].
pub const CHOICE_ENDLESS: u32 = 1 << 28;
/// The bits that say something about the thread that ran before.
pub const CHOICE_BITS: u32 = CHOICE_SPINS | CHOICE_ASIDE | CHOICE_RESTORES | CHOICE_ENDLESS;
/// The most loops of a run that are taken for endless.
pub const ENDLESS_MAX: usize = 8;

/// Where things are, in bytes from the start of the shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    board: usize,
}

const PAGE: usize = 4096;

const fn up(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE)
}

const PREFIX: usize = up(size_of::<Slot>());
const LIST: usize = PREFIX + up(PREFIX_MAX * 4);
const POINTS: usize = LIST + up(LIST_MAX * 4);
const ALTERNATIVES: usize = POINTS + up(POINTS_MAX * size_of::<PointRecord>());
const OPERATIONS: usize = ALTERNATIVES + up(ALTERNATIVES_MAX * 2);
const RACES: usize = OPERATIONS + up(OPERATIONS_MAX * size_of::<OperationRecord>());
const SLOT_LEN: usize = RACES + up(RACES_MAX * RACE_LEN);
const SITES: usize = up(size_of::<Board>());
const SLOTS: usize = SITES + up(SITES_MAX * 8);

impl Layout {
    /// With the board at an offset, which is a multiple of the size of a page.
    pub const fn new(board: usize) -> Layout {
        Layout { board }
    }

    /// The [`Board`].
    pub const fn board(&self) -> usize {
        self.board
    }

    /// Program counters of accesses that are points, 8 bytes each.
    pub const fn sites(&self) -> usize {
        self.board + SITES
    }

    /// The [`Slot`] of the plan with a number.
    pub const fn slot(&self, plan: u32) -> usize {
        self.board + SLOTS + (plan as usize % N_SLOTS) * SLOT_LEN
    }

    /// The prefix of the plan with a number, 4 bytes a choice.
    pub const fn prefix(&self, plan: u32) -> usize {
        self.slot(plan) + PREFIX
    }

    /// The numbers of its policy, 4 bytes each.
    pub const fn list(&self, plan: u32) -> usize {
        self.slot(plan) + LIST
    }

    /// Its [`PointRecord`]s.
    pub const fn points(&self, plan: u32) -> usize {
        self.slot(plan) + POINTS
    }

    /// Its alternatives, 2 bytes each.
    pub const fn alternatives(&self, plan: u32) -> usize {
        self.slot(plan) + ALTERNATIVES
    }

    /// Its [`OperationRecord`]s.
    pub const fn operations(&self, plan: u32) -> usize {
        self.slot(plan) + OPERATIONS
    }

    /// Its races, [`RACE_LEN`] bytes each.
    pub const fn races(&self, plan: u32) -> usize {
        self.slot(plan) + RACES
    }

    /// Behind everything.
    pub const fn end(&self) -> usize {
        self.board + SLOTS + N_SLOTS * SLOT_LEN
    }
}
