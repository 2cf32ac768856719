//! Commands that run a program on the machine: `record` and `replay`.

mod ending;
mod execution;
mod flow;
pub(crate) mod record;
pub(crate) mod replay;
mod source;
