//! Assertions about shared variables: `Y <= 5` must hold from the start and after every write.

use raddle_cfront::ir::Binary;

use crate::ctp::{Ctp, GlobalId, StateId};
use crate::feasible::Query;
use crate::interval::{self, Interval};
use crate::propagate::Ranges;

/// A comparison of a shared variable with a number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// The text.
    pub text: String,
    /// The name of the variable.
    pub variable: String,
    /// The comparison.
    pub op: Binary,
    /// The number.
    pub number: i64,
}

/// A text is no assertion.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no assertion: one looks like `Y <= 5`")]
pub struct AssertionError {
    /// The text.
    pub text: String,
}

impl std::str::FromStr for Assertion {
    type Err = AssertionError;

    fn from_str(text: &str) -> Result<Assertion, AssertionError> {
        const OPERATORS: [(&str, Binary); 6] = [
            ("<=", Binary::LessEqual),
            (">=", Binary::GreaterEqual),
            ("==", Binary::Equal),
            ("!=", Binary::NotEqual),
            ("<", Binary::Less),
            (">", Binary::Greater),
        ];
        let bad = || AssertionError { text: text.to_owned() };
        let split = |&(sign, op): &(&str, Binary)| {
            text.split_once(sign).map(|(left, right)| (left.trim(), op, right.trim()))
        };
        let (variable, op, number) = OPERATORS.iter().find_map(split).ok_or_else(bad)?;
        let number = number.parse().map_err(|_| bad())?;
        let is_name = |c: char| c.is_alphanumeric() || "_.[]->*()".contains(c);
        if variable.is_empty() || !variable.chars().all(is_name) {
            return Err(bad());
        }
        Ok(Assertion { text: text.to_owned(), variable: variable.to_owned(), op, number })
    }
}

/// What intervals say about an assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It holds in every interleaving.
    Holds,
    /// It does not hold before the first step.
    FailsAtStart,
    /// These writes may break it.
    Open(Vec<Query>),
}

impl Assertion {
    /// What intervals say about it, and which questions are left.
    pub fn claim(&self, ctp: &Ctp, global: GlobalId, ranges: &Ranges) -> Claim {
        let known = &ctp.globals[global.0 as usize];
        let number = Interval::one(self.number);
        let holds = |values: Interval| {
            interval::binary(self.op, known.kind, values, number).values == Interval::one(1)
        };
        let never = |values: Interval| {
            interval::binary(self.op, known.kind, values, number).values == Interval::one(0)
        };
        if known.initial.is_some_and(|value| never(Interval::one(value as i64))) {
            return Claim::FailsAtStart;
        }
        let writes = |id: &StateId| {
            let written = ctp.step(*id).action.written();
            let values = ranges.written[id.0 as usize];
            written.is_some_and(|(g, _)| g == global) && values.is_some_and(|values| !holds(values))
        };
        let open: Vec<_> = ctp.state_ids().filter(writes).collect();
        if open.is_empty() && known.initial.is_some() {
            return Claim::Holds;
        }
        let (op, kind, number) = (negated(self.op), known.kind, self.number as u64);
        Claim::Open(open.into_iter().map(|id| Query::Writes(id, op, kind, number)).collect())
    }
}

fn negated(op: Binary) -> Binary {
    match op {
        Binary::LessEqual => Binary::Greater,
        Binary::GreaterEqual => Binary::Less,
        Binary::Less => Binary::GreaterEqual,
        Binary::Greater => Binary::LessEqual,
        Binary::Equal => Binary::NotEqual,
        _ => Binary::Equal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, Binary, i64)>) {
        let found = text.parse::<Assertion>().ok();
        let found = found.as_ref().map(|a| (&a.variable[..], a.op, a.number));
        assert_eq!(found, expected);
    }

    #[test]
    fn comparisons_are_read() {
        check("Y <= 5", Some(("Y", Binary::LessEqual, 5)));
        check("a[1].b>-3", Some(("a[1].b", Binary::Greater, -3)));
        check("x != 0", Some(("x", Binary::NotEqual, 0)));
    }

    #[test]
    fn other_texts_are_refused() {
        check("Y", None);
        check("Y <= ", None);
        check("X + Y <= 5", None);
        check("<= 5", None);
    }
}
