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
    /// For the report. What fails in a finding, though no order of the run's steps makes it fail, does so
    /// in another part of the program.
    pub(crate) fn value(&self, findings: &[Finding]) -> Value {
        let (verdict, by) = match &self.known {
            Known::Proved(by) => ("proved", Some(*by)),
            Known::Refuted(_) => ("refuted", Some("a replayed schedule")),
            Known::Failed(_) => ("refuted", Some("the plain run")),
            Known::Unknown => ("unknown", None),
        };
        let is_found =
            findings.iter().any(|one| one.property == Property::Assertion && self.is_of(one));
        json!({
            "text": format!("assert at {}", self.place),
            "verdict": verdict,
            "by": by,
            "found": is_found,
        })
    }

    /// Whether a finding is about it.
    fn is_of(&self, finding: &Finding) -> bool {
        let place = Location::parse(&self.place);
        let is_here =
            |site: &Site| (&site.location.file, site.location.line) == (&place.file, place.line);
        finding.locations.iter().any(is_here)
    }

    /// A finding if it is refuted and the search has not found that.
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
        if known.iter().any(|finding| self.is_of(finding)) {
            return None;
        }
        let message = format!("the assertion at {} fails {when}", self.place);
        let sites = vec![Site::new("assertion", Location::parse(&self.place))];
        let verdict = Verdict::Replayed;
        let mut finding = Finding::new(Property::Assertion, verdict, message, sites, Vec::new());
        finding.replay = Some(replay(schedule));
        finding.schedule = Some(schedule.clone());
        finding.witness = Some(Witness::Schedule { schedule: schedule.clone() });
        Some(finding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule::new("9f3ac2".parse().unwrap())
    }

    fn at(property: Property, place: &str) -> Finding {
        let sites = vec![Site::new("", place.into())];
        Finding::new(property, Verdict::Replayed, "", sites, Vec::new())
    }

    #[track_caller]
    fn check(known: Known, found: &[Finding], verdict: &str, message: Option<&str>) {
        let assertion = Assertion { place: "a.c:3".to_owned(), known };
        assert_eq!(assertion.value(found)["verdict"], verdict);
        let finding = assertion.finding(found, &|_| "replay it".to_owned());
        assert_eq!(finding.as_ref().map(|finding| finding.message.as_str()), message);
        if let Some(finding) = finding {
            assert_eq!(finding.replay.as_deref(), Some("replay it"));
            assert_eq!(finding.locations[0].location, Location::parse("a.c:3"));
            assert!(finding.schedule.is_some() && finding.witness.is_some());
        }
    }

    #[test]
    fn what_is_refuted_is_a_finding_unless_the_search_has_it() {
        let other_order = "the assertion at a.c:3 fails in another order of the same steps";
        check(Known::Refuted(schedule()), &[], "refuted", Some(other_order));
        let plain = "the assertion at a.c:3 fails in a plain run";
        check(Known::Failed(schedule()), &[], "refuted", Some(plain));
        let here = [at(Property::Assertion, "a.c:3:9")];
        check(Known::Refuted(schedule()), &here, "refuted", None);
        let elsewhere = [at(Property::Assertion, "a.c:4"), at(Property::Assertion, "b.c:3")];
        check(Known::Refuted(schedule()), &elsewhere, "refuted", Some(other_order));
        check(Known::Proved("ranges"), &[], "proved", None);
        check(Known::Unknown, &[], "unknown", None);
    }

    #[test]
    fn only_an_assertion_that_fails_at_its_line_is_found() {
        let assertion = Assertion { place: "a.c:3".to_owned(), known: Known::Unknown };
        let is_found = |finding| assertion.value(&[finding])["found"] == true;
        assert!(is_found(at(Property::Assertion, "a.c:3")));
        assert!(!is_found(at(Property::Assertion, "a.c:4")));
        assert!(!is_found(at(Property::Crash, "a.c:3")));
    }
}
