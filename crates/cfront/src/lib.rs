//! C source to transitions.

pub mod ast;
pub mod diagnostic;
pub mod ir;
pub mod lex;
pub mod parse;
pub mod preprocess;
pub mod source;
