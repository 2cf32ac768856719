//! Witnesses: the concrete interleaving that shows a finding.

use serde::{Deserialize, Serialize};

use crate::reordering::Reordering;
use crate::schedule::Schedule;

/// What shows a finding: observed events in another order, or a run of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Witness {
    /// Events of the input trace, in the order in which they happen in the witness.
    Reordering(Reordering),
    /// The choices that lead the program there.
    Schedule {
        /// The schedule to replay.
        schedule: Schedule,
    },
}

impl From<Reordering> for Witness {
    fn from(reordering: Reordering) -> Self {
        Witness::Reordering(reordering)
    }
}

impl From<Schedule> for Witness {
    fn from(schedule: Schedule) -> Self {
        Witness::Schedule { schedule }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(witness: impl Into<Witness>, expected: &str) {
        let witness = witness.into();
        assert_eq!(serde_json::to_string(&witness).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Witness>(expected).unwrap(), witness);
    }

    #[test]
    fn a_reordering_lists_positions() {
        check(Reordering::new([4, 0, 1]), r#"{"kind":"reordering","events":[4,0,1]}"#);
        check(
            Reordering::new([]).of_trace("51c0"),
            r#"{"kind":"reordering","events":[],"trace":"51c0"}"#,
        );
    }

    #[test]
    fn a_long_reordering_lists_spans() {
        check(
            Reordering::from_spans([0..5000, 7000..7001]),
            r#"{"kind":"reordering","spans":[[0,5000],[7000,7001]],"length":5001}"#,
        );
    }

    #[test]
    fn a_schedule_is_its_text() {
        check(
            "rs1:9f3ac2:0r5,1".parse::<Schedule>().unwrap(),
            r#"{"kind":"schedule","schedule":"rs1:9f3ac2:0r5,1"}"#,
        );
    }

    #[test]
    fn a_broken_schedule_is_refused_with_its_reason() {
        let json = r#"{"kind":"schedule","schedule":"rs2:9f3ac2:0"}"#;
        let error = serde_json::from_str::<Witness>(json).unwrap_err().to_string();
        assert!(error.contains("version 2"), "{error}");
    }
}
