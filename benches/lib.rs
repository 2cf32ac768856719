//! What the measurements have in common: CPU time beside wall time, since the machines that run
//! them are shared, and the best of a few rounds; random traces; children; tables.

pub mod child;
pub mod random;
pub mod table;

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

/// How long something took.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// On the clock.
    pub wall: Duration,
    /// Of all threads together.
    pub cpu: Duration,
}

/// Runs `work` a few times and answers with the least times and the last result.
pub fn best<T>(rounds: usize, mut work: impl FnMut() -> T) -> (Took, T) {
    let mut timed = || {
        let (wall, cpu) = (Instant::now(), ProcessTime::now());
        let result = work();
        (Took { wall: wall.elapsed(), cpu: cpu.elapsed() }, result)
    };
    let (mut least, mut last) = timed();
    for _ in 1..rounds {
        let (took, result) = timed();
        least.wall = least.wall.min(took.wall);
        least.cpu = least.cpu.min(took.cpu);
        last = result;
    }
    (least, last)
}

/// Millions of events per second.
pub fn rate(n_events: usize, time: Duration) -> f64 {
    n_events as f64 / time.as_secs_f64() / 1e6
}
