//! Choices: the decisions that a scheduler takes, one at a time.

use std::fmt;

/// One scheduling decision; its text is the item that a schedule's text has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Choice {
    /// This thread takes the next step: `3`.
    Thread(u32),
    /// Of the threads that wait, the one with this number is woken: `w3`.
    Waiter(u32),
    /// A timed wait runs out (`t+`) or does not (`t-`).
    Timeout(bool),
    /// A wait wakes up without a notification (`s+`) or does not (`s-`).
    Spurious(bool),
    /// A nondeterministic value: `v42`, `v-7`.
    Value(i64),
    /// A nondeterministic condition holds (`b+`) or does not (`b-`).
    Branch(bool),
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |yes| if yes { '+' } else { '-' };
        match *self {
            Choice::Thread(thread) => write!(f, "{thread}"),
            Choice::Waiter(waiter) => write!(f, "w{waiter}"),
            Choice::Timeout(yes) => write!(f, "t{}", sign(yes)),
            Choice::Spurious(yes) => write!(f, "s{}", sign(yes)),
            Choice::Value(value) => write!(f, "v{value}"),
            Choice::Branch(yes) => write!(f, "b{}", sign(yes)),
        }
    }
}
