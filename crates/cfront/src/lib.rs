//! C source to transitions.

pub mod ast;
pub mod ir;
pub mod source;
