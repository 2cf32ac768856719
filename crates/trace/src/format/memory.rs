//! Memory: how much of it a trace may use, so that a trace that does not fit is refused before
//! the machine is in trouble.

use std::fs;

/// Bytes that an event with its indexes occupies at most while a trace is read and indexed:
/// 13 for the columns, 27 for the indexes, and what growing columns take for a moment.
pub(crate) const BYTES_PER_EVENT: u64 = 56;

/// How much memory may be used, in bytes; what the machine has free unless it was said.
pub(crate) fn limit(asked: Option<u64>) -> u64 {
    asked.or_else(available).unwrap_or(u64::MAX)
}

/// What is free: of the machine, or of the control group if that is less.
fn available() -> Option<u64> {
    let machine = meminfo_available(&fs::read_to_string("/proc/meminfo").ok()?)?;
    let group = group_available().unwrap_or(u64::MAX);
    // A tenth is left for other programs.
    Some(machine.min(group) / 10 * 9)
}

fn meminfo_available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn group_available() -> Option<u64> {
    let number = |path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let max = number("/sys/fs/cgroup/memory.max")?;
    Some(max.saturating_sub(number("/sys/fs/cgroup/memory.current")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_is_read_in_kilobytes() {
        let text = "MemTotal:  100 kB\nMemAvailable:     42 kB\nBuffers: 1 kB\n";
        assert_eq!(meminfo_available(text), Some(42 * 1024));
        assert_eq!(meminfo_available("nothing"), None);
    }

    #[test]
    fn what_was_asked_for_counts() {
        assert_eq!(limit(Some(7)), 7);
    }
}
