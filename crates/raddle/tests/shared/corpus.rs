//! The Rust part of the corpus with this crate in the place of `std`, and what its programs say of
//! themselves in their first comment.

use std::sync::{Mutex, PoisonError};

use raddle as tool;
use raddle::{Config, Report};

macro_rules! program {
    (($($peer:ident)*) mod $($rest:tt)*) => { mod $($rest)* };
    (($($peer:ident)*) $run:path) => { Some($run) };
}

include!("../../../../benches/peers/corpus.rs");

#[allow(unused_imports, reason = "not every test has a case for each program")]
pub(crate) use for_each_program;

/// A program of the corpus.
pub struct Program {
    pub name: &'static str,
    pub run: fn(),
    text: &'static str,
}

impl Program {
    /// What its first comment says.
    pub fn fact(&self, key: &str) -> &'static str {
        let header = self.text.split("*/").next().unwrap();
        let facts = header.lines().filter_map(|line| line.strip_prefix(" * ")?.split_once(':'));
        let mut values = facts.filter(|fact| fact.0 == key).map(|fact| fact.1.trim());
        values.next().unwrap_or_else(|| panic!("{} says nothing of {key}", self.name))
    }

    /// The fewest preemptions with which it fails; none if it does not.
    #[allow(dead_code, reason = "not every test uses it")]
    pub fn bound(&self) -> Option<u32> {
        (self.fact("verdict") == "fails").then(|| self.fact("bound").parse().unwrap())
    }

    /// Explores it, alone: programs have statics, which executions at the same time may not share.
    #[allow(dead_code, reason = "not every test uses it")]
    pub fn explore(&self, config: Config) -> Report {
        static ALONE: Mutex<()> = Mutex::new(());
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        config.explore(self.run)
    }
}

/// All programs.
pub fn programs() -> impl Iterator<Item = Program> {
    CORPUS.into_iter().map(|(name, run, text)| Program { name, run: run.unwrap(), text })
}
