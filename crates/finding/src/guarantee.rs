//! Guarantees: how much of what a program can do was seen, as data.
//!
//! A guarantee is a rung of a ladder and what restricts it. The ladder is the same for C programs, binaries and Rust
//! code: every execution, every execution with so many preemptions, the same under restrictions, sampled, nothing.
//! The word *proved* belongs to the first rung alone.

use serde::{Deserialize, Serialize};

/// How much of what a program can do was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guarantee {
    /// Which executions were seen.
    pub coverage: Coverage,
    /// What is left out of that, what restricts it most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restrictions: Vec<Restriction>,
}

/// Which executions were seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "executions", rename_all = "kebab-case")]
pub enum Coverage {
    /// All of them.
    Every,
    /// Those up to a bound.
    Bounded {
        /// What the bound counts: one of them, and more.
        unit: [String; 2],
        /// The bound.
        most: u32,
    },
    /// The first steps of all of them.
    FirstSteps {
        /// How many.
        steps: u32,
    },
    /// Some.
    Sampled {
        /// How many.
        n: u64,
    },
    /// None that counts.
    Nothing {
        /// Why not.
        why: String,
    },
}

/// What is left out of what was seen. The order is that of headlines.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Restriction {
    /// This is one of several parts of a search.
    Part {
        /// Which one.
        part: u32,
        /// Of how many.
        n: u32,
    },
    /// Threads are not interrupted at accesses that may race.
    Races {
        /// Why not.
        why: String,
    },
    /// Inputs are drawn from a set.
    Inputs {
        /// The set, the one that is drawn first in front.
        values: String,
    },
    /// A loop is taken for endless, and for one in which it makes no difference how often it has repeated.
    Endless {
        /// Where it is.
        place: String,
        /// How many operations a thread did there alone.
        operations: u64,
    },
    /// What is done with some pointers is not seen.
    Pointers {
        /// Where they were given out.
        places: Vec<String>,
    },
    /// Some accesses may be ordered by code that is not seen.
    Doubts {
        /// How many pairs of them there are.
        pairs: u64,
    },
    /// Waits on conditions end only if they are signalled or run out.
    WakeUps,
}

impl Guarantee {
    /// A guarantee with its restrictions in order.
    pub fn new(coverage: Coverage, mut restrictions: Vec<Restriction>) -> Guarantee {
        restrictions.sort();
        Guarantee { coverage, restrictions }
    }

    /// Whether every execution was seen, without restriction.
    pub fn is_proof(&self) -> bool {
        self.coverage == Coverage::Every && self.restrictions.is_empty()
    }

    /// One sentence: the rung, and what restricts it most. `is_clean` is whether nothing was found.
    pub fn headline(&self, is_clean: bool) -> String {
        let which = match &self.coverage {
            Coverage::Nothing { why } => return format!("nothing was checked: {why}"),
            Coverage::Sampled { n: 1 } => {
                return "nothing is covered: 1 execution was tried".into();
            }
            Coverage::Sampled { n } => {
                return format!("nothing is covered: {} executions were tried", thousands(*n));
            }
            Coverage::Every => String::new(),
            Coverage::Bounded { unit: [_, many], most: 0 } => format!(" without {many}"),
            Coverage::Bounded { unit: [one, many], most } => {
                format!(" with at most {most} {}", if *most == 1 { one } else { many })
            }
            Coverage::FirstSteps { steps } => format!(" in its first {steps} steps"),
        };
        let only =
            self.restrictions.first().map_or(String::new(), |it| format!(", {}", it.phrase()));
        match is_clean {
            true if self.is_proof() => "proved: no execution fails".to_owned(),
            true => format!("no execution{which} fails{only}"),
            false => format!(
                "covered: every execution{which}{only}; they show nothing but the findings above"
            ),
        }
    }

    /// The other restrictions, a sentence each.
    pub fn others(&self) -> impl Iterator<Item = String> + '_ {
        self.restrictions.iter().skip(1).map(|restriction| format!("only {}", restriction.phrase()))
    }
}

impl Restriction {
    /// What it restricts a claim to.
    pub fn phrase(&self) -> String {
        match self {
            Restriction::Part { part, n } => {
                format!("within part {part} of {n}: it holds in general if it holds for all parts")
            }
            Restriction::Races { why } => format!("if there are no data races: {why}"),
            Restriction::Inputs { values } => format!("for inputs among {values}"),
            Restriction::Endless { place, operations } => {
                let n = thousands(*operations);
                format!(
                    "if the loop at {place} is endless and each round does the same: a thread was alone in it for \
                     {n} operations"
                )
            }
            Restriction::Pointers { places } => {
                format!("if accesses through the pointers from {} do not race", places.join(", "))
            }
            Restriction::Doubts { pairs: 1 } => {
                "if code that is not instrumented orders 1 pair of accesses".to_owned()
            }
            Restriction::Doubts { pairs } => {
                format!("if code that is not instrumented orders {pairs} pairs of accesses")
            }
            Restriction::WakeUps => "if no wait ends spuriously".to_owned(),
        }
    }
}

/// A number with commas.
fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(coverage: Coverage, restrictions: &[Restriction], expected: &str) {
        let guarantee = Guarantee::new(coverage, restrictions.to_vec());
        assert_eq!(guarantee.headline(true), expected);
        assert_eq!(expected.starts_with("proved"), guarantee.is_proof());
        let text = serde_json::to_string(&guarantee).unwrap();
        assert_eq!(serde_json::from_str::<Guarantee>(&text).unwrap(), guarantee);
    }

    fn bounded(most: u32) -> Coverage {
        Coverage::Bounded { unit: ["preemption", "preemptions"].map(str::to_owned), most }
    }

    #[test]
    fn only_every_execution_is_a_proof() {
        let inputs = Restriction::Inputs { values: "0, 1".to_owned() };
        check(Coverage::Every, &[], "proved: no execution fails");
        check(
            Coverage::Every,
            &[Restriction::WakeUps],
            "no execution fails, if no wait ends spuriously",
        );
        check(bounded(0), &[], "no execution without preemptions fails");
        check(bounded(1), &[], "no execution with at most 1 preemption fails");
        check(
            bounded(2),
            &[Restriction::WakeUps, inputs],
            "no execution with at most 2 preemptions fails, for inputs among 0, 1",
        );
        check(
            Coverage::Sampled { n: 1234 },
            &[],
            "nothing is covered: 1,234 executions were tried",
        );
        let why = "every execution ended in a false assumption".to_owned();
        check(
            Coverage::Nothing { why },
            &[],
            "nothing was checked: every execution ended in a false assumption",
        );
    }
}
