//! Who spins: goes on for ever without getting anywhere until another thread changes something.
//!
//! In: what threads do and see. Out: the threads that are *set aside*, the points at which leaving one is free,
//! and livelocks. The rules are those of all engines (docs/theory.md); complete states cannot be compared here.
//!
//! - P1: a thread is in a *round* if it has done the same twice: the same operations at the same places, on the
//!   same objects, with the same results. Whether that is a loop that it leaves by itself is tried (`trial`).
//! - P2: the thread spins at each point of the two rounds since another one changed anything: leaving it there
//!   costs no preemption. These points are known by the choices before them in later executions, too.
//! - P3: where it has no lock that it gives back in its round, it is not offered until another thread changes something or, if its own round changes something and
//!   puts it back, until another thread has done anything.
//! - P4: if all who can go on are set aside by rounds that change nothing, that is a livelock. If rounds change
//!   something: if all who can go on have done a round, one directly after the other, for then all is as it
//!   was before. Whether a wait may end for no reason is a question of its own (`ask`), so who can only go on
//!   by that is blocked in another execution.
//! - P5: a loop is taken for endless after 1,000,000 operations alone, and that is a condition of the result.
//!   Nothing else sets a thread aside in an execution that is enumerated.
//! - P7: what came out of a trial is kept by the identity of the thread (`local`), never by its place.
//!   A round with questions of its own (`ask`) is certain only if other answers do not lead out of it either.
//! - P9: executions that are drawn have rules of their own (`tired`).
//! - P10: who is set aside waits for a change of any object of its round.

use raddle_explore::{Access, Endless, Operation, Outcome, Trouble};
use smallvec::SmallVec;

use super::decide::Open;
use super::local::{mix, number};
use super::table::path;
use super::trial::{N_ALONE, step};
use super::{NONE, Site, World, place};

/// How many steps of a thread are remembered; a round has at most half of the steps that stay.
const N_STEPS: usize = 1024;

/// In how many earlier steps that are like the last one a round may begin.
const N_LIKE: usize = 8;

/// A step of a thread.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// What it saw in the step before, and what it is about to do.
    hash: u64,
    /// Its identity before it.
    identity: u64,
    /// The point.
    point: usize,
    /// How many changes others had made, and the thread itself.
    changes: [u64; 2],
    /// What others can notice of it, if anybody wants to know.
    noticed: (Access, u64),
    site: Site,
    /// The last step that may be like it.
    before: u32,
}

/// The steps of a thread.
#[derive(Debug, Default)]
pub(super) struct Steps {
    steps: Vec<Step>,
    /// The last step with each hash, by its lowest bits.
    last: Vec<u32>,
    /// How many steps it has done.
    n: u64,
    /// No trial begins before this one (A2 of `trial`).
    n_free: u64,
    /// Which answers were taken to questions of the thread, each with the number of the step.
    answers: Vec<(u64, u32)>,
    /// How many steps the round has by which it was set aside.
    length: usize,
}

impl Steps {
    pub(super) fn clear(&mut self) {
        self.steps.clear();
        self.answers.clear();
        (self.n, self.n_free) = (0, 0);
    }

    /// A question of the thread was answered.
    pub(super) fn answered(&mut self, answer: usize) {
        self.answers.push((self.n, answer as u32));
    }

    fn push(&mut self, step: Step) {
        if self.steps.len() == N_STEPS {
            self.steps.drain(..N_STEPS / 2);
            self.last.clear(); // What is linked to lies elsewhere now.
            for step in &mut self.steps {
                step.before = NONE;
            }
        }
        if self.last.is_empty() {
            self.last.resize(256, NONE);
        }
        let index = self.steps.len() as u32;
        let before = std::mem::replace(&mut self.last[step.hash as usize % 256], index);
        // What is left from another execution lies behind this one.
        let before = if before < index { before } else { NONE };
        self.steps.push(Step { before, ..step });
        self.n += 1;
    }

