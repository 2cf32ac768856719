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
    /// It fails in a run that was made.
    Refuted(Schedule),
    /// Nothing.
    Unknown,
}

impl Assertion {
    /// For the report.
    pub(crate) fn value(&self) -> Value {
        let (verdict, by) = match &self.known {
            Known::Proved(by) => ("proved", Some(*by)),
            Known::Refuted(_) => ("refuted", Some("a replayed schedule")),
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
        let Known::Refuted(schedule) = &self.known else { return None };
        let place = Location::parse(&self.place);
        let is_here =
            |site: &Site| (&site.location.file, site.location.line) == (&place.file, place.line);
        if known.iter().any(|finding| finding.locations.iter().any(is_here)) {
            return None;
        }
        let message =
            format!("the assertion at {} fails in another order of the same steps", self.place);
        let sites = vec![Site::new("assertion", place)];
        let verdict = Verdict::Replayed;
        let mut finding = Finding::new(Property::Assertion, verdict, message, sites, Vec::new());
        finding.replay = Some(replay(schedule));
        finding.schedule = Some(schedule.clone());
        finding.witness = Some(Witness::Schedule { schedule: schedule.clone() });
        Some(finding)
    }
}
