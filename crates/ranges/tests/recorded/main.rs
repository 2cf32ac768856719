//! Trace programs of C programs.

mod follow;
mod replays;
mod support;
