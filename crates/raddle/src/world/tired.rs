//! Who looks as if it spins, where executions are drawn or chosen because they promise much.
//!
//! In: where threads are, and whether anything changes. Out: threads that are *tired*: others are preferred.
//! Nothing is claimed to be covered by such executions, so this may be wrong (rule P9 of `spin`).
//!
//! - S1: a thread is tired that has come back to the same place several times while nothing changed. The
//!   place is moved on in growing steps (Brent), so a loop is found wherever it begins. How often is drawn for
//!   each execution that is drawn, so that every thread goes on for long in some of them.
//! - S2: no thread is tired any more when anything changes.
//! - S3: if all are tired who can go on, they do so in turn. After many turns without a change, the rest of the
//!   execution is like any that is enumerated.
//! - S4: where every choice is equally likely no thread is tired, but S3 holds, too.

use std::ptr;

use raddle_explore::Policy;

use super::decide::Open;
use super::local::mix;
use super::{Site, What, World};

/// How often a thread comes back before it is tired, if that is not drawn (S1).
const N_RETURNS: u32 = 8;

/// After how many turns without a change an execution goes on as if it were enumerated (S3).
const N_STUCK: u32 = 2_000;

/// What a thread has done since anything changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Idle {
    n_changes: u64,
    n_steps: u32,
    /// When the place is moved on.
    n_steps_next: u32,
    place: Option<Site>,
    n_returns: u32,
}

/// How often threads come back in an execution before they are tired (S1, S4).
pub(super) fn patience(policy: &Policy) -> u32 {
    match *policy {
        Policy::Random { .. } => u32::MAX,
        Policy::Pct { seed, .. }
        | Policy::Pos { seed }
        | Policy::Walk { seed, .. }
        | Policy::Pause { seed, .. } => 2 << (mix(seed, 1) % 8),
        Policy::Continue | Policy::Awake { .. } | Policy::Ranked { .. } => N_RETURNS,
    }
}

/// A number that says how executions of a policy are drawn.
pub(super) fn drawn_from(policy: &Policy) -> u64 {
    let (kind, seed, more) = match *policy {
        Policy::Random { seed } => (1, seed, 0),
        Policy::Pct { seed, depth, n_points } => (2 + u64::from(depth) * 8, seed, n_points.into()),
        Policy::Pos { seed } => (3, seed, 0),
        Policy::Walk { seed, target, n_points, .. } => {
            (4, seed, mix(n_points.into(), target.unwrap_or(0)))
        }
        Policy::Pause { seed, target } => (5, seed, target),
        Policy::Ranked { ref order, ref falls } => {
            let numbers = order.iter().chain(falls.iter().flatten());
            (6, 0, numbers.fold(0, |hash, &number| mix(hash, number.into())))
        }
        Policy::Continue | Policy::Awake { .. } => return 0,
    };
    mix(mix(seed, kind), more)
}

impl World {
    /// The current thread comes to a point of an execution that is not enumerated.
    #[inline]
    pub(super) fn tire(&mut self, what: What, site: Site) {
        let n_changes = self.n_changes;
        let at = &mut self.threads[self.current as usize];
        if at.idle.n_changes != n_changes {
            at.idle.n_changes = n_changes;
            at.idle.n_steps = 0;
            return;
        }
        self.tire_more(what, site);
    }

    fn tire_more(&mut self, what: What, site: Site) {
        let at = &mut self.threads[self.current as usize];
        let idle = &mut at.idle;
        if idle.n_steps == 0 {
            (idle.place, idle.n_returns, idle.n_steps_next) = (Some(site), 0, 2);
        } else if idle.place.is_some_and(|place| ptr::eq(place, site)) {
            idle.n_returns += 1;
        } else if idle.n_steps >= idle.n_steps_next {
            (idle.place, idle.n_returns) = (Some(site), 0);
            idle.n_steps_next *= 4;
        }
        idle.n_steps += 1;
        let patience = if what.gives_way() { self.patience / 4 } else { self.patience };
        if idle.n_returns >= patience && !at.is_aside {
            at.is_aside = true;
            self.n_aside += 1;
        }
    }

    /// S4: whether nothing has changed for very long.
    #[inline]
    pub(super) fn is_stuck_for_long(&self) -> bool {
        self.at > self.changed_at + N_STUCK as usize
    }

    /// S3: the rest of the execution is like any that is enumerated.
    #[cold]
    pub(super) fn go_on_by_rule(&mut self) {
        self.wake_all();
        self.follows_rule = true;
        self.see_from_now_on();
        self.draws = false;
        self.chooser.begin(&Policy::Continue);
    }

    /// Offers those who are not tired or, if there are none, one who is (S3).
    #[cold]
    pub(super) fn open_rested(&mut self) -> Open {
        let mut open = Open::NOBODY;
        let rests = |&t: &u32| self.is_enabled(t) && !self.threads[t as usize].is_aside;
        let are_all_tired = !(0..self.n_threads).any(|thread| rests(&thread));
        self.n_stuck = if are_all_tired { self.n_stuck + 1 } else { 0 };
        if are_all_tired && self.n_stuck <= N_STUCK {
            let mut in_turn = (self.current + 1..self.n_threads).chain(0..=self.current);
            if let Some(next) = in_turn.find(|&thread| self.is_enabled(thread)) {
                self.offer(&mut open, next);
            }
            return open;
        }
        if are_all_tired {
            self.go_on_by_rule();
        }
        for thread in 0..self.n_threads {
            if self.is_enabled(thread) && !self.threads[thread as usize].is_aside {
                self.offer(&mut open, thread);
            }
        }
        open
    }
}
