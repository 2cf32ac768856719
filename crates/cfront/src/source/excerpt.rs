//! The line that an error message shows.
//!
//! In: a span of the preprocessed text. Out: the line as the user wrote it and which part of it
//! to underline. Macros make the columns of the two texts differ; then the text of the span is
//! searched for in the original line, and if it is not there, the whole line is meant.

use std::ops::Range;

use super::{Location, SourceMap, Span};

/// A line to show, with the part that is meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Excerpt {
    /// Where the underlined part starts.
    pub location: Location,
    /// The line, without its end.
    pub line: String,
    /// The bytes of the line to underline, on character boundaries.
    pub underlined: Range<usize>,
}

impl SourceMap {
    /// The original line of a span and the part of it that the span means.
    pub fn excerpt(&self, span: Span) -> Excerpt {
        let mut location = self.locate(span.start);
        let Some(text) = self.text_at(span.start) else {
            return Excerpt { location, line: String::new(), underlined: 0..0 };
        };
        let wanted = self.text(span).lines().next().unwrap_or("").trim_end();
        let original = self.original_line(&location);
        let line = original.unwrap_or_else(|| text.line(text.line_and_column(span.start).0));
        let underlined = underline(line, wanted, location.column as usize - 1);
        location.column = underlined.start as u32 + 1;
        Excerpt { location, line: line.to_owned(), underlined }
    }
}

/// The part of `line` that says `wanted`: at `column`, else the nearest, else all of the line.
fn underline(line: &str, wanted: &str, column: usize) -> Range<usize> {
    if line.get(column..).is_some_and(|rest| rest.starts_with(wanted)) {
        return column..column + wanted.len();
    }
    if !wanted.is_empty() {
        let places = line.match_indices(wanted).map(|(at, _)| at);
        let whole = places.filter(|at| is_whole_word(line, *at..*at + wanted.len()));
        if let Some(at) = whole.min_by_key(|at| at.abs_diff(column)) {
            return at..at + wanted.len();
        }
    }
    let start = line.len() - line.trim_start().len();
    start..line.trim_end().len().max(start)
}

/// Whether no letter goes on to the left or right: `i` is not found in `int`.
fn is_whole_word(line: &str, range: Range<usize>) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let joins = |left: Option<char>, right: Option<char>| {
        left.is_some_and(is_word) && right.is_some_and(is_word)
    };
    let inside = &line[range.clone()];
    !joins(line[..range.start].chars().next_back(), inside.chars().next())
        && !joins(inside.chars().next_back(), line[range.end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The original line, the preprocessed text, what to look for in it, what is underlined.
    #[track_caller]
    fn check(original: &str, preprocessed: &str, needle: &str, expected: &str) {
        let mut map = SourceMap::new();
        map.provide("<a.c>", original);
        map.add("<a.c>", preprocessed.to_owned()).unwrap();
        let start = preprocessed.find(needle).expect("it is there") as u32;
        let excerpt = map.excerpt(Span { start, end: start + needle.len() as u32 });
        let (before, rest) = excerpt.line.split_at(excerpt.underlined.start);
        let (inside, after) = rest.split_at(excerpt.underlined.len());
        assert_eq!(format!("{before}«{inside}»{after}"), expected);
        assert_eq!(excerpt.location.column as usize, before.len() + 1);
    }

    #[test]
    fn same_columns_are_underlined() {
        check("x = x + 1;", "x = x + 1;", "x + 1", "x = «x + 1»;");
    }

    #[test]
    fn moved_tokens_are_found() {
        check("LOCK(m); i = k;", "pthread_mutex_lock(&m); i = k;", "i ", "LOCK(m); «i» = k;");
    }

    #[test]
    fn parts_of_words_are_not_tokens() {
        check("int F;", "long i;", "i", "«int F;»");
    }

    #[test]
    fn expanded_text_means_the_line() {
        check("  LOCK(m);", "  pthread_mutex_lock(&m);", "&m", "  «LOCK(m);»");
    }

    #[test]
    fn the_preprocessed_line_serves_if_there_is_no_original() {
        let mut map = SourceMap::new();
        map.add("missing/file.c", "# 1 \"<none>\"\nint a;\n".to_owned()).unwrap();
        let excerpt = map.excerpt(Span { start: 17, end: 18 });
        assert_eq!((excerpt.line.as_str(), excerpt.underlined), ("int a;", 4..5));
    }

    #[test]
    fn spans_over_several_lines_end_with_the_first() {
        check("f(a,\n  b);", "f(a,\n  b);", "a,\n  b", "f(«a,»");
    }
}
