//! Partial orders over the events of a trace.
//!
//! In: a [`raddle_trace::Trace`]. Out: what must happen before what in every reordering of it, and
//! which events come along with a given one. `docs/src/semantics.md` says what a reordering is.
//!
//! [`Order`] holds for all reorderings and is computed once; [`saturate`] adds what a query makes
//! unavoidable, in the window of events that the query is about.

mod chains;
mod cut;
mod edges;
mod held;
mod implied;
mod order;
mod saturate;

pub use chains::{Chain, Chains, excludes};
pub use cut::Cut;
pub use edges::{Relations, for_each_source};
pub use held::Held;
pub use implied::Implied;
pub use order::Order;
pub use saturate::{Cause, Clocks, Edge, Outcome, Problem, orders, saturate};
