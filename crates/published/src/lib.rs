//! Published algorithms that are not exact, as statistics to compare with; never as verdicts.
//!
//! In: a trace. Out: the columns of two published tables.
//!
//! - [`statistics()`]: what both tables say about the trace itself.
//! - [`reads()`]: Table A1 of Sinha, Malik and Gupta, "Efficient Predictive Analysis for Detecting
//!   Nondeterminism in Multi-Threaded Programs" (FMCAD 2012).
//! - [`funnel`]: Table 1 of Kahlon and Wang, "Universal Causality Graphs" (CAV 2010), over the
//!   graphs of [`universal`].
//!
//! Neither algorithm decides exactly what `docs/src/semantics.md` asks: the first has false alarms
//! and misses prefixes, the second ignores data and, beyond two threads, choices between lock
//! scopes. Findings come from `raddle-predict`, which does not use this crate. Semaphores and
//! failed tries appear in neither paper and order nothing here.

pub mod funnel;
mod graph;
pub mod reads;
mod sections;
mod statistics;
pub mod universal;

pub use reads::{ReadTable, reads};
pub use statistics::{Statistics, statistics};
