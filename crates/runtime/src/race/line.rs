//! Lines: chains of accesses, three in a line of the processor's cache.

use super::access::Access;
use super::block::{N_BLOCKS, N_GRANULES};

/// Lines that belong to granules.
const N_PAGED: usize = N_BLOCKS * N_GRANULES as usize;
/// These, and those that are taken as they are needed.
const N_LINES: usize = N_PAGED + (1 << 18);
const N_ACCESSES: usize = 3;

/// Some accesses to one granule, or wide ones to one block.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line {
    n: u32,
    /// The line with more of them; 0: none.
    pub(super) next: u32,
    accesses: [Access; N_ACCESSES],
}

impl Line {
    #[inline]
    pub(super) fn accesses(&self) -> &[Access] {
        self.accesses.get(..self.n as usize).unwrap_or(&[])
    }
}

/// All lines. The first one belongs to a granule, so that 0 can stand for none in chains.
pub(super) struct Lines {
    /// How many accesses there was no room for.
    pub(super) n_forgotten: u64,
    n: u32,
    /// The first line that can be used again.
    spare: u32,
    lines: [Line; N_LINES],
}

impl Lines {
    /// None but those of granules are in use.
    pub(super) fn reset(&mut self) {
        self.n_forgotten = 0;
        self.n = N_PAGED as u32;
        self.spare = 0;
    }

    /// A copy of a line of a chain; none behind its end.
    pub(super) fn get(&self, index: u32) -> Option<Line> {
        (index != 0).then(|| self.lines[index as usize])
    }

    /// Whether an access is in a line.
    #[inline]
    pub(super) fn has(&self, index: u32, access: Access) -> bool {
        let [a, b, c] = self.lines[index as usize].accesses;
        (a == access) | (b == access) | (c == access)
    }

    /// Makes a line an empty chain.
    pub(super) fn clear(&mut self, index: u32) {
        self.lines[index as usize] = Line { n: 0, next: 0, accesses: [Access::NONE; N_ACCESSES] };
    }

    /// Shows all accesses of a chain, if there is one.
    #[inline]
    pub(super) fn show_chain(&self, first: u32, see: impl FnMut(Access) -> bool) {
        if first != 0 {
            self.show(first, see);
        }
    }

    /// Shows all accesses of a line and those behind it.
    pub(super) fn show(&self, first: u32, mut see: impl FnMut(Access) -> bool) {
        let mut line = &self.lines[first as usize];
        loop {
            for &access in line.accesses() {
                see(access);
            }
            if line.next == 0 {
                return;
            }
            line = &self.lines[line.next as usize];
        }
    }

    /// Puts an access into a chain and shows all others; `see` says whether it is after one. False
    /// if it was there, exactly so; then not all were shown.
    pub(super) fn keep(
        &mut self,
        first: u32,
        new: Access,
        mut see: impl FnMut(Access) -> bool,
    ) -> bool {
        let (mut last, mut place) = (first as usize, None);
        loop {
            for (index, &old) in self.lines[last].accesses().iter().enumerate() {
                if old == new {
                    return false;
                }
                let is_own = old.thread() == new.thread();
                if see(old) && old.is_like(new) && (is_own || place.is_none()) {
                    place = Some((last, index));
                }
            }
            if self.lines[last].next == 0 {
                break;
            }
            last = self.lines[last].next as usize;
        }
        match place {
            Some((line, index)) => {
                let old = &mut self.lines[line].accesses[index];
                if old.thread() != new.thread() || old.time() < new.time() {
                    *old = new;
                }
            }
            None => self.append(last, new),
        }
        true
    }

    /// A new chain; 0 if there is no room.
    pub(super) fn new_line(&mut self) -> u32 {
        let mut new = self.spare;
        if new != 0 {
            self.spare = self.lines[new as usize].next;
        } else if (self.n as usize) < N_LINES {
            new = self.n;
            self.n += 1;
        } else {
            return 0;
        }
        self.clear(new);
        new
    }

    /// The lines behind the first one of a chain can be used again.
    pub(super) fn cut(&mut self, first: u32) {
        let rest = core::mem::take(&mut self.lines[first as usize].next);
        self.recycle(rest);
    }

    /// The lines of a chain, if there is one, can be used again.
    pub(super) fn recycle(&mut self, first: u32) {
        if first == 0 {
            return;
        }
        let mut last = first as usize;
        while self.lines[last].next != 0 {
            last = self.lines[last].next as usize;
        }
        self.lines[last].next = self.spare;
        self.spare = first;
    }

    fn append(&mut self, mut last: usize, new: Access) {
        if self.lines[last].n as usize == N_ACCESSES {
            let more = self.new_line();
            if more == 0 {
                self.n_forgotten += 1;
                return;
            }
            self.lines[last].next = more;
            last = more as usize;
        }
        let line = &mut self.lines[last];
        line.accesses[line.n as usize] = new;
        line.n += 1;
    }
}
