//! How fast traces are read and written, and how large they are.
//!
//! ```text
//! cargo bench -p raddle-benches --bench trace             # generated traces
//! cargo bench -p raddle-benches --bench trace -- FILE…    # these traces
//! ```
//!
//! Rates are in millions of events per second: of CPU time, which is what one core does, and after
//! the slash of wall time, where reading uses several cores. Targets: STD text with indexes 5 on one
//! core; `.rdl` blocks 50, with indexes 10; `.rdl` files at most 3 bytes an event; memory at most 40
//! bytes an event.

use std::path::Path;

use raddle_benches::{Took, best, rate};
use raddle_generate::{Preset, generate};
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Options, rdl};
use raddle_trace::{Events, Trace};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let columns = ["events", "STD", "blocks", "rdl", "write", "B/event", "memory"];
    print!("{:<10}", "trace");
    columns.iter().for_each(|column| print!(" {column:>13}"));
    println!();
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
    let both = |took: Took| format!("{:.1} / {:.1}", rate(n, took.cpu), rate(n, took.wall));
    println!(
        "{name:<10} {n:>13} {:>13} {:>13} {:>13} {:>13.1} {:>13.2} {:>13.1}",
        both(read_std),
        both(blocks),
        both(read_rdl),
        rate(n, write.cpu),
        file.len() as f64 / n as f64,
        trace.memory() as f64 / n as f64,
    );
}
