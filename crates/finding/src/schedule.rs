//! Schedules: the choices of one run, as data and as one word of text.
//!
//! In: choices one by one, or the text `rs1:9f3ac2:0r5,1,0r2,w2,t+,s-,v42,b+`.
//! Out: the same choices again, and the shortest text for them.
//!
//! The text is `rs`, the version of the text, the program identity and the choices. It has only
//! letters, digits and `: , . _ + -`, which no shell touches inside a word. Equal choices in a row
//! are one run (`0r5` is `0,0,0,0,0`), in memory as in the text, so that a hostile repeat count
//! costs nothing to read. Equal schedules have equal text.

mod parse;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::choice::Choice;
use crate::number::push_number;
use crate::program::ProgramId;

pub use parse::ScheduleError;

/// The choices of one run of one program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Schedule {
    program: ProgramId,
    /// Never two equal choices in a row, never a count of zero.
    runs: Vec<(Choice, u64)>,
}

/// The schedule belongs to another program, or to another build of it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the schedule belongs to program {expected}, but this is {found}")]
pub struct ProgramMismatch {
    /// The program that the schedule was made for.
    pub expected: ProgramId,
    /// The program at hand.
    pub found: ProgramId,
}

impl Schedule {
    /// The version of the text form, as it stands after `rs`.
    pub const TEXT_VERSION: &'static str = "1";

    /// The most choices that a text may stand for.
    pub const MAX_CHOICES: u64 = u32::MAX as u64;

    /// A schedule without choices.
    pub fn new(program: ProgramId) -> Self {
        Schedule { program, runs: Vec::new() }
    }

    /// The program that this schedule belongs to.
    pub fn program(&self) -> &ProgramId {
        &self.program
    }

    /// The same choices for another identity.
    pub fn of(mut self, program: ProgramId) -> Schedule {
        self.program = program;
        self
    }

    /// Refuses to go on with a program that this schedule was not made for.
    pub fn check_program(&self, found: &ProgramId) -> Result<(), ProgramMismatch> {
        if self.program == *found {
            return Ok(());
        }
        Err(ProgramMismatch { expected: self.program.clone(), found: found.clone() })
    }

    /// Adds one choice at the end.
    pub fn push(&mut self, choice: Choice) {
        self.push_run(choice, 1);
    }

    /// Adds one choice at the end, so many times in a row.
    pub fn push_run(&mut self, choice: Choice, times: u32) {
        self.add(choice, times.into());
    }

    fn add(&mut self, choice: Choice, times: u64) {
        match self.runs.last_mut() {
            Some((last, count)) if *last == choice => *count += times,
            _ if times > 0 => self.runs.push((choice, times)),
            _ => {}
        }
    }

    /// It as text.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(32 + 6 * self.runs.len());
        for part in ["rs", Schedule::TEXT_VERSION, ":", self.program.as_str(), ":"] {
            text.push_str(part);
        }
        for (index, (choice, count)) in self.runs.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            match *choice {
                Choice::Thread(thread) => push_number(&mut text, thread.into()),
                choice => text.push_str(&choice.to_string()),
            }
            if *count > 1 {
                text.push('r');
                push_number(&mut text, *count);
            }
        }
        text
    }

    /// How many choices there are, repeats included.
    pub fn len(&self) -> u64 {
        self.runs.iter().map(|&(_, count)| count).sum()
    }

    /// Whether there are no choices.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Each choice in turn, repeats spelled out; ask for `len` before collecting foreign ones.
    pub fn choices(&self) -> impl Iterator<Item = Choice> + '_ {
        self.runs.iter().flat_map(|&(choice, count)| (0..count).map(move |_| choice))
    }

    /// The choices as they are stored: each with how many times it comes in a row.
    pub fn runs(&self) -> &[(Choice, u64)] {
        &self.runs
    }
}

