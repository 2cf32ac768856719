//! Unpacking: the content of one events block becomes columns.
//!
//! This needs nothing but the block, so that several can be unpacked at once. Whether ids mean
//! anything is for the one to decide who has the tables.

use super::column::Cursor;
use super::frame::Block;
use super::predict::Past;
use crate::events::Events;
use crate::format::BlockProblem;
use crate::id::ThreadId;
use crate::op::{Kind, OpCode};

/// More events than any writer puts into one block.
pub(super) const MAX_BLOCK_EVENTS: u32 = 1 << 20;

/// The columns of one block.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) codes: Vec<OpCode>,
    pub(super) threads: Vec<ThreadId>,
    pub(super) objects: Vec<u32>,
    pub(super) locations: Vec<u32>,
    /// Empty if no event has one.
    pub(super) stacks: Vec<u32>,
    /// Places in the block, and the value there.
    pub(super) values: Vec<(u32, u64)>,
    /// The same of what read-modify-writes found.
    pub(super) found: Vec<(u32, u64)>,
    /// Places in the block of wake-ups, and how far back the notify is.
    pub(super) wakers: Vec<(u32, u32)>,
}

/// Unpacks blocks one after the other.
pub(super) struct Unpacker {
    decompressor: zstd::bulk::Decompressor<'static>,
    content: Vec<u8>,
    columns: Columns,
    said: Said,
    past: Past,
}

impl Unpacker {
    pub(super) fn new() -> std::io::Result<Unpacker> {
        Ok(Unpacker {
            decompressor: zstd::bulk::Decompressor::new()?,
            content: Vec::new(),
            columns: Columns::default(),
            said: Said::default(),
            past: Past::default(),
        })
    }

    /// The content of a block, decompressed.
    pub(super) fn decompress(&mut self, block: &Block) -> Result<&[u8], BlockProblem> {
        self.content.clear();
        self.content.reserve(block.raw_size);
        match self.decompressor.decompress_to_buffer(block.content, &mut self.content) {
            Ok(size) if size == block.raw_size => {}
            Err(_) if cfg!(fuzzing) => {
                self.content.clear();
                self.content.extend_from_slice(block.content);
            }
            _ => return Err(BlockProblem::Content("it does not decompress")),
        }
        Ok(&self.content)
    }

    /// The columns of an events block, in the order in which [`super::encode`] writes them.
    pub(super) fn columns(&mut self, block: &Block) -> Result<Columns, BlockProblem> {
        if block.n_events > MAX_BLOCK_EVENTS {
            return Err(BlockProblem::Content("the block is too large"));
        }
        self.decompress(block)?;
        let content = std::mem::take(&mut self.content);
        self.columns = Columns::default();
        let result = self.fill(&mut Cursor::new(&content), block.n_events as usize);
        self.content = content;
        result.map(|()| std::mem::take(&mut self.columns))
    }

    fn fill(&mut self, cursor: &mut Cursor, n: usize) -> Result<(), BlockProblem> {
        self.codes(cursor, n)?;
        self.threads(cursor, n)?;
        self.operands(cursor)?;
        if cursor.bytes(1)?[0] != 0 {
            cursor.planes(n, 4)?.join(&mut self.columns.stacks, |id| id.wrapping_sub(1));
        }
        values(cursor, n, &mut self.columns.values)?;
        self.wakers(cursor, n)?;
        // Blocks of traces that have none end here.
        if !cursor.is_at_end() {
            values(cursor, n, &mut self.columns.found)?;
        }
        cursor.finish()
    }

