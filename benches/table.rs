//! Tables: a row for each measurement, with the target beside the figure.

use std::fs;

use crate::Took;

/// What a measurement came to.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Events in the trace.
    pub n_events: usize,
    /// What had to be decided.
    pub n_candidates: u64,
    /// Queries that decided it.
    pub n_queries: u64,
    /// What was left undecided.
    pub n_unknown: u64,
    /// What was found.
    pub n_found: usize,
    /// How long it took.
    pub took: Option<Took>,
    /// The figure that the target is about, if it is not the CPU time.
    pub figure: String,
    /// What it should be, and whether it is.
    pub target: Option<(&'static str, bool)>,
}

/// Prints the head of the table.
pub fn print_head() {
    let columns = ["events", "candidates", "queries", "unknown", "found", "CPU s", "wall s", "MiB"];
    print!("{:<26}", "measurement");
    columns.iter().for_each(|column| print!(" {column:>11}"));
    println!(" {:>14}  target", "figure");
}

impl Row {
    /// Prints the row, with the peak of memory since the last one, which includes the trace and what
    /// the allocator has kept of earlier rows.
    pub fn print(&self, name: &str) {
        let Row { n_events, n_candidates, n_queries, n_unknown, n_found, .. } = *self;
        print!("{name:<26} {n_events:>11} {n_candidates:>11} {n_queries:>11}");
        print!(" {n_unknown:>11} {n_found:>11}");
        let seconds = |time: std::time::Duration| format!("{:.3}", time.as_secs_f64());
        let (cpu, wall) = self.took.map(|t| (seconds(t.cpu), seconds(t.wall))).unwrap_or_default();
        let peak = peak_memory().map(|mebibytes| mebibytes.to_string()).unwrap_or_default();
        print!(" {cpu:>11} {wall:>11} {peak:>11} {:>14}", self.figure);
        match self.target {
            Some((target, true)) => println!("  {target}: reached"),
            Some((target, false)) => println!("  {target}: MISSED"),
            None => println!(),
        }
        forget_peak_memory();
    }
}

/// The peak of the memory of this process in mebibytes, where the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes / 1024)
}

/// Starts a new peak, where the system can; otherwise the old one stays, which is no less true.
fn forget_peak_memory() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}
