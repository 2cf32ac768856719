//! How fast traces are read and written, and how large they are.
//!
//! ```text
//! cargo bench -p raddle-benches --bench trace             # generated traces
//! cargo bench -p raddle-benches --bench trace -- FILE…    # these traces
//! ```
//!
//! Targets, on one core: STD text with indexes 5 M events/s; `.rdl` blocks 50 M events/s, with
//! indexes 10 M; `.rdl` files at most 3 bytes an event; memory at most 40 bytes an event.

use std::path::Path;

use raddle_benches::{best, rate};
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Options, rdl};
use raddle_trace::generate::{Preset, generate};
use raddle_trace::{Events, Trace};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    println!(
        "{:<14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
        "trace", "events", "STD", "blocks", "rdl", "write", "file", "memory"
    );
    println!(
        "{:<14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
        "", "", "M ev/s", "M ev/s", "M ev/s", "M ev/s", "B/event", "B/event"
    );
    for file in &files {
        let options = Options { mode: Mode::Normalise, ..Options::default() };
        let loaded = format::open(Path::new(file), options, &mut ()).expect("the trace is read");
        measure(&Path::new(file).file_stem().unwrap_or_default().to_string_lossy(), &loaded.trace);
    }
    for name in ["1m", "10m", "10m-local", "10m-full"].iter().filter(|_| files.is_empty()) {
        let preset: Preset = name.parse().expect("a preset");
        let events = generate(&preset.config()).expect("a preset can be generated");
        measure(name, &Trace::new(events, Mode::Strict).expect("generated traces are well-formed"));
    }
}

fn measure(name: &str, trace: &Trace) {
    let n = trace.len();
    let events: &Events = trace;
    let mut text = Vec::new();
    format::std::write(trace, &mut text, &mut ()).expect("memory takes everything");
    let mut file = Vec::new();
    let (write, _) = best(3, || {
        file.clear();
        rdl::write(events, &mut file, &mut ()).expect("memory takes everything")
    });
    let (read_std, _) =
        best(3, || format::read(&text, Options::default()).expect("it was written"));
    let (blocks, _) =
        best(5, || format::read_raw(&file, Options::default()).expect("it was written"));
    let (read_rdl, _) =
        best(3, || format::read(&file, Options::default()).expect("it was written"));
    println!(
        "{name:<14} {n:>10} {:>10.1} {:>10.1} {:>10.1} {:>10.1} {:>9.2} {:>9.1}",
        rate(n, read_std),
        rate(n, blocks),
        rate(n, read_rdl),
        rate(n, write),
        file.len() as f64 / n as f64,
        trace.memory() as f64 / n as f64,
    );
}
