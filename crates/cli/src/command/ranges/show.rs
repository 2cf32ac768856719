//! The results as text.

use std::collections::BTreeMap;

use raddle_cfront::ir::Kind;
use raddle_finding::Schedule;
use raddle_ranges::analysis::{self, Row, Verdict};
use raddle_ranges::interval::Interval;

use super::Found;
use crate::output::Styles;
use crate::quantity::counted;
use crate::table;
use raddle_report::quantity::plural;
use raddle_report::sanitise::visible;

pub(super) fn text(found: &Found, replay: &dyn Fn(&Schedule) -> String, styles: &Styles) -> String {
    let mut text = String::new();
    let (heading, dim) = (styles.heading, styles.dim);
    let ctp = &found.ctp;
    text.push_str(&format!(
        "{heading}{}, {}, {}{heading:#} {dim}({}; loops unrolled as often as they ran){dim:#}\n",
        counted(ctp.threads.len(), "thread"),
        counted(ctp.globals.len(), "shared variable"),
        plural(ctp.n_accesses(), "access", "accesses"),
        counted(found.n_runs, "run"),
    ));
    text.push('\n');
    text.push_str(&intervals(&analysis::rows(ctp, &found.analysed.ranges)));
    let lost = analysis::unreachable(ctp, &found.analysed.ranges);
    if !lost.is_empty() {
        text.push_str(&format!("\n{heading}Not reached in any interleaving{heading:#}\n"));
        lost.iter().for_each(|line| {
            text.push_str(&format!("  {}:{}\n", visible(&line.file), line.line));
        });
    }
    let words = Words {
        good: "proved",
        bad: "refuted",
        limited: "holds on the paths that runs \
        took",
    };
    text.push_str(&verdicts(&found.assertions, words, replay, styles));
    let words = Words {
        good: "unreachable",
        bad: "reached",
        limited: "not reached on the paths that runs \
            took",
    };
    text.push_str(&verdicts(&found.reached, words, replay, styles));
    text.push_str(&open(found, styles));
    if let Some(stats) = &found.stats {
        text.push_str(&stats.text(styles));
    }
    text
}

/// One line per variable, thread and place; repetitions of a place are joined.
fn intervals(rows: &[Row]) -> String {
    let mut joined: BTreeMap<_, (Interval, bool, Kind)> = BTreeMap::new();
    for row in rows {
        let key = (!row.shared, &row.variable, &row.line, &row.thread);
        let known = joined.entry(key).or_insert((row.values, false, row.kind));
        *known = (known.0.join(row.values), known.1 || row.wraps, row.kind);
    }
    let header = ["variable", "location", "thread", "values", ""].map(str::to_owned).to_vec();
    let mut lines = vec![header];
    for ((_, variable, line, thread), (values, wraps, kind)) in joined {
        let place = line.as_ref().map_or("?".to_owned(), |l| format!("{}:{}", l.file, l.line));
        let remark = if wraps { "may wrap around" } else { "" };
        let values = match kind {
            _ if values == Interval::ALL => "any".to_owned(),
            Kind::P32 | Kind::P64 => format!("[{:#x}, {:#x}]", values.lo, values.hi),
            _ => format!("[{}, {}]", values.lo, values.hi),
        };
        let cells = [variable.as_str(), &place, thread, &values, remark];
        lines.push(cells.map(visible).to_vec());
    }
    table::lines(&lines, &[0, 1, 2, 3, 4]).join("\n") + "\n"
}

/// What no run shows, if a verdict depends on it.
fn open(found: &Found, styles: &Styles) -> String {
    let all = found.assertions.iter().chain(&found.reached);
    let is_limited = |(_, verdict): &(String, Verdict)| matches!(verdict, Verdict::Limited { .. });
    if found.open.is_empty() || !all.into_iter().any(is_limited) {
        return String::new();
    }
    let heading = styles.heading;
    let mut text = format!("\n{heading}Paths that no run has taken{heading:#}\n");
    for gap in found.open.iter().take(N_GAPS_MAX) {
        text.push_str(&format!("  {}\n", visible(&gap.to_string())));
    }
    let n_more = found.open.len().saturating_sub(N_GAPS_MAX);
    if n_more > 0 {
        text.push_str(&format!("  and {n_more} more\n"));
    }
    text
}

/// Intervals may have values that no interleaving has.
const SOLVED: &str = "by the solver, which is more precise than the intervals";

/// How many gaps are listed.
const N_GAPS_MAX: usize = 20;

/// What verdicts are called.
#[derive(Clone, Copy)]
struct Words {
    good: &'static str,
    bad: &'static str,
    limited: &'static str,
}

fn verdicts(
    all: &[(String, Verdict)],
    Words { good, bad, limited }: Words,
    replay: &dyn Fn(&Schedule) -> String,
    styles: &Styles,
) -> String {
    let mut text = String::new();
    if !all.is_empty() {
        text.push('\n');
    }
    for (what, verdict) in all {
        let (style, word, rest) = match verdict {
            Verdict::Proved { by_intervals: true } => {
                (styles.good, good, "by intervals".to_owned())
            }
            Verdict::Proved { by_intervals: false } => (styles.good, good, SOLVED.to_owned()),
            Verdict::Limited { by_intervals } => {
                let by = if *by_intervals { "by intervals" } else { SOLVED };
                (styles.caution, limited, format!("{by}; not {good}, see below"))
            }
            Verdict::Refuted(schedule) => {
                (styles.caution, bad, format!("replay: {}", replay(schedule)))
            }
            Verdict::Unknown(why) => (styles.caution, "unknown", why.clone()),
        };
        text.push_str(&format!("{}: {style}{word}{style:#}, {}\n", visible(what), visible(&rest)));
    }
    text
}
