//! Findings: the one thing that analyses hand to reports.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::fingerprint::Fingerprint;
use crate::location::Location;
use crate::object::Object;
use crate::property::Property;
use crate::schedule::Schedule;
use crate::story::Story;
use crate::verdict::Verdict;
use crate::witness::Witness;

/// The position that stands for the implicit initial write of a variable.
pub const INITIAL_WRITE: i64 = -1;

/// Something that another schedule of the program would show, or that a run did show.
///
/// Lists that are empty and options that are none are left out of the JSON, save for `locations`
/// and `events`, which are always there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Names this finding across runs; see [`Fingerprint`] for what goes into it.
    pub fingerprint: Fingerprint,
    /// What it is about.
    pub property: Property,
    /// How much is known; in JSON `verdict`, with `budget` beside it when unknown.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// One sentence for people.
    pub message: String,
    /// Where it happens.
    pub locations: Vec<Site>,
    /// 0-based positions in the input trace, or [`INITIAL_WRITE`]; their meaning depends on the
    /// property, and there are none when no trace was recorded.
    #[serde(default)]
    pub events: Vec<i64>,
    /// The variables, locks and so on that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// The threads that take part, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// For nondeterministic reads: which of the three forms the witness has.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub read_witness_type: Option<ReadWitnessType>,
    /// How many pairs, triples or cycles at these locations this finding stands for, if counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<u64>,
    /// What only this property has to say, such as an interval or the statements of a specification.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, Value>,
    /// The interleaving that shows it; always there once the verdict is witnessed or replayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// What repeats it on the program, if a run of the program showed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// How many preemptions that run has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u32>,
    /// How that run ended, in a word: `passed`, `deadlock`, `livelock`, `assertion`, `crash`, ….
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The command that replays it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// The interleaving, step by step, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<Story>,
    /// What it most likely goes back to, and is no finding of its own: the races in its interleaving.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
}

/// What a finding goes back to: another one, without its story.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Names it across runs, as if it were a finding of its own.
    pub fingerprint: Fingerprint,
    /// What it is about.
    pub property: Property,
    /// One sentence for people.
    pub message: String,
    /// Where it happens.
    pub locations: Vec<Site>,
    /// The variables that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<Object>,
    /// What repeats it on the program, by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The command that replays that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// A location and the part that it plays in a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// The part it plays, in a few words: `first access`, `holds lock a`.
    pub role: String,
    /// The place; its fields stand beside `role` in the JSON.
    #[serde(flatten)]
    pub location: Location,
    /// The event that happens here, as a position in the input trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<i64>,
    /// The thread that is here, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// How a witness shows that a read need not see its observed writer: a number in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub enum ReadWitnessType {
    /// Type 1: the challenger comes first, then the read, then the observed writer.
    BeforeWriter,
    /// Type 2: the challenger comes between the observed writer and the read.
    Overwritten,
    /// Type 3: the challenger comes before the read, and the observed writer not at all.
    WithoutWriter,
}

impl Finding {
    /// A finding with all that its fingerprint depends on; the rest is empty, to be filled in.
    pub fn new(
        property: Property,
        verdict: Verdict,
        message: impl Into<String>,
        locations: Vec<Site>,
        objects: Vec<Object>,
    ) -> Self {
        let fingerprint =
            Fingerprint::of(property, locations.iter().map(|site| &site.location), &objects);
        Finding {
            fingerprint,
            property,
            verdict,
            message: message.into(),
            locations,
            events: Vec::new(),
            objects,
            threads: Vec::new(),
            read_witness_type: None,
            occurrences: None,
            details: BTreeMap::new(),
            witness: None,
            schedule: None,
            preemptions: None,
            outcome: None,
            replay: None,
            story: None,
            causes: Vec::new(),
        }
    }

    /// Whether the verdict promises a witness that is not there.
    pub fn lacks_witness(&self) -> bool {
        self.verdict.needs_witness() && self.witness.is_none()
    }
}

impl From<&Finding> for Cause {
    fn from(finding: &Finding) -> Cause {
        Cause {
            fingerprint: finding.fingerprint,
            property: finding.property,
            message: finding.message.clone(),
            locations: finding.locations.clone(),
            objects: finding.objects.clone(),
            schedule: finding.schedule.clone(),
            replay: finding.replay.clone(),
        }
    }
}

impl Site {
    /// A place and the part that it plays.
    pub fn new(role: impl Into<String>, location: Location) -> Self {
        Site { role: role.into(), location, event: None, thread: None }
    }

    /// The same site, with the event that happens there.
    pub fn at_event(mut self, event: i64) -> Self {
        self.event = Some(event);
        self
    }

