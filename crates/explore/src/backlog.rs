//! The backlog: prefixes of runs that wait to be executed, last in, first out.
//!
//! A bound can have millions of them, so they share what they can: a run that opens some is
//! stored once, as far as it is needed, and each of them is an offset into it and the choice that
//! differs. That makes about ten bytes for each. Of one run the deepest comes out first, so that
//! an engine that goes back to saved states goes back as little as possible.

use raddle_finding::Choice;
use serde::{Deserialize, Serialize};

use crate::checkpoint::{Flaw, ensure};

/// Prefixes that wait.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Backlog {
    /// The encoded choices of the runs of all frames.
    paths: Vec<u8>,
    frames: Vec<Frame>,
    items: Vec<Item>,
    /// The encoded last choices of all items.
    choices: Vec<u8>,
    /// The cache keys of all items; empty without a cache.
    keys: Vec<u128>,
}

/// A run that opened prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Frame {
    owner: u64,
    path: usize,
    first_item: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Item {
    /// How many bytes of the frame's path it shares.
    shared: u32,
    /// How many bytes its own choice has.
    own: u8,
}

/// Prefixes come out with this much room behind the part that is shared: the run of one is
/// encoded behind it, and most runs are no longer.
const ROOM: usize = 32;

impl Backlog {
    /// Adds the first `shared` bytes of the path of a run, with one more choice. For each run
    /// `shared` must not fall.
    pub(crate) fn push(&mut self, owner: u64, path: &[u8], shared: usize, choice: Choice) {
        if self.frames.last().is_none_or(|frame| frame.owner != owner) {
            let (path, first_item) = (self.paths.len(), self.items.len());
            self.frames.push(Frame { owner, path, first_item });
        }
        let start = self.frames.last().expect("it was pushed").path;
        self.paths.extend_from_slice(&path[self.paths.len() - start..shared]);
        let before = self.choices.len();
        encode(choice, &mut self.choices);
        let own = (self.choices.len() - before) as u8;
        self.items.push(Item { shared: shared as u32, own });
    }

    /// Gives the item that was pushed last its cache key; all items have one or none has.
    pub(crate) fn key(&mut self, key: u128) {
        self.keys.push(key);
        debug_assert_eq!(self.keys.len(), self.items.len());
    }

    /// Takes out the prefix that was added last, encoded, with its key.
    pub(crate) fn pop(&mut self) -> Option<(Vec<u8>, Option<u128>)> {
        let item = self.items.pop()?;
        let frame = *self.frames.last().expect("an item belongs to a frame");
        let own = self.choices.len() - usize::from(item.own);
        let mut prefix = Vec::with_capacity(item.shared as usize + ROOM);
        prefix.extend_from_slice(&self.paths[frame.path..frame.path + item.shared as usize]);
        prefix.extend_from_slice(&self.choices[own..]);
        self.choices.truncate(own);
        if self.items.len() == frame.first_item {
            self.frames.pop();
            self.paths.truncate(frame.path);
        }
        Some((prefix, self.keys.pop()))
    }

