//! How much memory a trace takes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use raddle_generate::{Preset, generate};
use raddle_trace::Trace;
use raddle_trace::check::Mode;

#[test]
fn a_plain_trace_with_all_indexes_takes_at_most_40_bytes_an_event() {
    for name in ["100k", "100k-local"] {
        let preset: Preset = name.parse().unwrap();
        let trace = Trace::new(generate(&preset.config()).unwrap(), Mode::Strict).unwrap();
        let per_event = trace.memory() as f64 / trace.len() as f64;
        assert!(per_event <= 40.0, "{name}: {per_event:.1} bytes an event");
    }
}
