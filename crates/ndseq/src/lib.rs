//! Nondeterministic sequential specifications (S1: Burnim, Elmas, Necula and Sen, NDetermin).
//!
//! In: runs of a parallel program and the variables that hold its result. Out: whether the program
//! does anything that no sequential execution could; the statements that such an execution may leave
//! out (`if(*)`), as few as possible; and the order of its iterations as a witness.
//!
//! ```text
//!  run ─ record ─► Trace ─ depend ─► Dependence ─ slice, relevant ─► events that count
//!                                                                        │
//!  specification ◄─ infer ◄─ encode (solve) ◄─ cycles ◄─ conflict ◄──────┘
//!        └─► check ─► order, skipped executions ─► replay on the machine
//! ```
//!
//! - `statement`, `trace`: what is known of a run; nothing here knows the machine.
//! - `outline`, `record`: from a C program and its runs to both.
//! - `depend`, `relevant`, `conflict`, `check`: the check of a given specification.
//! - `sequential`: the sequential program, executed.
//! - `learn`: runs to learn from.
//! - `slice`, `encode`, `infer`: the search for the best one.

pub mod check;
pub mod conflict;
pub mod depend;
mod encode;
pub mod infer;
pub mod learn;
pub mod outline;
pub mod record;
pub mod relevant;
pub mod sequential;
pub mod slice;
pub mod statement;
pub mod trace;
