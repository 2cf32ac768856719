//! Commands that run a program on the machine: `record` and `replay`.

pub(crate) mod ending;
mod execution;
mod flow;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod source;
