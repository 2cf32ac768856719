//! The lines of the source that a finding is about, with what happens there.
//!
//! ```text
//!   --> bank.c
//!    |
//! 29 |     int seen = balance;
//!    |     ^^^^^^^^^^^^^^^^^^^ first access, reads: deposit#1
//! ```

use std::collections::BTreeMap;
use std::fmt::Write;

use raddle_finding::{Finding, Report, Site};

use super::{Styles, WIDTH, cut_end};
use crate::sanitise::visible;

/// How wide a line of the source may be.
const SOURCE: usize = 80;

/// How many lines of a finding are shown.
const LINES: usize = 8;

/// The lines that are at hand; nothing if none is.
pub(super) fn text(report: &Report, finding: &Finding, styles: &Styles) -> String {
    let mut files: Vec<(&str, BTreeMap<u32, Vec<&Site>>)> = Vec::new();
    for site in finding.locations.iter().take(LINES) {
        let (Some(file), Some(line)) = (&site.location.file, site.location.line) else { continue };
        if report.line(file, line).is_none() {
            continue;
        }
        if !files.iter().any(|(known, _)| known == file) {
            files.push((file, BTreeMap::new()));
        }
        let lines = files.iter_mut().find(|(known, _)| known == file).map(|(_, lines)| lines);
        lines.into_iter().for_each(|lines| lines.entry(line).or_default().push(site));
    }
    let numbers = files.iter().flat_map(|(_, lines)| lines.keys());
    let digits = numbers.max().map_or(1, |line| line.to_string().len());
    files.iter().map(|(file, lines)| block(report, file, lines, digits, styles)).collect()
}

fn block(
    report: &Report,
    file: &str,
    lines: &BTreeMap<u32, Vec<&Site>>,
    digits: usize,
    styles: &Styles,
) -> String {
    let (dim, caution) = (styles.dim, styles.caution);
    let mut text = String::new();
    let _ = writeln!(text, "  {dim}{:digits$}-->{dim:#} {}", "", visible(file));
    let _ = writeln!(text, "  {dim}{:digits$} |{dim:#}", "");
    let mut last = None;
    for (&number, sites) in lines {
        if last.is_some_and(|last| last + 1 < number) {
            let _ = writeln!(text, "  {dim}...{dim:#}");
        }
        last = Some(number);
        // A tab has no width that could be counted on.
        let source = report.line(file, number).unwrap_or_default().replace('\t', "    ");
        let source = cut_end(&visible(source.trim_end()), SOURCE);
        let _ = writeln!(text, "  {dim}{number:>digits$} |{dim:#} {source}");
        let indent = source.chars().take_while(|c| *c == ' ').count();
        let n_marks = source.chars().count().saturating_sub(indent).max(1);
        let marks = "^".repeat(n_marks);
        for (n, site) in sites.iter().enumerate() {
            let label = label(site);
            let before = digits + 5 + indent + n_marks;
            let (marks, pad) = if n == 0 { (marks.as_str(), 0) } else { ("", n_marks) };
            if n == 0 && before + 1 + label.chars().count() > WIDTH + 20 {
                let _ = writeln!(
                    text,
                    "  {dim}{:digits$} |{dim:#} {:indent$}{caution}{marks}{caution:#}",
                    "", ""
                );
                let _ = writeln!(text, "  {dim}{:digits$} |{dim:#} {:indent$}{label}", "", "");
                continue;
            }
            let _ = writeln!(
                text,
                "  {dim}{:digits$} |{dim:#} {:indent$}{caution}{marks}{caution:#}{:pad$} {label}",
                "", "", ""
            );
        }
    }
    text
}

/// What happens at a place, and who does it.
fn label(site: &Site) -> String {
    let role = visible(&site.role);
    match &site.thread {
        Some(thread) => format!("{}: {role}", visible(thread)),
        None => role,
    }
}
