//! What the runtime inside a program and the host outside tell each other.
//!
//! There is no conversation. The host writes a [`Control`] and a plan into shared memory, starts
//! the program, and reads answers when it has ended; what happened in between lies in a recording
//! of 16-byte [`Record`]s. Both sides are built from the same source, so a mismatch of
//! [`VERSION`] means that somebody mixed two installations.
//!
//! Everything here is plain data with a fixed layout, without `std` and without dependencies: the
//! runtime must not share anything with the program that it lives in.

#![no_std]

extern crate alloc;

pub mod board;
mod control;
mod defect;
mod numbered;
mod operation;
mod outcome;
pub mod policy;
mod race;
mod record;
mod shared;
mod step;

pub use control::{
    BLOCKED_MAX, Blocked, CONTROL_FD, Control, Flags, MESSAGE_MAX, MISUSES_MAX, Misuse, NO_STAGE,
    Phase, RECORDING_FD, RecordingState, Threading,
};
pub use defect::Defect;
pub use operation::{Access, Operation, of_thread};
pub use outcome::OutcomeKind;
pub use race::RaceRecord;
pub use record::{
    Code, HEADER_LEN, Header, MAGIC, ORDERS, PIECE_UNIT, RECORD_LEN, Record, TextKind,
    n_text_records,
};
pub use shared::{Plain, Shared};
pub use step::{Step, StepKind};

/// Changes whenever any layout here does.
pub const VERSION: u32 = 7;

/// The environment variable that tells the runtime that a host has started it; its value is
/// [`VERSION`]. The runtime removes it, so programs that the target starts run on their own.
pub const ENVIRONMENT: &str = "RADDLE_HOST";
