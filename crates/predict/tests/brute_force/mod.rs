//! On small random traces with every kind of synchronisation, predictions equal brute force.
//!
//! `PROPTEST_CASES=100000 cargo test --release -p raddle-predict` searches for longer.

mod atomicity;
mod claims;
mod compare;
mod deadlocks;
mod lost_wakeups;
mod oracle;
mod races;
mod reads;
mod referee;
mod rules;
mod settings;
mod small_trace;
