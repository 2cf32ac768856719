//! What is still remembered, as a number: states in which it differs may race differently later.
//!
//! In: the state, and the canonical names of its objects. Out: a hash of who knows of which access
//! (who reads under a lock next, who loads from a location next, … will know of it). Times do not
//! count, only who knows what: they grow in every loop, and clocks only ever learn from clocks, so
//! that accesses which nobody tells apart now will never be told apart.
//!
//! - M1: what all other threads that run know of cannot race any more; threads to come know what
//!   those know that make them.
//! - M2: objects that are gone or that nothing leads to are not accessed any more.
//! - M3: the order in which accesses are remembered does not matter: hashes are added up.

use super::clock::Clock;
use super::shadow::{Access, Role, Shadow};
use super::{Actor, Detector};
use crate::memory::Life;
use crate::state::State;
use crate::thread::Status;

/// An odd number that spreads small ones.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Detector {
    /// A hash of what is still remembered. `name` is the canonical name of an object that can be
    /// reached.
    pub(crate) fn recall(&mut self, state: &State, name: impl Fn(u32) -> Option<u64>) -> u64 {
        let mut knowers = std::mem::take(&mut self.knowers);
        knowers.clear();
        self.threads(state, &mut knowers, true);
        let n_running = knowers.len();
        self.threads(state, &mut knowers, false);
        let shadows = self.shadows.shadows.slice(0, self.shadows.shadows.len());
        let named = |shadow: &Shadow| {
            let object = state.memory.object(shadow.object);
            let same = object.birth == shadow.birth && object.life == Life::Live;
            same.then(|| name(shadow.object)).flatten()
        };
        for shadow in shadows {
            if let Some(name) = named(shadow) {
                self.places(shadow, name, &mut knowers);
            }
        }
        let mut sum: u64 = 0;
        for shadow in shadows {
            let Some(name) = named(shadow) else { continue };
            for access in self.shadows.all(shadow) {
                sum = sum.wrapping_add(self.remembered(access, name, &knowers, n_running));
            }
        }
        self.knowers = knowers;
        sum
    }

    /// Lists the threads that run, or what else they and those that have ended know.
    fn threads(&self, state: &State, knowers: &mut Vec<(u64, Clock)>, running: bool) {
        for (index, thread) in state.threads.iter().enumerate() {
            if index as u32 >= self.actors.len() {
                break;
            }
            let Actor { clock, fenced, overheard, notice, noticed, .. } =
                *self.actors.get(index as u32);
            let name = |kind: u64| mix(kind << 32 | index as u64);
            match (thread.core.status, running) {
                (Status::Running, true) | (Status::Ended, false) => knowers.push((name(1), clock)),
                (Status::Running, false) => {
                    knowers.push((name(2), fenced));
                    knowers.push((name(3), overheard));
                    if noticed {
                        knowers.push((name(4), notice));
                    }
                }
                _ => {}
            }
        }
        if !running && self.sections.len() > 0 {
            knowers.push((mix(5 << 32), *self.sections.get(0)));
        }
    }

    fn places(&self, shadow: &Shadow, name: u64, knowers: &mut Vec<(u64, Clock)>) {
        for (_, place) in self.shadows.places(shadow) {
            let role = match place.role {
                Role::Lock => 0,
                Role::Readers => 1,
                Role::Head(thread) => 2 + u64::from(thread),
            };
            knowers.push((mix(mix(mix(name) ^ u64::from(place.offset)) ^ role), place.clock));
        }
    }

    /// What an access and those who know of it add; nothing if it cannot race any more.
    fn remembered(
        &self,
        access: &Access,
        name: u64,
        knowers: &[(u64, Clock)],
        n_running: usize,
    ) -> u64 {
        let knows = |clock: Clock| self.clocks.time(clock, access.thread) >= access.time;
        let own = mix(1 << 32 | u64::from(access.thread));
        let running = &knowers[..n_running];
        if running.iter().all(|&(name, clock)| name == own || knows(clock)) {
            return 0;
        }
        let known = knowers.iter().filter(|(_, clock)| knows(*clock));
        let by = known.fold(0_u64, |sum, (name, _)| sum.wrapping_add(*name));
        let bytes = u64::from(access.offset) << 32 | u64::from(access.size);
        let who = u64::from(access.thread) << 8 | access.touch as u64;
        [bytes, who, access.site, access.caller, by]
            .iter()
            .fold(mix(name), |hash, &word| mix(hash ^ word))
    }
}

/// Spreads a number over 64 bits.
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_add(1).wrapping_mul(MIX);
    word ^ word >> 29
}
