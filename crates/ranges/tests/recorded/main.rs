//! Trace programs of C programs.

mod follow;
mod support;