    /// How many steps a round has that was done twice just now.
    #[inline]
    fn round(&self) -> Option<usize> {
        let n = self.steps.len();
        let mut last = n - 1;
        for _ in 0..N_LIKE {
            let before = self.steps[last].before as usize;
            if before >= last {
                return None;
            }
            let length = n - 1 - before;
            if 2 * length > n {
                return None;
            }
            let (one, other) = (&self.steps[n - length..], &self.steps[n - 2 * length..][..length]);
            if one.iter().zip(other).all(|(one, other)| one.hash == other.hash) {
                return Some(length);
            }
            last = before;
        }
        None
    }
}

impl World {
    /// The current thread comes to a point of an execution that is enumerated.
    #[inline]
    pub(super) fn step(&mut self) {
        let point = self.at;
        let n_changes = self.n_changes;
        let at = &mut self.threads[self.current as usize];
        let seen = std::mem::take(&mut at.seen);
        let hash = step(seen, &at.pending);
        let mut identity = mix(at.identity, seen);
        if self.table.is_used() {
            let known = self.table.known();
            identity = known.wraps.get(&identity).copied().unwrap_or(identity);
        }
        at.identity = mix(identity, number(at.pending.site));
        let changes = [n_changes - at.n_own, at.n_own];
        let (noticed, site) = (at.noticed, at.pending.site);
        at.steps.push(Step { hash, identity, point, changes, noticed, site, before: NONE });
        if let Some(length) = at.steps.round() {
            self.notice(length);
        }
        if self.n_restless > 0 {
            self.wake_restless();
        }
    }

    /// The current thread has done a round twice (P1).
    #[cold]
    fn notice(&mut self, length: usize) {
        let at = &mut self.threads[self.current as usize];
        let steps = &mut at.steps;
        let now = steps.steps[steps.steps.len() - 1];
        let known = self.table.known();
        if let Some(&is_certain) = known.endless.get(&now.identity) {
            drop(known);
            return self.set_aside(length, is_certain);
        }
        if let Some(n) = known.leaves.get(&now.identity) {
            steps.n_free = steps.n_free.max(steps.n + n + 1);
        }
        drop(known);
        if steps.n >= steps.n_free && !self.table.may_try() && self.tale.is_none() {
            return self.end(Outcome::Steps); // A4
        }
        let steps = &self.threads[self.current as usize].steps;
        if steps.n >= steps.n_free {
            let n = steps.steps.len();
            let states = steps.steps[n - 1 - length..n - 1].iter().map(|step| step.identity);
            let hashes = steps.steps[n - length..].iter().map(|step| step.hash);
            let since = steps.n - length as u64;
            let answers = steps.answers.iter().filter(|(step, _)| *step >= since);
            let answers = answers.map(|&(_, answer)| answer as usize).collect();
            let round = hashes.zip(states).collect();
            self.try_alone(now.identity, round, answers);
        }
    }

    /// Sets the current thread aside, if nobody else has changed anything during its last round (P3).
    fn set_aside(&mut self, length: usize, is_certain: bool) {
        let me = self.current;
        let at = &self.threads[me as usize];
        let steps = &at.steps.steps;
        let now = steps[steps.len() - 1];
        let first = steps[steps.len() - 1 - length];
        let since = at.steps.n - length as u64;
        let gives_back = at.held.iter().any(|&(_, taken)| taken >= since);
        if first.changes[0] != now.changes[0] || at.is_aside || gives_back {
            return;
        }
        let is_restless = first.changes[1] != now.changes[1];
        if is_restless && first.point < self.stretch {
            return;
        }
        let since = if is_restless { self.stretch } else { 0 };
        let spins = |step: &&Step| step.changes[0] == now.changes[0] && step.point >= since;
        let rounds =
            &steps[steps.len() - 1 - 2 * length.min((steps.len() - 1) / 2)..steps.len() - 1];
        let points: Vec<_> = rounds.iter().filter(spins).map(|step| step.point).collect();
        self.note_endless(length);
        if is_certain {
            self.mark(&points);
        }
        let at = &mut self.threads[me as usize];
        (at.is_aside, at.is_restless, at.is_certain) = (true, is_restless, is_certain);
        at.steps.length = length;
        self.n_aside += 1;
        self.n_restless += u32::from(is_restless);
        // P4
        if self.rounds_end != first.point {
            self.in_rounds.clear();
        }
        if !self.in_rounds.contains(&me) {
            self.in_rounds.push(me);
        }
        self.rounds_end = self.at;
    }

