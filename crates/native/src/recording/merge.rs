//! Merging: a recording of threads that ran at once becomes one order.
//!
//! In: the bytes of a parallel recording. Out: records as a controlled run would have written
//! them, and a mark ([`Code::Unordered`]) before each read of which the writer is not known.
//!
//! - G1: A *block* is what a thread did after one of its numbers (`after`) up to the next one
//!   (`until`), which is the number of its last record. Numbers are taken at full fences, so a
//!   block whose `until` is not above another one's `after` was over when that one began. All that
//!   happens-before knows is known by this, too, and more: only what overlapped in time is open.
//! - G2: Blocks are put in the order of their last numbers. That respects G1, and the order of all
//!   that has numbers.
//! - G3: Atomic operations of one address are in the order of their numbers, even if their blocks
//!   overlap.
//! - G4: The writer of a read is a *guess* if a write of the same byte by another thread overlaps
//!   it, or if the last writes before it overlapped each other (G3 aside). See `guess`.
//! - G5: Which wait a notify ended is not recorded. It is the waiting thread that goes on first; each wakes
//!   one at most. If several were waiting, that is a guess, too.
//! - G6: A lock that could not be had although no thread has it yet, by the numbers, was held by a thread
//!   that had not got its number. What failed is left out, and what its thread does next counts as a
//!   guess.
//!
//! What a guess means. All events happened, as often and in the order of each thread, and locks
//! and the like are in their true order. But a thread that reads something else may do something
//! else from there on. So a reordering is certain as long as no thread does anything in it behind
//! a guess of its own ([`super::Guide::rests_on_guess`]). What rests on one has to be replayed.
//! Guesses are marked rather than cut off, since most are counters and flags that nothing depends on.
//!
//! If there was no room for all of a thread's records, all others end at that number, too.

mod guess;
mod pieces;
mod settle;

use raddle_wire::{Code, RECORD_LEN, Record, TextKind};
use rustc_hash::FxHashMap;

use super::stream::{Item, Note};
use guess::Guesses;
use pieces::{Block, Lane, blocks, lanes};
use settle::{Locks, Wakes};

/// A merged recording.
pub(super) struct Merged {
    pub(super) bytes: Vec<u8>,
    pub(super) note: Option<Note>,
}

/// Puts a parallel recording, with its header, in order.
pub(super) fn merge(file: &[u8]) -> Merged {
    let lanes = lanes(file);
    let (blocks, note) = blocks(&lanes);
    let guesses = Guesses::find(&lanes, &blocks);
    let wakes = Wakes::match_up(&lanes, &blocks);
    let mut out = Out { bytes: Vec::new(), thread: None };
    let mut locks = Locks::default();
    walk(&lanes, &blocks, |at, item| {
        out.switch(lanes[blocks[at].lane].number);
        match item {
            Item::Text(kind, text) => out.text(kind, text),
            Item::Record(Code::Number | Code::Stop | Code::Piece, _) => {}
            Item::Record(code, record) => {
                if !locks.allow(code, record) {
                    out.record(Record::new(Code::Unordered, 0, 0, 0, 0));
                    // Not an event, but the end of a block.
                    return out.record(Record::new(Code::Fence, 0, 0, record.pc(), 0));
                }
                let (record, is_guess) = match code {
                    Code::Notify => wakes.notify(at, record),
                    Code::Wake => (record, wakes.is_guess(at)),
                    _ => (record, guesses.contain(at, code, record)),
                };
                if is_guess {
                    out.record(Record::new(Code::Unordered, 0, 0, 0, 0));
                }
                out.record(record);
            }
        }
    });
    Merged { bytes: out.bytes, note }
}

/// Goes through everything in order; with each item comes the index of its block.
fn walk<'a>(lanes: &[Lane<'a>], blocks: &[Block], mut act: impl FnMut(usize, Item<'a>)) {
    let mut cursors: Vec<_> = lanes.iter().map(Lane::items).collect();
    for (at, block) in blocks.iter().enumerate() {
        for item in cursors[block.lane].by_ref().take(block.n_items) {
            act(at, item);
        }
    }
}

struct Out {
    bytes: Vec<u8>,
    thread: Option<u64>,
}

impl Out {
    fn record(&mut self, record: Record) {
        self.bytes.extend(record.head.to_le_bytes());
        self.bytes.extend(record.tail.to_le_bytes());
    }

    fn switch(&mut self, thread: u64) {
        if self.thread.replace(thread) != Some(thread) {
            self.record(Record::new(Code::Switch, thread, 0, 0, 0));
        }
    }

    fn text(&mut self, kind: TextKind, text: &[u8]) {
        self.record(Record::counted(Code::Text, kind as u64, text.len() as u64, 0));
        self.bytes.extend(text);
        self.bytes.resize(self.bytes.len().next_multiple_of(RECORD_LEN), 0);
    }
}

/// The bytes that a record reads or writes; none if it is no access.
fn accessed(code: Code, record: Record) -> Option<std::ops::Range<u64>> {
    let len = match code {
        Code::Read
        | Code::Write
        | Code::AtomicLoad
        | Code::AtomicStore
        | Code::AtomicUpdate
        | Code::AtomicMiss => record.detail().into(),
        Code::ReadRange | Code::WriteRange => record.count(),
        _ => return None,
    };
    Some(record.object()..record.object() + u64::from(len))
}

/// By index of a block.
type ByBlock<T> = FxHashMap<usize, T>;
