//! Intervals of variables over all interleavings of what was observed, and exact questions.

pub mod analysis;
pub mod assertion;
pub mod constant;
pub mod ctp;
mod eval;
pub mod expr;
pub mod feasible;
pub mod graph;
pub mod interval;
pub mod mat;
pub mod merge;
pub mod metric;
pub mod pairs;
pub mod propagate;

pub mod record;
mod reduce;
pub mod replay;
pub mod slots;
pub mod together;
