//! What is known of an assertion of the program without searching.

use raddle_finding::{Finding, Location, Property, Schedule, Site, Verdict, Witness};
use serde_json::{Value, json};

/// An assertion, and what is known of it over all interleavings of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct Assertion {
    /// Where it stands: `file:line`.
    pub place: String,
    /// What is known.
    pub known: Known,
}

/// What is known of an assertion.
#[derive(Clone, PartialEq, Debug)]
pub enum Known {
    /// It holds, by this.
    Proved(&'static str),
    /// It fails in another order of the run's steps, which was replayed.
    Refuted(Schedule),
    /// It fails in the run itself.
    Failed(Schedule),
    /// Nothing.
    Unknown,
}

impl Assertion {
    /// For the report.
    pub(crate) fn value(&self) -> Value {
        let (verdict, by) = match &self.known {
            Known::Proved(by) => ("proved", Some(*by)),
            Known::Refuted(_) => ("refuted", Some("a replayed schedule")),
            Known::Failed(_) => ("refuted", Some("the plain run")),
            Known::Unknown => ("unknown", None),
        };
        json!({ "text": format!("assert at {}", self.place), "verdict": verdict, "by": by })
    }

    /// A finding if it is refuted and nobody has found that.
    pub(crate) fn finding(
        &self,
        known: &[Finding],
        replay: &dyn Fn(&Schedule) -> String,
    ) -> Option<Finding> {
        let (schedule, when) = match &self.known {
            Known::Refuted(schedule) => (schedule, "in another order of the same steps"),
            Known::Failed(schedule) => (schedule, "in a plain run"),
            Known::Proved(_) | Known::Unknown => return None,
        };
        let place = Location::parse(&self.place);
        let is_here =
            |site: &Site| (&site.location.file, site.location.line) == (&place.file, place.line);
        if known.iter().any(|finding| finding.locations.iter().any(is_here)) {
            return None;
        }
        let message = format!("the assertion at {} fails {when}", self.place);
        let sites = vec![Site::new("assertion", place)];
        let verdict = Verdict::Replayed;
        let mut finding = Finding::new(Property::Assertion, verdict, message, sites, Vec::new());
        finding.replay = Some(replay(schedule));
        finding.schedule = Some(schedule.clone());
        finding.witness = Some(Witness::Schedule { schedule: schedule.clone() });
        Some(finding)
    }
}
