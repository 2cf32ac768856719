//! What the measurements have in common: CPU time rather than wall time, since the machines that
//! run them are shared, and the best of a few rounds.

use std::time::Duration;

use cpu_time::ProcessTime;

/// Runs `work` a few times and answers with the least CPU time and the last result.
pub fn best<T>(rounds: usize, mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut timed = || {
        let start = ProcessTime::now();
        let result = work();
        (start.elapsed(), result)
    };
    let (mut least, mut last) = timed();
    for _ in 1..rounds {
        let (time, result) = timed();
        least = least.min(time);
        last = result;
    }
    (least, last)
}

/// Millions of events per CPU second.
pub fn rate(n_events: usize, time: Duration) -> f64 {
    n_events as f64 / time.as_secs_f64() / 1e6
}
