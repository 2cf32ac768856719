//! Reading the text of a schedule.
//!
//! In: any text. Out: the schedule, or what is wrong and at which byte.
//!
//! ```text
//! schedule = "rs1:" program ":" [ item { "," item } ]
//! item     = choice [ "r" count ]
//! choice   = thread | "w" waiter | ("t" | "s" | "b") ("+" | "-") | "v" ["-"] number
//! ```
//!
//! Repeats that are not the shortest (`0,0r2`, `0r1`) are read and written back as the shortest.
//! Memory is bounded by the length of the text.

use std::str::FromStr;

use thiserror::Error;

use crate::choice::Choice;
use crate::program::{ProgramId, ProgramIdError};
use crate::schedule::Schedule;

/// The text is not a schedule; offsets count bytes from its start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The text does not open with `rs`, a version and a colon.
    #[error("not a schedule: it does not start with `rs1:`")]
    NotASchedule,
    /// The text is of a version that this release cannot read.
    #[error("version {found} of the schedule text is not supported (this release reads version 1)")]
    Version {
        /// The version that the text names.
        found: String,
    },
    /// The colon after the program identity is missing.
    #[error("the schedule ends at offset {offset}, before the `:` that opens its choices")]
    Truncated {
        /// Where the text ends.
        offset: usize,
    },
    /// The program identity is not one.
    #[error("the program identity at offset {offset} is not valid: {error}")]
    Program {
        /// Where the identity starts.
        offset: usize,
        /// What is wrong with it.
        error: ProgramIdError,
    },
    /// Something stands where a choice should.
    #[error("expected a choice at offset {offset}, found `{found}`")]
    Choice {
        /// Where it starts.
        offset: usize,
        /// The beginning of what stands there.
        found: String,
    },
    /// A number is missing, malformed or out of range.
    #[error("expected {expected} at offset {offset}, found `{found}`")]
    Number {
        /// Where it starts.
        offset: usize,
        /// What kind of number belongs there.
        expected: &'static str,
        /// The beginning of what stands there.
        found: String,
    },
    /// The repeat counts add up to more choices than a schedule may have.
    #[error("more than {} choices, counted up to offset {offset}", Schedule::MAX_CHOICES)]
    TooLong {
        /// Where the item that is too much starts.
        offset: usize,
    },
}

/// Reads a whole schedule.
pub(super) fn schedule(text: &str) -> Result<Schedule, ScheduleError> {
    let (version, rest) = split_version(text).ok_or(ScheduleError::NotASchedule)?;
    if version != Schedule::TEXT_VERSION {
        return Err(ScheduleError::Version { found: version.to_owned() });
    }
    let (program, items) =
        rest.split_once(':').ok_or(ScheduleError::Truncated { offset: text.len() })?;
    let offset = text.len() - rest.len();
    let program =
        program.parse::<ProgramId>().map_err(|error| ScheduleError::Program { offset, error })?;
    read_items(program, items, text.len() - items.len())
}

/// The digits between `rs` and the first colon.
fn split_version(text: &str) -> Option<(&str, &str)> {
    let (version, rest) = text.strip_prefix("rs")?.split_once(':')?;
    let is_version = (1..=9).contains(&version.len()) && is_digits(version);
    is_version.then_some((version, rest))
}

fn read_items(
    program: ProgramId,
    items: &str,
    mut offset: usize,
) -> Result<Schedule, ScheduleError> {
    let mut schedule = Schedule::new(program);
    if items.is_empty() {
        return Ok(schedule);
    }
    let mut n_choices = 0;
    for item in items.split(',') {
        let (choice, times) = read_item(item, offset)?;
        n_choices += u64::from(times);
        if n_choices > Schedule::MAX_CHOICES {
            return Err(ScheduleError::TooLong { offset });
        }
        schedule.push_run(choice, times);
        offset += item.len() + 1;
    }
    Ok(schedule)
}

fn read_item(item: &str, offset: usize) -> Result<(Choice, u32), ScheduleError> {
    let Some((choice, count)) = item.split_once('r') else {
        return Ok((read_choice(item, offset)?, 1));
    };
    let choice_read = read_choice(choice, offset)?;
    let expected = "a repeat count from 1 to 4294967295";
    let offset = offset + choice.len() + 1;
    match read_number(count, offset, expected)? {
        0 => Err(ScheduleError::Number { offset, expected, found: excerpt(count) }),
        times => Ok((choice_read, times)),
    }
}

fn read_choice(text: &str, offset: usize) -> Result<Choice, ScheduleError> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return read_number(text, offset, "a thread number").map(Choice::Thread);
    }
    match text {
        "t+" | "t-" => Ok(Choice::Timeout(text == "t+")),
        "s+" | "s-" => Ok(Choice::Spurious(text == "s+")),
        "b+" | "b-" => Ok(Choice::Branch(text == "b+")),
        _ => {
            if let Some(number) = text.strip_prefix('w') {
                read_number(number, offset + 1, "a waiter number").map(Choice::Waiter)
            } else if let Some(number) = text.strip_prefix('v') {
                read_value(number, offset + 1).map(Choice::Value)
            } else {
                Err(ScheduleError::Choice { offset, found: excerpt(text) })
            }
        }
    }
}

