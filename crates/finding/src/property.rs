//! Properties: the kinds of misbehaviour that a finding can be about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Property {
    /// Two unordered accesses to one variable, at least one of them a write.
    Race,
    /// A transaction whose effect no serial execution has, because another thread got in between.
    Atomicity,
    /// Threads that wait for each other in a cycle.
    Deadlock,
    /// Threads that go on for ever without getting anywhere.
    Livelock,
    /// A wait that sleeps forever because its notification came first.
    LostWakeup,
    /// A read that can see different writes under different schedules.
    Determinism,
    /// An assertion of the program that fails.
    Assertion,
    /// An execution that ends in a signal, an abort or undefined behaviour.
    Crash,
    /// Parallel code with an outcome that its nondeterministic sequential specification excludes.
    Serializability,
    /// A variable that leaves the interval it was required to stay in.
    Range,
}

/// The text is not the name of a property.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown property `{found}` (expected one of: {})", Property::names())]
pub struct PropertyError {
    /// The text that was given.
    pub found: String,
}

impl Property {
    /// Every property, in the order in which reports list them.
    pub const ALL: [Property; 10] = [
        Property::Race,
        Property::Atomicity,
        Property::Deadlock,
        Property::Livelock,
        Property::LostWakeup,
        Property::Determinism,
        Property::Assertion,
        Property::Crash,
        Property::Serializability,
        Property::Range,
    ];

    /// The name used in JSON, in options and in text.
    pub const fn name(self) -> &'static str {
        match self {
            Property::Race => "race",
            Property::Atomicity => "atomicity",
            Property::Deadlock => "deadlock",
            Property::Livelock => "livelock",
            Property::LostWakeup => "lost-wakeup",
            Property::Determinism => "determinism",
            Property::Assertion => "assertion",
            Property::Crash => "crash",
            Property::Serializability => "serializability",
            Property::Range => "range",
        }
    }

    /// One of its findings, in a sentence: `no {noun}`.
    pub const fn noun(self) -> &'static str {
        match self {
            Property::Atomicity => "atomicity violation",
            Property::LostWakeup => "lost wake-up",
            Property::Determinism => "nondeterministic read",
            Property::Assertion => "failed assertion",
            Property::Serializability => "result that no sequential execution has",
            Property::Range => "value out of range",
            Property::Race | Property::Deadlock | Property::Livelock | Property::Crash => {
                self.name()
            }
        }
    }

    /// Several of its findings: `{plural} were not checked`.
    pub const fn plural(self) -> &'static str {
        match self {
            Property::Race => "races",
            Property::Atomicity => "atomicity violations",
            Property::Deadlock => "deadlocks",
            Property::Livelock => "livelocks",
            Property::LostWakeup => "lost wake-ups",
            Property::Determinism => "nondeterministic reads",
            Property::Assertion => "assertions",
            Property::Crash => "crashes",
            Property::Serializability => "results of sequential executions",
            Property::Range => "ranges of values",
        }
    }

    /// What breaks a program comes before what may break it.
    pub(crate) const fn gravity(self) -> u8 {
        match self {
            Property::Crash => 0,
            Property::Assertion => 1,
            Property::Deadlock => 2,
            Property::Livelock => 3,
            Property::LostWakeup => 4,
            Property::Serializability => 5,
            Property::Atomicity => 6,
            Property::Race => 7,
            Property::Range => 8,
            Property::Determinism => 9,
        }
    }

    fn names() -> String {
        Property::ALL.map(Property::name).join(", ")
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Property {
    type Err = PropertyError;

    fn from_str(text: &str) -> Result<Self, PropertyError> {
        Property::ALL
            .into_iter()
            .find(|property| property.name() == text)
            .ok_or_else(|| PropertyError { found: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_display_and_parse_agree_on_every_name() {
        for property in Property::ALL {
            let json = serde_json::to_value(property).unwrap();
            assert_eq!(json, property.to_string());
            assert_eq!(serde_json::from_value::<Property>(json).unwrap(), property);
            assert_eq!(property.name().parse(), Ok(property));
        }
    }

    #[test]
    fn reports_list_properties_in_declaration_order() {
        assert!(Property::ALL.is_sorted());
    }

    #[test]
    fn a_near_miss_is_refused_with_the_names_that_exist() {
        let error = "Race".parse::<Property>().unwrap_err().to_string();
        assert!(error.starts_with("unknown property `Race` (expected one of: race, atomicity,"));
    }
}
