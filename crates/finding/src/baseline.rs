//! Baselines: findings that are known, so that only new ones are reported.
//!
//! In: a report, or the text of a baseline. Out: the findings that the baseline does not name.
//!
//! The text is one line `raddle.baseline/1`, then one line per finding: its fingerprint and, after
//! a space, anything that helps people to recognise it. Empty lines and lines that start with `#`
//! are ignored. Lines are sorted, so that baselines merge well.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::finding::{Cause, Finding, Site};
use crate::fingerprint::{Fingerprint, FingerprintError};
use crate::property::Property;
use crate::report::Report;

/// Known findings: their fingerprints, each with a note for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    known: BTreeMap<Fingerprint, String>,
}

/// The text is not a baseline; lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The first line is not the one that every baseline starts with.
    #[error("not a baseline: the first line is `{found}`, not `{}`", Baseline::HEADER)]
    Header {
        /// What stands there instead.
        found: String,
    },
    /// A line does not start with a fingerprint.
    #[error("line {line} of the baseline: {error}")]
    Line {
        /// The line.
        line: usize,
        /// What is wrong with it.
        error: FingerprintError,
    },
}

/// The findings of a report that the baseline does not know, in the order of the report.
pub fn new_findings<'a>(
    report: &'a Report,
    baseline: &'a Baseline,
) -> impl Iterator<Item = &'a Finding> {
    report.findings.iter().filter(|finding| !baseline.knows(finding))
}

impl Baseline {
    /// The first line of the text.
    pub const HEADER: &'static str = "raddle.baseline/1";

    /// A baseline that knows every finding of a report.
    pub fn of(report: &Report) -> Self {
        let mut baseline = Baseline::default();
        report.findings.iter().for_each(|finding| baseline.insert(finding));
        baseline
    }

    /// Adds a finding with its causes, which may be found without it next time; the note of one that is
    /// known already stays.
    pub fn insert(&mut self, finding: &Finding) {
        let Finding { fingerprint, property, locations, causes, .. } = finding;
        self.known.entry(*fingerprint).or_insert_with(|| note(*property, locations));
        for Cause { fingerprint, property, locations, .. } in causes {
            self.known.entry(*fingerprint).or_insert_with(|| note(*property, locations));
        }
    }

    /// Whether a finding is known with everything that causes it: a new race is new, though the failure
    /// that it leads to may be an old one.
    pub fn knows(&self, finding: &Finding) -> bool {
        self.contains(finding.fingerprint) && self.new_causes(finding).next().is_none()
    }

    /// The causes of a finding that are not known.
    pub fn new_causes<'a>(&'a self, finding: &'a Finding) -> impl Iterator<Item = &'a Cause> {
        finding.causes.iter().filter(|cause| !self.contains(cause.fingerprint))
    }

    /// Whether a finding or a cause with this fingerprint is known.
    pub fn contains(&self, fingerprint: Fingerprint) -> bool {
        self.known.contains_key(&fingerprint)
    }

    /// The known fingerprints, in ascending order.
    pub fn fingerprints(&self) -> impl Iterator<Item = Fingerprint> + '_ {
        self.known.keys().copied()
    }

    /// The fingerprints that no finding of the report has: entries that may be removed.
    pub fn stale<'a>(&'a self, report: &Report) -> impl Iterator<Item = Fingerprint> + 'a {
        let found = Baseline::of(report);
        self.fingerprints().filter(move |&fingerprint| !found.contains(fingerprint))
    }
}

/// `race queue.c:12 queue.c:30`, on one line whatever the names are.
fn note(property: Property, locations: &[Site]) -> String {
    let places = locations.iter().map(|site| format!(" {}", site.location));
    let text = format!("{property}{}", places.collect::<String>());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", Baseline::HEADER)?;
        for (fingerprint, note) in &self.known {
            let space = if note.is_empty() { "" } else { " " };
            writeln!(f, "{fingerprint}{space}{note}")?;
        }
        Ok(())
    }
}

impl FromStr for Baseline {
    type Err = BaselineError;

