//! Findings of Raddle as plain data: what was found, where, how sure we are, and how to see it.
//!
//! In: nothing; this crate knows no trace and runs no program.
//! Out: the types that analyses fill in, the referee judges and reports show, with their JSON
//! (`raddle.findings/1`) and the one-word text of a schedule (`rs1:…`).
//!
//! Event positions are plain integers: 0-based positions in the input trace. What a reader meets
//! is documented in `docs/src/formats/findings.md` and `docs/src/formats/schedule.md`.

mod address;
mod baseline;
mod choice;
mod failure;
mod finding;
mod fingerprint;
mod guarantee;
mod layout;
mod location;
mod number;
mod object;
mod program;
mod property;
mod reordering;
mod report;
mod schedule;
mod step;
mod story;
mod verdict;
mod witness;

pub use baseline::{Baseline, BaselineError, new_findings};
pub use choice::Choice;
pub use failure::{Failure, FailureKind};
pub use finding::{Cause, Finding, INITIAL_WRITE, ReadWitnessType, Site};
pub use fingerprint::{Fingerprint, FingerprintError};
pub use guarantee::{Coverage, Guarantee, Restriction};
pub use layout::write_json;
pub use location::Location;
pub use number::push_number;
pub use object::{Object, ObjectKind};
pub use program::{ProgramId, ProgramIdError};
pub use property::{Property, PropertyError};
pub use reordering::Reordering;
pub use report::{Input, Repair, Report, ReportError, SchemaVersion, Skipped, TIMING_KEY, Tool};
pub use schedule::{ProgramMismatch, Schedule, ScheduleError};
pub use step::{Action, Step};
pub use story::{Excerpt, Leaving, Source, Story, Switch};
pub use verdict::{Budget, Verdict};
pub use witness::Witness;

/// The JSON Schema (draft 2020-12) of a report, as shipped with this version.
pub const SCHEMA_JSON: &str = include_str!("../schema/raddle.findings-1.json");
