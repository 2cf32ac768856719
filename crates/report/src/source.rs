//! Source excerpts: the lines that a report shows beside its findings.
//!
//! In: findings, and a way to look up a line of a file. Out: the files that they name, whole if they are
//! short, else the lines around every place. What cannot be looked up is left out.

use std::collections::{BTreeMap, BTreeSet};

use raddle_finding::{Excerpt, Finding, Location, Source};

/// A file with at most so many lines is shown as a whole.
const WHOLE: u32 = 600;

/// How many lines are shown around a place in a longer file.
const AROUND: u32 = 30;

/// How much of all sources is kept, in bytes.
const BYTES_MAX: usize = 4 << 20;

/// A line of a file, by its number from 1.
pub type Lines<'a> = &'a dyn Fn(&str, u32) -> Option<String>;

/// The lines that these findings are about.
pub fn sources<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    lines: Lines<'_>,
) -> Vec<Source> {
    let places = findings.into_iter().flat_map(|finding| {
        let places = finding.story.iter().flat_map(|story| &story.places);
        finding.locations.iter().map(|site| &site.location).chain(places)
    });
    of_places(places, lines)
}

/// The lines around some places.
pub fn of_places<'a>(all: impl IntoIterator<Item = &'a Location>, lines: Lines<'_>) -> Vec<Source> {
    let mut places: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for place in all {
        if let (Some(file), Some(line)) = (&place.file, place.line) {
            places.entry(file).or_default().insert(line);
        }
    }
    let mut room = BYTES_MAX;
    let mut sources = Vec::new();
    for (file, numbers) in places {
        let parts = parts(file, &numbers, lines, &mut room);
        if !parts.is_empty() {
            sources.push(Source { file: file.to_owned(), parts });
        }
    }
    sources
}

fn parts(file: &str, numbers: &BTreeSet<u32>, lines: Lines<'_>, room: &mut usize) -> Vec<Excerpt> {
    let is_short = lines(file, WHOLE + 1).is_none();
    let ranges = if is_short { vec![(1, WHOLE)] } else { around(numbers) };
    let mut parts = Vec::new();
    for (first, last) in ranges {
        let mut part = Excerpt { first, lines: Vec::new() };
        for line in (first..=last).map_while(|number| lines(file, number)) {
            let Some(left) = room.checked_sub(line.len()) else { break };
            *room = left;
            part.lines.push(line);
        }
        if !part.lines.is_empty() {
            parts.push(part);
        }
    }
    parts
}

/// Ranges of lines around these, which do not touch each other.
fn around(numbers: &BTreeSet<u32>) -> Vec<(u32, u32)> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        let (first, last) = (number.saturating_sub(AROUND).max(1), number.saturating_add(AROUND));
        match ranges.last_mut().filter(|range| first <= range.1 + 1) {
            Some(range) => range.1 = last,
            None => ranges.push((first, last)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_finding::{Property, Site, Verdict};

    #[track_caller]
    fn check(n_lines: u32, at: &[u32], expected: &[(u32, usize)]) {
        let sites = at.iter().map(|&n| Site::new("here", Location::source("a.c", n))).collect();
        let finding = Finding::new(Property::Race, Verdict::Candidate, "", sites, Vec::new());
        let line = |_: &str, n: u32| (n <= n_lines).then(|| format!("line {n}"));
        let sources = sources([&finding], &line);
        let parts = sources.iter().flat_map(|source| &source.parts);
        let parts: Vec<_> = parts.map(|part| (part.first, part.lines.len())).collect();
        assert_eq!(parts, expected);
        for n in at.iter().filter(|n| **n <= n_lines) {
            assert_eq!(sources[0].line(*n), Some(&*format!("line {n}")));
        }
    }

    #[test]
    fn short_files_are_whole_and_long_ones_are_not() {
        check(40, &[12], &[(1, 40)]);
        check(5000, &[100, 140, 3000], &[(70, 101), (2970, 61)]);
        check(5000, &[4999], &[(4969, 32)]);
    }

    #[test]
    fn a_file_that_is_not_there_is_left_out() {
        check(0, &[12], &[]);
    }
}
