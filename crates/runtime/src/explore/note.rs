//! What is reported of a run: its points while it goes on, the rest when it ends.

use core::mem::offset_of;
use core::ptr;
use core::sync::atomic::Ordering;

use raddle_wire::board::{
    ALTERNATIVES_MAX, Board, Model, OPERATIONS_MAX, OperationRecord, POINTS_MAX, PointFlags,
    PointRecord, RACE_LEN, RACES_MAX, Slot, Wants,
};
use raddle_wire::{Control, Defect, Operation, OutcomeKind, RaceRecord};

use super::{Explore, operation, snapshot};
use crate::host;
use crate::memory::plain;
use crate::outcome::{self, End};
use crate::state::State;
use crate::sys;

impl Explore {
    /// Reports a point.
    pub(super) fn note(
        &self,
        state: &State,
        current: u32,
        open: &[u32],
        taken: usize,
        flags: u16,
        operations: &[Operation],
    ) {
        let at = self.n_points.get() as usize;
        let chosen = open[taken];
        let tells_all = self.wants.get() & Wants::ALTERNATIVES != 0;
        let (open, taken) = if tells_all { (open, taken) } else { (&open[taken..=taken], 0) };
        let noted = if self.wants.get() & Wants::OPERATIONS != 0 { operations } else { &[] };
        let n_alternatives = self.n_alternatives.get() as usize;
        let n_operations = self.n_operations.get() as usize;
        if at >= POINTS_MAX
            || n_alternatives + open.len() > ALTERNATIVES_MAX
            || n_operations + noted.len() > OPERATIONS_MAX
        {
            let end = End { kind: OutcomeKind::Limit, pc: 0, address: 0 };
            outcome::finish(state, end, format_args!("{at} scheduling points"));
        }
        let (layout, plan) = (self.layout.get(), self.plan.get());
        let point = PointRecord {
            current: current as u16,
            n_open: open.len() as u16,
            taken: taken as u16,
            n_operations: noted.len() as u16,
            flags,
            reserved: 0,
        };
        // SAFETY: there is room, as was just seen, and the host does not look before the run is over.
        unsafe {
            host::at::<PointRecord>(layout.points(plan)).add(at).write(point);
            let to = host::at::<u16>(layout.alternatives(plan)).add(n_alternatives);
            open.iter().enumerate().for_each(|(index, &n)| to.add(index).write(n as u16));
        }
        self.n_alternatives.set((n_alternatives + open.len()) as u32);
        noted.iter().for_each(|operation| self.note_operation(operation));
        self.n_points.set(at as u32 + 1);
        let choice = (u64::from(point.flags & PointFlags::WAITER) << 32) | (u64::from(chosen) + 1);
        self.path
            .set((self.path.get() ^ choice).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
    }

    fn note_operation(&self, operation: &Operation) {
        let n = self.n_operations.get() as usize;
        if n < OPERATIONS_MAX {
            let Operation { thread, access, object } = *operation;
            let record = OperationRecord { thread, access: access as u32, object };
            let offset = self.layout.get().operations(self.plan.get());
            // SAFETY: there is room, and the host does not look before the run is over.
            unsafe { host::at::<OperationRecord>(offset).add(n).write(record) };
            self.n_operations.set(n as u32 + 1);
        }
    }

    /// The run is over and its outcome was reported.
    pub fn end(&self, state: &State) -> ! {
        if self.is_silent() {
            self.end_trial(state, false);
        }
        if self.wants.get() & Wants::OPERATIONS != 0 {
            self.note_left(state);
        }
        let slot = self.slot();
        slot.n_points.set(self.n_points.get());
        slot.n_alternatives.set(self.n_alternatives.get());
        slot.n_operations.set(self.n_operations.get());
        let mut n_endless = 0;
        self.spins.endless(|pc| {
            slot.endless[n_endless].set(pc);
            n_endless += 1;
        });
        slot.n_endless.set(n_endless as u32);
        slot.output_hash.set(self.output_hash.get());
        slot.n_races.set(0);
        if self.wants.get() & Wants::RACES != 0 {
            self.note_races(state, slot);
        }
        let answer =
            host::at::<u8>(self.layout.get().slot(self.plan.get()) + offset_of!(Slot, control));
        // SAFETY: both lie in the shared memory, apart from each other. The slot is the runtime's as
        // long as the plan is not done, and the host does not write to the page at all.
        unsafe { plain::copy_own(answer, host::at(0), size_of::<Control>()) };
        match (self.model.get(), self.kept.get()) {
            (Model::Snapshot, Some(kept)) => snapshot::leave(kept),
            (Model::Once, _) => done(self.board()),
            _ => {}
        }
        sys::exit_group(0)
    }

    fn note_races(&self, state: &State, slot: &Slot) {
        let races = state.races.found();
        const { assert!(size_of::<RaceRecord>() <= RACE_LEN) };
        let start = self.layout.get().races(self.plan.get());
        for (index, race) in races.iter().take(RACES_MAX).enumerate() {
            // SAFETY: there is room for so many, and the host does not look before the run is over.
            unsafe { host::at::<RaceRecord>(start + index * RACE_LEN).write(*race) };
        }
        slot.n_races.set(races.len().min(RACES_MAX) as u32);
        slot.n_forgotten.set(state.races.n_forgotten().min(u32::MAX.into()) as u32);
    }

    /// Reports what the threads want to do that did not come to it.
    fn note_left(&self, state: &State) {
        let me = state.current();
        self.scratch.with(|scratch| {
            scratch.operations.clear();
            for thread in state.all_threads() {
                // The running thread may have been about to do something, too, if no thread could go on.
                let is_left = thread.want.get().code.is_some() && !Defect::NobodyIsLeft.is_there();
                let wants = !ptr::eq(thread, me) || is_left;
                if !thread.is_done.get() && wants {
                    operation::note(state, thread, &mut scratch.operations);
                }
            }
            scratch.operations.iter().for_each(|operation| self.note_operation(operation));
        });
    }
}

/// Counts a plan that was run.
pub(super) fn done(board: &Board) {
    let n = board.done.fetch_add(1, Ordering::SeqCst).wrapping_add(1);
    if board.wake_at.load(Ordering::SeqCst) == n {
        sys::futex_wake_shared(&board.done);
    }
}
