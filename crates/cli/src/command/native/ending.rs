//! How a run of a binary ended, for people and for programs.

use raddle_native::launch::Answer;
use raddle_native::recording::Recording;
use raddle_native::symbol::Symbols;
use raddle_session::native::outcome_name;
use raddle_wire::{Blocked, Code, OutcomeKind};
use serde::Serialize;

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Place};
use crate::exit::Exit;
use crate::quantity::{count, counted};

/// Tells people how a run ended; its exit code.
pub(super) fn tell(answer: &Answer, symbols: &mut Symbols, context: &Context) -> Exit {
    let exit = exit(answer);
    let title = title(answer, symbols);
    let mut told = match exit {
        Exit::Findings => Diagnostic::error(title),
        Exit::Incomplete => Diagnostic::warning(title),
        _ => Diagnostic::note(title),
    };
    if exit == Exit::Findings {
        if let Some(place) = place(symbols, answer.pc) {
            told = told.at(place);
        }
        for blocked in &answer.blocked {
            told = told.remark(waits(blocked, symbols));
        }
        if answer.blocked.is_empty() && answer.counts.threads > 1 {
            told = told.remark(format!("in thread {}", answer.thread));
        }
    }
    context.tell(&told);
    if answer.counts.processes > 0 {
        let n =
            counted(answer.counts.processes as usize, "process").replace("processs", "processes");
        context.tell(&Diagnostic::note(format!("the program started {n}, which ran on their own")));
    }
    exit
}

/// The exit code of an outcome.
pub(super) fn exit(answer: &Answer) -> Exit {
    use OutcomeKind::*;
    match answer.outcome {
        Exited => Exit::Done,
        Deadlock | Livelock | Assertion | Abort | Crash | UseAfterFree | BadFree | Misuse
        | Hang => Exit::Findings,
        None | Diverged | Limit | Unsupported | Replaced | Internal | Known | Cut | Stopped
        | Misfit => Exit::Incomplete,
    }
}

fn title(answer: &Answer, symbols: &mut Symbols) -> String {
    let counts = answer.counts;
    let size =
        format!("{}, {} events", counted(counts.threads as usize, "thread"), count(counts.events));
    let message = &answer.message;
    match answer.outcome {
        OutcomeKind::Exited => {
            format!("the program ended with status {} ({size})", answer.exit.code)
        }
        OutcomeKind::Deadlock => {
            format!("deadlock: {} cannot go on", counted(answer.n_blocked as usize, "thread"))
        }
        OutcomeKind::Livelock => "livelock: every thread spins, and nothing changes".to_owned(),
        OutcomeKind::Assertion => format!("assertion failed: {message}"),
        OutcomeKind::Abort => "the program aborted".to_owned(),
        OutcomeKind::Crash => format!(
            "the program crashed by signal {} at address {:#x}",
            answer.exit.signal, answer.address
        ),
        OutcomeKind::UseAfterFree | OutcomeKind::BadFree => symbols.told(message),
        OutcomeKind::Misuse => symbols.misused(message, answer.address),
        OutcomeKind::Diverged => {
            format!("the schedule does not fit at step {}: {message}", answer.diverged_at + 1)
        }
        OutcomeKind::Limit => format!("stopped after {message}"),
        OutcomeKind::Unsupported => format!("not supported: {message}"),
        OutcomeKind::Replaced => format!("not followed any further: {message}"),
        OutcomeKind::Internal => {
            format!("the runtime failed: {message}; this is a defect of Raddle")
        }
        OutcomeKind::Hang => format!("hang: {message}"),
        OutcomeKind::Known | OutcomeKind::Cut | OutcomeKind::Stopped => "stopped".to_owned(),
        OutcomeKind::Misfit => format!("not supported: {message}"),
        OutcomeKind::None if answer.timed_out => {
            format!("the time is over; the program was ended ({size})")
        }
        OutcomeKind::None if answer.interrupted => {
            format!("interrupted; the program was ended ({size})")
        }
        OutcomeKind::None => format!("the program was killed ({}; {size})", answer.exit.status),
    }
}

/// The line of an address, if it is known.
fn place(symbols: &mut Symbols, pc: u64) -> Option<Place> {
    let place = symbols.place(pc)?;
    let frame = place.frame()?;
    let path = frame.file.clone()?;
    let line = frame.line.map(|line| line as usize);
    Some(Place { path, line, column: None, excerpt: None })
}

/// What a thread waits for: `T1 waits for the lock b, which T2 has (bank.c:12)`.
fn waits(blocked: &Blocked, symbols: &mut Symbols) -> String {
    let code = Code::from_number(blocked.code as u8);
    let object = match code {
        Some(Code::Join) => format!("the end of thread {}", blocked.object),
        Some(Code::Pass) => "something outside of the program".to_owned(),
        code => {
            let name = symbols.object(blocked.object);
            let name = name.unwrap_or_else(|| format!("{:#x}", blocked.object));
            let noun = match code {
                Some(Code::Lock) => "the lock",
                Some(Code::Wake) => "the condition",
                Some(Code::Take) => "the semaphore",
                Some(Code::Leave) => "the barrier",
                _ => "something at",
            };
            format!("{noun} {name}")
        }
    };
    let holder = match (blocked.holder, code) {
        // Who waits for a condition waits for its lock only afterwards.
        (0, _) | (_, Some(Code::Join | Code::Wake)) => String::new(),
        (holder, _) => format!(", which thread {} has", holder - 1),
    };
    let place = symbols.place(blocked.pc).and_then(|place| place.text());
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    format!("thread {} waits for {object}{holder}{place}", blocked.thread)
}

/// The symbols of a run that was recorded, if only its beginning.
pub(super) fn symbols(recording: &std::path::Path) -> Symbols {
    let mut symbols = Symbols::new();
    if let Ok(recording) = Recording::open(recording) {
        recording.add_modules(&mut symbols);
    }
    symbols
}

/// How a run ended, for programs.
#[derive(Debug, Serialize)]
pub(super) struct EndingDocument {
    outcome: &'static str,
    message: String,
    status: Option<i32>,
    signal: Option<i32>,
    thread: u32,
    location: Option<String>,
    waits: Vec<String>,
    threads: u32,
    events: u64,
    accesses: u64,
    points: u64,
    switches: u64,
    syscalls: u64,
    processes: u32,
}

impl EndingDocument {
    pub(super) fn new(answer: &Answer, symbols: &mut Symbols) -> EndingDocument {
        let counts = answer.counts;
        EndingDocument {
            outcome: outcome_name(answer.outcome),
            message: title(answer, symbols),
            status: (answer.outcome == OutcomeKind::Exited).then_some(answer.exit.code),
            signal: Some(answer.exit.signal).filter(|&signal| signal != 0),
            thread: answer.thread,
            location: symbols.place(answer.pc).and_then(|place| place.text()),
            waits: answer.blocked.iter().map(|blocked| waits(blocked, symbols)).collect(),
            threads: counts.threads,
            events: counts.events,
            accesses: counts.accesses,
            points: counts.points,
            switches: counts.switches,
            syscalls: counts.syscalls,
            processes: counts.processes,
        }
    }
}
