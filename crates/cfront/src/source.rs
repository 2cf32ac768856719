//! Source positions: spans in the preprocessed text, and the files and lines they came from.
//!
//! In: preprocessed texts with `# line "file"` markers. Out: locations and the original lines.
//! All texts of a program share one range of positions, so that a [`Span`] alone says where it is.

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

/// The preprocessed texts of a program.
#[derive(Debug, Default)]
pub struct SourceMap {}
