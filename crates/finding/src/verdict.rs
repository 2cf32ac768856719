//! The verdict ladder: how much is known about a finding.
//!
//! ```text
//!                        replayed                 the program did it
//!                           |
//!                       witnessed                 the referee accepted a reordering or a schedule
//!                           |
//!                 not-ruled-out-by-both           locks and ordering together leave it possible
//!                    /             \
//!  not-ruled-out-by-locks   not-ruled-out-by-ordering
//!       (lockset analysis)     (must-happen-before)
//!                    \             /
//!                       candidate                 the accesses look like it; nothing was checked
//! ```
//!
//! Higher is surer. The two middle rungs are incomparable: each checked what the other did not.
//! Passing both separately is still less than `not-ruled-out-by-both`, which asks the two kinds of
//! constraints in one graph (the universal causality graph, "UCG"): a cycle may need edges of both.
//!
//! `unknown` stands beside the ladder and compares with nothing: a budget ran out before an answer.
//! There is no verdict for what turned out infeasible; that is not a finding.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How much is known about a finding; `>=` follows the ladder and is partial.
///
/// In JSON a verdict is the field `verdict` of the finding, with `budget` beside it for `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "budget", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// The events have the right shape; nothing else was checked.
    Candidate,
    /// Locks alone leave it possible (lockset analysis, "lsa").
    NotRuledOutByLocks,
    /// Program order, fork/join and wait/notify alone leave it possible (must-happen-before, "mhb").
    NotRuledOutByOrdering,
    /// Locks and ordering in one graph leave it possible (universal causality graph, "ucg").
    NotRuledOutByBoth,
    /// The referee accepted a reordering or a schedule that shows it.
    Witnessed,
    /// The program was run and did it.
    Replayed,
    /// The named budget ran out before there was an answer.
    Unknown(Budget),
}

/// What ran out when a verdict is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Budget {
    /// Wall-clock or processor time.
    Time,
    /// Memory.
    Memory,
    /// Decisions of a search or a solver.
    Steps,
    /// Executions of the program.
    Runs,
}

impl Verdict {
    /// The rungs of the ladder, weakest first; `unknown` is not one of them.
    pub const LADDER: [Verdict; 6] = [
        Verdict::Candidate,
        Verdict::NotRuledOutByLocks,
        Verdict::NotRuledOutByOrdering,
        Verdict::NotRuledOutByBoth,
        Verdict::Witnessed,
        Verdict::Replayed,
    ];

    /// The name used in JSON and in text.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Candidate => "candidate",
            Verdict::NotRuledOutByLocks => "not-ruled-out-by-locks",
            Verdict::NotRuledOutByOrdering => "not-ruled-out-by-ordering",
            Verdict::NotRuledOutByBoth => "not-ruled-out-by-both",
            Verdict::Witnessed => "witnessed",
            Verdict::Replayed => "replayed",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Whether a finding with this verdict must carry a witness.
    pub fn needs_witness(self) -> bool {
        self >= Verdict::Witnessed
    }

    /// A total order for listing: surest first, unknown last.
    pub(crate) const fn listing_order(self) -> u8 {
        match self {
            Verdict::Replayed => 0,
            Verdict::Witnessed => 1,
            Verdict::NotRuledOutByBoth => 2,
            Verdict::NotRuledOutByOrdering => 3,
            Verdict::NotRuledOutByLocks => 4,
            Verdict::Candidate => 5,
            Verdict::Unknown(_) => 6,
        }
    }

    /// The height on the ladder; incomparable rungs share one.
    const fn height(self) -> Option<u8> {
        match self {
            Verdict::Candidate => Some(0),
            Verdict::NotRuledOutByLocks | Verdict::NotRuledOutByOrdering => Some(1),
            Verdict::NotRuledOutByBoth => Some(2),
            Verdict::Witnessed => Some(3),
            Verdict::Replayed => Some(4),
            Verdict::Unknown(_) => None,
        }
    }
}

impl PartialOrd for Verdict {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        self.height()?.partial_cmp(&other.height()?).filter(|order| order.is_ne())
    }
}

impl Budget {
    /// The name used in JSON and in text.
    pub const fn name(self) -> &'static str {
        match self {
            Budget::Time => "time",
            Budget::Memory => "memory",
            Budget::Steps => "steps",
            Budget::Runs => "runs",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Unknown(budget) => write!(f, "unknown (out of {budget})"),
            rung => f.pad(rung.name()),
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::*;
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(left: Verdict, right: Verdict, expected: Option<Ordering>) {
        assert_eq!(left.partial_cmp(&right), expected);
        assert_eq!(right.partial_cmp(&left), expected.map(Ordering::reverse));
    }

    #[test]
    fn each_rung_is_above_the_candidates_and_below_replayed() {
        for rung in [NotRuledOutByLocks, NotRuledOutByOrdering, NotRuledOutByBoth, Witnessed] {
            check(Candidate, rung, Some(Ordering::Less));
            check(rung, Replayed, Some(Ordering::Less));
        }
    }

    #[test]
    fn locks_and_ordering_are_incomparable_and_below_both() {
        check(NotRuledOutByLocks, NotRuledOutByOrdering, None);
        check(NotRuledOutByLocks, NotRuledOutByBoth, Some(Ordering::Less));
        check(NotRuledOutByOrdering, NotRuledOutByBoth, Some(Ordering::Less));
        check(NotRuledOutByBoth, Witnessed, Some(Ordering::Less));
    }

    #[test]
    fn unknown_compares_only_with_itself() {
        for rung in Verdict::LADDER {
            check(Unknown(Budget::Time), rung, None);
        }
        check(Unknown(Budget::Time), Unknown(Budget::Steps), None);
        check(Unknown(Budget::Time), Unknown(Budget::Time), Some(Ordering::Equal));
    }

    #[test]
    fn only_witnessed_and_replayed_need_a_witness() {
        let needing: Vec<_> = Verdict::LADDER.into_iter().filter(|v| v.needs_witness()).collect();
        assert_eq!(needing, [Witnessed, Replayed]);
        assert!(!Unknown(Budget::Runs).needs_witness());
    }

    #[test]
    fn json_names_are_the_displayed_names() {
        for rung in Verdict::LADDER {
            assert_eq!(serde_json::to_value(rung).unwrap(), json!({"verdict": rung.to_string()}));
        }
        for budget in [Budget::Time, Budget::Memory, Budget::Steps, Budget::Runs] {
            assert_eq!(
                serde_json::to_value(Unknown(budget)).unwrap(),
                json!({"verdict": "unknown", "budget": budget.to_string()})
            );
        }
    }

    #[test]
    fn listing_puts_the_surest_first_without_ties() {
        let order: Vec<_> = Verdict::LADDER.iter().rev().map(|v| v.listing_order()).collect();
        assert_eq!(order, [0, 1, 2, 3, 4, 5]);
    }
}
