//! Any text as a report of findings: refused, or read to the same report again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_finding::{Baseline, Report};

fuzz_target!(|text: &str| {
    let _ = text.parse::<Baseline>();
    let Ok(report) = Report::from_json(text) else { return };
    let again = Report::from_json(&report.to_json()).expect("what is written is read");
    assert_eq!(again.to_json(), report.to_json());
});
