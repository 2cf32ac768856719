//! Traces of multithreaded programs.
//!
//! A *trace* is the observed total order of the events of one run: accesses, lock operations,
//! forks and joins, waits and notifies, and so on, each with its thread and source location.
//!
//! ```text
//! file ──► format ──► Events ──► check ──► Trace (indexed) ──► analyses
//!                     columns    rules     rows, links
//! ```
//!
//! [`Events`] are unchecked columns. [`Trace::new`] checks them against the rules
//! in [`check`], repairs them if asked to, and builds the indexes; a [`Trace`] is well-formed.

mod cells;
pub mod check;
mod csr;
mod edit;
mod events;
pub mod format;
mod id;
mod index;
mod names;
mod op;
mod readers;
mod sequence;
mod single;
mod source;
pub mod summary;
mod tables;
mod trace;

pub use cells::CellsOf;
pub use events::{Claims, Event, Events};
pub use id::{
    BarrierId, CellId, CondId, EventId, LocationId, LockId, RegionId, ScopeId, SemaphoreId,
    StackId, ThreadId, TransactionId, VarId,
};
pub use index::{Generation, Scope, Transaction, Wait};
pub use names::{NameError, Names};
pub use op::{Kind, LockMode, ObjectClass, Op, OpCode, Order, WakeReason};
pub use sequence::Sequence;
pub use single::{IsLocal, Wanted, shared, shared_and};
pub use source::{LineMap, Source};
pub use tables::{Frame, Range, Tables};
pub use trace::Trace;
