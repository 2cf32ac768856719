//! C source to transitions.

pub mod ast;
pub mod source;
