//! Guesses: reads of which the writer is not known (G4).
//!
//! In: blocks in order. Out: which reads of which bytes in which blocks are guesses. First, memory
//! that several threads touch; of that, words that two blocks that overlap touch, one of them
//! writing; of those, each byte with all that is done to it. A block is all or nothing: a read
//! behind a write of its own block is taken for one before it. So there may be too many guesses,
//! never too few.

use std::collections::BTreeMap;

use raddle_wire::{Code, Record};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pieces::{Block, Lane};
use super::{Item, accessed, walk};
use crate::recording::shadow::Shadow;

const PLAIN_READ: u8 = 1;
const PLAIN_WRITE: u8 = 2;
const ATOMIC_READ: u8 = 4;
const ATOMIC_WRITE: u8 = 8;
const WORD: u64 = 8;

fn kinds(code: Code) -> u8 {
    match code {
        Code::Read | Code::ReadRange => PLAIN_READ,
        Code::Write | Code::WriteRange => PLAIN_WRITE,
        Code::AtomicLoad | Code::AtomicMiss => ATOMIC_READ,
        Code::AtomicStore => ATOMIC_WRITE,
        Code::AtomicUpdate => ATOMIC_READ | ATOMIC_WRITE,
        _ => 0,
    }
}

/// What must not overlap an access of a kind.
fn enemies(kind: u8) -> u8 {
    match kind {
        PLAIN_READ => PLAIN_WRITE | ATOMIC_WRITE,
        PLAIN_WRITE => PLAIN_READ | PLAIN_WRITE | ATOMIC_READ | ATOMIC_WRITE,
        ATOMIC_READ => PLAIN_WRITE,
        _ => PLAIN_READ | PLAIN_WRITE,
    }
}

fn each(kinds: u8) -> impl Iterator<Item = u8> {
    (0..4).map(|bit| 1 << bit).filter(move |kind| kinds & kind != 0)
}

/// Reads of which the writer is not known.
#[derive(Default)]
pub(super) struct Guesses {
    words: FxHashSet<u64>,
    /// Block, byte and kind of the read.
    reads: FxHashSet<(usize, u64, u8)>,
}

