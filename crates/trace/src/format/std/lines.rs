//! Lines: splits a stream into lines without ever holding more than a few of them.

use std::io::{self, Read};

/// No trace has longer lines; a file that does is something else.
pub(super) const MAX_LINE: usize = 1 << 20;
const BUFFER: usize = 2 * MAX_LINE;

pub(super) struct Lines<R> {
    reader: R,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    at_end: bool,
    /// Lines that were given out.
    n_lines: u64,
}

/// What comes next in the stream.
pub(super) enum Next {
    /// The range of the buffer that holds the line, without its end.
    Line(usize, usize),
    /// A line of more than [`MAX_LINE`] bytes.
    TooLong,
    /// The buffer holds no whole line; it must be filled.
    Fill,
    /// The end.
    End,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(reader: R) -> Lines<R> {
        let buffer = vec![0; BUFFER].into_boxed_slice();
        Lines { reader, buffer, start: 0, end: 0, at_end: false, n_lines: 0 }
    }

    /// The number of the line given out last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.n_lines
    }

    /// Bytes in the buffer that were not given out.
    pub(super) fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    pub(super) fn bytes(&self, start: usize, end: usize) -> &[u8] {
        &self.buffer[start..end]
    }

    /// Moves what is left to the front of the buffer and reads more.
    pub(super) fn fill(&mut self) -> io::Result<()> {
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        while self.end < BUFFER && !self.at_end {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.at_end = true,
                Ok(n) => self.end += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// The next line, if the buffer holds it.
    #[inline]
    pub(super) fn next(&mut self) -> Next {
        if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.start..self.end]) {
            return self.give(length, 1);
        }
        match self.end - self.start {
            rest if rest > MAX_LINE => {
                self.n_lines += 1;
                Next::TooLong
            }
            _ if !self.at_end => Next::Fill,
            0 => Next::End,
            rest => self.give(rest, 0),
        }
    }

    #[inline]
    fn give(&mut self, length: usize, newline: usize) -> Next {
        let start = self.start;
        self.start += length + newline;
        self.n_lines += 1;
        if length > MAX_LINE {
            return Next::TooLong;
        }
        let end = start + length;
        let carriage_return = length > 0 && self.buffer[end - 1] == b'\r';
        Next::Line(start, end - usize::from(carriage_return))
    }
}
