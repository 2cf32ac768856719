//! Children: programs that are run and measured.

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
