//! Who spins: goes on for ever without getting anywhere until another thread changes something.
//!
//! In: what threads do and see. Out: the threads that are *set aside*, the points at which leaving one is free,
//! and livelocks. The rules are those of all engines (`docs/src/theory.md`); complete states cannot be compared here.
//!
//! - P1: a thread is in a *round* if it has done the same twice: the same operations at the same places, on the
//!   same objects, with the same results. Whether that is a loop that it leaves by itself is tried (`trial`).
//! - P2: the thread spins at each point of the last round: leaving it there costs no preemption. Whatever can be
//!   done a round earlier can also be done there, since all is as it was then. These points are known by the choices
//!   before them in later executions, too. They lie behind the prefix of a plan, or are known already: what else is
//!   possible at the others was planned before, as a preemption. If they do not, the thread does another round.
//! - P3: where it has no lock that it gives back in its round, it is not offered until another thread changes
//!   something or, if its own round changes something and puts it back, until another thread has done anything.
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

use raddle_explore::{Access, Defect, Endless, Operation, Outcome};
use smallvec::SmallVec;

use super::local::mix;
use super::steps::{Step, Steps};
use super::table::{Loop, beyond, path};
use super::trial::{Planned, step};
use super::{NONE, Pending, World, place};

impl World {
    /// The current thread comes to a point of an execution that is enumerated.
    #[inline]
    pub(super) fn step(&mut self) {
        let (point, n_changes) = (self.at as u32, self.n_changes);
        let at = &mut self.threads[self.current as usize];
        let seen = std::mem::take(&mut at.seen);
        let hash = step(seen, &at.pending);
        let Pending { what, object, site, .. } = at.pending;
        let identity = mix(at.identity, seen);
        at.identity = beyond(identity, site);
        let mut planned = None;
        if self.follows_path {
            let mut known = self.table.known();
            if !known.planned.is_empty() {
                planned = known.planned.remove(&identity);
            }
        }
        let changes = [(n_changes - at.n_own) as u32, at.n_lasting];
        at.steps.push(Step { hash, identity, site, point, changes, what, object, before: NONE });
        if let Some(planned) = planned {
            return self.try_alone(planned);
        }
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
        if Defect::NoTrial.is_there() {
            return self.set_aside(length, true);
        }
        let n = steps.steps.len();
        if steps.n < steps.n_free || steps.steps[n - 1 - length].changes[0] != now.changes[0] {
            return; // A8
        }
        let known = self.table.known();
        if let Some(n) = known.leaves.get(&now.identity) {
            steps.n_free = steps.n + n + 1;
            return;
        }
        let endless = known.endless.get(&now.identity).copied();
        drop(known);
        if let Some(Loop { identity, is_certain }) = endless {
            at.identity = beyond(identity, now.site);
            self.set_aside(length, is_certain);
        } else if !self.table.may_try() && self.tale.is_none() {
            self.end(Outcome::Steps); // A4
        } else {
            self.plan_trial(length);
        }
    }

    /// The execution begins again, to see whether the current thread leaves a loop (A6 of `trial`).
    fn plan_trial(&mut self, length: usize) {
        let Steps { steps, n: n_steps, answers, .. } = &self.threads[self.current as usize].steps;
        let n = steps.len();
        let now = steps[n - 1];
        let is_alone = n > 2 * length && steps[n - 1 - 2 * length].changes[0] == now.changes[0];
        let n_before = if is_alone { 2 * length } else { length };
        let round = steps[n - length..].iter().map(|step| step.hash).collect();
        let since = n_steps - length as u64;
        let answers = answers.iter().filter(|(step, _)| *step >= since);
        let answers = answers.map(|&(_, answer)| answer as usize).collect();
        let first = steps[n - 1 - n_before].identity;
        let planned = Planned { seen: now.identity, n_before: n_before as u64, round, answers };
        self.table.learn().planned.insert(first, planned);
        (self.plans_trial, self.is_over) = (true, true);
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
        let gives_back = gives_back && !Defect::KeepsLock.is_there();
        if first.changes[0] != now.changes[0] || at.is_aside || gives_back {
            return;
        }
        let is_restless = first.changes[1] != now.changes[1];
        if is_restless && (first.point as usize) < self.stretch {
            return;
        }
        let since = if is_restless { self.stretch as u32 } else { 0 };
        let spins = |step: &&Step| step.changes[0] == now.changes[0] && step.point >= since;
        let rounds = &steps[steps.len() - 1 - length..steps.len() - 1];
        let points: Vec<_> = rounds.iter().filter(spins).map(|step| step.point as usize).collect();
        if is_certain && self.counts_preemptions && self.are_decided(&points) {
            return;
        }
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
        if self.rounds_end != first.point as usize {
            self.in_rounds.clear();
        }
        if !self.in_rounds.contains(&me) {
            self.in_rounds.push(me);
        }
        self.rounds_end = self.at;
    }

    /// Whether the search has decided about one of these points, and took leaving the thread there for a preemption (P2).
    fn are_decided(&self, points: &[usize]) -> bool {
        let known = self.run.points();
        let costs = |&point: &usize| known.get(point).is_some_and(|it| it.preemptible);
        points.iter().filter(|&&point| point < self.prefix.len()).any(costs)
    }

    /// P5: the loop is a condition of the result.
    fn note_endless(&mut self, length: usize) {
        let steps = &self.threads[self.current as usize].steps.steps;
        let sites = steps[steps.len() - length..].iter().map(|step| step.site);
        let first = sites.min_by_key(|site| (site.file(), site.line(), site.column()));
        let Some(place) = first.map(place) else { return };
        if !self.run.endless.iter().any(|endless| endless.place == place) {
            let operations = self.table.n_alone;
            self.run.endless.push(Endless { place, operations });
        }
    }

    /// P2: the current thread spins at these points.
    fn mark(&mut self, points: &[usize]) {
        let Some(&last) = points.last() else { return };
        if Defect::LeavingCosts.is_there() {
            return;
        }
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

    /// P10: what a thread that was set aside waits for, beside what it is about to do.
    pub(super) fn note_round(&mut self, thread: u32) {
        let at = &self.threads[thread as usize];
        if !at.is_aside || !self.follows_rule {
            return;
        }
        let steps = &at.steps.steps;
        let mut objects: SmallVec<[u64; 8]> = SmallVec::new();
        for step in &steps[steps.len() - at.steps.length..] {
            let (access, object) = self.noticed(step.what, step.object);
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
