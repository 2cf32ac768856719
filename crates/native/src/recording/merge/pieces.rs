//! Pieces of a file, the lanes of threads that they make, and the blocks of those.

use std::collections::BTreeMap;

use raddle_wire::{Code, HEADER_LEN, PIECE_UNIT, RECORD_LEN};

use crate::recording::stream::{Item, Note, Stream};

/// What one thread wrote.
pub(super) struct Lane<'a> {
    /// The runtime's number of the thread.
    pub(super) number: u64,
    pieces: Vec<&'a [u8]>,
}

impl<'a> Lane<'a> {
    /// All of it, in order.
    pub(super) fn items(&self) -> impl Iterator<Item = Item<'a>> + use<'a> {
        self.pieces.clone().into_iter().flat_map(Stream::new)
    }

    /// Why it could not be read to its end. That a piece is not full is as it should be.
    fn note(&self) -> Option<Note> {
        self.pieces.iter().find_map(|piece| {
            let mut stream = Stream::new(piece);
            stream.by_ref().for_each(drop);
            stream.note.filter(|note| !matches!(note, Note::Cut { .. }))
        })
    }
}

/// What a thread did between two of its numbers, with the second one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Index of its lane.
    pub(super) lane: usize,
    /// The number before it; 0 if there was none.
    pub(super) after: u64,
    /// The number of its last record; the largest of all if the recording ends before.
    pub(super) until: u64,
    /// Items of the lane.
    pub(super) n_items: usize,
}

/// The lanes in a file, by the numbers of their threads. Of two pieces with one number, one was being
/// copied to the other, or cleared after that.
pub(super) fn lanes(file: &[u8]) -> Vec<Lane<'_>> {
    let mut lanes: BTreeMap<u64, BTreeMap<u32, &[u8]>> = BTreeMap::new();
    for unit in (0..file.len()).step_by(PIECE_UNIT) {
        let start = if unit == 0 { HEADER_LEN } else { unit };
        let head = file.get(start..).and_then(|rest| Stream::new(rest).next());
        if let Some(Item::Record(Code::Piece, record)) = head {
            let len = (record.pc() as usize).saturating_mul(RECORD_LEN).max(RECORD_LEN);
            let end = start.saturating_add(len).min(unit + PIECE_UNIT).min(file.len());
            let piece = written(&file[start + RECORD_LEN..end]);
            let pieces = lanes.entry(record.object()).or_default();
            let known = pieces.entry(record.count()).or_insert(piece);
            if known.len() < piece.len() {
                *known = piece;
            }
        }
    }
    let lane = |(number, pieces): (u64, BTreeMap<u32, _>)| Lane {
        number,
        pieces: pieces.into_values().collect(),
    };
    lanes.into_iter().map(lane).collect()
}

/// A piece without what was never written.
fn written(piece: &[u8]) -> &[u8] {
    let is_zero = |record: &&[u8]| record.iter().all(|&byte| byte == 0);
    let n_zero = piece.rchunks_exact(RECORD_LEN).take_while(is_zero).count();
    &piece[..piece.len() - n_zero * RECORD_LEN]
}

/// All blocks, in the order of their last numbers, as far as every lane goes.
pub(super) fn blocks(lanes: &[Lane<'_>]) -> (Vec<Block>, Option<Note>) {
    let mut blocks = Vec::new();
    let mut end = u64::MAX;
    for (lane, of) in lanes.iter().enumerate() {
        let stopped = split(lane, of, &mut blocks);
        end = end.min(stopped.unwrap_or(u64::MAX));
    }
    blocks.retain(|block| block.until < end || end == u64::MAX);
    blocks.sort_by_key(|block| (block.until, block.lane));
    (blocks, lanes.iter().find_map(Lane::note))
}

/// Appends the blocks of a lane; the number at which it was stopped, if it was.
fn split(lane: usize, of: &Lane<'_>, blocks: &mut Vec<Block>) -> Option<u64> {
    let mut block = Block { lane, after: 0, until: u64::MAX, n_items: 0 };
    let mut number = None;
    for item in of.items() {
        match item {
            Item::Record(Code::Stop, record) => return Some(record.object()),
            // Numbers only grow; a lane in which they do not is not to be believed from there on.
            Item::Record(Code::Number, record) if record.object() <= block.after => return None,
            Item::Record(Code::Number, record) => number = Some(record.object()),
            _ => {}
        }
        block.n_items += 1;
        // The extent of an allocation belongs to it.
        let ends = !matches!(item, Item::Record(Code::Number | Code::Alloc, _));
        if let (true, Some(until)) = (ends, number) {
            blocks.push(Block { until, ..block });
            block = Block { after: until, n_items: 0, ..block };
            number = None;
        }
    }
    // A number without what has it was cut off.
    if number.is_none() && block.n_items > 0 {
        blocks.push(block);
    }
    None
}
