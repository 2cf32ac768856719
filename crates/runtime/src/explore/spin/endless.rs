//! Loops that are taken for endless (S5): how a thread is tried alone, and how such a loop is known again.

use raddle_wire::OutcomeKind;
use raddle_wire::board::ENDLESS_MAX;

use super::super::lore::Lore;
use super::super::memory::Local;
use super::super::{Explore, choose::can_go_on};
use super::{ENDLESS, Trial, Visit, Why, place_of, stack_end};
use crate::host;
use crate::outcome::{self, End};
use crate::state::State;
use crate::thread::Thread;

impl Explore {
    /// Lends what was found out in earlier runs, for a moment; none if there is no room for it.
    pub(in super::super) fn with_lore<R>(&self, act: impl FnOnce(&mut Lore) -> R) -> Option<R> {
        // SAFETY: null, or memory that stays as long as the process lives. Only the running thread comes here, and no
        // `act` calls anything that comes here again.
        unsafe { self.lore.get().as_mut() }.map(act)
    }

    pub(super) fn is_endless_place(&self, pc: u64) -> bool {
        self.with_lore(|lore| lore.has_place(pc)).unwrap_or(false)
    }

    pub(super) fn note_local(&self, thread: &Thread, place: u64) {
        let local = Local::of(thread, place, stack_end(thread));
        self.spins.local.with(|it| *it = Some(local));
        self.spins.begin_round();
        self.spins.look_closely();
    }

    /// What a thread has in common with when it was last noted at a place; none if that was elsewhere.
    fn common(&self, me: &Thread, place: u64) -> Option<u128> {
        let spins = &self.spins;
        let local = spins.local.with(Option::take).filter(|local| local.place == place)?;
        let (touched, wrote) =
            (spins.touched.with(|it| it.clone()), spins.wrote.with(|it| it.clone()));
        let read = touched.0.iter().flatten().copied();
        let read = read.filter(|&(start, end)| !wrote.overlaps(start, end - start));
        Some(local.common(me, stack_end(me), read))
    }

    /// Whether the thread is in a loop that was taken for endless before.
    pub(super) fn recognise(&self, me: &'static Thread, visit: Visit) {
        let pc = me.want.get().pc;
        let is_behind = self.n_points.get() >= self.n_prefix.get();
        if !is_behind || self.spins.is_aside(me) || !self.is_endless_place(pc) {
            return;
        }
        let common = self.common(me, visit.place);
        let is_endless = |common| self.with_lore(|lore| lore.is_endless(common));
        if common.and_then(is_endless).unwrap_or(false) {
            self.spins.endless.with(|endless| {
                if endless.len() < ENDLESS_MAX && !endless.contains(&pc) {
                    endless.push(pc);
                }
            });
            let visits = self.spins.visits.with(|visits| visits.clone());
            let first = visits.iter().position(|other| other.place == visit.place).unwrap_or(0);
            for point in visits[first..].iter().map(|visit| visit.point) {
                if point < self.n_points.get() {
                    self.set_free(me, point, Why::Endless);
                }
            }
            self.spins.look_closely();
            return self.spins.set_aside(me, Why::Endless);
        }
        self.note_local(me, visit.place);
    }

    /// The running thread is being tried: true if it goes on.
    pub(super) fn try_on(&self, state: &State, me: &'static Thread, mut trial: Trial) -> bool {
        if !can_go_on(state, me) {
            self.end_trial(state, false);
        }
        if state.n_events.get() - trial.n_events < ENDLESS {
            return true;
        }
        let want = me.want.get();
        self.spins.touches(want.object, me.reach.get().max(16));
        let (pc, place) = (want.pc, place_of(me));
        match trial.measured {
            None => {
                self.note_local(me, place);
                trial.measured = Some(place);
                self.spins.trial.set(Some(trial));
            }
            Some(measured) if measured == place => {
                if let Some(common) = self.common(me, place) {
                    self.with_lore(|lore| lore.add_endless(pc, common));
                }
                self.end_trial(state, true);
            }
            // A place that does not come again says nothing.
            Some(_) if state.n_events.get() - trial.n_events > 2 * ENDLESS => {
                self.end_trial(state, false);
            }
            Some(_) => {}
        }
        true
    }

    /// Whether a thread is being tried.
    pub(in super::super) fn is_trying(&self) -> bool {
        self.spins.trial.get().is_some()
    }

    /// Whether the running thread goes on without anything being noted.
    pub(in super::super) fn is_silent(&self) -> bool {
        self.is_trying() || self.spins.walk.get().is_some()
    }

    /// The trial is over, and so is the run; it has to be made again.
    pub(in super::super) fn end_trial(&self, state: &State, is_endless: bool) -> ! {
        let path = self.spins.trial.take().map_or(self.path.get(), |trial| trial.path);
        self.spins.walk.set(None);
        if !is_endless {
            self.with_lore(|lore| lore.add_leaving(path));
        }
        host::control().outcome.set(OutcomeKind::None as u32);
        let end = End { kind: OutcomeKind::Again, pc: 0, address: 0 };
        outcome::finish(state, end, format_args!(""))
    }
}
