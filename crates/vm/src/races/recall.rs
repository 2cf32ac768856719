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

use raddle_happens::{Known, Ordered};

use super::Detector;
use super::shadow::{Access, Shadow};
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
    fn threads(&self, state: &State, knowers: &mut Vec<(u64, Known)>, running: bool) {
        let (_, threads, _) = self.orders.tables();
        for (index, thread) in state.threads.iter().enumerate() {
            if index as u32 >= threads.len() {
                break;
            }
            let [knows, more @ ..] = threads.get(index as u32).knowledge();
            let name = |kind: u64| mix(kind << 32 | index as u64);
            match (thread.core.status, running) {
                (Status::Running, true) | (Status::Ended, false) => knowers.push((name(1), knows)),
                (Status::Running, false) => {
                    knowers.extend((2..).map(name).zip(more).filter(is_known));
                }
                _ => {}
            }
        }
        if !running && self.sections.len() > 0 {
            knowers.push((mix(5 << 32), *self.sections.get(0)));
        }
    }

    fn places(&self, shadow: &Shadow, name: u64, knowers: &mut Vec<(u64, Known)>) {
        for (_, place) in self.shadows.places(shadow) {
            let name = mix(mix(name) ^ u64::from(place.offset));
            let locks = [(0, place.lock.given), (1, place.lock.readers)].into_iter();
            let role = |by: Option<u32>| by.map_or(2, |thread| 3 + u64::from(thread));
            let said = self.orders.sayings(&place.location).map(|(by, said)| (role(by), said));
            let all = locks.chain(said).map(|(role, known)| (mix(name ^ role), known));
            knowers.extend(all.filter(is_known));
        }
    }

    /// What an access and those who know of it add; nothing if it cannot race any more.
    fn remembered(
        &self,
        access: &Access,
        name: u64,
        knowers: &[(u64, Known)],
        n_running: usize,
    ) -> u64 {
        let order = |known| self.orders.view(known).order(access.thread, access.time);
        let own = mix(1 << 32 | u64::from(access.thread));
        let running = &knowers[..n_running];
        let knows = |&(name, known)| name == own || order(known) == Ordered::Always;
        if running.iter().all(knows) {
            return 0;
        }
        let by = knowers.iter().fold(0_u64, |sum, &(name, known)| match order(known) {
            Ordered::Always => sum.wrapping_add(name),
            Ordered::ByC11 => sum.wrapping_add(mix(name)),
            Ordered::Never => sum,
        });
        let bytes = u64::from(access.offset) << 32 | u64::from(access.size);
        let who = u64::from(access.thread) << 8 | access.touch as u64;
        [bytes, who, access.site, access.caller, by]
            .iter()
            .fold(mix(name), |hash, &word| mix(hash ^ word))
    }
}

/// Whether anybody was ever known there.
fn is_known((_, known): &(u64, Known)) -> bool {
    *known != Known::default()
}

/// Spreads a number over 64 bits.
fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_add(1).wrapping_mul(MIX);
    word ^ word >> 29
}
