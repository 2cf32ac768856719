//! Exploration: many runs of the program in one process, or one in each of many.
//!
//! ```text
//!  host ─► board ─► serve ─► begin ─► main … points: choose … end ─► board ─► host
//!                     ▲                                        │
//!                     └── snapshot: memory as before `main` ───┘   (or a child ends)
//! ```
//!
//! Right before `main` the process stops and serves plans from the board (`serve`). A run follows
//! the prefix of its plan and then acts on its policy; every point is told (`choose`, `note`).
//! How a run ends is told as always (`outcome`), and then the process goes back to where it was
//! (`snapshot`), or ends.
//!
//! - X1: leaving a thread that can go on is a preemption, unless it gave way or spins.
//! - X2: a thread whose time may run out can be chosen at any time; that is free.
//! - X3: a thread that spins is set aside when it has done a round ([`spin`]).
//! - X4: which of several waiting threads is woken is a point of its own, and free.

mod choose;
mod fit;
mod lore;
mod memory;
mod note;
mod number;
mod operation;
mod pool;
mod serve;
mod snapshot;
mod spin;

use core::cell::Cell;

use alloc::vec::Vec;
use raddle_wire::board::{
    Board, Layout, MISFIT_STACK, MISFIT_THREADS, Model, PREFIX_MAX, SITES_MAX, Slot, Wants,
};
use raddle_wire::policy::{Chooser, Policy};
use raddle_wire::{Operation, OutcomeKind};

use crate::host;
use crate::outcome::{self, End};
use crate::sched;
use crate::state::{Shared, State};
use crate::thread::Thread;

pub use fit::{admit, admit_process, is_swallowed};
use lore::Lore;
use memory::LeftOut;
pub use pool::Pool;
pub use serve::serve;
pub use snapshot::{fault, mapped, touch_frame};
pub use spin::Rest;
use spin::Spins;

/// What a process under exploration consists of; all of it is put back after a run.
pub struct Explore {
    is_on: Cell<bool>,
    layout: Cell<Layout>,
    model: Cell<Model>,
    /// The number of the plan.
    plan: Cell<u32>,
    wants: Cell<u32>,
    n_prefix: Cell<u32>,
    n_points_max: Cell<u32>,
    needs_operations: Cell<bool>,
    /// Whether the run is one of all, without any that sleep: it ends where it has been.
    enumerates: Cell<bool>,
    /// Whether the run is one of those that a search covers.
    claims: Cell<bool>,
    /// How many points there were, and what was told of them.
    n_points: Cell<u32>,
    n_alternatives: Cell<u32>,
    n_operations: Cell<u32>,
    chooser: Shared<Option<Chooser>>,
    scratch: Shared<Scratch>,
    /// Which accesses are points: one bit for each remainder of their hashes.
    sites: Cell<u64>,
    /// Of what was written to the output.
    pub output_hash: Cell<u64>,
    pub pool: Pool,
    /// Which threads spin.
    spins: Spins,
    /// A hash of the choices that were taken.
    path: Cell<u64>,
    left_out: Cell<LeftOut>,
    /// What is not put back.
    kept: Cell<Option<&'static snapshot::Kept>>,
    lore: Cell<*mut Lore>,
}

/// Room for what is open at a point.
#[derive(Default)]
struct Scratch {
    open: Vec<u32>,
    operations: Vec<Operation>,
}

impl Explore {
    /// Nothing is explored.
    pub const fn new() -> Explore {
        Explore {
            is_on: Cell::new(false),
            layout: Cell::new(Layout::new(0)),
            model: Cell::new(Model::Once),
            plan: Cell::new(0),
            wants: Cell::new(0),
            n_prefix: Cell::new(0),
            n_points_max: Cell::new(0),
            needs_operations: Cell::new(false),
            enumerates: Cell::new(false),
            claims: Cell::new(false),
            n_points: Cell::new(0),
            n_alternatives: Cell::new(0),
            n_operations: Cell::new(0),
            chooser: Shared::new(None),
            scratch: Shared::new(Scratch { open: Vec::new(), operations: Vec::new() }),
            sites: Cell::new(0),
            output_hash: Cell::new(0),
            pool: Pool::new(),
            spins: Spins::new(),
            path: Cell::new(0),
            left_out: Cell::new(LeftOut::NONE),
            kept: Cell::new(None),
            lore: Cell::new(core::ptr::null_mut()),
        }
    }

