//! Predicts from one trace what other interleavings of its events would show.
//!
//! ```text
//! property ─► candidates ─► query ─► needs ─► search ─► witness ─► referee ─► finding
//! ```
//!
//! A property turns candidates into queries; one engine answers them all, exactly within its
//! budget; every witness passes the referee before anybody sees it.

mod causes;
mod deadlock;
mod finding;
mod lockset;
mod needs;
pub mod paper;
mod query;
mod race;
mod search;
mod state;

pub use causes::Causes;
pub use deadlock::{Deadlock, DeadlockOptions, Deadlocks, deadlock_query, deadlocks};
pub use query::{Answer, Query, Reason};
pub use race::{Race, RaceOptions, Races, Refused, race_query, races};
pub use search::{Effort, answer};
