//! STD: RAPID's text format, one event a line: `thread|operation(object)|location`.
//!
//! Blank lines and lines that begin with `#` are skipped. After the lines are read, what they
//! leave open is settled: which thread a fork without the usual prefix names, what `begin` and
//! `end` mean, and which notify ended which wait. `docs/src/formats/std.md` has the rules.

mod lines;
mod read;
mod settle;
mod waits;
mod write;

pub(super) use read::read;
pub use settle::BeginEnd;
pub use write::{Loss, write};

#[cfg(test)]
mod tests;
