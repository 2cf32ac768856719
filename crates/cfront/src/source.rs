//! Source positions: spans in the preprocessed text, and the files and lines they came from.
//!
//! In: preprocessed texts with `# line "file"` markers. Out: [`Location`]s and the original lines.
//! All texts of a program share one range of positions, so that a [`Span`] alone says where it is.

mod excerpt;
mod marker;

use std::fs;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

pub use excerpt::Excerpt;

/// A range of bytes in the preprocessed text of a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// From the start of one to the end of the other.
    pub fn to(self, last: Span) -> Span {
        Span { start: self.start, end: last.end.max(self.start) }
    }
}

/// A place in a file as the user knows it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The name of the file as the preprocessor was given it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The byte in the line, from 1.
    pub column: u32,
}

/// The texts of a program would take more than the 4 GiB that a [`Span`] can address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the preprocessed program is larger than 4 GiB")]
pub struct TooLarge;

/// The preprocessed texts of a program and the files that they came from.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    texts: Vec<Text>,
    files: Vec<File>,
    by_name: FxHashMap<Arc<str>, u32>,
}

/// One preprocessed text; the texts stand one behind the other with one free position between.
#[derive(Clone, Debug)]
struct Text {
    base: u32,
    text: String,
    /// Where each line starts, in this text.
    lines: Vec<u32>,
    /// From which line on which file goes on where; the first is for line 0.
    markers: Vec<Marker>,
}

/// "From here on, the text comes from this line of this file."
#[derive(Clone, Debug)]
struct Marker {
    /// The line of the preprocessed text, from 0.
    at: u32,
    file: u32,
    /// The line of the file, from 1.
    line: u32,
}

/// An original file; its contents are wanted for error messages alone, so they are read late.
#[derive(Clone, Debug)]
struct File {
    name: Arc<str>,
    contents: OnceLock<Option<String>>,
}

impl SourceMap {
    /// No texts yet.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a preprocessed text, which belongs to `name` until a marker says otherwise, and
    /// returns the position of its first byte.
    pub fn add(&mut self, name: &str, text: String) -> Result<u32, TooLarge> {
        let base = self.texts.last().map_or(0, |last| u64::from(last.end()) + 1);
        if base + text.len() as u64 >= u64::from(u32::MAX) {
            return Err(TooLarge);
        }
        let mut added =
            Text { base: base as u32, text: String::new(), lines: vec![0], markers: Vec::new() };
        added.markers.push(Marker { at: 0, file: self.file(name), line: 1 });
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        added.lines.extend(newlines.map(|(at, _)| at as u32 + 1));
        for (at, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('#')) {
            if let Some((number, name)) = marker::parse(line) {
                let file = match name {
                    Some(name) => self.file(&name),
                    None => added.markers.last().expect("there is one for line 0").file,
                };
                added.markers.push(Marker { at: at as u32 + 1, file, line: number });
            }
        }
        added.text = text;
        self.texts.push(added);
        Ok(base as u32)
    }

    /// Says what stands in the original file `name`, which is then not looked for on disk.
    pub fn provide(&mut self, name: &str, contents: &str) {
        let file = self.file(name) as usize;
        self.files[file].contents = OnceLock::from(Some(contents.to_owned()));
    }

    /// The file, line and column of a position; a position after the end is the end.
    pub fn locate(&self, position: u32) -> Location {
        let Some(text) = self.text_at(position) else {
            return Location { file: Arc::from("<unknown>"), line: 1, column: 1 };
        };
        let (line, column) = text.line_and_column(position);
        let marker = &text.markers[text.markers.partition_point(|marker| marker.at <= line) - 1];
        let file = self.files[marker.file as usize].name.clone();
        Location { file, line: marker.line.saturating_add(line - marker.at), column: column + 1 }
    }

    /// The preprocessed text of a span; empty if there is no such text.
    pub fn text(&self, span: Span) -> &str {
        let Some(text) = self.text_at(span.start) else { return "" };
        text.text.get(text.local(span)).unwrap_or("")
    }

    /// The whole preprocessed text that was added at this position.
    pub fn whole_text(&self, base: u32) -> &str {
        self.text_at(base).map_or("", |text| &text.text)
    }