    fn codes(&mut self, cursor: &mut Cursor, n: usize) -> Result<(), BlockProblem> {
        const UNKNOWN: BlockProblem = BlockProblem::Content("unknown operation");
        let n_occurring = cursor.bytes(1)?[0] as usize;
        let occurring = OpCode::from_bytes(cursor.bytes(n_occurring)?).ok_or(UNKNOWN)?;
        let codes = &mut self.columns.codes;
        if n_occurring > 16 {
            codes.extend_from_slice(OpCode::from_bytes(cursor.bytes(n)?).ok_or(UNKNOWN)?);
            return Ok(());
        }
        let first = *occurring.first().ok_or(UNKNOWN)?;
        let code = |rank: usize| occurring.get(rank).copied();
        // Ranks that mean nothing are looked for first, so that the loop need not.
        let packed = cursor.bytes(n.div_ceil(2))?;
        let sound =
            |&byte: &u8| code((byte & 15) as usize).and(code((byte >> 4) as usize)).is_some();
        if !packed.iter().all(sound) {
            return Err(UNKNOWN);
        }
        let mut pairs = [[first; 2]; 256];
        for (byte, pair) in pairs.iter_mut().enumerate() {
            *pair = [code(byte & 15).unwrap_or(first), code(byte >> 4).unwrap_or(first)];
        }
        let start = codes.len();
        codes.resize(start + 2 * packed.len(), first);
        for (pair, &byte) in codes[start..].chunks_exact_mut(2).zip(packed) {
            pair.copy_from_slice(&pairs[byte as usize]);
        }
        codes.truncate(start + n);
        Ok(())
    }

    fn threads(&mut self, cursor: &mut Cursor, n: usize) -> Result<(), BlockProblem> {
        let end = n;
        let n_runs = cursor.id()? as usize;
        if n_runs > n {
            return Err(BlockProblem::Content("too many threads act"));
        }
        let (mut threads, mut lengths) = (Vec::new(), Vec::new());
        cursor.planes(n_runs, 4)?.join(&mut threads, |thread| thread);
        cursor.planes(n_runs, 4)?.join(&mut lengths, |length| length);
        for (thread, length) in threads.into_iter().zip(lengths) {
            let (thread, length) = (ThreadId(thread), length as usize);
            if length > end - self.columns.threads.len() || thread.index() >= Events::MAX_THREADS {
                return Err(BlockProblem::Content("too many threads act"));
            }
            self.columns.threads.extend(std::iter::repeat_n(thread, length));
        }
        if self.columns.threads.len() < end {
            return Err(BlockProblem::Content("an event has no thread"));
        }
        Ok(())
    }

    /// Objects and locations; what is not said is predicted as the writer did.
    fn operands(&mut self, cursor: &mut Cursor) -> Result<(), BlockProblem> {
        let codes = &self.columns.codes;
        let n_accesses = codes.iter().filter(|code| code.is_access()).count();
        let n_releases = codes.iter().filter(|code| code.kind() == Kind::Release).count();
        let n_others = codes.len() - n_accesses - n_releases;
        let said = &mut self.said;
        said.clear();
        cursor.planes(n_accesses, 4)?.join(&mut said.accessed, |id| id);
        cursor.planes(n_others, 4)?.join(&mut said.others, |id| id);
        let unexpected_lock = cursor.flags(n_releases)?;
        let n_unexpected = (0..n_releases).filter(|&i| unexpected_lock(i)).count();
        cursor.ranks(n_unexpected, &mut said.released)?;
        let unexpected_location = cursor.flags(n_releases)?;
        let n_unexpected = (0..n_releases).filter(|&i| unexpected_location(i)).count();
        cursor.ranks(n_unexpected, &mut said.released_at)?;
        cursor.ranks(n_accesses, &mut said.accessed_at)?;
        cursor.ranks(n_others, &mut said.others_at)?;
        self.interleave(unexpected_lock, unexpected_location);
        Ok(())
    }

