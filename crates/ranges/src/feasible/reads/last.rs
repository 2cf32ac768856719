//! F1: reads of what one other thread writes, without branches.

use raddle_solve::Lit;

use super::super::Solver;
use super::super::accesses::Write;
use super::super::counters::is_past;
use super::super::values::narrow;
use super::Sight;
use crate::ctp::StateId;
use crate::interval::Interval;

impl Solver<'_> {
    /// What is last before the read, as far as it is not always followed by another one.
    pub(super) fn add_last(&mut self, sight: &mut Sight<'_>, all: &[Write]) {
        let absent = sight.absent;
        let own = self.clauses.fresh();
        let passed = all.iter().map(|write| self.before(write.state, sight.step));
        let passed: Vec<_> = passed.take_while(|&passed| passed != Lit::FALSE).collect();
        let writes = &all[..passed.len()];
        for end in self.ends(writes.first(), passed.first(), Lit::TRUE) {
            self.clauses.clause(&[absent, own, end]);
        }
        let within = self.within(sight, all, &passed);
        for (n, write) in writes.iter().enumerate() {
            let next = writes.get(n + 1);
            let is_past = |next: &Write| is_past(self.ctp, &self.pairs, sight.step, next.state);
            if next.is_some_and(is_past) {
                continue;
            }
            let happens = self.happens(write.state);
            let overwritten = sight.own.map_or(Lit::FALSE, |own| self.before(write.state, own));
            let source = match overwritten {
                Lit::TRUE => Lit::FALSE,
                _ => self.new_source(sight, write, within[n]),
            };
            for end in self.ends(next, passed.get(n + 1), happens) {
                self.clauses.clause(&[absent, !happens, !passed[n], overwritten, end, source]);
                self.clauses.clause(&[absent, !happens, !overwritten, end, own]);
            }
        }
        self.carry_own(sight, own);
    }

    /// Literals that all hold if a write has passed, while the one before it has happened.
    fn ends(&self, write: Option<&Write>, passed: Option<&Lit>, before: Lit) -> [Lit; 2] {
        match (write, passed) {
            (Some(write), Some(&passed)) => match self.happens(write.state) {
                happens if happens == before => [passed, Lit::TRUE],
                happens => [passed, happens],
            },
            _ => [Lit::FALSE, Lit::TRUE],
        }
    }

    /// A literal that gives the value of a write to what is seen; false if intervals rule that out.
    fn new_source(
        &mut self,
        sight: &mut Sight<'_>,
        write: &Write,
        within: Option<Interval>,
    ) -> Lit {
        let Some(within) = within.filter(|&w| self.common(sight, write.value, w).is_some()) else {
            return Lit::FALSE;
        };
        let source = self.clauses.fresh();
        self.carry_from(sight, write.value, source, within);
        source
    }

    /// For each write what is seen if no later one has passed; none if that cannot be. The fewer have
    /// passed, the fewer bits there may be, which is said once for all writes with as few.
    fn within(
        &mut self,
        sight: &mut Sight<'_>,
        all: &[Write],
        passed: &[Lit],
    ) -> Vec<Option<Interval>> {
        let nexts: Vec<_> = all.iter().skip(1).map(|write| write.state).collect();
        let known = self.seen_until(sight, &nexts).unwrap_or_default();
        let meet = |n: usize| match known.get(n) {
            Some(known) => known.meet(sight.within),
            None => Some(sight.within),
        };
        let within: Vec<_> = (0..passed.len()).map(meet).collect();
        for (n, width) in within.iter().map(|values| values.map(narrow)).enumerate() {
            let next = within.get(n + 1).and_then(|values| values.map(narrow));
            let Some(width) = width.filter(|_| width != next) else { continue };
            if width.0 < sight.word.width() {
                let small = sight.small(&mut self.clauses, width);
                for end in self.ends(all.get(n + 1), passed.get(n + 1), Lit::TRUE) {
                    self.clauses.clause(&[sight.absent, end, small]);
                }
            }
        }
        within
    }

    /// What a step that reads can see if another thread has not taken these steps yet.
    fn seen_until(&self, sight: &Sight<'_>, steps: &[StateId]) -> Option<Vec<Interval>> {
        let (global, _) = self.ctp.step(sight.step).action.read()?;
        match global == sight.global {
            true => self.values.until(self.ctp, &self.pairs, sight.step, steps),
            false => None,
        }
    }
}