    /// Refuses what cannot have been pushed by the first `n_owners` runs, with cache keys or without.
    pub(crate) fn check(&self, n_owners: u64, keyed: bool) -> Result<(), Flaw> {
        let n_keys = if keyed { self.items.len() } else { 0 };
        ensure(self.keys.len() == n_keys, "the cache keys of what waits")?;
        ensure(self.items.is_empty() == self.frames.is_empty(), "the runs that opened something")?;
        let ends = self.frames.iter().skip(1).map(|next| (next.path, next.first_item, next.owner));
        let ends = ends.chain([(self.paths.len(), self.items.len(), n_owners)]);
        let (mut path, mut first_item, mut own) = (0, 0, 0);
        for (frame, (path_end, items_end, next_owner)) in self.frames.iter().zip(ends) {
            ensure(frame.path == path && frame.first_item == first_item, "where a run begins")?;
            ensure(frame.owner < next_owner, "the order of runs")?;
            let items = self.items.get(first_item..items_end).unwrap_or_default();
            let paths = self.paths.get(path..path_end).filter(|_| !items.is_empty());
            own = check_items(items, paths.ok_or(NOTHING)?, self.choices.get(own..).unwrap_or(&[]))
                .map(|n| own + n)?;
            (path, first_item) = (path_end, items_end);
        }
        ensure(own == self.choices.len(), "the choices of what waits")
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many bytes it takes.
    pub(crate) fn memory(&self) -> usize {
        self.paths.capacity()
            + self.choices.capacity()
            + self.frames.capacity() * size_of::<Frame>()
            + self.items.capacity() * size_of::<Item>()
            + self.keys.capacity() * size_of::<u128>()
    }
}

const NOTHING: Flaw = Flaw("a run that opened nothing");

/// Checks the items of one run; answers with how many bytes their own choices have.
fn check_items(items: &[Item], path: &[u8], mut choices: &[u8]) -> Result<usize, Flaw> {
    let (mut n_choices, mut shared) = (0, 0);
    for item in items {
        let (own, until) = (usize::from(item.own), item.shared as usize);
        let choice = choices.get(..own).filter(|choice| first_length(choice) == Some(own));
        ensure(choice.is_some(), "a choice that waits")?;
        choices = &choices[own..];
        n_choices += own;
        let more = path.get(shared..until);
        ensure(more.is_some_and(is_encoded), "a prefix that waits")?;
        shared = until;
    }
    Ok(n_choices)
}

/// Whether bytes are encoded choices.
pub(crate) fn is_encoded(mut bytes: &[u8]) -> bool {
    while !bytes.is_empty() {
        let Some(rest) = first_length(bytes).and_then(|n| bytes.get(n..)) else { return false };
        bytes = rest;
    }
    true
}

/// How many bytes the first choice should have; none if there is none.
fn first_length(bytes: &[u8]) -> Option<usize> {
    match bytes.first()?.checked_sub(FIRST_TAG) {
        None | Some(3..=8) => Some(1),
        Some(0 | 1) => Some(1 + size_of::<u32>()),
        Some(2) => Some(1 + size_of::<i64>()),
        Some(_) => None,
    }
}

/// Threads below this are one byte; the bytes from here on are tags.
const FIRST_TAG: u8 = 240;

/// Appends a choice: one byte for most.
pub(crate) fn encode(choice: Choice, into: &mut Vec<u8>) {
    match choice {
        Choice::Thread(thread) if thread < u32::from(FIRST_TAG) => into.push(thread as u8),
        Choice::Thread(thread) => tagged(0, &thread.to_le_bytes(), into),
        Choice::Waiter(waiter) => tagged(1, &waiter.to_le_bytes(), into),
        Choice::Value(value) => tagged(2, &value.to_le_bytes(), into),
        Choice::Timeout(yes) => tagged(3 + u8::from(yes), &[], into),
        Choice::Spurious(yes) => tagged(5 + u8::from(yes), &[], into),
        Choice::Branch(yes) => tagged(7 + u8::from(yes), &[], into),
    }
}

fn tagged(tag: u8, bytes: &[u8], into: &mut Vec<u8>) {
    into.push(FIRST_TAG + tag);
    into.extend_from_slice(bytes);
}

/// How many choices were encoded.
pub(crate) fn length(mut bytes: &[u8]) -> usize {
    let mut n = 0;
    while let Some((&first, rest)) = bytes.split_first() {
        let behind = match first.checked_sub(FIRST_TAG) {
            Some(0 | 1) => size_of::<u32>(),
            Some(2) => size_of::<i64>(),
            _ => 0,
        };
        bytes = &rest[behind..];
        n += 1;
    }
    n
}

/// The choices that were encoded.
pub(crate) fn decode(mut bytes: &[u8]) -> Vec<Choice> {
    let mut choices = Vec::with_capacity(bytes.len());
    while let Some((&first, rest)) = bytes.split_first() {
        bytes = rest;
        choices.push(match first.checked_sub(FIRST_TAG) {
            None => Choice::Thread(first.into()),
            Some(0) => Choice::Thread(u32::from_le_bytes(take(&mut bytes))),
            Some(1) => Choice::Waiter(u32::from_le_bytes(take(&mut bytes))),
            Some(2) => Choice::Value(i64::from_le_bytes(take(&mut bytes))),
            Some(tag @ 3..=4) => Choice::Timeout(tag == 4),
            Some(tag @ 5..=6) => Choice::Spurious(tag == 6),
            Some(tag) => Choice::Branch(tag == 8),
        });
    }
    choices
}

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (taken, rest) = bytes.split_first_chunk().expect("a tag is followed by its bytes");
    *bytes = rest;
    *taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use Choice::*;

    #[test]
    fn choices_are_read_back() {
        let choices = [
            Thread(0),
            Thread(239),
            Thread(240),
            Thread(u32::MAX),
            Waiter(3),
            Timeout(true),
            Timeout(false),
            Spurious(true),
            Spurious(false),
            Value(-7),
            Branch(true),
            Branch(false),
        ];
        let mut bytes = Vec::new();
        choices.iter().for_each(|&choice| encode(choice, &mut bytes));
        assert_eq!(decode(&bytes), choices);
        assert_eq!(length(&bytes), choices.len());
    }

    #[test]
    fn the_last_prefix_comes_out_first() {
        let mut backlog = Backlog::default();
        backlog.push(0, &[0, 0, 1, 1], 1, Thread(1));
        backlog.push(0, &[0, 0, 1, 1], 3, Thread(0));
        backlog.push(1, &[0, 1, 1], 2, Value(5));
        let mut popped = || backlog.pop().map(|(prefix, _)| decode(&prefix));
        assert_eq!(popped(), Some(vec![Thread(0), Thread(1), Value(5)]));
        assert_eq!(popped(), Some(vec![Thread(0), Thread(0), Thread(1), Thread(0)]));
        assert_eq!(popped(), Some(vec![Thread(0), Thread(1)]));
        assert_eq!(popped(), None);
        assert!(backlog.paths.is_empty() && backlog.choices.is_empty());
    }
}
