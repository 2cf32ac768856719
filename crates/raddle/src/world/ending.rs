//! How executions end: no thread can go on, or one is not like the one before.

use raddle_explore::{Defect, Failure, FailureKind, Outcome};
use raddle_finding::Choice;
use smallvec::SmallVec;

use super::{Announced, Pending, Site, World, location};

/// An execution does not repeat what it should.
#[derive(Clone, Debug)]
pub(crate) struct Divergence {
    /// At which point, from 0.
    pub(crate) point: usize,
    /// What was to be chosen there.
    pub(crate) choice: Option<Choice>,
    /// What was announced there before, and now.
    pub(crate) before: Option<Announced>,
    pub(crate) now: Announced,
}

impl World {
    /// The execution is over: notes what the threads want that are left (rule S3 of reduction).
    pub(crate) fn note_end(&mut self) {
        let is_end = matches!(self.outcome, Outcome::Failed(_) | Outcome::Passed);
        if is_end && !Defect::NobodyIsLeft.is_there() {
            self.run.truncate_opened();
            self.note_left(|_, _| true);
        }
    }

    /// Forgets what was announced behind the last point.
    pub(crate) fn cut_trail(&mut self) {
        self.trail.truncate(self.at + 1);
    }

    /// No thread can go on.
    pub(super) fn nobody(&mut self, planned: Option<Choice>) {
        if planned.is_some() {
            return self.diverge(planned, None);
        }
        self.tell_left();
        let is_done = !self.threads[0].is_live() && self.rules.may_leave_blocked;
        let outcome = match self.all_threads().iter().any(|thread| thread.is_live()) {
            true if !is_done => Outcome::Failed(self.deadlock()),
            _ => Outcome::Passed,
        };
        self.end(outcome);
    }

    fn deadlock(&self) -> Failure {
        let live = || (0..self.n_threads).filter(|&t| self.threads[t as usize].is_live());
        let mut sites: SmallVec<[Site; 8]> =
            live().map(|t| self.threads[t as usize].pending.site).collect();
        sites.sort_unstable();
        sites.dedup();
        let mut places: Vec<_> = sites.into_iter().map(location).collect();
        places.sort_unstable();
        let mut message = String::with_capacity(256 * live().count());
        for thread in live() {
            if !message.is_empty() {
                message.push('\n');
            }
            self.write_waits_for(thread, &mut message);
        }
        if let Some(circle) = self.circle() {
            message += "\nin a cycle: ";
            message += &circle;
        }
        Failure::new(FailureKind::Deadlock, places, message)
    }

    /// Notes what those threads want to do who are left, when the execution ends.
    pub(super) fn note_left(&mut self, is_left: impl Fn(&World, u32) -> bool) {
        if !self.observe.operations {
            return;
        }
        for thread in 0..self.n_threads {
            if self.threads[thread as usize].is_live() && is_left(self, thread) {
                self.note(thread);
                self.note_round(thread);
            }
        }
    }

    #[cold]
    pub(super) fn diverge(&mut self, choice: Option<Choice>, before: Option<Announced>) {
        let Pending { what, object, site, .. } = self.threads[self.current as usize].pending;
        let now = Announced { thread: self.current, what, object, site };
        self.divergence = Some(Box::new(Divergence { point: self.at, choice, before, now }));
        self.run.truncate_opened();
        self.end(Outcome::Stopped);
    }
}
