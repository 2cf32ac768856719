//! How a run of a binary ended, for people and for programs.

use std::collections::BTreeMap;
use std::path::Path;

use raddle_native::launch::Answer;
use raddle_native::recording::Recording;
use raddle_native::symbol::Symbols;
use raddle_session::ending::deadlock;
use raddle_session::native::{outcome_name, read_ended, what_is_wrong};
use raddle_wire::{Blocked, Code, OutcomeKind, RecordingState};
use serde::Serialize;

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Place};
use crate::exit::Exit;
use crate::quantity::{count, counted};

/// Longer recordings are not read for the sake of a name.
const READ_MAX: u64 = 256 << 20;

/// Shows how a run ended; answers with the exit code.
pub(crate) fn show(answer: &Answer, known: &mut Known, context: &Context) -> Exit {
    let exit = exit(answer);
    let title = title(answer, known);
    let mut shown = match exit {
        Exit::Findings => Diagnostic::error(title),
        Exit::Incomplete => Diagnostic::warning(title),
        _ => Diagnostic::note(title),
    };
    if exit == Exit::Findings {
        if let Some(place) = place(&mut known.symbols, answer.pc) {
            shown = shown.at(place);
        }
        for blocked in &answer.blocked {
            shown = shown.remark(waits(blocked, known));
        }
        if answer.blocked.is_empty() && answer.counts.threads > 1 {
            shown = shown.remark(format!("in thread {}", answer.thread));
        }
    }
    for misuse in &answer.misuses {
        let what = known.symbols.misused(misuse.text(), misuse.address);
        let at = known.symbols.place(misuse.pc).and_then(|place| place.text());
        let at = at.map_or(String::new(), |at| format!(" at {at}"));
        shown = shown.remark(format!("after a misuse: {what}{at}"));
    }
    context.show(&shown);
    if answer.counts.processes > 0 {
        let n =
            counted(answer.counts.processes as usize, "process").replace("processs", "processes");
        context.show(&Diagnostic::note(format!("the program started {n}, which ran uncontrolled")));
    }
    exit
}

/// The exit code of an outcome.
pub(crate) fn exit(answer: &Answer) -> Exit {
    use OutcomeKind::*;
    match answer.outcome {
        Exited if answer.misuses.is_empty() => Exit::Done,
        Exited => Exit::Findings,
        Deadlock | Livelock | Assertion | Abort | Crash | UseAfterFree | BadFree | Misuse
        | Hang => Exit::Findings,
        None | Diverged | Limit | Unsupported | Replaced | Internal | Known | Cut | Stopped
        | Misfit | Again => Exit::Incomplete,
    }
}

fn title(answer: &Answer, known: &mut Known) -> String {
    if let Some(wrong) = &known.wrong {
        return wrong.clone();
    }
    let symbols = &mut known.symbols;
    let counts = answer.counts;
    let size =
        format!("{}, {} events", counted(counts.threads as usize, "thread"), count(counts.events));
    let message = &answer.message;
    match answer.outcome {
        OutcomeKind::Exited => {
            format!("the program ended with status {} ({size})", answer.exit.code)
        }
        OutcomeKind::Deadlock => {
            format!("deadlock: {}", deadlock(answer.n_blocked as usize))
        }
        OutcomeKind::Livelock => "livelock: every thread spins, and nothing changes".to_owned(),
        OutcomeKind::Assertion => format!("assertion failed: {message}"),
        OutcomeKind::Abort => "the program aborted".to_owned(),
        OutcomeKind::Crash => format!(
            "the program crashed with signal {} at address {:#x}",
            answer.exit.signal, answer.address
        ),
        OutcomeKind::UseAfterFree | OutcomeKind::BadFree => symbols.with_place(message),
        OutcomeKind::Misuse => symbols.misused(message, answer.address),
        OutcomeKind::Diverged => {
            format!("the schedule does not match at step {}: {message}", answer.diverged_at + 1)
        }
        OutcomeKind::Limit if answer.recording == RecordingState::Limit => format!(
            "the recording has reached its maximum size (`--max-size`); the program was terminated ({size})"
        ),
        OutcomeKind::Limit => format!("stopped after {message}"),
        OutcomeKind::Unsupported => format!("not supported: {message}"),
        OutcomeKind::Replaced => format!("not followed any further: {message}"),
        OutcomeKind::Internal => {
            format!("the runtime failed: {message}; this is a bug in Raddle")
        }
        OutcomeKind::Hang => format!("hang: {message}"),
        OutcomeKind::Known | OutcomeKind::Cut | OutcomeKind::Stopped | OutcomeKind::Again => {
            "stopped".to_owned()
        }
        OutcomeKind::Misfit => format!("not supported: {message}"),
        OutcomeKind::None if answer.timed_out => {
            format!("timed out; the program was terminated ({size})")
        }
        OutcomeKind::None if answer.interrupted => {
            format!("interrupted; the program was terminated ({size})")
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

/// What a thread waits for: `T1 waits for the lock b, held by T2 (bank.c:12)`.
fn waits(blocked: &Blocked, known: &mut Known) -> String {
    let code = Code::from_number(blocked.code as u8);
    let object = match code {
        Some(Code::Join) => format!("the end of thread {}", blocked.object),
        Some(Code::Pass) => "something outside the program".to_owned(),
        code => {
            let name = known.objects.get(&blocked.object).cloned();
            let name = name.or_else(|| known.symbols.object(blocked.object));
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
        // A thread that waits for a condition waits for its lock only afterwards.
        (0, _) | (_, Some(Code::Join | Code::Wake)) => String::new(),
        (holder, _) => format!(", held by thread {}", holder - 1),
    };
    let place = known.symbols.place(blocked.pc).and_then(|place| place.text());
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    format!("thread {} waits for {object}{holder}{place}", blocked.thread)
}

/// What is known of a run that was recorded.
pub(crate) struct Known {
    pub(crate) symbols: Symbols,
    /// What is wrong with memory or an object, by its name.
    wrong: Option<String>,
    /// Names of locks and the like, by their addresses.
    objects: BTreeMap<u64, String>,
}

impl Known {
    /// Looks into a recording: if only its beginning is there, names of what is in modules are known.
    pub(crate) fn of(path: &Path, answer: &Answer) -> Known {
        let mut known = Known { symbols: Symbols::new(), wrong: None, objects: BTreeMap::new() };
        let Ok(recording) = Recording::open(path) else { return known };
        recording.add_modules(&mut known.symbols);
        let is_whole = answer.recording == RecordingState::Whole;
        let is_short = answer.recording_len <= READ_MAX;
        if exit(answer) == Exit::Findings && is_whole && is_short {
            let native = read_ended(&recording, answer, &mut known.symbols);
            let native = native.filter(|native| native.note.is_none());
            if let Some(native) = native {
                known.wrong = what_is_wrong(&native, answer, &known.symbols);
                known.objects = native.objects.into_iter().collect();
            }
        }
        known
    }
}

/// How a run ended, for programs.
#[derive(Debug, Serialize)]
pub(crate) struct EndingDocument {
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
    pub(crate) fn new(answer: &Answer, known: &mut Known) -> EndingDocument {
        let counts = answer.counts;
        EndingDocument {
            outcome: outcome_name(answer.outcome),
            message: title(answer, known),
            status: (answer.outcome == OutcomeKind::Exited).then_some(answer.exit.code),
            signal: Some(answer.exit.signal).filter(|&signal| signal != 0),
            thread: answer.thread,
            location: known.symbols.place(answer.pc).and_then(|place| place.text()),
            waits: answer.blocked.iter().map(|blocked| waits(blocked, known)).collect(),
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
