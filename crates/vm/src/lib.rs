//! The machine that runs the transitions of C programs.
//!
//! In: a [`Program`](raddle_cfront::ir::Program), [`Settings`] and one
//! [`Choice`](raddle_finding::Choice) after the other. Out: an [`Outcome`], and on the way the
//! [`Event`]s and [`Transition`]s that an [`Observer`] wants to see.
//!
//! ```text
//!              question()                        answer(choice)
//!  Machine ───────────────► strategy or policy ────────────────► runs up to the next question
//! ```
//!
//! Everything that a run depends on is a choice: the machine has no other source of
//! nondeterminism. Its whole state is a few flat vectors, so that [`Machine::save`] and
//! [`Machine::restore`] are copies of memory, and [`Machine::fingerprint`] tells states apart
//! whatever the order in which their objects were made.
//!
//! - `image` prepares a program: layout of globals, which transitions are scheduling points.
//! - `memory` holds objects, `sync` locks and the like, `thread` the threads, `state` all of it.
//! - `interpret` runs transitions, `primitive` does what C cannot.
//! - `question` says which choices are open, `policy` answers by default.
//! - `record` turns what an observer sees into a trace; `races` finds the data races in it as it
//!   happens.
//! - `shadow` follows values for those who want to know where they come from; `flow` makes a trace
//!   with data flow of that.

mod arithmetic;
mod bits;
mod engine;
mod fault;
mod fingerprint;
pub mod flow;
mod hash;
mod image;
mod inputs;
mod interpret;
mod liveness;
mod machine;
mod memory;
mod name;
mod observe;
mod outcome;
mod policy;
mod portable;
mod primitive;
mod question;
mod races;
pub mod record;
mod settings;
pub mod shadow;
mod site;
mod state;
mod sync;
mod thread;

pub use engine::VmEngine;
pub use fault::{Fault, FaultKind, Misuse};
pub use hash::EventHash;
pub use inputs::Inputs;
pub use machine::{Machine, Refused, SetupError};
pub use memory::{Life, Object, ObjectKind};
pub use observe::{Event, Observer, Transition, View, What};
pub use outcome::{Blocked, Outcome, Remark, RemarkKind};
pub use policy::{Misfit, Replayed};
pub use portable::{fine, portable};
pub use question::{Doing, Pending, Question};
pub use settings::{Points, Settings};
pub use site::{FrameSite, Site};
pub use state::Snapshot;
