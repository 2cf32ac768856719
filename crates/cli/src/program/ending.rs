//! How a run ended, for people and for programs.

use raddle_session::ending::deadlock;
use raddle_session::vm::ending::{called, origins, site_text, span, spinning, waits};
use raddle_vm::{FrameSite, Machine, Outcome, RemarkKind, Site};
use serde::Serialize;

use super::source;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Place};
use crate::exit::Exit;
use crate::quantity::count;

/// Shows how the run ended and answers with the exit code.
pub(crate) fn show(machine: &Machine, stopped: bool, context: &Context) -> Exit {
    remarks(machine, context);
    let Some(outcome) = machine.outcome() else {
        let steps = count(machine.n_steps());
        context.show(&Diagnostic::warning(format!("stopped after {steps} transitions")));
        return Exit::Incomplete;
    };
    debug_assert!(!stopped || machine.outcome().is_some());
    match diagnostic(machine, outcome) {
        Some(found) => context.show(&found),
        None => context.show(&Diagnostic::note(summary(machine, outcome))),
    }
    exit(outcome)
}

/// The exit code of an outcome.
pub(crate) fn exit(outcome: &Outcome) -> Exit {
    match outcome {
        Outcome::Exited(_) => Exit::Done,
        Outcome::Deadlock(_) | Outcome::Fault(_) => Exit::Findings,
        Outcome::Assumption | Outcome::Steps { .. } | Outcome::Unsupported { .. } => {
            Exit::Incomplete
        }
    }
}

fn summary(machine: &Machine, outcome: &Outcome) -> String {
    let Outcome::Exited(status) = outcome else { return String::new() };
    let steps = count(machine.n_steps());
    let n_threads = machine.n_threads();
    let threads =
        if n_threads == 1 { "1 thread".to_owned() } else { format!("{n_threads} threads") };
    format!("the program ended with status {status} ({threads}, {steps} transitions)")
}

/// What went wrong; none if the program ended by itself.
fn diagnostic(machine: &Machine, outcome: &Outcome) -> Option<Diagnostic> {
    Some(match outcome {
        Outcome::Exited(_) => return None,
        Outcome::Fault(fault) => {
            let thread = machine.thread_name(fault.thread);
            let error = Diagnostic::error(fault.to_string());
            let frames: Vec<_> = fault.stack.iter().filter(|frame| !frame.library).collect();
            let error = match frames.first() {
                Some(frame) => error.at(site_place(machine, frame.site)),
                None => error,
            };
            let error = origins(machine, fault).into_iter().fold(error, Diagnostic::remark);
            let error = error.remark(format!("in thread {thread}"));
            frames.iter().skip(1).fold(error, |error, frame| error.remark(called(machine, frame)))
        }
        Outcome::Deadlock(blocked) => {
            let title = format!("deadlock: {}", deadlock(blocked.len()));
            blocked
                .iter()
                .fold(Diagnostic::error(title), |error, one| error.remark(waits(machine, one)))
        }
        Outcome::Assumption => {
            Diagnostic::warning("an assumption of the program does not hold: this run is ignored")
        }
        Outcome::Steps { progress } => {
            let steps = count(machine.n_steps());
            let title = match progress {
                true => format!("the program has not ended after {steps} transitions"),
                false => format!(
                    "infinite loop: no synchronisation in the last half of {steps} transitions"
                ),
            };
            let site = machine.stack(machine.current()).into_iter().find(|frame| !frame.library);
            let warning = Diagnostic::warning(title).help("--max-steps allows more");
            match site {
                Some(frame) => warning.at(site_place(machine, frame.site)),
                None => warning,
            }
        }
        Outcome::Unsupported { what, site } => {
            Diagnostic::error(format!("{what} is not supported")).at(site_place(machine, *site))
        }
    })
}

/// What is said of a run that ends because all threads that can go on spin.
pub(crate) fn livelock(machine: &Machine) -> Diagnostic {
    let error = Diagnostic::error("livelock: every thread spins");
    let spins = |(thread, place)| format!("{thread} spins at {place}");
    spinning(machine).into_iter().map(spins).fold(error, Diagnostic::remark)
}

fn site_place(machine: &Machine, site: Site) -> Place {
    match span(machine, site) {
        Some(span) => source::place(&machine.program().sources.excerpt(span), String::new()),
        None => Place::file("?"),
    }
}

fn remarks(machine: &Machine, context: &Context) {
    for remark in machine.remarks() {
        let title = match remark.kind {
            RemarkKind::HeldAtExit => "a thread ended while holding a lock",
            RemarkKind::SelfJoin => "a thread tried to join itself",
            RemarkKind::NondetZero => "a nondeterministic value was assumed to be 0",
            RemarkKind::Unlocked { held: false, .. } => "unlock of a mutex that no thread holds",
            RemarkKind::Unlocked { .. } => "unlock of a mutex that another thread holds",
        };
        let times = if remark.count > 1 {
            format!(" ({} times)", count(remark.count))
        } else {
            String::new()
        };
        let warning =
            Diagnostic::warning(format!("{title}{times}")).at(site_place(machine, remark.site));
        context.show(&match remark.kind {
            RemarkKind::NondetZero => {
                warning.help("use --nondet LOW..HIGH to set the range of values")
            }
            _ => warning,
        });
    }
}

/// How a run ended: the part of a document that `record` and `replay` share.
#[derive(Debug, Serialize)]
pub(crate) struct EndingDocument {
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stack: Vec<FrameDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked: Vec<String>,
    threads: u32,
    transitions: u64,
    output: String,
}

#[derive(Debug, Serialize)]
struct FrameDocument {
    function: String,
    location: String,
}

impl EndingDocument {
    /// Describes a run that ends because all threads that can go on spin.
    pub(crate) fn livelock(machine: &Machine) -> EndingDocument {
        EndingDocument { outcome: "livelock", ..EndingDocument::new(machine) }
    }

    /// Describes it.
    pub(crate) fn new(machine: &Machine) -> EndingDocument {
        let mut document = EndingDocument {
            outcome: "stopped",
            status: None,
            message: None,
            thread: None,
            stack: Vec::new(),
            blocked: Vec::new(),
            threads: machine.n_threads(),
            transitions: machine.n_steps(),
            output: String::from_utf8_lossy(machine.output()).into_owned(),
        };
        match machine.outcome() {
            None => {}
            Some(Outcome::Exited(status)) => {
                (document.outcome, document.status) = ("exited", Some(*status));
            }
            Some(Outcome::Deadlock(blocked)) => {
                document.outcome = "deadlock";
                document.blocked = blocked.iter().map(|one| waits(machine, one)).collect();
            }
            Some(Outcome::Fault(fault)) => {
                document.outcome = "fault";
                document.message = Some(fault.to_string());
                document.thread = Some(machine.thread_name(fault.thread));
                let frames = fault.stack.iter().filter(|frame| !frame.library);
                document.stack = frames.map(|frame| frame_document(machine, frame)).collect();
            }
            Some(Outcome::Assumption) => document.outcome = "assumption",
            Some(Outcome::Steps { .. }) => document.outcome = "steps",
            Some(Outcome::Unsupported { what, site }) => {
                document.outcome = "unsupported";
                document.message = Some(format!("{what}, at {}", site_text(machine, *site)));
            }
        }
        document
    }
}

fn frame_document(machine: &Machine, frame: &FrameSite) -> FrameDocument {
    let function = machine.program().function(frame.site.function).name.to_string();
    FrameDocument { function, location: site_text(machine, frame.site) }
}
