//! How a run ended, for searches and for people.
//!
//! In: the outcome of the machine. Out: the outcome of the run. Findings of one kind at one place
//! are one finding, so places are those of the program's own code, in an order of their own.

use raddle_explore::{Failure, FailureKind, Outcome as End};
use raddle_finding::Location;

use super::VmEngine;
use crate::fault::{Fault, FaultKind};
use crate::outcome::{Blocked, Outcome};
use crate::question::Question;
use crate::site::Site;

impl VmEngine {
    pub(super) fn end(&self) -> End {
        match self.machine.outcome() {
            None => End::Cut,
            Some(Outcome::Exited(_)) => End::Passed,
            Some(Outcome::Deadlock(blocked)) => End::Failed(self.deadlock(blocked)),
            Some(Outcome::Fault(fault)) => End::Failed(self.failure(fault)),
            Some(Outcome::Assumption) => End::Assumption,
            Some(Outcome::Steps { .. }) => End::Steps,
            Some(Outcome::Unsupported { what, site }) => {
                let place = self.place(*site);
                End::Unsupported(Failure::new(FailureKind::Unsupported, [place], what.clone()))
            }
        }
    }

    /// A livelock is where the functions are that threads go round in.
    pub(super) fn livelock(&self, message: &str) -> End {
        let threads = match self.machine.question() {
            Some(Question::Thread(threads)) => threads.to_vec(),
            _ => vec![self.machine.current()],
        };
        let place = |thread: &u32| {
            let thread = &self.machine.state.threads[*thread as usize];
            let site = thread.site_outside(&self.machine.image);
            self.place(Site { op: 0, ..site })
        };
        let mut places: Vec<_> = threads.iter().map(place).collect();
        places.sort_unstable();
        places.dedup();
        End::Failed(Failure::new(FailureKind::Livelock, places, message))
    }

    fn deadlock(&self, blocked: &[Blocked]) -> Failure {
        let site = |b: &Blocked| {
            let thread = &self.machine.state.threads[b.thread as usize];
            self.place(thread.site_outside(&self.machine.image))
        };
        let mut places: Vec<_> = blocked.iter().map(site).collect();
        places.sort_unstable();
        places.dedup();
        let waits = |b: &Blocked| format!("thread {} waits for {}", b.thread, b.object);
        let message = blocked.iter().map(waits).collect::<Vec<_>>().join("; ");
        Failure::new(FailureKind::Deadlock, places, message)
    }

    fn failure(&self, fault: &Fault) -> Failure {
        let outside = fault.stack.iter().find(|frame| !frame.library);
        let place = self.place(outside.map_or(fault.site, |frame| frame.site));
        let kind = match fault.kind {
            FaultKind::AssertFailed { .. } | FaultKind::ReachError => FailureKind::Assertion,
            FaultKind::UseAfterFree { .. } | FaultKind::UseAfterReturn { .. } => {
                FailureKind::UseAfterFree
            }
            FaultKind::DoubleFree { .. } | FaultKind::InvalidFree { .. } => {
                FailureKind::InvalidFree
            }
            FaultKind::Misuse(_) => FailureKind::Misuse,
            FaultKind::Abort => FailureKind::Abort,
            _ => FailureKind::Crash,
        };
        Failure::new(kind, [place], fault.to_string())
    }

    pub(super) fn place(&self, site: Site) -> Location {
        let program = self.machine.program();
        let Some(site) = site.known() else { return Location::named("nowhere") };
        let span = program.function(site.function).spans[site.op as usize];
        let at = program.sources.locate(span.start);
        Location::at(&*at.file, at.line, at.column)
    }
}
