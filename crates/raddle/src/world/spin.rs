//! Who spins: goes on without getting anywhere until somebody else changes something.
//!
//! In: where threads are, and whether anything changes. Out: the threads that are *tired*. The
//! states of Rust programs cannot be compared, so what counts is what threads do:
//!
//! - S1: a thread is tired that has come back to the same place eight times while nothing changed.
//!   The place is moved on in growing steps (Brent), so a loop is found wherever it begins.
//! - S2: a thread is tired that gives way for the second time while nothing changed.
//! - S3: nobody is tired any more when anything changes.
//! - S4: if all are tired who can go on, they do so in turn; after 5,000 turns without a change
//!   nothing will ever change: a livelock.

use std::ptr;

use raddle_explore::{Outcome, Trouble};

use super::decide::Open;
use super::{Site, What, World};

/// How often a thread comes back before it is tired (S1).
const N_RETURNS: u32 = 8;

/// After how many turns nothing will change any more (S4).
const N_STUCK: u32 = 5_000;

/// What a thread has done since anything changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Idle {
    n_changes: u64,
    n_steps: u32,
    /// When the place is moved on.
    n_steps_next: u32,
    place: Option<Site>,
    n_returns: u32,
    gave_way: bool,
}

impl World {
    /// The current thread comes to a point.
    #[inline]
    pub(super) fn tire(&mut self, what: What, site: Site) {
        let n_changes = self.n_changes;
        let at = &mut self.threads[self.current as usize];
        if at.idle.n_changes != n_changes {
            at.idle.n_changes = n_changes;
            at.idle.n_steps = 0;
            at.idle.gave_way = false;
            at.n_clock = 0;
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
        let tires = idle.n_returns >= N_RETURNS || what.gives_way() && idle.gave_way;
        idle.gave_way |= what.gives_way();
        if tires && !at.is_tired {
            at.is_tired = true;
            self.n_tired += 1;
        }
    }

    /// S3
    #[cold]
    pub(super) fn wake_tired(&mut self) {
        self.threads.iter_mut().for_each(|thread| thread.is_tired = false);
        (self.n_tired, self.n_stuck) = (0, 0);
    }

    /// Whether all are tired who can go on; counts for how long (S4).
    pub(super) fn are_all_tired(&mut self) -> bool {
        let rests = |&t: &u32| self.is_enabled(t) && !self.threads[t as usize].is_tired;
        let all = !(0..self.n_threads).any(|thread| rests(&thread));
        self.n_stuck = if all { self.n_stuck + 1 } else { 0 };
        all
    }

    /// Offers those who are not tired or, if there are none, one who is (S4).
    #[cold]
    pub(super) fn open_rested(&mut self) -> Open {
        let mut open = Open::NOBODY;
        if !self.are_all_tired() {
            for thread in 0..self.n_threads {
                if self.is_enabled(thread) && !self.threads[thread as usize].is_tired {
                    self.offer(&mut open, thread);
                }
            }
            return open;
        }
        let mut in_turn = (self.current + 1..self.n_threads).chain(0..=self.current);
        match in_turn.find(|&thread| self.is_enabled(thread)) {
            Some(_) if self.n_stuck > N_STUCK => {
                self.tell_left();
                self.end(Outcome::Livelock(self.livelock()));
            }
            Some(next) => self.offer(&mut open, next),
            None => {}
        }
        open
    }

    fn livelock(&self) -> Trouble {
        let spins = |&t: &u32| self.is_enabled(t);
        let place = |t: u32| self.threads[t as usize].pending.site.to_string();
        let mut places: Vec<_> = (0..self.n_threads).filter(spins).map(place).collect();
        places.sort_unstable();
        places.dedup();
        let message =
            format!("every thread that can go on spins: nothing changed for {N_STUCK} turns");
        Trouble { kind: "livelock".to_owned(), places, message }
    }
}