impl Extend<Choice> for Schedule {
    fn extend<I: IntoIterator<Item = Choice>>(&mut self, choices: I) {
        let mut row = None;
        for choice in choices {
            match &mut row {
                Some((last, times)) if *last == choice => *times += 1,
                _ => {
                    if let Some((last, times)) = row.replace((choice, 1)) {
                        self.add(last, times);
                    }
                }
            }
        }
        if let Some((last, times)) = row {
            self.add(last, times);
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        parse::schedule(text)
    }
}

impl Serialize for Schedule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Schedule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn program() -> ProgramId {
        "9f3ac2".parse().unwrap()
    }

    #[track_caller]
    fn check(choices: &[Choice], expected: &str) {
        let mut schedule = Schedule::new(program());
        schedule.extend(choices.iter().copied());
        assert_eq!(schedule.to_string(), format!("rs1:9f3ac2:{expected}"));
        assert_eq!(schedule.choices().collect::<Vec<_>>(), choices);
        assert_eq!(schedule.len(), choices.len() as u64);
    }

    #[test]
    fn every_kind_of_choice_has_its_text() {
        use Choice::*;
        check(
            &[Thread(0), Waiter(2), Timeout(true), Spurious(false), Value(-7), Branch(true)],
            "0,w2,t+,s-,v-7,b+",
        );
    }

    #[test]
    fn equal_choices_in_a_row_become_one_run() {
        use Choice::*;
        check(&[Thread(0), Thread(0), Thread(1), Thread(0)], "0r2,1,0");
        check(&[Branch(true), Branch(true), Branch(false)], "b+r2,b-");
    }

    #[test]
    fn no_choices_are_a_schedule_too() {
        check(&[], "");
    }

    #[test]
    fn a_run_of_no_choices_adds_nothing() {
        let mut schedule = Schedule::new(program());
        schedule.push_run(Choice::Thread(1), 0);
        assert!(schedule.is_empty());
    }

    #[test]
    fn another_program_is_refused() {
        let schedule = Schedule::new(program());
        assert_eq!(schedule.check_program(&program()), Ok(()));
        let error = schedule.check_program(&"9f3ac3".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the schedule belongs to program 9f3ac2, but this is 9f3ac3");
    }

    #[test]
    fn json_is_the_text() {
        let schedule: Schedule = "rs1:9f3ac2:0r5,1".parse().unwrap();
        let json = serde_json::to_string(&schedule).unwrap();
        assert_eq!(json, "\"rs1:9f3ac2:0r5,1\"");
        assert_eq!(serde_json::from_str::<Schedule>(&json).unwrap(), schedule);
    }

    fn any_choice() -> impl Strategy<Value = Choice> {
        prop_oneof![
            4 => (0u32..4).prop_map(Choice::Thread),
            1 => any::<u32>().prop_map(Choice::Thread),
            1 => any::<u32>().prop_map(Choice::Waiter),
            1 => any::<bool>().prop_map(Choice::Timeout),
            1 => any::<bool>().prop_map(Choice::Spurious),
            1 => any::<i64>().prop_map(Choice::Value),
            1 => any::<bool>().prop_map(Choice::Branch),
        ]
    }

    proptest! {
        #[test]
        fn text_is_read_back(
            runs in prop::collection::vec((any_choice(), 1u32..100_000_000), 0..40),
        ) {
            let mut schedule = Schedule::new(program());
            for (choice, times) in runs {
                schedule.push_run(choice, times);
            }
            let text = schedule.to_string();
            prop_assert_eq!(text.parse::<Schedule>(), Ok(schedule));
            let is_safe = |b: u8| b.is_ascii_alphanumeric() || b":,+-".contains(&b);
            prop_assert!(text.bytes().all(is_safe), "a shell may touch {}", text);
        }

        #[test]
        fn single_choices_are_read_back(choices in prop::collection::vec(any_choice(), 0..60)) {
            let mut schedule = Schedule::new(program());
            schedule.extend(choices.iter().copied());
            let parsed: Schedule = schedule.to_string().parse().unwrap();
            prop_assert_eq!(parsed.choices().collect::<Vec<_>>(), choices);
        }
    }
}
