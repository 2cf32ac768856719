//! Places in a SARIF log: relative URIs where that is possible, and the lines of the source.

use raddle_finding::{Location, Report};
use serde_sarif::sarif::{
    self, ArtifactContent, ArtifactLocation, LogicalLocation, PhysicalLocation, Region,
};

/// What relative URIs are relative to; who reads a log knows where that is.
pub(super) const ROOT: &str = "%SRCROOT%";

/// How many lines are shown around a place.
const AROUND: u32 = 2;

/// Makes places.
pub(super) struct Places<'a> {
    pub(super) report: &'a Report,
    /// The folder, without a slash at its end, whose files have relative URIs; empty if none has.
    pub(super) root: &'a str,
}

impl Places<'_> {
    /// A place, and what happens there; with the lines around it if there is room for that.
    pub(super) fn location(
        &self,
        place: &Location,
        text: &str,
        with_lines: bool,
    ) -> sarif::Location {
        let physical = place.file.as_ref().map(|file| {
            let around = place.line.filter(|_| with_lines);
            PhysicalLocation {
                artifact_location: Some(self.artifact(file)),
                region: place.line.map(|line| self.region(file, line, place.column)),
                context_region: around.and_then(|line| self.around(file, line)),
                ..PhysicalLocation::default()
            }
        });
        let logical = match &place.function {
            Some(function) => Some(logical(function, Some("function"))),
            None if place.file.is_none() => Some(logical(&place.name, None)),
            None => None,
        };
        sarif::Location {
            message: Some(text.into()),
            physical_location: physical,
            logical_locations: logical.map(|logical| vec![logical]),
            ..sarif::Location::default()
        }
    }

    fn artifact(&self, file: &str) -> ArtifactLocation {
        let below = file.strip_prefix(self.root).and_then(|rest| rest.strip_prefix('/'));
        let file = match self.root {
            "" => file,
            _ => below.unwrap_or(file),
        };
        ArtifactLocation {
            uri: Some(uri(file)),
            uri_base_id: (!file.starts_with('/')).then(|| ROOT.to_owned()),
            ..ArtifactLocation::default()
        }
    }

    fn region(&self, file: &str, line: u32, column: Option<u32>) -> Region {
        Region {
            start_line: Some(line.into()),
            start_column: column.map(i64::from),
            snippet: self.report.line(file, line).map(snippet),
            ..Region::default()
        }
    }

    /// The lines around a line that are at hand, if there is more than that line.
    fn around(&self, file: &str, line: u32) -> Option<Region> {
        let known = |n: &u32| self.report.line(file, *n);
        known(&line)?;
        let before = (line.saturating_sub(AROUND)..line).rev().take_while(|n| known(n).is_some());
        let first = before.last().unwrap_or(line);
        let lines: Vec<_> =
            (first..=line.saturating_add(AROUND)).map_while(|n| known(&n)).collect();
        let last = first + lines.len() as u32 - 1;
        (first < last).then(|| Region {
            start_line: Some(first.into()),
            end_line: Some(last.into()),
            snippet: Some(snippet(&lines.join("\n"))),
            ..Region::default()
        })
    }
}

fn logical(name: &str, kind: Option<&str>) -> LogicalLocation {
    let (name, kind) = (Some(name.to_owned()), kind.map(str::to_owned));
    LogicalLocation { name, kind, ..LogicalLocation::default() }
}

fn snippet(text: &str) -> ArtifactContent {
    ArtifactContent::builder().text(text).build()
}

/// A path as a URI: relative as it is, absolute as a file; what URIs do not allow is escaped.
fn uri(file: &str) -> String {
    let mut uri = String::new();
    if file.starts_with('/') {
        uri += "file://";
    }
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                uri.push(byte as char);
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_finding::{Excerpt, Input, Source};

    #[test]
    fn paths_become_uris() {
        let cases = [
            ("src/a b.c", "src/a%20b.c"),
            ("/usr/x.c", "file:///usr/x.c"),
            ("ä:%.c", "%C3%A4%3A%25.c"),
        ];
        for (file, expected) in cases {
            assert_eq!(uri(file), expected);
        }
    }

    #[test]
    fn what_lies_below_the_root_is_relative() {
        let report = Report::new(Input::named("a"));
        let check = |root: &str, file: &str, expected: &str, is_relative: bool| {
            let artifact = Places { report: &report, root }.artifact(file);
            assert_eq!(artifact.uri.as_deref(), Some(expected));
            assert_eq!(artifact.uri_base_id.is_some(), is_relative, "{file}");
        };
        check("/home/me", "/home/me/src/a.c", "src/a.c", true);
        check("/home/me", "/home/meow/a.c", "file:///home/meow/a.c", false);
        check("", "/home/me/a.c", "file:///home/me/a.c", false);
        check("", "a.c", "a.c", true);
        check("/home/me", "b/a.c", "b/a.c", true);
    }

    #[test]
    fn lines_around_a_place_are_those_at_hand() {
        let mut report = Report::new(Input::named("a"));
        let lines = ["three", "four", "five", "six"].map(str::to_owned).to_vec();
        let parts = vec![Excerpt { first: 3, lines }];
        report.sources = vec![Source { file: "a.c".to_owned(), parts }];
        let places = Places { report: &report, root: "" };
        let around = |line: u32| {
            let place = places.location(&Location::source("a.c", line), "", true);
            let around = place.physical_location.unwrap().context_region;
            around.map(|around| (around.start_line.unwrap(), around.end_line.unwrap()))
        };
        assert_eq!(around(3), Some((3, 5)));
        assert_eq!(around(6), Some((4, 6)));
        assert_eq!(around(7), None);
    }
}
