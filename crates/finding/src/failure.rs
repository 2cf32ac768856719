//! Failures: what went wrong in a run, and where.
//!
//! In: what an engine saw. Out: the one description of it that searches compare, checkpoints keep and findings are
//! made of.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::finding::Site;
use crate::location::Location;
use crate::property::Property;

/// What went wrong in a run. Failures of one kind at the same places are one finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// Where it is, in an order that does not depend on the run; saved by their names.
    #[serde(with = "names")]
    pub places: Vec<Location>,
    /// One sentence for people.
    pub message: String,
    /// Whether it is a race by the release sequences of C++20 only: those of C11 and C++17 order the accesses.
    pub ordered_by_c11: bool,
}

/// What is said of such a race, behind that nothing orders the accesses.
const ORDERED_BY_C11: &str = " by C++20: by C11 and C++17, a release sequence does";

/// Kinds of failures.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FailureKind {
    /// Two accesses that nothing orders.
    Race,
    /// Threads are left, and none can continue.
    Deadlock,
    /// Threads run forever without progress.
    Livelock,
    /// The program waits for something outside that never comes.
    Hang,
    /// An assertion of the program does not hold.
    Assertion,
    /// A Rust thread panics.
    Panic,
    /// Something that is counted is never dropped.
    Leak,
    /// The program ends with another exit status than the expected one.
    ExitStatus,
    /// The program writes something else than in its first run.
    Output,
    /// Memory is accessed after its lifetime.
    UseAfterFree,
    /// Something is freed that is not allocated.
    InvalidFree,
    /// A function of the library is called in a way that its specification forbids.
    Misuse,
    /// The program aborts.
    Abort,
    /// The program ends by a signal, or does something that has no meaning.
    #[default]
    Crash,
    /// The engine cannot do what the program needs.
    Unsupported,
}

impl Failure {
    /// A failure at some places.
    pub fn new(
        kind: FailureKind,
        places: impl IntoIterator<Item = Location>,
        message: impl Into<String>,
    ) -> Failure {
        let places = places.into_iter().collect();
        Failure { kind, places, message: message.into(), ordered_by_c11: false }
    }

    /// A race, of which a message ends in that nothing orders the accesses.
    pub fn race(
        places: impl IntoIterator<Item = Location>,
        message: impl Into<String>,
        ordered_by_c11: bool,
    ) -> Failure {
        let race = Failure { ordered_by_c11, ..Failure::new(FailureKind::Race, places, "") };
        Failure { message: race.in_full(message), ..race }
    }

    /// What is to be said of it, with which release sequences make it a race, if not all do.
    pub fn in_full(&self, message: impl Into<String>) -> String {
        let mut message = message.into();
        message.push_str(if self.ordered_by_c11 { ORDERED_BY_C11 } else { "" });
        message
    }

    /// Whether two are the same finding, though not all runs that show the one need show the other.
    pub fn is_one_with(&self, other: &Failure) -> bool {
        self.kind == other.kind && self.places == other.places
    }

    /// Whether a run that shows the other one shows this one.
    pub fn is_same(&self, other: &Failure) -> bool {
        self.is_one_with(other) && self.ordered_by_c11 == other.ordered_by_c11
    }

    /// The same, for runs that differ in their points: which place of its loop a spinning thread is at depends on them.
    pub fn is_same_but_for_points(&self, other: &Failure) -> bool {
        let is_livelock = self.kind == FailureKind::Livelock && other.kind == self.kind;
        is_livelock || self.is_same(other)
    }

    /// Its places, as parts of a finding.
    pub fn sites(&self) -> Vec<Site> {
        let site = |place: &Location| Site::new(self.kind.name(), place.clone());
        self.places.iter().map(site).collect()
    }
}

impl FailureKind {
    /// The name used in JSON and in text.
    pub const fn name(self) -> &'static str {
        match self {
            FailureKind::Race => "race",
            FailureKind::Deadlock => "deadlock",
            FailureKind::Livelock => "livelock",
            FailureKind::Hang => "hang",
            FailureKind::Assertion => "assertion",
            FailureKind::Panic => "panic",
            FailureKind::Leak => "leak",
            FailureKind::ExitStatus => "exit-status",
            FailureKind::Output => "output",
            FailureKind::UseAfterFree => "use-after-free",
            FailureKind::InvalidFree => "invalid-free",
            FailureKind::Misuse => "misuse",
            FailureKind::Abort => "abort",
            FailureKind::Crash => "crash",
            FailureKind::Unsupported => "unsupported",
        }
    }

    /// What a finding of this kind is about.
    pub const fn property(self) -> Property {
        match self {
            FailureKind::Race => Property::Race,
            FailureKind::Deadlock | FailureKind::Hang => Property::Deadlock,
            FailureKind::Livelock => Property::Livelock,
            FailureKind::Assertion | FailureKind::ExitStatus => Property::Assertion,
            FailureKind::Output => Property::Determinism,
            FailureKind::Panic
            | FailureKind::Leak
            | FailureKind::UseAfterFree
            | FailureKind::InvalidFree
            | FailureKind::Misuse
            | FailureKind::Abort
            | FailureKind::Crash
            | FailureKind::Unsupported => Property::Crash,
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Places as their names, which say all that is known of them.
mod names {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::location::Location;

    pub(super) fn serialize<S: Serializer>(places: &[Location], to: S) -> Result<S::Ok, S::Error> {
        places.iter().map(|place| &place.name).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Location>, D::Error> {
        let names = Vec::<String>::deserialize(from)?;
        Ok(names.into_iter().map(Location::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_back() {
        let places = [Location::at("a.c", 3, 7), Location::source("b.rs", 2), "status 3".into()];
        let one = Failure::new(FailureKind::Hang, places, "it hangs");
        let json = serde_json::to_string(&one).unwrap();
        assert_eq!(serde_json::from_str::<Failure>(&json).unwrap(), one);
    }

    fn failure(kind: FailureKind, places: &[&str]) -> Failure {
        Failure::new(kind, places.iter().map(|&place| place.into()), "")
    }

    #[test]
    fn json_and_display_agree_on_names() {
        use FailureKind as K;
        for kind in [K::Race, K::ExitStatus, K::UseAfterFree, K::InvalidFree, K::Unsupported] {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
        }
    }

    #[test]
    fn kind_and_places_make_a_finding() {
        let one = failure(FailureKind::Crash, &["a.c:1"]);
        assert!(one.is_same(&Failure { message: "other words".to_owned(), ..one.clone() }));
        assert!(!one.is_same(&failure(FailureKind::Crash, &["a.c:2"])));
        assert!(!one.is_same(&failure(FailureKind::Abort, &["a.c:1"])));
    }

    #[test]
    fn only_livelocks_may_move() {
        let at = |kind, place| failure(kind, &[place]);
        let moves = |kind| at(kind, "a.c:1").is_same_but_for_points(&at(kind, "a.c:2"));
        assert!(moves(FailureKind::Livelock));
        assert!(!moves(FailureKind::Deadlock));
    }
}
