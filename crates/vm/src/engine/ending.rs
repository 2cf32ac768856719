//! How a run ended, for searches and for people.
//!
//! In: the outcome of the machine. Out: the outcome of the run. Findings of one kind at one place
//! are one finding, so places are those of the program's own code, in an order of their own.

use raddle_explore::{Outcome as End, Trouble};

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
            Some(Outcome::Deadlock(blocked)) => End::Deadlock(self.deadlock(blocked)),
            Some(Outcome::Fault(fault)) => End::Failure(self.failure(fault)),
            Some(Outcome::Assumption) => End::Assumption,
            Some(Outcome::Steps { .. }) => End::Steps,
            Some(Outcome::Unsupported { what, site }) => {
                End::Unsupported(trouble("unsupported", vec![self.place(*site)], what.clone()))
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
        End::Livelock(trouble("livelock", places, message.to_owned()))
    }

    fn deadlock(&self, blocked: &[Blocked]) -> Trouble {
        let site = |b: &Blocked| {
            let thread = &self.machine.state.threads[b.thread as usize];
            self.place(thread.site_outside(&self.machine.image))
        };
        let mut places: Vec<_> = blocked.iter().map(site).collect();
        places.sort_unstable();
        places.dedup();
        let waits = |b: &Blocked| format!("thread {} waits for {}", b.thread, b.object);
        let message = blocked.iter().map(waits).collect::<Vec<_>>().join("; ");
        trouble("deadlock", places, message)
    }

    fn failure(&self, fault: &Fault) -> Trouble {
        let outside = fault.stack.iter().find(|frame| !frame.library);
        let place = self.place(outside.map_or(fault.site, |frame| frame.site));
        let kind = match fault.kind {
            FaultKind::AssertFailed { .. } | FaultKind::ReachError => "assertion",
            FaultKind::UseAfterFree { .. } | FaultKind::UseAfterReturn { .. } => "use-after-free",
            FaultKind::DoubleFree { .. } | FaultKind::InvalidFree { .. } => "invalid-free",
            FaultKind::Misuse(_) => "misuse",
            FaultKind::Abort => "abort",
            _ => "crash",
        };
        trouble(kind, vec![place], fault.to_string())
    }

    pub(super) fn place(&self, site: Site) -> String {
        let program = self.machine.program();
        let Some(site) = site.known() else { return "nowhere".to_owned() };
        let span = program.function(site.function).spans[site.op as usize];
        let location = program.sources.locate(span.start);
        format!("{}:{}:{}", location.file, location.line, location.column)
    }
}

/// What went wrong, and where.
pub(super) fn trouble(kind: &str, places: Vec<String>, message: String) -> Trouble {
    Trouble { kind: kind.to_owned(), places, message }
}