impl Guesses {
    pub(super) fn find(lanes: &[Lane<'_>], blocks: &[Block]) -> Guesses {
        let words = overlapping(lanes, blocks, &shared(lanes, blocks));
        let mut guesses = Guesses { words, reads: FxHashSet::default() };
        if guesses.words.is_empty() {
            return guesses;
        }
        let mut bytes: FxHashMap<u64, Vec<Entry>> = FxHashMap::default();
        each_access(lanes, blocks, |at, code, range| {
            for byte in range.filter(|byte| guesses.words.contains(&(byte / WORD))) {
                let entries = bytes.entry(byte).or_default();
                match entries.last_mut().filter(|entry| entry.block == at) {
                    Some(entry) => entry.kinds |= kinds(code),
                    None => entries.push(Entry { block: at, kinds: kinds(code) }),
                }
            }
        });
        for (byte, entries) in bytes {
            for (block, kind) in of_byte(blocks, &entries) {
                guesses.reads.insert((block, byte, kind));
            }
        }
        guesses
    }

    /// Whether a record is a read of which the writer is not known.
    pub(super) fn contain(&self, block: usize, code: Code, record: Record) -> bool {
        if self.reads.is_empty() {
            return false;
        }
        let kind = kinds(code) & (PLAIN_READ | ATOMIC_READ);
        let mut bytes = accessed(code, record).into_iter().flatten();
        kind != 0 && bytes.any(|byte| self.reads.contains(&(block, byte, kind)))
    }
}

fn each_access(
    lanes: &[Lane<'_>],
    blocks: &[Block],
    mut act: impl FnMut(usize, Code, std::ops::Range<u64>),
) {
    walk(lanes, blocks, |at, item| {
        if let Item::Record(code, record) = item
            && let Some(range) = accessed(code, record)
        {
            act(at, code, range);
        }
    });
}

/// Who touches what.
fn shared(lanes: &[Lane<'_>], blocks: &[Block]) -> Shadow {
    let n_items: usize = blocks.iter().map(|block| block.n_items).sum();
    let mut shadow = Shadow::new(n_items as u64);
    each_access(lanes, blocks, |at, _, range| {
        shadow.touch(blocks[at].lane as u32, range.start, range.end - range.start);
    });
    shadow
}

/// The end of the last block that did something, and of the last one of another thread.
#[derive(Clone, Copy, Default)]
struct Last {
    until: u64,
    lane: usize,
    until_other: u64,
}

impl Last {
    fn push(&mut self, lane: usize, until: u64) {
        if self.lane != lane {
            (self.until_other, self.lane) = (self.until, lane);
        }
        self.until = until;
    }

    /// When the last block of any other thread ended; 0 if there was none.
    fn of_others(&self, lane: usize) -> u64 {
        if self.lane == lane { self.until_other } else { self.until }
    }
}

/// Words that blocks which overlap touch, one of them writing.
fn overlapping(lanes: &[Lane<'_>], blocks: &[Block], shadow: &Shadow) -> FxHashSet<u64> {
    let mut found = FxHashSet::default();
    let mut words: FxHashMap<u64, [Last; 4]> = FxHashMap::default();
    each_access(lanes, blocks, |at, code, range| {
        let Block { lane, after, until, .. } = blocks[at];
        if range.is_empty() || !shadow.is_shared(range.start, range.end - range.start) {
            return;
        }
        for word in range.start / WORD..=(range.end - 1) / WORD {
            let last = words.entry(word).or_default();
            for kind in each(kinds(code)) {
                let meets = |enemy: u8| last[enemy.ilog2() as usize].of_others(lane) > after;
                if each(enemies(kind)).any(meets) {
                    found.insert(word);
                }
            }
            each(kinds(code)).for_each(|kind| last[kind.ilog2() as usize].push(lane, until));
        }
    });
    found
}

/// What a block does to a byte.
struct Entry {
    block: usize,
    kinds: u8,
}

/// The last writes of a thread before some block, or the first ones behind it, by kind.
#[derive(Clone, Copy, Default)]
struct Writes {
    plain: Option<Block>,
    atomic: Option<Block>,
}

impl Writes {
    fn push(&mut self, step: &Step) {
        if step.kinds & PLAIN_WRITE != 0 {
            self.plain = Some(step.plain);
        }
        if step.kinds & ATOMIC_WRITE != 0 {
            self.atomic = Some(step.atomic);
        }
    }

    /// Whether one of them may have come between a read of a kind and what it saw.
    fn meet(&self, read: &Block, kind: u8) -> bool {
        let overlaps = |write: &Option<Block>| {
            write.is_some_and(|write| write.after < read.until && write.until > read.after)
        };
        overlaps(&self.plain) || (kind == PLAIN_READ && overlaps(&self.atomic))
    }

    /// The last one, and whether it is atomic.
    fn last(&self) -> Option<(Block, bool)> {
        match (self.plain, self.atomic) {
            (Some(plain), Some(atomic)) if atomic.until >= plain.until => Some((atomic, true)),
            (Some(plain), _) => Some((plain, false)),
            (None, atomic) => atomic.map(|atomic| (atomic, true)),
        }
    }
}

/// What a block does to a byte, and between which numbers.
struct Step {
    block: usize,
    kinds: u8,
    plain: Block,
    /// An atomic operation comes behind the number of the one before it there (G3).
    atomic: Block,
}

fn steps(blocks: &[Block], entries: &[Entry]) -> Vec<Step> {
    let mut last = 0;
    let step = |&Entry { block, kinds }: &Entry| {
        let plain = blocks[block];
        let atomic = Block { after: plain.after.max(last), ..plain };
        if kinds & (ATOMIC_READ | ATOMIC_WRITE) != 0 {
            last = plain.until;
        }
        Step { block, kinds, plain, atomic }
    };
    entries.iter().map(step).collect()
}

/// The blocks, and the kinds of their reads of one byte, of which the writer is not known.
fn of_byte(blocks: &[Block], entries: &[Entry]) -> Vec<(usize, u8)> {
    let steps = steps(blocks, entries);
    let mut found = Vec::new();
    let mut sweep = |steps: &mut dyn Iterator<Item = &Step>, forwards: bool| {
        let mut threads: BTreeMap<usize, Writes> = BTreeMap::new();
        for step in steps {
            let lane = step.plain.lane;
            let mut is_open = forwards && has_two_last(&threads);
            if forwards && step.kinds & PLAIN_WRITE != 0 {
                // What is atomic comes behind all else of its block.
                threads.entry(lane).or_default().plain = Some(step.plain);
                is_open |= step.kinds & ATOMIC_READ != 0 && has_two_last(&threads);
            }
            for kind in each(step.kinds & (PLAIN_READ | ATOMIC_READ)) {
                let read = if kind == PLAIN_READ { &step.plain } else { &step.atomic };
                let mut others = threads.iter().filter(|(other, _)| **other != lane);
                let meets = others.any(|(_, writes)| writes.meet(read, kind));
                if meets || is_open {
                    found.push((step.block, kind));
                }
            }
            threads.entry(lane).or_default().push(step);
        }
    };
    // Of all that a thread writes behind a block, what it writes first began first.
    sweep(&mut steps.iter(), true);
    sweep(&mut steps.iter().rev(), false);
    found
}

/// Whether more than one write may be the last one of all.
fn has_two_last(threads: &BTreeMap<usize, Writes>) -> bool {
    let last: Vec<_> = threads.values().filter_map(Writes::last).collect();
    let is_over = |&(write, atomic): &(Block, bool)| {
        last.iter().any(|&(other, other_atomic)| {
            other.after >= write.until || (atomic && other_atomic && other.until > write.until)
        })
    };
    last.iter().filter(|write| !is_over(write)).count() > 1
}
