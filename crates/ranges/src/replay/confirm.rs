//! Whether what a query asks for has come true, when all steps are done.

use raddle_vm::{Outcome, Question};

use super::{N_IDLE_MAX, Run};
use crate::ctp::{GlobalId, Otherwise, StateId, ThreadId};
use crate::feasible::Query;

impl Run<'_> {
    /// Whether the query has come true.
    pub(super) fn confirm(&mut self, query: &Query, steps: &[StateId]) -> bool {
        match query {
            Query::Reaches(_) => true,
            Query::ReadsFrom(read, from) => self.reads_from(*read, *from, steps),
            Query::Events(pattern) => {
                let done = |&step: &StateId| {
                    self.n_events(self.ctp.state(step).thread) >= self.ctp.step(step).n_events
                };
                pattern.fits(steps) && !pattern.absent.iter().any(done)
            }
            Query::Breaks(_, condition) => {
                let value = |global: GlobalId| {
                    let known = &self.ctp.globals[global.0 as usize];
                    self.watch.watched[&known.name].map(|value| known.kind.extend(value))
                };
                condition.value(&value) == Some(0)
            }
            Query::Meet(steps) => {
                let all: Vec<_> = steps.iter().map(|&step| self.ctp.state(step).thread).collect();
                let ready = all.iter().all(|&thread| self.approach(thread));
                let open = match self.machine.question() {
                    Some(Question::Thread(threads)) => threads.to_vec(),
                    _ => Vec::new(),
                };
                let is_open = |&thread: &ThreadId| {
                    self.number(thread).is_some_and(|number| open.contains(&number))
                };
                ready && all.iter().all(is_open)
            }
            Query::Fails(step, guard) | Query::Leaves(step, guard) => self.fails(*step, *guard),
        }
    }

    /// Whether a read comes right behind a write, or behind none, as far as its global is concerned.
    fn reads_from(&self, read: StateId, from: Option<StateId>, steps: &[StateId]) -> bool {
        let Some((global, _)) = self.ctp.step(read).action.read() else { return false };
        let mut behind = steps.iter().rev().skip_while(|&&step| step != read);
        let is_there = behind.next().is_some();
        let writes = |step: &&StateId| {
            let written = self.ctp.step(**step).action.written();
            written.is_some_and(|(written, _)| written == global)
        };
        is_there && behind.find(writes).copied() == from
    }

    /// Lets a thread go on as long as that takes none of its steps.
    fn approach(&mut self, thread: ThreadId) -> bool {
        for _ in 0..N_IDLE_MAX {
            let next = self.beyond(thread);
            let here = next.is_some_and(|n| self.n_events(thread) + 1 >= self.ctp.step(n).n_events);
            if here {
                return true;
            }
            if !self.go(thread) {
                return false;
            }
        }
        false
    }

    fn fails(&mut self, step: StateId, guard: usize) -> bool {
        let thread = self.ctp.state(step).thread;
        let otherwise = self.ctp.step(step).guards[guard].otherwise.clone();
        if let Some((behind, _)) = self.awaited {
            self.watch_for(behind);
        }
        for _ in 0..N_IDLE_MAX {
            if self.watch.arrived || self.machine.outcome().is_some() || !self.go(thread) {
                break;
            }
        }
        match otherwise {
            Otherwise::Fails => {
                let whose = match self.machine.outcome() {
                    Some(Outcome::Fault(fault)) => Some(fault.thread),
                    _ => None,
                };
                whose.is_some() && whose == self.number(thread)
            }
            Otherwise::Elsewhere(Some(_)) => self.watch.arrived,
            _ => true,
        }
    }
}
