//! Conditions over the values of several globals at one moment.

use raddle_cfront::ir::{Binary, Kind, arithmetic};

use crate::ctp::GlobalId;
use crate::interval::{self, Interval};

/// An expression over globals; it holds if it is not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A number.
    Number(u64),
    /// The value of a global.
    Global(GlobalId),
    /// An operator on values of this kind.
    Binary(Binary, Kind, Box<Condition>, Box<Condition>),
}

impl Condition {
    /// An operator on two conditions.
    pub fn binary(op: Binary, kind: Kind, left: Condition, right: Condition) -> Condition {
        Condition::Binary(op, kind, Box::new(left), Box::new(right))
    }

    /// The globals it is about, ascending.
    pub fn globals(&self) -> Vec<GlobalId> {
        let mut found = match self {
            Condition::Number(_) => Vec::new(),
            Condition::Global(global) => vec![*global],
            Condition::Binary(_, _, left, right) => [left.globals(), right.globals()].concat(),
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Its value, if those of its globals are known; none after a division by zero.
    pub fn value(&self, of: &impl Fn(GlobalId) -> Option<u64>) -> Option<u64> {
        match self {
            Condition::Number(number) => Some(*number),
            Condition::Global(global) => of(*global),
            Condition::Binary(op, kind, left, right) => {
                arithmetic::binary(*op, *kind, left.value(of)?, right.value(of)?)
            }
        }
    }

    /// The values it can have, if its globals have any of theirs.
    pub fn interval(&self, of: &impl Fn(GlobalId) -> Interval) -> Interval {
        match self {
            Condition::Number(number) => Interval::one(*number as i64),
            Condition::Global(global) => of(*global),
            Condition::Binary(op, kind, left, right) => {
                interval::binary(*op, *kind, left.interval(of), right.interval(of)).values
            }
        }
    }
}
