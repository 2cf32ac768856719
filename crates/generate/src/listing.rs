//! Listing: gives every line of code its place in a source file.

use std::ops::Range;

use raddle_trace::{LocationId, NameError, Names};

use super::layout::intern;
use super::program::{Act, Line, Sites};

const STEMS: [&str; 12] = [
    "worker", "queue", "cache", "pool", "list", "table", "log", "index", "buffer", "session",
    "timer", "codec",
];

/// Source files that are being written, function by function.
pub(super) struct Listing {
    /// Per file, the last line in use.
    lines: Vec<u32>,
    file: usize,
}

impl Listing {
    pub(super) fn new(n_functions: u32) -> Listing {
        Listing { lines: vec![10; n_functions.div_ceil(8) as usize], file: 0 }
    }

    /// Writes a function into the next file.
    pub(super) fn function(
        &mut self,
        body: &[Act],
        locations: &mut Names,
        code: &mut Vec<Line>,
    ) -> Result<(), NameError> {
        self.file = (self.file + 1) % self.lines.len();
        let (stem, n) = (STEMS[self.file % STEMS.len()], self.file / STEMS.len() + 1);
        let line = &mut self.lines[self.file];
        *line += 4;
        for &act in body {
            let first = locations.len() as u32;
            for _ in 0..act.n_lines() {
                *line += 1;
                match n {
                    1 => intern(locations, format_args!("{stem}.c:{line}"))?,
                    _ => intern(locations, format_args!("{stem}{n}.c:{line}"))?,
                };
            }
            code.push(Line { act, location: LocationId(first) });
        }
        Ok(())
    }

    /// Names the transactions of the function that was written last.
    pub(super) fn label(&self, labels: Range<u32>, names: &mut Names) -> Result<(), NameError> {
        let stem = STEMS[self.file % STEMS.len()];
        for label in labels {
            intern(names, format_args!("{stem}_update_{label}"))?;
        }
        Ok(())
    }

    /// Writes the code that starts and stops threads.
    pub(super) fn sites(&self, locations: &mut Names) -> Result<Sites, NameError> {
        let mut site = |name: &str| locations.intern(name.as_bytes()).map(LocationId);
        Ok(Sites {
            begin: [site("main.c:21")?, site("thread.c:14")?],
            end: [site("main.c:58")?, site("thread.c:33")?],
            fork: [site("main.c:34")?, site("thread.c:25")?],
            join: [site("main.c:39")?, site("thread.c:29")?],
            barriers: [site("phase.c:17")?, site("phase.c:42")?],
            read: site("main.c:26")?,
            write: site("main.c:27")?,
            poll: site("main.c:30")?,
            peek: site("main.c:31")?,
            shutdown_lock: site("main.c:46")?,
            shutdown_notify: site("main.c:48")?,
            shutdown_unlock: site("main.c:49")?,
        })
    }
}
