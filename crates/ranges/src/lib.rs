//! Intervals of variables over all interleavings of what was observed, and exact questions.

pub mod constant;
pub mod ctp;
mod eval;
pub mod expr;
pub mod graph;
pub mod interval;
pub mod mat;
pub mod metric;
pub mod pairs;
pub mod propagate;

pub mod record;
mod reduce;
pub mod slots;
pub mod together;
