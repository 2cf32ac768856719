//! Any text as a schedule: refused, or written as it was meant.

#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_finding::Schedule;

fuzz_target!(|text: &str| {
    let Ok(schedule) = text.parse::<Schedule>() else { return };
    let written = schedule.to_string();
    assert_eq!(written.parse::<Schedule>().expect("what is written is read"), schedule);
});
