//! Children: programs that are run and measured.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::Took;

/// Runs a program to its end, which must be a good one.
pub fn run(command: &mut Command) -> Took {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let status = command.status().expect("the program can be started");
    assert!(status.success(), "{command:?} ended with {status}");
    Took { wall: wall.elapsed(), cpu: cpu_time() - cpu }
}

/// User and system time of all children that have ended and were waited for.
pub fn cpu_time() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the structure consists of integers, so zeros are one; the call fills it in.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let duration = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// User and system time of this process and of its children that live.
pub fn cpu_time_alive() -> Duration {
    let children = fs::read_dir("/proc/self/task").expect("the system lists our threads");
    let children =
        children.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
    let children: String = children.collect();
    ["self"].into_iter().chain(children.split_whitespace()).filter_map(cpu_time_of).sum()
}

/// User and system time of a process that lives.
fn cpu_time_of(process: &str) -> Option<Duration> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Its name may contain anything, and ends with the last parenthesis.
    let (_, numbers) = stat.rsplit_once(')')?;
    let mut times = numbers.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks = times.next()?.ok()? + times.next()?.ok()?;
    Some(Duration::from_secs_f64(ticks as f64 / TICKS_PER_SECOND))
}
