//! What lowering makes of programs, and what it says about wrong ones.

mod messages;
mod transitions;