    fn from_str(text: &str) -> Result<Self, BaselineError> {
        let mut lines = text.lines().map(str::trim).zip(1..);
        let header = lines.next().map_or("", |(line, _)| line);
        if header != Baseline::HEADER {
            return Err(BaselineError::Header { found: header.chars().take(40).collect() });
        }
        let entries = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
        let known = entries
            .map(|(entry, line)| {
                read_entry(entry).map_err(|error| BaselineError::Line { line, error })
            })
            .collect::<Result<_, _>>()?;
        Ok(Baseline { known })
    }
}

fn read_entry(entry: &str) -> Result<(Fingerprint, String), FingerprintError> {
    let (fingerprint, note) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
    Ok((fingerprint.parse()?, note.trim_start().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Site;
    use crate::location::Location;
    use crate::property::Property;
    use crate::report::Input;
    use crate::verdict::Verdict;

    fn report(places: &[&str]) -> Report {
        let mut report = Report::new(Input::named("queue.std"));
        report.findings = places.iter().map(|place| race(place)).collect();
        report
    }

    fn race(place: &str) -> Finding {
        let site = Site::new("first access", Location::parse(place));
        Finding::new(Property::Race, Verdict::Candidate, "a race", vec![site], vec![])
    }

    #[track_caller]
    fn check(now: &[&str], before: &[&str], expected: &[&str]) {
        let (now, baseline) = (report(now), Baseline::of(&report(before)));
        let new: Vec<_> =
            new_findings(&now, &baseline).map(|f| f.locations[0].location.name.as_str()).collect();
        assert_eq!(new, expected);
    }

    #[test]
    fn only_unknown_findings_are_new() {
        check(&["a.c:1", "a.c:2", "a.c:3"], &["a.c:2"], &["a.c:1", "a.c:3"]);
    }

    #[test]
    fn everything_is_new_to_an_empty_baseline() {
        check(&["a.c:1"], &[], &["a.c:1"]);
    }

    #[test]
    fn nothing_is_new_when_all_is_known() {
        check(&["a.c:1"], &["a.c:1", "a.c:2"], &[]);
    }

    #[test]
    fn a_known_failure_with_a_new_cause_is_new() {
        let failure = |causes: &[&str]| {
            let mut report = report(&["a.c:1"]);
            report.findings[0].causes = causes.iter().map(|at| Cause::from(&race(at))).collect();
            report
        };
        let baseline = Baseline::of(&failure(&["a.c:7"]));
        let n_new = |causes: &[&str]| new_findings(&failure(causes), &baseline).count();
        assert_eq!((n_new(&["a.c:7"]), n_new(&[]), n_new(&["a.c:7", "a.c:8"])), (0, 0, 1));
    }

    #[test]
    fn entries_without_a_finding_are_stale() {
        let baseline = Baseline::of(&report(&["a.c:1", "a.c:2"]));
        let stale: Vec<_> = baseline.stale(&report(&["a.c:1"])).collect();
        assert_eq!(stale, [race("a.c:2").fingerprint]);
    }

    #[test]
    fn text_is_read_back() {
        let baseline = Baseline::of(&report(&["a.c:1", "push (b.c:2)", "odd\nname"]));
        let text = baseline.to_string();
        assert!(
            text.contains(&format!("\n{} race push (b.c:2)\n", race("push (b.c:2)").fingerprint))
        );
        assert_eq!(text.parse(), Ok(baseline));
    }

    #[test]
    fn comments_and_bare_fingerprints_are_read() {
        let text = "raddle.baseline/1\r\n\n# known since March\n00000000000000ab\n";
        let baseline: Baseline = text.parse().unwrap();
        assert_eq!(
            baseline.fingerprints().map(|f| f.to_string()).collect::<Vec<_>>(),
            ["00000000000000ab"]
        );
    }

    #[test]
    fn other_text_is_refused_with_its_line() {
        let error = "".parse::<Baseline>().unwrap_err();
        assert_eq!(error, BaselineError::Header { found: String::new() });
        let error = "raddle.baseline/1\n\nrace".parse::<Baseline>().unwrap_err().to_string();
        assert!(
            error.starts_with("line 3 of the baseline: `race` is not a fingerprint"),
            "{error}"
        );
    }
}