    /// The same site, with the thread that is there.
    pub fn by_thread(mut self, thread: impl Into<String>) -> Self {
        self.thread = Some(thread.into());
        self
    }
}

impl From<ReadWitnessType> for u8 {
    fn from(form: ReadWitnessType) -> u8 {
        match form {
            ReadWitnessType::BeforeWriter => 1,
            ReadWitnessType::Overwritten => 2,
            ReadWitnessType::WithoutWriter => 3,
        }
    }
}

impl TryFrom<u8> for ReadWitnessType {
    type Error = String;

    fn try_from(number: u8) -> Result<Self, String> {
        match number {
            1 => Ok(ReadWitnessType::BeforeWriter),
            2 => Ok(ReadWitnessType::Overwritten),
            3 => Ok(ReadWitnessType::WithoutWriter),
            _ => Err(format!("type {number} of a nondeterministic read does not exist (1, 2, 3)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ObjectKind;
    use crate::reordering::Reordering;
    use crate::verdict::Budget;
    use serde_json::json;

    fn race() -> Finding {
        Finding::new(
            Property::Race,
            Verdict::Candidate,
            "two writes of head are not ordered",
            vec![
                Site::new("first access", Location::parse("queue.c:12")).at_event(4),
                Site::new("second access", Location::parse("347")).by_thread("T2"),
            ],
            vec![Object::new(ObjectKind::Variable, "head")],
        )
    }

    #[track_caller]
    fn check(finding: &Finding, expected: Value) {
        let json = serde_json::to_value(finding).unwrap();
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Finding>(json).unwrap(), *finding);
    }

    #[test]
    fn json_has_the_fields_side_by_side() {
        let finding = race();
        check(
            &finding,
            json!({
                "fingerprint": finding.fingerprint.to_string(),
                "property": "race",
                "verdict": "candidate",
                "message": "two writes of head are not ordered",
                "locations": [
                    {"role": "first access", "name": "queue.c:12", "file": "queue.c", "line": 12,
                     "event": 4},
                    {"role": "second access", "name": "347", "thread": "T2"}
                ],
                "events": [],
                "objects": [{"kind": "variable", "name": "head"}]
            }),
        );
    }

    #[test]
    fn an_unknown_verdict_names_its_budget() {
        let mut finding = race();
        finding.verdict = Verdict::Unknown(Budget::Steps);
        let json = serde_json::to_value(&finding).unwrap();
        assert_eq!((&json["verdict"], &json["budget"]), (&json!("unknown"), &json!("steps")));
        check(&finding, json);
    }

    #[test]
    fn the_type_of_a_nondeterministic_read_is_a_number() {
        for number in 1..=3 {
            let mut finding = race();
            finding.read_witness_type = Some(ReadWitnessType::try_from(number).unwrap());
            let json = serde_json::to_value(&finding).unwrap();
            assert_eq!(json["type"], number);
            check(&finding, json);
        }
        assert!(ReadWitnessType::try_from(0).is_err());
        assert!(ReadWitnessType::try_from(4).is_err());
    }

    #[test]
    fn fields_come_in_their_documented_order() {
        let mut finding = race();
        finding.witness = Some(Reordering::new([0, 1]).into());
        let text = serde_json::to_string(&finding).unwrap();
        let keys = ["fingerprint", "property", "verdict", "message", "locations", "witness"];
        let at: Vec<_> =
            keys.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
        assert!(at.is_sorted(), "{text}");
    }

    #[test]
    fn the_fingerprint_does_not_depend_on_events_threads_or_verdict() {
        let mut moved = race();
        moved.locations.reverse();
        moved.locations[0].event = Some(99);
        moved.locations[1].thread = Some("T9".to_owned());
        let again = Finding::new(
            moved.property,
            Verdict::Unknown(Budget::Time),
            "other words",
            moved.locations,
            moved.objects,
        );
        assert_eq!(again.fingerprint, race().fingerprint);
    }

    #[test]
    fn a_witnessed_finding_needs_its_witness() {
        let mut finding = race();
        assert!(!finding.lacks_witness());
        finding.verdict = Verdict::Witnessed;
        assert!(finding.lacks_witness());
        finding.witness = Some(Reordering::new([0]).into());
        assert!(!finding.lacks_witness());
    }

    #[test]
    fn fields_of_later_releases_are_ignored() {
        let mut json = serde_json::to_value(race()).unwrap();
        json["severity"] = json!({"level": [1, 2]});
        assert_eq!(serde_json::from_value::<Finding>(json).unwrap(), race());
    }
}