    fn text_at(&self, position: u32) -> Option<&Text> {
        let after = self.texts.partition_point(|text| text.base <= position);
        self.texts.get(after.checked_sub(1)?)
    }

    fn file(&mut self, name: &str) -> u32 {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = self.files.len() as u32;
        let name: Arc<str> = Arc::from(name);
        self.files.push(File { name: name.clone(), contents: OnceLock::new() });
        self.by_name.insert(name, id);
        id
    }

    fn original_line(&self, location: &Location) -> Option<&str> {
        self.line(&location.file, location.line)
    }

    /// A line of an original file, from 1, if the file can be read and is that long.
    pub fn line(&self, file: &str, line: u32) -> Option<&str> {
        let file = &self.files[*self.by_name.get(file)? as usize];
        let contents = file.contents.get_or_init(|| {
            let embedded = file.name.starts_with('<');
            let bytes = (!embedded).then(|| fs::read(&*file.name).ok()).flatten();
            // Comments may be in another encoding.
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        });
        contents.as_deref()?.lines().nth(line.checked_sub(1)? as usize)
    }
}

impl Text {
    fn end(&self) -> u32 {
        self.base + self.text.len() as u32
    }

    /// The bytes of a span in this text, cut off at its end.
    fn local(&self, span: Span) -> Range<usize> {
        let start = span.start.clamp(self.base, self.end());
        let end = span.end.clamp(start, self.end());
        (start - self.base) as usize..(end - self.base) as usize
    }

    /// The line and column of a position in this text, both from 0.
    fn line_and_column(&self, position: u32) -> (u32, u32) {
        let local = position.min(self.end()) - self.base;
        let line = self.lines.partition_point(|start| *start <= local) - 1;
        (line as u32, local - self.lines[line])
    }

    /// A line of this text without its end.
    fn line(&self, line: u32) -> &str {
        let start = self.lines[line as usize] as usize;
        self.text[start..].lines().next().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, needle: &str, expected: &str) {
        let mut map = SourceMap::new();
        map.add("first.c", "int unrelated;\n".to_owned()).unwrap();
        let base = map.add("main.c", text.to_owned()).unwrap();
        let position = base + text.find(needle).expect("it is there") as u32;
        let Location { file, line, column } = map.locate(position);
        assert_eq!(format!("{file}:{line}:{column}"), expected);
    }

    #[test]
    fn positions_without_markers_belong_to_the_text() {
        check("int a;\n  int b;\n", "b", "main.c:2:7");
    }

    #[test]
    fn markers_name_the_next_line() {
        check("# 40 \"dir/x.h\" 1 3 4\nint a;\nint b;\n", "b", "dir/x.h:41:5");
        check("#line 7 \"y.h\"\nint a;\n", "a", "y.h:7:5");
        check("# 3 \"x.h\"\n#line 9\nint a;\n", "a", "x.h:9:5");
        check("# 1 \"a\\\"b\\\\c.h\"\nint a;\n", "a;", "a\"b\\c.h:1:5");
    }

    #[test]
    fn other_directives_are_not_markers() {
        check("#pragma once\n#12x\n# \"f\"\nint a;\n", "a;", "main.c:4:5");
    }

    #[test]
    fn the_end_of_a_text_is_not_the_next_text() {
        let mut map = SourceMap::new();
        map.add("a.c", "int a;".to_owned()).unwrap();
        let base = map.add("b.c", "int b;".to_owned()).unwrap();
        assert_eq!(&*map.locate(6).file, "a.c");
        assert_eq!(&*map.locate(base).file, "b.c");
        assert_eq!(map.text(Span { start: base + 4, end: base + 5 }), "b");
        assert_eq!(map.text(Span { start: 4, end: base + 5 }), "a;");
    }

    #[test]
    fn nothing_can_be_located_in_nothing() {
        assert_eq!(&*SourceMap::new().locate(3).file, "<unknown>");
        assert_eq!(SourceMap::new().text(Span { start: 1, end: 2 }), "");
    }

    #[test]
    fn maps_may_be_shared_between_threads() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<SourceMap>();
    }
}
