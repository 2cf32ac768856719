//! Partial orders over the events of a trace.
//!
//! In: a [`raddle_trace::Trace`]. Out: what must happen before what in every reordering of it, and
//! which events come along with a given one. `docs/src/semantics.md` says what a reordering is.

mod cut;
mod edges;
mod held;
mod order;

pub use cut::Cut;
pub use edges::{Relations, for_each_source};
pub use held::Held;
pub use order::Order;
