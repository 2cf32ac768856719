//! Who spins: goes on without getting anywhere until somebody else changes something.
//!
//! In: who was chosen, and whether that changed anything. Out: the threads that are *tired*.
//!
//! - S1: a thread is tired when it is chosen in a state in which it was chosen before, and nothing
//!   has changed in between: it goes round in a circle. Where nobody else needs fingerprints of
//!   states, they are taken from the fifth operation on that changes nothing: most threads do not
//!   go that far.
//! - S2: a thread that counts its rounds comes back to no state; it is tired after 100 operations
//!   that change nothing, or when it computes for long without a point.
//! - S3: nobody is tired any more when anything changes.
//! - S4: if everybody who can go on is tired by S1, nothing will ever change: a livelock. If some
//!   are tired by S2, or a thread has read the clock, they go on in turn for a while first; a plan
//!   that knows more is followed to its end, since with other points there are more turns.

use crate::machine::Machine;

/// From how many operations in a row on that change nothing the states are looked at (S1).
const WATCHED: u32 = 4;

/// After how many of them a thread is tired in any case (S2).
const SPIN: u32 = 100;

/// After so many points at which all threads are tired, nothing will change any more (S4).
const STUCK: u32 = 1_000;

/// An odd number that spreads small ones.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Who spins, since anything changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Spins {
    /// Ascending.
    tired: Vec<u32>,
    /// Those of them that are so only by S2.
    counted: Vec<u32>,
    /// Per thread, how many operations it did.
    counts: Vec<u32>,
    /// In which states threads went on.
    seen: Vec<(u128, u32)>,
    /// How many points in a row there was nobody but tired threads.
    n_stuck: u32,
    /// How many changes there were, and how often the clock was read, before.
    n_changes: u64,
    n_clock: u64,
}

/// Nothing will change any more.
pub(super) struct Stuck {
    /// In words.
    pub(super) why: &'static str,
    /// Whether that is proved.
    pub(super) is_sure: bool,
}

impl Spins {
    /// Whether nobody did anything since.
    fn is_clear(&self) -> bool {
        self.counts.is_empty() && self.seen.is_empty()
    }

    fn clear(&mut self) {
        self.tired.clear();
        self.counted.clear();
        self.counts.clear();
        self.seen.clear();
        self.n_stuck = 0;
    }

    /// Before the first choice of a run.
    pub(super) fn reset(&mut self) {
        self.clear();
        (self.n_changes, self.n_clock) = (0, 0);
    }

    pub(super) fn copy(&mut self, from: &Spins) {
        (self.n_changes, self.n_clock) = (from.n_changes, from.n_clock);
        if from.is_clear() {
            if !self.is_clear() {
                self.clear();
            }
            return;
        }
        self.tired.clone_from(&from.tired);
        self.counted.clone_from(&from.counted);
        self.counts.clone_from(&from.counts);
        self.seen.clone_from(&from.seen);
        self.n_stuck = from.n_stuck;
    }

    pub(super) fn is_tired(&self, thread: u32) -> bool {
        self.tired.contains(&thread)
    }

    /// A thread is about to go on; the fingerprint of the state is given if it is known.
    pub(super) fn before(&mut self, machine: &Machine, thread: u32, state: Option<u128>) {
        let count = self.counts.get(thread as usize).copied().unwrap_or(0);
        let settled = self.is_tired(thread) && !self.counted.contains(&thread);
        let early = state.is_none() && count < WATCHED && machine.n_idle(thread) != u32::MAX;
        if settled || early {
            return;
        }
        let state = state.unwrap_or_else(|| machine.fingerprint());
        if !self.seen.contains(&(state, thread)) {
            self.seen.push((state, thread));
        } else if self.is_tired(thread) {
            self.counted.retain(|&other| other != thread);
        } else {
            self.tire(thread);
        }
    }

    /// It has gone on.
    pub(super) fn after(&mut self, machine: &Machine, thread: u32) {
        let counters = &machine.state.counters;
        if self.n_changes != counters.n_changes {
            if !self.is_clear() {
                self.clear();
            }
            (self.n_changes, self.n_clock) = (counters.n_changes, counters.n_clock);
            return;
        }
        let index = thread as usize;
        if self.counts.len() <= index {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += 1;
        let counted = self.counts[index] >= SPIN || machine.n_idle(thread) == u32::MAX;
        if counted && !self.is_tired(thread) {
            self.tire(thread);
            self.counted.push(thread);
        }
    }

    fn tire(&mut self, thread: u32) {
        self.tired.push(thread);
        self.tired.sort_unstable();
    }

    /// Why nothing will change any more if these threads can go on (S4), if that is so.
    pub(super) fn stuck(&mut self, machine: &Machine, open: &[u32]) -> Option<Stuck> {
        if !self.are_tired(open) {
            self.n_stuck = 0;
            return None;
        }
        self.n_stuck += 1;
        let is_sure = self.counted.is_empty() && self.n_clock == machine.state.counters.n_clock;
        let why = match self.n_stuck > STUCK {
            _ if is_sure => "every thread spins",
            true => "every thread spins: nothing has changed for 1,000 turns",
            false => return None,
        };
        Some(Stuck { why, is_sure })
    }

    /// Whether all of these threads are tired.
    pub(super) fn are_tired(&self, threads: &[u32]) -> bool {
        !self.tired.is_empty() && threads.iter().all(|&thread| self.is_tired(thread))
    }

    /// A hash of who is tired, and for how long all have been; 0 if nobody is.
    pub(super) fn history(&self) -> u64 {
        let mix = |hash: u64, &thread: &u32| (hash ^ u64::from(thread + 1)).wrapping_mul(MIX);
        let tired = self.tired.iter().fold(0, mix);
        tired ^ u64::from(self.n_stuck).wrapping_mul(MIX).rotate_left(32)
    }
}
