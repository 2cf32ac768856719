//! The papers' own algorithms give the papers' own answers. `cargo test -p raddle-published --test all graphs::` runs the
//! tests of one module.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod counts;
mod graphs;
mod naive_funnel;
mod naive_reads;
mod random;
mod witnesses;

use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_trace::format::sketch;

/// A trace from events separated by semicolons.
fn trace(text: &str) -> Trace {
    Trace::new(sketch(&text.replace(';', "\n")).unwrap(), Mode::Strict).unwrap()
}
