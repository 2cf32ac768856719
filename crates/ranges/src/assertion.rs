//! Assertions about variables: `X + Y <= 5` must hold after every write to one of them, also before
//! other threads exist, and at the start if nothing is written then.
//!
//! In: a text and a trace program. Out: whether intervals prove it, and else the questions that are
//! left. Values are taken as they are in the variables; arithmetic is that of 64 bits.

mod parse;

use raddle_cfront::ir::Kind;

use crate::condition::Condition;
use crate::ctp::{Ctp, GlobalId, StateId};
use crate::feasible::Query;
use crate::propagate::Ranges;

pub use self::parse::Term;

/// A condition on shared variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    /// The text.
    pub text: String,
    /// What it says.
    pub term: Term,
}

/// A text is no assertion.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{text}` is not an assertion from character {} on: write it like `Y <= 5` or `X + Y < 2 * Z`",
    offset + 1
)]
pub struct AssertionError {
    /// The text.
    pub text: String,
    /// Where it stops being one, in bytes.
    pub offset: usize,
}

impl std::str::FromStr for Assertion {
    type Err = AssertionError;

    fn from_str(text: &str) -> Result<Assertion, AssertionError> {
        let bad = |offset| AssertionError { text: text.to_owned(), offset };
        let term = parse::parse(text).map_err(bad)?;
        // A lone variable is rather half of a comparison.
        match term {
            Term::Binary(..) => Ok(Assertion { text: text.to_owned(), term }),
            _ => Err(bad(text.len())),
        }
    }
}

/// What intervals say about an assertion.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It holds in every interleaving.
    Holds,
    /// It does not hold at some time before other threads exist.
    FailsAtStart,
    /// These writes may break it.
    Open(Vec<Query>),
}

impl Assertion {
    /// The names of the variables it is about.
    pub fn names(&self) -> Vec<String> {
        fn collect(term: &Term, names: &mut Vec<String>) {
            match term {
                Term::Number(_) => {}
                Term::Name(name) => names.push(name.clone()),
                Term::Binary(_, left, right) => {
                    collect(left, names);
                    collect(right, names);
                }
            }
        }
        let mut names = Vec::new();
        collect(&self.term, &mut names);
        names
    }

    /// The assertion about the globals of a CTP, or a name that it does not have.
    pub fn condition(&self, ctp: &Ctp) -> Result<Condition, String> {
        let kind = kind(ctp, &self.term);
        condition(ctp, kind, &self.term)
    }
}

/// What intervals say about a condition that must hold after every write, and which questions are
/// left.
pub fn claim(condition: &Condition, ctp: &Ctp, ranges: &Ranges) -> Claim {
    let initial = |global: GlobalId| ctp.globals[global.0 as usize].initial;
    let at_start = condition.value(&initial);
    let globals = condition.globals();
    if at_start == Some(0) || fails_in_the_beginning(condition, &globals, ctp) {
        return Claim::FailsAtStart;
    }
    let hulls: Vec<_> = globals.iter().map(|&global| ranges.hull(ctp, global)).collect();
    let hull = |global: GlobalId| {
        let index = globals.binary_search(&global).expect("it is one of the condition");
        hulls[index]
    };
    let open = |id: &StateId| {
        let Some((written, _)) = ctp.step(*id).action.written() else { return false };
        let Some(here) = ranges.written[id.0 as usize] else { return false };
        let of = |global| if global == written { here } else { hull(global) };
        globals.contains(&written) && condition.interval(&of).contains(0)
    };
    let open: Vec<_> = ctp.state_ids().filter(open).collect();
    if open.is_empty() && at_start.is_some() {
        return Claim::Holds;
    }
    let query = |id| Query::Breaks(id, condition.clone());
    Claim::Open(open.into_iter().map(query).collect())
}

/// Whether a write that happens before the first step breaks a condition.
fn fails_in_the_beginning(condition: &Condition, globals: &[GlobalId], ctp: &Ctp) -> bool {
    let mut values: Vec<_> = ctp.globals.iter().map(|global| global.initial).collect();
    for begun in ctp.beginning.iter().rev() {
        values[begun.global.0 as usize] = begun.before;
    }
    ctp.beginning.iter().any(|begun| {
        values[begun.global.0 as usize] = Some(begun.value);
        let value = condition.value(&|global: GlobalId| values[global.0 as usize]);
        globals.contains(&begun.global) && value == Some(0)
    })
}

/// Numbers of 64 bits without a sign are compared as such.
fn kind(ctp: &Ctp, term: &Term) -> Kind {
    match term {
        Term::Number(_) => Kind::I64,
        Term::Name(name) => {
            let kind = ctp.global(name).map(|global| ctp.globals[global.0 as usize].kind);
            kind.filter(|kind| kind.size() == 8 && !kind.is_signed())
                .map_or(Kind::I64, |_| Kind::U64)
        }
        Term::Binary(_, left, right) => match kind(ctp, left) {
            Kind::U64 => Kind::U64,
            _ => kind(ctp, right),
        },
    }
}

fn condition(ctp: &Ctp, kind: Kind, term: &Term) -> Result<Condition, String> {
    Ok(match term {
        Term::Number(number) => Condition::Number(*number as u64),
        Term::Name(name) => Condition::Global(ctp.global(name).ok_or_else(|| name.clone())?),
        Term::Binary(op, left, right) => {
            let (left, right) = (condition(ctp, kind, left)?, condition(ctp, kind, right)?);
            Condition::binary(*op, kind, left, right)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The term with all parentheses.
    fn show(term: &Term) -> String {
        match term {
            Term::Number(number) => number.to_string(),
            Term::Name(name) => name.clone(),
            Term::Binary(op, left, right) => format!("({op:?} {} {})", show(left), show(right)),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = text.parse::<Assertion>();
        let found = found.map_or_else(|e| format!("at {}", e.offset), |a| show(&a.term));
        assert_eq!(found, expected);
    }

    #[test]
    fn comparisons_are_read() {
        check("Y <= 5", "(LessEqual Y 5)");
        check("a[1].b>-3", "(Greater a[1].b -3)");
        check("x != 0", "(NotEqual x 0)");
        check("p->n < *q", "(Less p->n *q)");
    }

    #[test]
    fn operators_bind_as_in_c() {
        check("X + Y <= 5", "(LessEqual (Add X Y) 5)");
        check("X - Y - 2*Z == 0", "(Equal (Subtract (Subtract X Y) (Multiply 2 Z)) 0)");
        check("-(X + 1) > 2", "(Greater (Subtract 0 (Add X 1)) 2)");
        let left = "(NotEqual (Less X 1) 0)";
        check("X < 1 || !Y", &format!("(Or {left} (NotEqual (Equal Y 0) 0))"));
    }

    #[test]
    fn other_texts_are_refused() {
        check("Y", "at 1");
        check("Y <= ", "at 5");
        check("Y <= 5 Z", "at 7");
        check("<= 5", "at 0");
        check("(X < 5", "at 6");
        check("X < 99999999999999999999", "at 4");
        check(&"(".repeat(5000), "at 100");
    }
}
