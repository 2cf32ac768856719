//! Small random traces.

use raddle_generate::{Config, generate};
use raddle_trace::Trace;
use raddle_trace::check::Mode;

/// A trace of two or three threads with locks that cross, readers, and waits.
pub(crate) fn small_trace(seed: u64, threads: u32, events: usize) -> Trace {
    let config = Config {
        seed,
        threads,
        events,
        locks: 1 + (seed % 3) as u32,
        vars: 1 + (seed / 3 % 2) as u32,
        burst: 2,
        fork_span: 0.0,
        join: seed.is_multiple_of(2),
        truncate: seed.is_multiple_of(5),
        locking: 0.5,
        nested: seed.is_multiple_of(4),
        readers: if seed.is_multiple_of(3) { 0.4 } else { 0.0 },
        shared: 1.0,
        local: 0.0,
        protect: 0.3,
        write: 0.5,
        wait: if seed.is_multiple_of(2) { 0.3 } else { 0.0 },
        timeout: 0.0,
        ..Config::default()
    };
    Trace::new(generate(&config).unwrap(), Mode::Strict).unwrap()
}