fn read_value(text: &str, offset: usize) -> Result<i64, ScheduleError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    parse_if(is_digits(digits), text, offset, "a value of 64 bits")
}

fn read_number(text: &str, offset: usize, expected: &'static str) -> Result<u32, ScheduleError> {
    parse_if(is_digits(text), text, offset, expected)
}

/// Rust also reads `+5`; the grammar does not, so the caller says whether the shape is right.
fn parse_if<N: FromStr>(
    well_formed: bool,
    text: &str,
    offset: usize,
    expected: &'static str,
) -> Result<N, ScheduleError> {
    let number = if well_formed { text.parse().ok() } else { None };
    number.ok_or_else(|| ScheduleError::Number { offset, expected, found: excerpt(text) })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The beginning of a text, short enough for a message.
fn excerpt(text: &str) -> String {
    const LENGTH: usize = 24;
    match text.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Expected: the shortest text of the choices, or the error.
    #[track_caller]
    fn check(items: &str, expected: &str) {
        check_text(&format!("rs1:9f3ac2:{items}"), expected);
    }

    #[track_caller]
    fn check_text(text: &str, expected: &str) {
        let shown = match text.parse::<Schedule>() {
            Ok(schedule) => schedule.to_string().replace("rs1:9f3ac2:", ""),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn all_kinds_of_choices_are_read() {
        check("0r5,1,0r2,w2,t+,t-,s+,s-,v42,v-7,b+,b-", "0r5,1,0r2,w2,t+,t-,s+,s-,v42,v-7,b+,b-");
    }

    #[test]
    fn repeats_become_the_shortest() {
        check("0,0r2,1r1,v5,v5", "0r3,1,v5r2");
    }

    #[test]
    fn no_choices_are_read() {
        check("", "");
    }

    #[test]
    fn a_huge_repeat_count_stays_one_run() {
        let schedule: Schedule = "rs1:9f3ac2:0r4000000000,1".parse().unwrap();
        assert_eq!(schedule.runs().len(), 2);
        assert_eq!(schedule.len(), 4_000_000_001);
    }

    #[test]
    fn more_choices_than_allowed_are_refused() {
        check("0r4294967295", "0r4294967295");
        check("0r4294967295,1", "more than 4294967295 choices, counted up to offset 24");
        check(
            "0r4294967296",
            "expected a repeat count from 1 to 4294967295 at offset 13, found `4294967296`",
        );
    }

    #[test]
    fn what_is_no_choice_is_named_with_its_offset() {
        check("0,x", "expected a choice at offset 13, found `x`");
        check("0,,1", "expected a choice at offset 13, found ``");
        check("0,", "expected a choice at offset 13, found ``");
        check("t", "expected a choice at offset 11, found `t`");
        check("-1", "expected a choice at offset 11, found `-1`");
        check("0, 1", "expected a choice at offset 13, found ` 1`");
        check("é", "expected a choice at offset 11, found `é`");
        check(
            &"y".repeat(30),
            &format!("expected a choice at offset 11, found `{}…`", "y".repeat(24)),
        );
    }

    #[test]
    fn bad_numbers_are_named_with_their_offset() {
        check("0r", "expected a repeat count from 1 to 4294967295 at offset 13, found ``");
        check("0r0", "expected a repeat count from 1 to 4294967295 at offset 13, found `0`");
        check("0r+2", "expected a repeat count from 1 to 4294967295 at offset 13, found `+2`");
        check("0r2r3", "expected a repeat count from 1 to 4294967295 at offset 13, found `2r3`");
        check("0x5", "expected a thread number at offset 11, found `0x5`");
        check("4294967296", "expected a thread number at offset 11, found `4294967296`");
        check("w", "expected a waiter number at offset 12, found ``");
        check("v--1", "expected a value of 64 bits at offset 12, found `--1`");
        check("v+1", "expected a value of 64 bits at offset 12, found `+1`");
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        check_text(
            "rs2:whatever that may be",
            "version 2 of the schedule text is not supported (this release reads version 1)",
        );
    }

    #[test]
    fn other_text_is_no_schedule() {
        for text in ["", "rs", "rs1", "rs:9f3ac2:0", "rsx:9f3ac2:0", "schedule", "0,1,0"] {
            check_text(text, "not a schedule: it does not start with `rs1:`");
        }
    }

    #[test]
    fn the_program_identity_is_checked() {
        check_text(
            "rs1:9f3ac2",
            "the schedule ends at offset 10, before the `:` that opens its choices",
        );
        check_text(
            "rs1::0",
            "the program identity at offset 4 is not valid: the program identity is empty",
        );
        check_text(
            "rs1:a b:0",
            "the program identity at offset 4 is not valid: \
             ` ` at offset 1 of the program identity (allowed: A-Z a-z 0-9 . _ -)",
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(rs1:[0-9a-f]{0,3}:)?[0-9rwtsvb+,:é-]{0,40}") {
            if let Ok(schedule) = text.parse::<Schedule>() {
                prop_assert_eq!(schedule.to_string().parse::<Schedule>(), Ok(schedule));
            }
        }
    }
}
