//! C source to transitions: preprocessing, parsing, typing and lowering.
//!
//! In: C files ([`compile`](compile::compile)). Out: a linked [`ir::Program`], which the machine
//! runs and the analyses read, or diagnostics with their places.
//!
//! ```text
//! file ─ preprocess (cc -E, embedded headers) ─ lex ─ parse ─► ast ─ lower ─► ir::Program
//! embedded library ─────────────────────────────────────────────────┘
//! ```

pub mod ast;
pub mod compile;
pub mod diagnostic;
pub mod ir;
pub mod lex;
pub mod library;
pub mod lower;
pub mod parse;
pub mod preprocess;
pub mod source;
