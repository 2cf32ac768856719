//! Outcomes: how a run under control ended.

use crate::numbered::numbered;

numbered! {
    /// How a run ended.
    pub enum OutcomeKind: u32 {
        /// Nothing was said: the process was killed, or never under control.
        None = 0,
        /// `main` returned or a thread called `exit`; `Control::exit_code` has the status.
        Exited = 1,
        /// No thread can go on; `Control::blocked` says why.
        Deadlock = 2,
        /// All threads spin and nothing changes.
        Livelock = 3,
        /// An assertion failed; the message has its text.
        Assertion = 4,
        /// The program called `abort`, or a library did; the message has what was written last.
        Abort = 5,
        /// A fatal signal; `Control::signal` and `Control::address`.
        Crash = 6,
        /// Memory was used after it was freed; `Control::address`.
        UseAfterFree = 7,
        /// Memory was freed twice, or was never allocated.
        BadFree = 8,
        /// A synchronisation object was used against its rules; the message says how.
        Misuse = 9,
        /// The plan asked for a thread that could not go on; `Control::diverged_at` has the step.
        Diverged = 10,
        /// The limit of events was reached.
        Limit = 11,
        /// The program does something that cannot be controlled; the message says what.
        Unsupported = 12,
        /// The program replaced itself by another one (`exec`).
        Replaced = 13,
        /// The runtime itself failed; the message says how.
        Internal = 14,
        /// All threads that could go on sleep: an earlier run was here.
        Known = 15,
        /// The run had as many points as the plan allows.
        Cut = 16,
        /// The host wanted it to end.
        Stopped = 17,
        /// The program does something after which its memory cannot be put back; the message says what.
        Misfit = 18,
        /// No thread can go on until something comes from outside, and nothing did; `Control::blocked` says
        /// which waits for what.
        Hang = 19,
        /// The run has to be made once more: the runtime has found out something about a loop that it has to know from the
        /// beginning.
        Again = 20,
    }
}
