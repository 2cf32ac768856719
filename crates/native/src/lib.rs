//! The host side of running real binaries.

pub mod symbol;
