//! The schema `raddle.ranges/1`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use raddle_ranges::analysis::{self, Verdict};
use raddle_ranges::ctp::Line;
use serde::Serialize;

use super::Found;
use super::stats::GraphStats;

#[derive(Debug, Serialize)]
pub(super) struct Document {
    schema: &'static str,
    files: Vec<String>,
    runs: usize,
    ranges: Vec<RangeDocument>,
    assertions: Vec<VerdictDocument>,
    reach: Vec<VerdictDocument>,
    unreachable: Vec<String>,
    notices: Vec<String>,
    stats: BTreeMap<&'static str, GraphStats>,
}

#[derive(Debug, Serialize)]
struct RangeDocument {
    variable: String,
    thread: String,
    location: Option<String>,
    lo: i64,
    hi: i64,
    shared: bool,
    wraps: bool,
}

#[derive(Debug, Serialize)]
struct VerdictDocument {
    text: String,
    verdict: &'static str,
    by: Option<&'static str>,
    schedule: Option<String>,
    reason: Option<String>,
}

impl Document {
    pub(super) fn new(files: &[PathBuf], found: &Found) -> Document {
        let place = |line: &Line| format!("{}:{}", line.file, line.line);
        let rows = analysis::rows(&found.ctp, &found.analysed.ranges);
        let ranges = rows.into_iter().map(|row| RangeDocument {
            location: row.line.as_ref().map(place),
            variable: row.variable,
            thread: row.thread,
            lo: row.values.lo,
            hi: row.values.hi,
            shared: row.shared,
            wraps: row.wraps,
        });
        let unreachable = analysis::unreachable(&found.ctp, &found.analysed.ranges);
        let stats = found.stats.as_ref().map(|stats| stats.graphs());
        Document {
            schema: "raddle.ranges/1",
            files: files.iter().map(|file| file.display().to_string()).collect(),
            runs: found.n_runs,
            ranges: ranges.collect(),
            assertions: found.assertions.iter().map(|one| assertion(one, found)).collect(),
            reach: found.reached.iter().map(|one| reached(one, found)).collect(),
            unreachable: unreachable.iter().map(place).collect(),
            notices: notices(found),
            stats: stats.unwrap_or_default(),
        }
    }
}

/// What is not followed, and what no run shows.
fn notices(found: &Found) -> Vec<String> {
    let known = found.ctp.notices.iter().map(|notice| notice.text.clone());
    known.chain(found.open.iter().map(|gap| format!("no run has taken {gap}"))).collect()
}

fn assertion((text, verdict): &(String, Verdict), found: &Found) -> VerdictDocument {
    document(text, verdict, ["proved", "refuted"], found)
}

fn reached((text, verdict): &(String, Verdict), found: &Found) -> VerdictDocument {
    document(text, verdict, ["unreachable", "reached"], found)
}

fn document(
    text: &str,
    verdict: &Verdict,
    [good, bad]: [&'static str; 2],
    found: &Found,
) -> VerdictDocument {
    let by = |by_intervals: bool| Some(if by_intervals { "intervals" } else { "solver" });
    let (verdict, by, schedule, reason) = match verdict {
        Verdict::Proved { by_intervals } => (good, by(*by_intervals), None, None),
        Verdict::Limited { by_intervals } => {
            let first = found.open.first().map_or(String::new(), |gap| format!(": {gap}"));
            let reason =
                format!("{good} only for the paths that runs have taken, not for all{first}");
            ("unknown", by(*by_intervals), None, Some(reason))
        }
        Verdict::Refuted(schedule) => (bad, Some("replay"), Some(schedule.to_string()), None),
        Verdict::Unknown(why) => ("unknown", None, None, Some(why.clone())),
    };
    VerdictDocument { text: text.to_owned(), verdict, by, schedule, reason }
}
