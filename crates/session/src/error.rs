//! Why a session cannot go on.

use std::io;

use raddle_explore::{CheckpointError, EngineError};
use raddle_finding::Schedule;
use raddle_report::quantity::count;
use thiserror::Error;

/// What an error goes back to.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a session cannot go on. What was found is no error.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The program does not even start.
    #[error("the program cannot be run")]
    Program(#[source] Cause),
    /// The program cannot be run in such a way that threads do what a schedule says.
    #[error("the program cannot be run under control")]
    Control(#[source] Cause),
    /// An engine has failed.
    #[error("the search cannot continue")]
    Search(#[source] EngineError),
    /// Two runs with the same choices differ.
    #[error("the program is not determined by the schedule alone")]
    Uncontrolled {
        /// Where they do.
        difference: String,
    },
    /// A run that was made cannot be made again, though nothing but its schedule decides.
    #[error("a schedule that was found cannot be reproduced; this is a bug in Raddle")]
    Unrepeatable {
        /// Its schedule.
        schedule: Schedule,
        /// What the engine said.
        #[source]
        cause: Option<Cause>,
    },
    /// A saved search is none of this program with these options.
    #[error("the saved search does not match")]
    Checkpoint(#[source] CheckpointError),
    /// A schedule is one of another program.
    #[error("the schedule does not belong to this program")]
    Foreign(#[source] Cause),
    /// A schedule is one of another kind of program.
    #[error("this is not a schedule of a binary")]
    Unsuitable(#[source] Cause),
    /// A run was recorded, and the recording is of no use.
    #[error("the recorded run cannot be read")]
    Recording(#[source] Cause),
    /// A trace has more threads than predictions can be made for.
    #[error("the trace has {} threads; predict supports at most {}", count(*n), count(*limit))]
    Threads {
        /// How many it has.
        n: usize,
        /// How many it may have.
        limit: usize,
    },
    /// A witness is not legal, says who judges them.
    #[error("a prediction did not pass the referee")]
    Refused(#[source] Cause),
    /// The runtime that binaries load is not at hand.
    #[error("the runtime cannot be unpacked")]
    Runtime(#[source] Cause),
    /// There is no room for what a run records.
    #[error("cannot write a temporary file")]
    Temporary(#[source] io::Error),
}
