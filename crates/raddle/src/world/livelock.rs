//! Livelocks: who is offered where threads are set aside, and when nobody ever gets anywhere (rule P4 of `spin`).

use raddle_explore::{Failure, FailureKind, Outcome};

use super::decide::Open;
use super::{World, location};

impl World {
    /// Offers those who are not set aside; without any, or if all is as it was before, that is a livelock (P4),
    /// unless something is planned.
    #[cold]
    pub(super) fn open_others_than_aside(&mut self, is_planned: bool) -> Open {
        let mut open = Open::NOBODY;
        let mut is_any_aside = false;
        for thread in 0..self.n_threads {
            if self.is_enabled(thread) {
                match self.threads[thread as usize].is_aside {
                    true => is_any_aside = true,
                    false => self.offer(&mut open, thread),
                }
            }
        }
        if is_planned || !is_any_aside {
            return open;
        }
        let goes_on = |&t: &u32| self.is_enabled(t) && !self.threads[t as usize].is_aside;
        let anybody = (0..self.n_threads).any(|t| goes_on(&t));
        let all = (0..self.n_threads).filter(|&t| self.is_enabled(t));
        let are_all_in_rounds = self.rounds_end == self.at
            && all.clone().all(|thread| self.in_rounds.contains(&thread));
        let is_certain = all.clone().all(|t| self.threads[t as usize].is_certain);
        let nobody = !anybody && all.count() > 0;
        if nobody || are_all_in_rounds && is_certain {
            self.run.truncate_opened();
            match is_certain {
                true => {
                    self.tell_left();
                    self.end(Outcome::Failed(self.livelock()));
                }
                // Other answers to their questions may lead out of the loop, and are tried elsewhere.
                false => {
                    self.note_left(|_, _| true);
                    self.end(Outcome::Known);
                }
            }
        }
        open
    }

    fn livelock(&self) -> Failure {
        let spins = |&t: &u32| self.is_enabled(t);
        let place = |t: u32| location(self.threads[t as usize].pending.site);
        let mut places: Vec<_> = (0..self.n_threads).filter(spins).map(place).collect();
        places.sort_unstable();
        places.dedup();
        let message = "every thread that can run spins, and none of them changes anything";
        Failure::new(FailureKind::Livelock, places, message)
    }
}