    /// Puts the objects and locations of a block in the order of its events.
    fn interleave(
        &mut self,
        unexpected_lock: impl Fn(usize) -> bool,
        unexpected_location: impl Fn(usize) -> bool,
    ) {
        let Unpacker { columns, said, past, .. } = self;
        past.clear();
        let Columns { codes, threads, objects, locations, .. } = columns;
        let n = codes.len();
        for column in [&mut said.accessed, &mut said.accessed_at] {
            column.resize(column.len() + STRIDE, 0);
        }
        objects.resize(n + STRIDE, 0);
        locations.resize(n + STRIDE, 0);
        let mut next = Next::default();
        let mut at = 0;
        for &place in places(codes, &mut said.places) {
            let place = place as usize;
            copy(&said.accessed[next.access..], &mut objects[at..], place - at);
            copy(&said.accessed_at[next.access..], &mut locations[at..], place - at);
            next.access += place - at;
            let (code, thread) = (codes[place], threads[place]);
            let (object, location);
            if code.kind() == Kind::Release {
                object = match unexpected_lock(next.release) {
                    true => take(&said.released, &mut next.lock),
                    false => past.lock(thread),
                };
                location = match unexpected_location(next.release) {
                    true => take(&said.released_at, &mut next.location),
                    false => past.location(object),
                };
                past.release(thread, object, location);
                next.release += 1;
            } else {
                (object, location) = (said.others[next.other], said.others_at[next.other]);
                next.other += 1;
                if code.kind() == Kind::Acquire {
                    past.acquire(thread, object);
                }
            }
            (objects[place], locations[place]) = (object, location);
            at = place + 1;
        }
        copy(&said.accessed[next.access..], &mut objects[at..], n - at);
        copy(&said.accessed_at[next.access..], &mut locations[at..], n - at);
        objects.truncate(n);
        locations.truncate(n);
    }

    fn wakers(&mut self, cursor: &mut Cursor, n: usize) -> Result<(), BlockProblem> {
        for _ in 0..cursor.number()? {
            let (place, distance) = (cursor.id()?, cursor.id()?);
            let last = self.columns.wakers.last().map(|&(last, _)| last);
            if place as usize >= n || last.is_some_and(|last| last >= place) {
                return Err(BlockProblem::Content("a wake-up is matched with nothing"));
            }
            self.columns.wakers.push((place, distance));
        }
        Ok(())
    }
}

/// Objects and locations of one block, before they are put in the order of events.
#[derive(Default)]
struct Said {
    accessed: Vec<u32>,
    accessed_at: Vec<u32>,
    others: Vec<u32>,
    others_at: Vec<u32>,
    released: Vec<u32>,
    released_at: Vec<u32>,
    /// Where the events are that are no accesses.
    places: Vec<u32>,
}

impl Said {
    fn clear(&mut self) {
        let columns = [
            &mut self.accessed,
            &mut self.accessed_at,
            &mut self.others,
            &mut self.others_at,
            &mut self.released,
            &mut self.released_at,
        ];
        columns.into_iter().for_each(Vec::clear);
    }
}

/// Where the events are that are no accesses.
fn places<'a>(codes: &[OpCode], buffer: &'a mut Vec<u32>) -> &'a [u32] {
    buffer.resize(codes.len() + 1, 0);
    let mut n = 0;
    for (at, code) in codes.iter().enumerate() {
        buffer[n] = at as u32;
        n += usize::from(!code.is_access());
    }
    &buffer[..n]
}

/// Columns are copied in pieces of this many; what is copied too much is overwritten later.
const STRIDE: usize = 8;

/// Copies at least `n` items. A piece of a fixed size is one vector instruction, where a piece of
/// the right size would be a call.
#[inline]
fn copy(from: &[u32], to: &mut [u32], n: usize) {
    let mut at = 0;
    while at < n {
        to[at..at + STRIDE].copy_from_slice(&from[at..at + STRIDE]);
        at += STRIDE;
    }
}

/// How much of each column is used up.
#[derive(Default)]
struct Next {
    access: usize,
    other: usize,
    release: usize,
    lock: usize,
    location: usize,
}

fn take(column: &[u32], next: &mut usize) -> u32 {
    *next += 1;
    column[*next - 1]
}

/// Values: their number, the distances between the events that have one, the values.
fn values(cursor: &mut Cursor, n: usize, values: &mut Vec<(u32, u64)>) -> Result<(), BlockProblem> {
    let n_values = cursor.id()? as usize;
    if n_values > n {
        return Err(BlockProblem::Content("too many values"));
    }
    let distances = cursor.planes(n_values, 4)?;
    let words = cursor.planes(n_values, 8)?;
    let mut place = 0;
    for i in 0..n_values {
        place += distances.get(i);
        if place >= n as u64 {
            return Err(BlockProblem::Content("a value belongs to no event"));
        }
        values.push((place as u32, words.get(i)));
    }
    Ok(())
}
