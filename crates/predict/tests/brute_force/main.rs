//! On small random traces with every kind of synchronisation, predictions equal brute force.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p raddle-predict` searches for longer.

mod claims;
#[path = "compare_stops.rs"]
mod compare;
mod deadlocks;
mod oracle;
mod races;
mod referee;
mod rules;
mod small_trace;
