//! The host side of running real binaries.

pub mod recording;
pub mod symbol;
