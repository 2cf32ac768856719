//! Answers: what the control memory says after a run, checked.
//!
//! A target can write over all of it. Lengths are cut to what there is room for; a number that
//! stands for nothing is an error.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::Ordering;

use raddle_wire::{
    Blocked, Control, Flags, MAGIC, Misuse, OutcomeKind, Phase, RecordingState, Step, VERSION,
};

use super::LaunchError;
use super::control::Shared;
use super::wait::Ended;

/// What one run showed.
#[derive(Clone, Debug)]
pub struct Answer {
    /// How far the runtime came.
    pub phase: Phase,
    /// How the run ended.
    pub outcome: OutcomeKind,
    /// The thread that the outcome is about.
    pub thread: u32,
    /// How the process ended, and what the runtime says about it.
    pub exit: Exit,
    /// Text for people.
    pub message: String,
    /// Where it happened; 0 if unknown.
    pub pc: u64,
    /// The address that it is about.
    pub address: u64,
    /// Of `Diverged`: the step of the plan.
    pub diverged_at: u64,
    /// Of `Deadlock`: who waits for what, as far as there was room.
    pub blocked: Vec<Blocked>,
    /// How many threads are blocked.
    pub n_blocked: u32,
    /// Locks that were unlocked by who did not hold them, while the run went on.
    pub misuses: Vec<Misuse>,
    /// The schedule of the run.
    pub taken: Vec<Step>,
    /// Whether that is all of it.
    pub taken_complete: bool,
    /// How much happened.
    pub counts: Counts,
    /// Of all events: what happened, where and to what.
    pub event_hash: u64,
    /// What became of the recording.
    pub recording: RecordingState,
    /// Bytes of it.
    pub recording_len: u64,
    /// Output and errors, if they were captured.
    pub output: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether addresses are the same in every run.
    pub fixed_addresses: bool,
    /// The run took too long and was ended.
    pub timed_out: bool,
    /// The run was interrupted.
    pub interrupted: bool,
    /// The signal that was passed on to the program.
    pub passed: Option<i32>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exit {
    /// As the system says.
    pub status: ExitStatus,
    /// The exit status that the program gave, as the runtime saw it.
    pub code: i32,
    /// The signal of a crash, as the runtime saw it, or else as the system says; 0 if none.
    pub signal: i32,
}

/// How much happened in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// Pieces of instrumented code that have said that they are there.
    pub instrumented: u64,
    /// Memory accesses that the compiler's instrumentation reported.
    pub accesses: u64,
    /// Events in all.
    pub events: u64,
    /// Scheduling points.
    pub points: u64,
    /// Times that another thread went on.
    pub switches: u64,
    /// Threads.
    pub threads: u32,
    /// Processes that the target started and that ran on their own.
    pub processes: u32,
    /// System calls that were seen.
    pub syscalls: u64,
}

impl Answer {
    pub(super) fn new(
        control: &Control,
        shared: &Shared,
        ended: Ended,
    ) -> Result<Answer, LaunchError> {
        if control.magic != MAGIC {
            let value = u64::from_le_bytes(control.magic);
            return Err(LaunchError::Garbled { field: "the beginning", value });
        }
        let found = control.version.get();
        if found != VERSION {
            return Err(LaunchError::Version { found });
        }
        let (taken, taken_complete) = shared.taken(control.n_taken.get());
        if let Some(step) = taken.iter().find(|step| step.kind().is_none()) {
            return Err(LaunchError::Garbled { field: "a step", value: step.kind.into() });
        }
        let signal = match control.signal.get() {
            0 => ended.status.signal().unwrap_or(0),
            signal => signal,
        };
        Ok(Answer {
            phase: phase(control)?,
            outcome: known("the outcome", control.outcome.get(), OutcomeKind::from_number)?,
            thread: control.thread.get(),
            exit: Exit { status: ended.status, code: control.exit_code.get(), signal },
            message: String::from_utf8_lossy(&control.message()).into_owned(),
            pc: control.pc.get(),
            address: control.address.get(),
            diverged_at: control.diverged_at.get(),
            blocked: control.blocked(),
            n_blocked: control.n_blocked.get(),
            misuses: control.misuses(),
            taken,
            taken_complete,
            counts: counts(control),
            event_hash: control.event_hash.get(),
            recording: known(
                "the state of the recording",
                control.recording.get(),
                RecordingState::from_number,
            )?,
            recording_len: control.recording_len.get(),
            output: ended.output,
            fixed_addresses: control.flags & Flags::FIXED_ADDRESSES != 0,
            timed_out: ended.timed_out,
            interrupted: ended.interrupted,
            passed: ended.passed,
        })
    }

    /// Whether the program ran to its end and none of its code ever called the runtime. A run in which no access was
    /// seen is none of these: no thread may have come that far.
    pub(super) fn has_run_blind(&self) -> bool {
        let Counts { accesses, instrumented, .. } = self.counts;
        self.outcome == OutcomeKind::Exited && accesses == 0 && instrumented == 0
    }
}

fn phase(control: &Control) -> Result<Phase, LaunchError> {
    known("the phase", control.phase.load(Ordering::Acquire), Phase::from_number)
}

fn known<T>(
    field: &'static str,
    number: u32,
    from: impl Fn(u32) -> Option<T>,
) -> Result<T, LaunchError> {
    from(number).ok_or(LaunchError::Garbled { field, value: number.into() })
}

fn counts(control: &Control) -> Counts {
    Counts {
        instrumented: control.n_instrumented.get(),
        accesses: control.n_accesses.get(),
        events: control.n_events.get(),
        points: control.n_points.get(),
        switches: control.n_switches.get(),
        threads: control.n_threads.get(),
        processes: control.n_processes.load(Ordering::Relaxed),
        syscalls: control.n_syscalls.get(),
    }
}
