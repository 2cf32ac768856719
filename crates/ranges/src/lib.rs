//! Intervals of variables over all interleavings of what was observed, and exact questions.
//!
//! In: a C program and runs of it. Out: trace programs (`record`, `merge`, `constant`), the graphs on
//! which they are analysed (`mat`, `graph`), intervals (`propagate`), and executions that answer a
//! question with data (`feasible`, `replay`). Follows Ganai & Wang, with the corrections that the
//! modules name; `analysis` is what the command uses.

pub mod analysis;
pub mod assertion;
pub mod condition;
pub mod constant;
pub mod ctp;
mod eval;
pub mod expr;
pub mod feasible;
pub mod gaps;
pub mod graph;
pub mod grow;
pub mod interval;
pub mod mat;
pub mod merge;
pub mod metric;
pub mod origin;
pub mod pairs;
pub mod propagate;
pub mod record;
mod reduce;
pub mod replay;
pub mod slots;
mod sums;
pub mod together;
