//! Source locations: as much as is known about where an event comes from.
//!
//! In: a name from a trace (`347`, `queue.c:12:3`, `push (queue.c:12)`) or debug information.
//! Out: that name, and file, line, column and function where they are known.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A place in the source; only the name is always there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The name by which the trace or the debug information knows this place.
    pub name: String,
    /// The source file, as it was given to the compiler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The function, as people write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
}

impl Location {
    /// A location of which nothing is known, not even a name.
    pub fn unknown() -> Self {
        Location::named("?")
    }

    /// A location of which only a name is known; the name is not looked into.
    pub fn named(name: impl Into<String>) -> Self {
        Location { name: name.into(), file: None, line: None, column: None, function: None }
    }

    /// A location in a file; the name is made from the two.
    pub fn source(file: impl Into<String>, line: u32) -> Self {
        let file = file.into();
        let name = format!("{file}:{line}");
        Location { file: Some(file), line: known(line), ..Location::named(name) }
    }

    /// A location in a file with its column; the name is made from the three.
    pub fn at(file: impl Into<String>, line: u32, column: u32) -> Self {
        let file = file.into();
        let name = format!("{file}:{line}:{column}");
        let (line, column) = (known(line), known(column));
        Location { file: Some(file), line, column, ..Location::named(name) }
    }

    /// Reads what a name says: `file:line`, `file:line:column`, or one of them in parentheses
    /// after a function; any other text is kept as a bare name.
    pub fn parse(name: &str) -> Self {
        if name.is_empty() {
            return Location::unknown();
        }
        let (function, place) = split_function(name);
        let Some((file, line, column)) = split_place(place) else {
            return Location::named(name);
        };
        Location {
            name: name.to_owned(),
            file: Some(file.to_owned()),
            line: known(line),
            column: column.and_then(known),
            function: function.map(str::to_owned),
        }
    }

    /// The same location with its function.
    pub fn in_function(mut self, function: impl Into<String>) -> Self {
        self.function = Some(function.into());
        self
    }

    /// The file without its directories, if the file is known.
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_deref().map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file))
    }

    /// What locations are ordered by: position in the source first, the name last.
    fn order(&self) -> (Option<&str>, Option<u32>, Option<u32>, Option<&str>, &str) {
        let Location { name, file, line, column, function } = self;
        (file.as_deref(), *line, *column, function.as_deref(), name)
    }
}

impl From<&str> for Location {
    fn from(name: &str) -> Self {
        Location::parse(name)
    }
}

impl From<String> for Location {
    fn from(name: String) -> Self {
        Location::parse(&name)
    }
}

impl Ord for Location {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for Location {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.function, &self.file) {
            (Some(function), Some(file)) => {
                write!(f, "{function} (")?;
                self.write_place(f, file)?;
                write!(f, ")")
            }
            (None, Some(file)) => self.write_place(f, file),
            (Some(function), None) if *function != self.name => {
                write!(f, "{function} ({})", self.name)
            }
            (_, None) => f.write_str(&self.name),
        }
    }
}

impl Location {
    fn write_place(&self, f: &mut fmt::Formatter<'_>, file: &str) -> fmt::Result {
        f.write_str(file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

/// Debug information writes 0 for a line or column that it does not know.
fn known(number: u32) -> Option<u32> {
    (number > 0).then_some(number)
}

/// `push (queue.c:12)` and `Queue.push(Queue.java:12)` name the function before the place.
fn split_function(name: &str) -> (Option<&str>, &str) {
    let split = name.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split.map(|(function, place)| (function.trim_end(), place)) {
        Some((function, place)) if !function.is_empty() => (Some(function), place),
        _ => (None, name),
    }
}

/// Splits `file:line` or `file:line:column`, from the right so that `C:\queue.c:12` works.
fn split_place(place: &str) -> Option<(&str, u32, Option<u32>)> {
    let (rest, last) = split_number(place)?;
    match split_number(rest) {
        Some((file, line)) => Some((file, line, Some(last))),
        None => Some((rest, last, None)),
    }
}

fn split_number(text: &str) -> Option<(&str, u32)> {
    let (rest, digits) = text.rsplit_once(':')?;
    let is_number = digits.bytes().all(|b| b.is_ascii_digit());
    if rest.is_empty() || rest.ends_with(':') || !is_number {
        return None;
    }
    Some((rest, digits.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected: `file|line|column|function`, with `-` for what is not known.
    #[track_caller]
    fn check(name: &str, expected: &str) {
        fn shown<T: ToString>(part: &Option<T>) -> String {
            part.as_ref().map_or("-".to_owned(), T::to_string)
        }
        let Location { name: kept, file, line, column, function } = Location::parse(name);
        assert_eq!(kept, name);
        let parts = [shown(&file), shown(&line), shown(&column), shown(&function)];
        assert_eq!(parts.join("|"), expected, "{name}");
    }

    #[test]
    fn file_line_and_column_are_read_from_the_name() {
        check("queue.c:12", "queue.c|12|-|-");
        check("src/queue.c:12:3", "src/queue.c|12|3|-");
        check(r"C:\src\queue.c:12", r"C:\src\queue.c|12|-|-");
    }

    #[test]
    fn a_function_may_stand_before_the_place() {
        check("push (queue.c:12:3)", "queue.c|12|3|push");
        check("Queue.push(Queue.java:12)", "Queue.java|12|-|Queue.push");
        check("operator() (queue.cc:7)", "queue.cc|7|-|operator()");
    }

    #[test]
    fn zero_means_not_known() {
        check("queue.c:0", "queue.c|-|-|-");
        check("queue.c:12:0", "queue.c|12|-|-");
    }

    #[test]
    fn other_names_stay_names() {
        for name in ["347", "main", "std::vector", "queue::12", ":12", "queue.c:", "a:+12"] {
            check(name, "-|-|-|-");
        }
        check("queue.c:99999999999", "-|-|-|-");
    }

    #[test]
    fn an_empty_name_is_an_unknown_location() {
        assert_eq!(Location::parse(""), Location::unknown());
    }

    #[test]
    fn display_is_read_back() {
        for name in ["347", "queue.c:12", "queue.c:12:3", "push (queue.c:12:3)"] {
            assert_eq!(Location::parse(name).to_string(), name);
        }
        assert_eq!(Location::named("347").in_function("push").to_string(), "push (347)");
    }

    #[test]
    fn lines_are_ordered_as_numbers() {
        assert!(Location::source("queue.c", 9) < Location::source("queue.c", 12));
    }

    #[test]
    fn the_file_name_has_no_directories() {
        assert_eq!(Location::source("/home/me/src/queue.c", 1).file_name(), Some("queue.c"));
        assert_eq!(Location::source(r"C:\src\queue.c", 1).file_name(), Some("queue.c"));
    }
}
