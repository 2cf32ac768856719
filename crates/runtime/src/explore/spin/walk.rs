//! A round that a thread does before a plan leaves it, which shows what the round reads (S3).

use super::super::Explore;
use super::super::choose::can_go_on;
use super::super::memory;
use super::{Mark, Touched, Why};
use crate::state::State;
use crate::thread::Thread;

impl Explore {
    /// Whether the running thread has done a round before it is left.
    pub(in super::super) fn has_walked(&self) -> bool {
        self.spins.has_walked.get()
    }

    /// A plan leaves the running thread where it spins: true if it has to do a round first, which shows what the round
    /// reads (S3).
    pub(in super::super) fn walks(&self, state: &State, me: &'static Thread, why: Why) -> bool {
        let is_free = self.with_lore(|lore| !lore.leaves(self.path.get())).unwrap_or(true);
        if why != Why::Reads || !is_free {
            return false;
        }
        let arrival = self.arrival(state, me, self.spins.stretch.get().n_own);
        let mark = arrival.and_then(|arrival| self.mark(state, arrival, None));
        if mark.is_none() {
            return false;
        }
        self.spins.begin_round();
        self.spins.walk.set(mark);
        self.spins.look_closely();
        true
    }

    /// The running thread does a round before it is left: true if it goes on with that. If it does not come back, it
    /// does something that is not seen, and the run is made once more.
    pub(super) fn walk_on(&self, state: &State, me: &'static Thread, mark: Mark) -> bool {
        const N_EVENTS_MAX: u64 = 100_000;
        let spins = &self.spins;
        let n_events = state.n_events.get() - spins.stretch.get().n_events;
        if !can_go_on(state, me) || n_events > N_EVENTS_MAX + mark.n_events {
            self.end_trial(state, false);
        }
        let want = me.want.get();
        spins.touched.with(|touched| touched.add(want.object, me.reach.get().max(16)));
        let is_there = self
            .arrival(state, me, self.spins.stretch.get().n_own)
            .is_some_and(|it| it.fingerprint == mark.fingerprint);
        if !is_there || memory::key(state) != Some(mark.key) {
            return true;
        }
        self.put_counts_back(state, mark);
        state.clock.set(mark.clock);
        spins.walk.set(None);
        spins.look_closely();
        spins.has_walked.set(true);
        false
    }

    /// A plan leaves a thread where it spins (S3).
    pub(in super::super) fn leave_spinning(&self, me: &Thread, why: Why) {
        let spins = &self.spins;
        let is_known = spins.has_walked.take();
        let reads = match is_known {
            true => spins.touched.with(|it| core::mem::replace(it, Touched::NOTHING)),
            false => Touched::EVERYTHING,
        };
        spins.aside.put(me, why, reads);
    }
}
