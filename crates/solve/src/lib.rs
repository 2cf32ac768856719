//! Questions as clauses: gates, bit vectors and orders, solved by SAT.
//!
//! In: what must hold, built from literals. Out: an assignment, or that there is none. batsat (MiniSat
//! in Rust) does the search; it is given one problem after the other, with assumptions, and keeps what it has
//! learnt. Everything is deterministic: the same calls give the same answers.
//!
//! - `clauses`: variables, clauses and gates; equal gates are one.
//! - `cost`: assignments in which as few of some literals as possible hold.
//! - `word`: integers as vectors of literals.
//! - `order`: "before", by lazily refined acyclicity, with or without chains, or by numbered positions.

mod clauses;
mod cost;
mod order;
pub mod word;

pub use clauses::{Answer, Clauses, Lit};
pub use cost::{MinCost, Optimum};
pub use order::{Closure, Encoding, Forced, Order};
pub use word::Word;
