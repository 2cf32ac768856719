//! Tables that remember what they were: a vector with marks to go back to.
//!
//! In: changes, and marks between them. Out: the table as it was at any mark that is not newer
//! than one it went back to. What was added since the last mark needs no note, and what is noted
//! since then is not noted again, so the log stays within the size of the table per mark.

use raddle_happens::{Table, Times};

/// A vector that can go back.
#[derive(Clone, Debug)]
pub(super) struct Logged<T> {
    items: Vec<T>,
    /// Whether an item was noted since the last mark.
    noted: Vec<bool>,
    /// Items as they were before they were changed.
    log: Vec<(u32, T)>,
    last: Mark,
}

/// Where a table was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mark {
    len: u32,
    n_log: u32,
}

impl<T> Default for Logged<T> {
    fn default() -> Self {
        Logged { items: Vec::new(), noted: Vec::new(), log: Vec::new(), last: Mark::default() }
    }
}

impl<T: Copy> Logged<T> {
    pub(super) fn len(&self) -> u32 {
        self.items.len() as u32
    }

    #[inline]
    pub(super) fn get(&self, index: u32) -> &T {
        &self.items[index as usize]
    }

    /// The items from one index on.
    pub(super) fn slice(&self, start: u32, len: u32) -> &[T] {
        &self.items[start as usize..(start + len) as usize]
    }

    #[inline]
    pub(super) fn set(&mut self, index: u32, item: T) {
        *self.change(index) = item;
    }

    /// An item that is about to change.
    #[inline]
    pub(super) fn change(&mut self, index: u32) -> &mut T {
        let at = index as usize;
        if index < self.last.len && !self.noted[at] {
            self.noted[at] = true;
            self.log.push((index, self.items[at]));
        }
        &mut self.items[at]
    }

    /// Adds an item and answers with its index.
    pub(super) fn push(&mut self, item: T) -> u32 {
        self.items.push(item);
        self.noted.push(false);
        self.items.len() as u32 - 1
    }

    /// Adds items up to a length, if there are fewer.
    pub(super) fn extend_to(&mut self, len: u32, item: T) {
        if self.len() < len {
            self.items.resize(len as usize, item);
            self.noted.resize(len as usize, false);
        }
    }

    /// From now on it can go back to here.
    pub(super) fn mark(&mut self) -> Mark {
        for (index, _) in &self.log[self.last.n_log as usize..] {
            self.noted[*index as usize] = false;
        }
        self.last = Mark { len: self.len(), n_log: self.log.len() as u32 };
        self.last
    }

    /// Goes back to a mark.
    pub(super) fn rewind(&mut self, mark: Mark) {
        for (index, item) in self.log.drain(mark.n_log as usize..).rev() {
            self.items[index as usize] = item;
            self.noted[index as usize] = false;
        }
        self.items.truncate(mark.len as usize);
        self.noted.truncate(mark.len as usize);
        self.last = mark;
    }

    /// How many bytes it has.
    pub(super) fn size(&self) -> usize {
        self.items.len() * (size_of::<T>() + 1) + self.log.len() * size_of::<(u32, T)>()
    }
}

impl<T: Copy> Table<T> for Logged<T> {
    #[inline]
    fn len(&self) -> u32 {
        self.len()
    }

    #[inline]
    fn get(&self, index: u32) -> &T {
        self.get(index)
    }

    #[inline]
    fn change(&mut self, index: u32) -> &mut T {
        self.change(index)
    }

    fn push(&mut self, item: T) -> bool {
        self.push(item);
        true
    }
}

impl Times for Logged<u32> {
    #[inline]
    fn slice(&self, start: u32, n: u32) -> &[u32] {
        self.slice(start, n)
    }

    fn grow(&mut self, n: u32) -> bool {
        self.extend_to(self.len() + n, 0);
        true
    }

    #[inline]
    fn set(&mut self, index: u32, time: u32) {
        if *self.get(index) != time {
            *self.change(index) = time;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_what_they_were_at_any_mark() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut table = Logged::default();
        let mut copies: Vec<(Mark, Vec<u8>)> = vec![(table.mark(), Vec::new())];
        for _ in 0..20_000 {
            match random.u8(..10) {
                0 => copies.push((table.mark(), table.items.clone())),
                1 => {
                    copies.truncate(random.usize(1..=copies.len()));
                    let (mark, items) = copies.last().unwrap();
                    table.rewind(*mark);
                    assert_eq!(&table.items, items);
                }
                2 | 3 => drop(table.push(random.u8(..))),
                _ if table.len() > 0 => table.set(random.u32(..table.len()), random.u8(..)),
                _ => {}
            }
        }
    }
}
