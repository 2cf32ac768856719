//! Predicts from one trace what other interleavings of its events would show.
//!
//! ```text
//! property ─► candidates ─► query ─► engine ─► witness ─► referee ─► finding
//! ```
//!
//! A property turns candidates into queries; one engine answers them all, exactly within its
//! budget; every witness passes the referee before it leaves this crate.

mod access;
mod along;
mod analysis;
mod atomicity;
mod causes;
mod components;
mod deadlock;
mod engine;
mod jobs;
mod lockset;
mod lost_wakeup;
mod memory;
mod needs;
mod property;
mod query;
mod race;
mod read;
mod refused;
mod search;
mod shorten;
mod state;

pub use analysis::{ANALYSES, Analysis, Goal, Likeness, Prediction, Results, Scope};
pub use atomicity::{
    TransactionSource, Violation, Violations, atomicity_queries, transactions, violations,
};
pub use causes::{Causes, Settings};
pub use deadlock::{Deadlock, Deadlocks, NOT_COVERED, deadlock_query, deadlocks};
pub use engine::{Engine, Tally, answer};
pub use jobs::Job;
pub use lost_wakeup::{LostWakeup, LostWakeups, lost_wakeup_query, lost_wakeups};
pub use query::{Answer, Query, Reason};
pub use race::{Race, Races, RuledOut, race_query, races};
pub use read::{ReadWitness, Reads, final_read_query, read_query, reads};
pub use refused::Refused;