    /// Whether plans come from the board.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.is_on.get()
    }

    /// The number of the point whose choice led to what happens now.
    pub fn point(&self) -> u32 {
        self.n_points.get().saturating_sub(1)
    }

    /// Whether events are looked at for data races.
    #[inline(always)]
    pub fn looks_for_races(&self) -> bool {
        self.wants.get() & Wants::RACES != 0
    }

    /// Whether every access has to be looked at.
    pub fn watches(&self) -> bool {
        self.is_on.get()
            && (self.sites.get() != 0 || self.looks_for_races() || self.spins.watches())
    }

    /// The running thread has asked for the time.
    pub fn asks_for_time(&self) {
        self.spins.asks_for_time();
    }

    /// The running thread has changed so many bytes, or what is found by their address.
    #[inline]
    pub fn changed(&self, address: u64, len: u64) {
        self.spins.changed(address, len);
    }

    /// The running thread is about to read so many bytes.
    #[inline]
    pub fn reads(&self, address: u64, len: u64) {
        self.spins.touches(address, len);
    }

    /// The running thread has changed something on its own stack.
    pub fn changed_own(&self) {
        self.spins.changed_own();
    }

    fn board(&self) -> &'static Board {
        // SAFETY: the layout says where the host has put it, and all of it may be written by both.
        unsafe { &*host::at::<Board>(self.layout.get().board()) }
    }

    /// The slot of a plan.
    fn slot_of(&self, plan: u32) -> &'static Slot {
        // SAFETY: as above; there is a slot for each number.
        unsafe { &*host::at::<Slot>(self.layout.get().slot(plan)) }
    }

    fn slot(&self) -> &'static Slot {
        self.slot_of(self.plan.get())
    }

    /// The accesses that are points, ascending.
    fn all_sites(&self) -> &'static [u64] {
        let n = (self.board().n_sites.get() as usize).min(SITES_MAX);
        // SAFETY: there is room for so many, and the host writes them while no plan is under way only.
        unsafe { core::slice::from_raw_parts(host::at(self.layout.get().sites()), n) }
    }

    /// Whether an access is a point.
    pub fn is_site(&self, pc: u64) -> bool {
        if self.sites.get() & filter(pc) == 0 {
            return false;
        }
        self.all_sites().binary_search(&pc).is_ok()
    }

    /// A run of the plan with a number begins, which the host has posted.
    fn begin(&self, state: &State, plan: u32) {
        self.plan.set(plan);
        host::control().clear_answer();
        let slot = self.slot();
        self.wants.set(slot.wants.get());
        self.n_prefix.set(slot.n_prefix.get().min(PREFIX_MAX as u32));
        self.n_points_max.set(slot.n_points_max.get());
        let policy = self.policy_of(slot);
        let wants_operations = self.wants.get() & Wants::OPERATIONS != 0;
        self.needs_operations.set(policy.needs_operations() || wants_operations);
        self.enumerates.set(matches!(policy, Policy::Continue));
        self.claims.set(policy.is_enumerated());
        self.chooser.with(|chooser| *chooser = Some(Chooser::new(&policy)));
        self.sites.set(self.all_sites().iter().fold(0, |bits, &pc| bits | filter(pc)));
        self.is_on.set(true);
        if self.looks_for_races() {
            state.races.reset();
        }
        sched::settle(state);
        sched::arm(state);
    }

    /// Lets a thread of the pool become a thread of the program that needs so much stack; its name.
    /// None if there is none.
    pub fn take_pooled(
        &self,
        state: &State,
        thread: &'static Thread,
        stack: usize,
        pc: u64,
    ) -> Option<usize> {
        let name = self.pool.take(thread, stack);
        if name.is_none() && self.is_on() && self.model.get() == Model::Snapshot {
            let kind = OutcomeKind::Misfit;
            if !self.pool.is_used_up() {
                let end = End { kind, pc, address: MISFIT_STACK };
                outcome::finish(state, end, format_args!("a thread needs a stack of its own"));
            }
            let n = state.n_threads();
            let end = End { kind, pc, address: MISFIT_THREADS };
            outcome::finish(state, end, format_args!("it creates {n} threads"));
        }
        name
    }

    /// What the plan wants at this point: a thread, or a thread that is woken.
    fn planned(&self) -> Option<u32> {
        let at = self.n_points.get();
        if at >= self.n_prefix.get() {
            return None;
        }
        let prefix = host::at::<u32>(self.layout.get().prefix(self.plan.get()));
        // SAFETY: the prefix has so many choices, which the host does not change during the run.
        Some(unsafe { prefix.add(at as usize).read() })
    }

    /// The policy of the plan in a slot.
    fn policy_of(&self, slot: &Slot) -> Policy {
        let record = slot.policy.get();
        let list = host::at::<u32>(self.layout.get().list(self.plan.get()));
        // SAFETY: there is room for so many numbers, which the host does not change during the run.
        let list = unsafe { core::slice::from_raw_parts(list, record.n_list()) };
        record.policy(list).unwrap_or_default()
    }
}

/// One bit of 64 for an access.
fn filter(pc: u64) -> u64 {
    1 << (pc.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58)
}
