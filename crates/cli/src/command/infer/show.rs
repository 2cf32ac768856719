//! The results as text.

use std::fs;

use raddle_report::sanitise::visible;

use super::document::Document;
use super::specification::Lines;
use crate::output::Styles;

/// Lines around an `if(*)` that are shown.
const CONTEXT: u32 = 2;

pub(super) fn text(found: &Document, checked: bool, styles: &Styles) -> String {
    let (heading, good, caution) = (styles.heading, styles.good, styles.caution);
    let n = found.traces;
    let traces = if n == 1 { "1 trace".to_owned() } else { format!("{n} traces") };
    let mut text = String::new();
    match found.verdict {
        "serializable" => text.push_str(&format!(
            "{good}No if(*) is needed{good:#}: {traces} can be executed one iteration after the other\n{}\n",
            match found.conflict_serializable {
                true if !found.conflicts => "No iteration accesses what another one writes.",
                true => "All conflicting accesses can keep their order.",
                false => "Some conflicting accesses cannot keep their order, but neither a branch nor the result depends on them.",
            }
        )),
        "inferred" if checked => {
            text.push_str(&format!("{good}The specification holds{good:#} for {traces}\n"));
        }
        "inferred" => text.push_str(&format!(
            "{good}{} if(*) {}{good:#}: {traces}; the minimum for {}\n",
            found.if_star.len(),
            if found.if_star.len() == 1 { "is enough" } else { "are enough" },
            found.optimal_for,
        )),
        "none" => text.push_str(&format!(
            "{caution}No sequential explanation{caution:#}: likely an atomicity error ({traces})\n"
        )),
        _ => text.push_str(&format!("{caution}Unknown{caution:#}: the solver gave up ({traces})\n")),
    }
    for conflict in &found.cycle {
        let place = |of: &super::document::AccessDocument| {
            format!("{}:{} ({})", visible(&of.file), of.line, visible(&of.thread))
        };
        let (before, after) = (place(&conflict.before), place(&conflict.after));
        text.push_str(&format!("  {before} before {after}: `{}`\n", visible(&conflict.variable)));
    }
    for lines in &found.if_star {
        text.push_str(&diff(lines, styles));
    }
    if !found.irrelevant.is_empty() {
        let lines = found.irrelevant.iter().map(|l| format!("{}:{}", visible(&l.file), l.from));
        let lines: Vec<_> = lines.collect();
        text.push_str(&format!("\n{heading}Irrelevant{heading:#}: {}\n", lines.join(", ")));
    }
    if found.replayed > 0 {
        text.push_str(&format!(
            "\n{} of {traces} executed again sequentially, with the same result\n",
            found.replayed
        ));
    }
    found.functional.iter().for_each(|found| text.push_str(&format!("{}\n", found.text)));
    if let Some(stats) = &found.stats {
        text.push_str(&format!(
            "\n{heading}Statistics{heading:#}\n  events (last trace)    {}\n  sliced out             {}\n  \
             parallel constructs    {}\n  focus statements       {}\n  if(*)                  {}\n  \
             cycles                 {}\n  SAT                    {:.1} ms\n  MinCostSAT             {:.1} ms\n",
            stats.events, stats.sliced_out, stats.parallel_constructs, stats.focus_statements,
            stats.if_star, stats.cycles, stats.sat_ms, stats.min_cost_sat_ms,
        ));
    }
    text
}

/// The lines with the `if(*)` around them, as a difference.
fn diff(lines: &Lines, styles: &Styles) -> String {
    let good = styles.good;
    let mut text = format!("\n--- {0}\n+++ {0} (specification)\n", visible(&lines.file));
    let Ok(source) = fs::read(&lines.file) else { return text };
    let source = String::from_utf8_lossy(&source);
    let from = lines.from.saturating_sub(CONTEXT).max(1);
    let indent: String = source
        .lines()
        .nth(lines.from as usize - 1)
        .map(|line| line.chars().take_while(|c| c.is_whitespace()).collect())
        .unwrap_or_default();
    text.push_str(&format!("@@ -{from} @@\n"));
    let shown = source.lines().enumerate().skip(from as usize - 1);
    for (number, line) in shown.take((lines.to + CONTEXT - from + 1) as usize) {
        let number = number as u32 + 1;
        if number == lines.from {
            text.push_str(&format!("{good}+{indent}if (*) {{{good:#}\n"));
        }
        text.push_str(&format!(" {}\n", visible(line)));
        if number == lines.to {
            text.push_str(&format!("{good}+{indent}}}{good:#}\n"));
        }
    }
    text
}
