//! Reports: all that one invocation found, as JSON `raddle.findings/1`.
//!
//! In: findings and what belongs around them. Out: text that is byte for byte the same for the same
//! input, options and seed, once `timing` is dropped; and such text read back.
//!
//! Fields may be added within version 1, and readers ignore those that they do not know. Any other
//! change is a new version, which this release refuses by name.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use thiserror::Error;

use crate::finding::Finding;
use crate::layout;
use crate::location::Location;
use crate::property::Property;
use crate::story::Source;
use crate::verdict::Verdict;

/// The one key of a report that differs between equal invocations; comparisons drop it.
pub const TIMING_KEY: &str = "timing";

/// All that one invocation found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always `raddle.findings/1`.
    pub schema: SchemaVersion,
    /// The program that wrote the report.
    pub tool: Tool,
    /// The seed of all random choices, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// What was analysed.
    pub input: Input,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What was asked for and could not be analysed.
    #[serde(default)]
    pub skipped: Vec<Skipped>,
    /// What was changed in the trace to make it well-formed.
    #[serde(default)]
    pub repairs: Vec<Repair>,
    /// The lines of the sources that findings are about, as far as they are at hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Source>,
    /// Counts, under the name of the property or part that they belong to.
    #[serde(default)]
    pub stats: BTreeMap<String, Value>,
    /// Times and rates; all that may differ between equal invocations is here.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub timing: BTreeMap<String, Value>,
}

/// The version of the JSON that this release writes, and the only one that it reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaVersion;

/// The program that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What was analysed: a trace or a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The file or command, as it was given.
    pub name: String,
    /// The hash of the trace, the build-id or the hash of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

/// A property that was asked for and could not be analysed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skipped {
    /// The property.
    pub property: Property,
    /// Why not: what the input lacks.
    pub reason: String,
}

/// One change that made an ill-formed trace well-formed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Repair {
    /// The position of the event in the input, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// The line of the input file, counted from 1, where it has lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The rule of well-formed traces that was broken.
    pub rule: String,
    /// What was done about it.
    pub action: String,
}

/// The text is not a report that this release can read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// It is not JSON, or not of the documented form; the message has line and column.
    #[error("not a report: {0}")]
    Json(#[from] serde_json::Error),
    /// It is of a version that this release cannot read.
    #[error("schema `{found}` is not supported (this release reads `{}`)", SchemaVersion::NAME)]
    Schema {
        /// The schema that the text names.
        found: String,
    },
    /// A step of a story refers to something that is not there.
    #[error("the story of finding {index} refers to something that does not exist")]
    Story {
        /// Which finding of the list, counted from 0.
        index: usize,
    },
    /// A finding claims to be witnessed and shows no witness.
    #[error("finding {index} ({property}) is {verdict} but has no witness")]
    MissingWitness {
        /// Which finding of the list, counted from 0.
        index: usize,
        /// Its property.
        property: Property,
        /// Its verdict.
        verdict: Verdict,
    },
}

impl SchemaVersion {
    /// The name of this version, as it stands in the JSON.
    pub const NAME: &'static str = "raddle.findings/1";
}

impl Report {
    /// A report of this version of raddle, with nothing found yet.
    pub fn new(input: Input) -> Self {
        Report {
            schema: SchemaVersion,
            tool: Tool::default(),
            seed: None,
            input,
            findings: Vec::new(),
            skipped: Vec::new(),
            repairs: Vec::new(),
            sources: Vec::new(),
            stats: BTreeMap::new(),
            timing: BTreeMap::new(),
        }
    }

    /// Reads a report, and refuses other versions before looking at anything else.
    pub fn from_json(text: &str) -> Result<Self, ReportError> {
        #[derive(Deserialize)]
        struct Header {
            schema: String,
        }
        let Header { schema } = serde_json::from_str(text)?;
        if schema != SchemaVersion::NAME {
            return Err(ReportError::Schema { found: schema });
        }
        let report: Report = serde_json::from_str(text)?;
        let is_unsound = |finding: &Finding| finding.story.as_ref().is_some_and(|s| !s.is_sound());
        if let Some(index) = report.findings.iter().position(is_unsound) {
            return Err(ReportError::Story { index });
        }
        match report.findings.iter().enumerate().find(|(_, finding)| finding.lacks_witness()) {
            None => Ok(report),
            Some((index, &Finding { property, verdict, .. })) => {
                Err(ReportError::MissingWitness { index, property, verdict })
            }
        }
    }

    /// The report as JSON text, laid out for people, with a newline at the end.
    pub fn to_json(&self) -> String {
        layout::to_text(self).expect("a report has only text for keys")
    }

    /// A line of a source file, by its number from 1.
    pub fn line(&self, file: &str, number: u32) -> Option<&str> {
        self.sources.iter().find(|source| source.file == file)?.line(number)
    }

    /// Drops what may differ between equal invocations, for comparisons.
    pub fn without_timing(mut self) -> Self {
        self.timing.clear();
        self
    }

    /// Puts first what people should look at first: what was seen before what may be, what breaks the
    /// program before what may break it, and what is simple before what is not. Otherwise the order stays.
    pub fn rank(&mut self) {
        self.findings.sort_by_key(|finding| {
            let is_shown = finding.verdict.needs_witness();
            let n_steps = finding.story.as_ref().map_or(0, |story| story.steps.len());
            (!is_shown, finding.property.gravity(), finding.preemptions.unwrap_or(0), n_steps)
        });
    }

    /// Puts everything into an order that depends on nothing but the contents: findings by
    /// property, the surest first, then by location, object and event.
    pub fn sort(&mut self) {
        self.findings.sort_by(listing_order);
        self.skipped.sort();
        self.repairs.sort();
    }
}

/// What findings are listed by; the JSON decides between those that are equal in all of it.
fn listing_order(left: &Finding, right: &Finding) -> Ordering {
    fn places(finding: &Finding) -> impl Iterator<Item = &Location> {
        finding.locations.iter().map(|site| &site.location)
    }
    fn json(finding: &Finding) -> String {
        serde_json::to_string(finding).expect("a finding has only text for keys")
    }
    let kind = |finding: &Finding| (finding.property, finding.verdict.listing_order());
    kind(left)
        .cmp(&kind(right))
        .then_with(|| places(left).cmp(places(right)))
        .then_with(|| left.objects.cmp(&right.objects))
        .then_with(|| left.events.cmp(&right.events))
        .then_with(|| json(left).cmp(&json(right)))
}

impl Default for Tool {
    fn default() -> Self {
        Tool { name: "raddle".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
    }
}

impl Input {
    /// An input of which only the name is known.
    pub fn named(name: impl Into<String>) -> Self {
        Input { name: name.into(), identity: None }
    }
}

impl Serialize for SchemaVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(SchemaVersion::NAME)
    }
}

impl<'de> Deserialize<'de> for SchemaVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = String::deserialize(deserializer)?;
        if found == SchemaVersion::NAME {
            return Ok(SchemaVersion);
        }
        Err(de::Error::custom(ReportError::Schema { found }))
    }
}
