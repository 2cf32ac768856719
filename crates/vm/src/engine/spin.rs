//! Which threads spin, and which are set aside until another one has done something.
//!
//! In: who goes on, point by point. Out: the threads that are not offered. A *stretch* is a sequence
//! of points at which one thread goes on and no other one runs. A thread *spins* in a state if it
//! comes back there whenever it runs alone, whatever the answers to its own questions are. That is a
//! property of the state; `round` decides it by letting the thread run alone.
//!
//! - P1: a thread that comes back, within a stretch, to a state in which it was has done a *round*.
//! - P2: at each point of a round leaving the thread is free, from the first round on.
//! - P3: a thread that is left where it spins, or has done a round, is set aside: it is not offered until
//!   another thread has changed something or, if the round changes something and puts it back, has done
//!   anything. Nothing is lost by that. A thread that went on within its round while the others change
//!   nothing could have gone on before it was left: the steps change places, at no higher cost.
//! - P4: if every thread that can go on is set aside, nothing will ever change: a livelock. Rounds
//!   that change something only count if nothing leads out of them, however threads take turns (`joint`), or if the
//!   thread was left in the same state before and all others had a turn since.
//! - P5: a thread that comes back to no state is *taken* for endless after 1,000,000 operations alone,
//!   and the place is a condition of what is covered. One that only computes is taken for endless
//!   after as many transitions; that is never a livelock.
//! - P6: time is no part of a state unless the round reads the clock.
//! - P7: before every thread counts as set aside, each is tried alone once more. Accesses that are not points do not
//!   count as changes; they race if others notice them, and become points if races are looked for.

use crate::machine::Machine;

/// From how many operations of a stretch on states are looked at.
const WATCHED: u32 = 4;

/// An odd number that spreads small ones.
pub(super) const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// Who is set aside, and what the current stretch has been through.
#[derive(Clone, Debug, Default)]
pub(super) struct Spins {
    /// By thread, ascending.
    aside: Vec<Aside>,
    pub(super) stretch: Stretch,
    /// How many changes there were when that was last looked at.
    n_changes: u64,
    /// Where threads were left in rounds that change something (P4).
    pub(super) met: Vec<Met>,
    /// The states of the stretch, once its thread was asked something that has several answers.
    pub(super) visited: Vec<u128>,
}

/// A thread that is set aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Aside {
    thread: u32,
    why: Why,
}

/// Why a thread is set aside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Why {
    /// It came back to a state, and changed nothing on the way.
    Reads,
    /// It came back to a state after it had changed something.
    Restores,
    /// It was taken for endless (P5).
    Taken,
    /// It computes for very long (P5).
    Computes,
}

/// Points at which one thread goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    pub(super) thread: u32,
    /// The point at which it was switched to.
    pub(super) start: usize,
    /// How many operations it did since.
    pub(super) n: u32,
    /// How often the clock had been read.
    pub(super) n_clock: u64,
    /// Whether it was asked something that has several answers.
    pub(super) is_asked: bool,
    /// A state that it was in, to be compared with.
    pub(super) mark: Option<Mark>,
    /// One in which it rested: before a yield, a sleep or in a wait that can run out.
    pub(super) rest: Option<Mark>,
    /// When the mark is moved on (Brent's way to find a cycle).
    next: u32,
}

/// A state of a stretch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    /// Where the thread was: function, transition, depth of calls.
    pub(super) place: Place,
    pub(super) state: u128,
    /// How often the clock was read before (P6).
    pub(super) n_clock: u64,
}

/// A thread was left in a round that changes something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Met {
    pub(super) state: u128,
    pub(super) thread: u32,
    pub(super) point: usize,
}

/// Where a thread is: function, transition and depth of calls. States are compared only if that is
/// the same.
pub(super) type Place = (u32, u32, usize);

impl Machine {
    /// Where a thread is.
    pub(super) fn place_of(&self, thread: u32) -> Place {
        let at = &self.state.threads[thread as usize];
        let site = at.site();
        (site.function.0, site.op, at.frames.len())
    }
}

impl Spins {
    /// Before the first choice of a run.
    pub(super) fn reset(&mut self) {
        self.aside.clear();
        self.met.clear();
        self.visited.clear();
        self.n_changes = 0;
        self.stretch = Stretch::default();
    }

    pub(super) fn copy(&mut self, from: &Spins) {
        self.aside.clone_from(&from.aside);
        self.met.clone_from(&from.met);
        self.visited.clone_from(&from.visited);
        self.n_changes = from.n_changes;
        self.stretch = from.stretch;
    }

    /// Whether no thread is set aside.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.aside.is_empty()
    }

    /// Whether a thread is set aside.
    #[inline]
    pub(super) fn is_aside(&self, thread: u32) -> bool {
        self.aside.iter().any(|aside| aside.thread == thread)
    }

    /// Whether every one of these threads is set aside.
    pub(super) fn are_aside(&self, threads: &[u32]) -> bool {
        !self.aside.is_empty() && threads.iter().all(|&thread| self.is_aside(thread))
    }

    /// Whether a thread is set aside although it may only compute.
    pub(super) fn computes(&self, thread: u32) -> bool {
        self.aside.contains(&Aside { thread, why: Why::Computes })
    }

    /// Why the threads that are set aside are, without names.
    pub(super) fn reasons(&self) -> impl Iterator<Item = Why> + '_ {
        self.aside.iter().map(|aside| aside.why)
    }

    /// Sets a thread aside.
    pub(super) fn set_aside(&mut self, thread: u32, why: Why) {
        self.aside.retain(|aside| aside.thread != thread);
        self.aside.push(Aside { thread, why });
        self.aside.sort_unstable_by_key(|aside| aside.thread);
    }

    /// Offers a thread again.
    pub(super) fn wake(&mut self, thread: u32) {
        self.aside.retain(|aside| aside.thread != thread);
    }

    /// A thread is about to go on at a point; true if it begins a stretch.
    pub(super) fn before(&mut self, thread: u32, point: usize) -> bool {
        if !self.aside.is_empty() {
            self.wake(thread);
        }
        let begins = self.stretch.n == 0 || self.stretch.thread != thread;
        if begins {
            self.stretch = Stretch { thread, start: point, next: WATCHED, ..Stretch::default() };
            self.visited.clear();
        }
        self.stretch.n += 1;
        begins
    }

    /// It has gone on: who waits for that is set aside no more (P3).
    pub(super) fn after(&mut self, machine: &Machine) {
        let n_changes = machine.state.counters.n_changes;
        let changed = self.n_changes != n_changes;
        self.n_changes = n_changes;
        if !self.aside.is_empty() {
            self.aside.retain(|aside| !changed && aside.why != Why::Restores);
        }
    }

    /// Whether a thread was left in a round that changes something just now.
    pub(super) fn is_met_at(&self, point: usize) -> bool {
        self.met.last().is_some_and(|met| met.point >= point)
    }

    /// Whether the stretch has gone on for so long that its next mark is due; then that is moved on.
    pub(super) fn is_due(&mut self) -> bool {
        let due = self.stretch.n >= self.stretch.next;
        if due {
            self.stretch.next *= 2;
        }
        due
    }

    /// A hash of who is set aside; 0 if no thread is.
    pub(super) fn history(&self) -> u64 {
        let mix = |hash: u64, aside: &Aside| {
            (hash ^ u64::from(aside.thread + 1) ^ (aside.why as u64) << 32).wrapping_mul(MIX)
        };
        self.aside.iter().fold(0, mix)
    }
}