    /// P5: the loop is a condition of the result.
    fn note_endless(&mut self, length: usize) {
        let steps = &self.threads[self.current as usize].steps.steps;
        let sites = steps[steps.len() - length..].iter().map(|step| step.site);
        let first = sites.min_by_key(|site| (site.file(), site.line(), site.column()));
        let Some(place) = first.map(place) else { return };
        if !self.run.endless.iter().any(|endless| endless.place == place) {
            self.run.endless.push(Endless { place, operations: N_ALONE });
        }
    }

    /// P2: the current thread spins at these points.
    fn mark(&mut self, points: &[usize]) {
        let Some(&last) = points.last() else { return };
        if self.observe.ends_only || last >= self.run.points().len() {
            return;
        }
        let (mut before, mut next) = (0, points.iter().copied().peekable());
        let mut free: SmallVec<[u64; 16]> = SmallVec::new();
        for (point, choice) in self.run.choices().take(last + 1).enumerate() {
            if next.next_if_eq(&point).is_some() {
                free.push(before);
            }
            before = path(before, choice);
        }
        points.iter().for_each(|&point| self.run.spins(point..point + 1));
        self.table.learn().free.extend(free);
    }

    /// Whether a thread is known to spin at the point that is being described (P2).
    #[inline]
    pub(super) fn spins_here(&self) -> bool {
        self.follows_path && self.table.known().free.contains(&self.path)
    }

    /// The current thread has taken a lock.
    #[inline]
    pub(crate) fn hold(&mut self, object: u32) {
        if self.follows_rule {
            let me = self.me();
            me.held.push((object, me.steps.n));
        }
    }

    /// The current thread has given a lock back.
    #[inline]
    pub(crate) fn unhold(&mut self, object: u32) {
        if !self.follows_rule {
            return;
        }
        let held = &mut self.me().held;
        if let Some(index) = held.iter().rposition(|&(other, _)| other == object) {
            held.remove(index);
        }
    }

    /// Somebody changed something: all go on who can.
    #[cold]
    pub(super) fn wake_all(&mut self) {
        let n = self.n_threads as usize;
        for thread in &mut self.threads[..n] {
            (thread.is_aside, thread.is_restless) = (false, false);
        }
        (self.n_aside, self.n_restless, self.n_stuck) = (0, 0, 0);
    }

    /// The current thread has done something: those go on whose rounds change something (P3).
    #[cold]
    fn wake_restless(&mut self) {
        let me = self.current as usize;
        for (index, thread) in self.threads[..self.n_threads as usize].iter_mut().enumerate() {
            if thread.is_restless && index != me {
                (thread.is_aside, thread.is_restless) = (false, false);
                self.n_aside -= 1;
                self.n_restless -= 1;
            }
        }
    }

    /// A thread that was set aside goes on all the same: somebody planned that.
    #[cold]
    pub(super) fn bring_back(&mut self, thread: u32) {
        let at = &mut self.threads[thread as usize];
        self.n_restless -= u32::from(at.is_restless);
        (at.is_aside, at.is_restless) = (false, false);
        self.n_aside -= 1;
    }

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
                    self.end(Outcome::Livelock(self.livelock()));
                }
                // Other answers to their questions may lead out of the loop, and are tried elsewhere.
                false => self.end(Outcome::Known),
            }
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
            "every thread that can go on spins, and none of them changes anything".to_owned();
        Trouble { kind: "livelock".to_owned(), places, message }
    }

    /// P10: what a thread that was set aside waits for, beside what it is about to do.
    pub(super) fn note_round(&mut self, thread: u32) {
        let at = &self.threads[thread as usize];
        if !at.is_aside || !self.follows_rule {
            return;
        }
        let steps = &at.steps.steps;
        let mut objects: SmallVec<[u64; 8]> = SmallVec::new();
        for step in &steps[steps.len() - at.steps.length..] {
            let (access, object) = step.noticed;
            if access != Access::Local && !objects.contains(&object) {
                objects.push(object);
                self.run.pending(Operation { thread, access: Access::Read, object });
            }
        }
    }

    /// Where a thread began its last stretch.
    #[inline]
    pub(super) fn note_stretch(&mut self, thread: u32) {
        if thread != self.current {
            self.stretch = self.at;
        }
    }
}
