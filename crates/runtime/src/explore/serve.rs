//! The server: takes plans from the board, right before `main`, one run after the other.

use core::sync::atomic::Ordering;

use raddle_wire::board::{Board, Fallback, Layout, Model};
use raddle_wire::{Flags, OutcomeKind, Threading};

use super::lore::Lore;
use super::memory::LeftOut;
use super::note::done;
use super::snapshot;
use crate::host;
use crate::module;
use crate::outcome;
use crate::state::State;
use crate::sys::{self, Whence, nr};
use crate::trap;

/// How often the runtime looks for a plan before it sleeps.
const LOOKS: u32 = 300;

/// Waits for plans; returns at the beginning of a run, as often as there are runs.
/// `main` has not begun, and everything else is ready for it.
pub fn serve(state: &'static State) {
    let explore = &state.explore;
    let control = host::control();
    explore.layout.set(Layout::new(control.board_offset as usize));
    let board = explore.board();
    let mut model = Model::from_number(board.model.get()).unwrap_or(Model::Once);
    if model == Model::Snapshot {
        let fallback = match () {
            () if !trap::is_on() => Fallback::NoTrap,
            () if !snapshot::make_room(state) => Fallback::NoRoom,
            () => Fallback::None,
        };
        board.fallback.store(fallback as u32, Ordering::Relaxed);
        if fallback != Fallback::None {
            model = Model::Fork;
        }
    }
    explore.model.set(model);
    if Threading::from_number(control.threading) == Some(Threading::Coroutines) {
        explore.pool.fill(state, board.n_pool.get());
    }
    prepare(state);
    explore.lore.set(Lore::make());
    explore.left_out.set(LeftOut::find(state));
    board.ready.store(1, Ordering::Release);
    sys::futex_wake_shared(&board.ready);
    let plan = match model {
        Model::Once => wait_for(board, 0),
        Model::Fork => fork_for_each(state, board),
        Model::Snapshot => {
            let kept = explore.kept.get().expect("room was made");
            snapshot::serve(state, kept)
        }
    };
    explore.begin(state, plan);
}

/// Sees to it that runs do not have to ask the system for what all of them need.
fn prepare(state: &State) {
    state.shadow.prepare();
    let sees_all = !host::has(Flags::HALF_SEEN) && !module::any_unseen();
    if !state.races.begin(sees_all) {
        outcome::internal(format_args!("there is not enough memory to detect races"));
    }
    const TRIM_THRESHOLD: i32 = -1;
    const TOP_PAD: i32 = -2;
    for (option, value) in [(TRIM_THRESHOLD, 1 << 30), (TOP_PAD, 1 << 20)] {
        real!(fn mallopt(option: i32, value: i32) -> i32);
    }
    const BLOCK: usize = 100_000;
    crate::heap::grow(BLOCK);
}

/// Waits for the plan behind so many; its number.
pub(super) fn wait_for(board: &Board, n_done: u32) -> u32 {
    let is_posted = || board.posted.load(Ordering::Acquire) != n_done;
    for _ in 0..LOOKS {
        if is_posted() {
            return n_done;
        }
        core::hint::spin_loop();
    }
    while !is_posted() {
        board.runtime_sleeps.store(1, Ordering::SeqCst);
        if !is_posted() {
            sys::futex_wait_shared(&board.posted, n_done);
        }
        board.runtime_sleeps.store(0, Ordering::SeqCst);
    }
    n_done
}

/// Makes a child for every plan; returns in the child.
fn fork_for_each(state: &'static State, board: &Board) -> u32 {
    let mut plan = 0;
    let places = Places::of_files();
    loop {
        wait_for(board, plan);
        places.restore();
        // SAFETY: the child has all that the running thread of the program needs.
        let child = trap::paused(|| unsafe { sys::call3(nr::FORK, 0, 0, 0) });
        if child == 0 {
            // It ends with this process, so nothing is left behind when that is killed.
            sys::end_with_parent();
            state.current().system_id.set(sys::thread_id());
            trap::begin_thread();
            return plan;
        }
        if !see_off(state, board, plan, child) {
            continue;
        }
        plan = plan.wrapping_add(1);
    }
}

/// Where open files are read from next. Children share that with this process.
struct Places([isize; N_FILES]);

/// Files with higher numbers stay where runs leave them.
const N_FILES: usize = 256;

impl Places {
    fn of_files() -> Places {
        Places(core::array::from_fn(|file| sys::seek(file as i32, 0, Whence::Here)))
    }

    fn restore(&self) {
        for (file, &place) in self.0.iter().enumerate().filter(|(_, place)| **place >= 0) {
            sys::seek(file as i32, place, Whence::Start);
        }
    }
}

/// Waits for a child. One that could not tell how it ended was killed. False if its plan needs another one.
fn see_off(state: &State, board: &Board, plan: u32, child: isize) -> bool {
    const INTERRUPTED: isize = -4;
    let mut status = 0u32;
    let answer = &state.explore.slot_of(plan).control;
    if child > 0 {
        let to = (&raw mut status) as usize;
        // SAFETY: the kernel writes a number there.
        while unsafe { sys::call3(nr::WAIT4, child as usize, to, 0) } == INTERRUPTED {}
    }
    if child < 0 || status != 0 && answer.outcome.get() == OutcomeKind::None as u32 {
        answer.outcome.set(OutcomeKind::Crash as u32);
        answer.signal.set((status & 0x7f) as i32);
    }
    if state.explore.is_again(plan) {
        return false;
    }
    done(board);
    true
}

impl super::Explore {
    /// Whether the run of a plan, which is over, has to be made once more.
    pub(super) fn is_again(&self, plan: u32) -> bool {
        let again = self.slot_of(plan).control.outcome.get() == OutcomeKind::Again as u32;
        self.with_lore(|lore| lore.makes_again(again));
        again
    }
}
