//! Reading: every complete block, and a word about the rest.

use super::column::Cursor;
use super::frame::{Block, BlockKind, FILE_HEADER, read_block, read_file_header};
use super::predict::Past;
use super::{Decoded, Loss, table};
use crate::events::Events;
use crate::format::{BlockProblem, Monitor, ReadError, check_memory, report};
use crate::id::{EventId, NONE, StackId, ThreadId};
use crate::op::{Kind, OpCode};

/// More events than any writer puts into one block.
const MAX_BLOCK_EVENTS: u32 = 1 << 20;

/// Reads all complete blocks of a file.
pub(in crate::format) fn decode(
    bytes: &[u8],
    limit: u64,
    monitor: &mut dyn Monitor,
) -> Result<Decoded, ReadError> {
    let claims =
        read_file_header(bytes).map_err(|problem| ReadError::Block { offset: 0, problem })?;
    let mut decoder = Decoder::new(Events { claims, ..Events::default() })?;
    let n_events = expected_events(bytes);
    check_memory(n_events, limit)?;
    // A small file may promise a lot; what is more than it usually holds grows as it comes.
    decoder.events.reserve(n_events.min(bytes.len() as u64) as usize);

    let mut offset = FILE_HEADER;
    let problem = loop {
        let block = match read_block(&bytes[offset..]) {
            Ok(block) if block.kind == BlockKind::End && offset + block.size == bytes.len() => {
                break None;
            }
            Ok(block) if block.kind == BlockKind::End => {
                offset += block.size;
                break Some(BlockProblem::Content("bytes follow the end"));
            }
            Ok(block) => block,
            Err(problem) => break Some(problem),
        };
        check_memory(decoder.events.len() as u64 + u64::from(block.n_events), limit)?;
        if let Err(problem) = decoder.block(&block) {
            break Some(problem);
        }
        offset += block.size;
        report(monitor, offset as u64, decoder.events.len() as u64)?;
    };
    let events = decoder.events;
    let (offset, n_events) = (offset as u64, events.len() as u64);
    if events.is_empty() {
        return Err(
            problem.map_or(ReadError::Empty, |problem| ReadError::Block { offset, problem })
        );
    }
    let n_bytes = bytes.len() as u64 - offset;
    let loss = problem.map(|problem| Loss { offset, problem, n_bytes, n_events });
    Ok(Decoded { events, loss })
}

/// How many events the headers promise, without looking at the contents.
fn expected_events(bytes: &[u8]) -> u64 {
    const HEADER: usize = super::frame::BLOCK_HEADER;
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let (mut at, mut n_events) = (FILE_HEADER, 0);
    while let (Some(n), Some(size)) = (word(at + 8), word(at + 16)) {
        at += HEADER + size as usize;
        if n > MAX_BLOCK_EVENTS || at > bytes.len() {
            break;
        }
        n_events += u64::from(n);
    }
    n_events
}

struct Decoder {
    events: Events,
    decompressor: zstd::bulk::Decompressor<'static>,
    content: Vec<u8>,
    said: Said,
    past: Past,
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
}

impl Said {
    fn clear(&mut self) {
        let columns = [&mut self.accessed, &mut self.accessed_at, &mut self.others];
        columns.into_iter().for_each(Vec::clear);
        let columns = [&mut self.others_at, &mut self.released, &mut self.released_at];
        columns.into_iter().for_each(Vec::clear);
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

impl Decoder {
    fn new(events: Events) -> Result<Decoder, ReadError> {
        let decompressor = zstd::bulk::Decompressor::new()?;
        let (content, said, past) = (Vec::new(), Said::default(), Past::default());
        Ok(Decoder { events, decompressor, content, said, past })
    }

    /// Adds a block; leaves the events as they were if the block makes no sense.
    fn block(&mut self, block: &Block) -> Result<(), BlockProblem> {
        let mut content = std::mem::take(&mut self.content);
        content.clear();
        content.reserve(block.raw_size);
        let size = self.decompressor.decompress_to_buffer(block.content, &mut content);
        let sound = match size {
            Ok(size) if size == block.raw_size => Ok(()),
            Err(_) if cfg!(fuzzing) => {
                content.clear();
                content.extend_from_slice(block.content);
                Ok(())
            }
            _ => Err(BlockProblem::Content("it does not decompress")),
        };
        let result = sound.and_then(|()| match block.kind {
            BlockKind::Tables => table::read(&content, &mut self.events),
            BlockKind::Events => self.columns(&content, block),
            BlockKind::End => Ok(()),
        });
        self.content = content;
        result
    }

    fn columns(&mut self, content: &[u8], block: &Block) -> Result<(), BlockProblem> {
        let start = self.events.len();
        let n = block.n_events as usize;
        if block.first_event as usize != start || block.n_events > MAX_BLOCK_EVENTS {
            return Err(BlockProblem::Content("a block is missing"));
        }
        if start + n > Events::MAX_LEN {
            return Err(BlockProblem::Content("there are too many events"));
        }
        let result = self.fill(content, start, n);
        if result.is_err() {
            self.truncate(start);
        }
        result
    }

    /// The columns in the order in which [`super::encode`] writes them.
    fn fill(&mut self, content: &[u8], start: usize, n: usize) -> Result<(), BlockProblem> {
        let mut cursor = Cursor::new(content);
        self.codes(&mut cursor, n)?;
        self.threads(&mut cursor, n)?;
        self.operands(&mut cursor, start)?;
        if cursor.bytes(1)?[0] != 0 {
            let mut stacks = Vec::new();
            cursor.planes(n, 4)?.join(&mut stacks, |id| id.wrapping_sub(1));
            self.stacks(start, &stacks)?;
        }
        self.values(&mut cursor, start, n)?;
        self.wakers(&mut cursor, start, n)?;
        cursor.finish()?;
        let n_locations = self.events.tables.locations.len() as u32;
        let known = |&l: &u32| l < n_locations || l == NONE;
        if !self.events.locations[start..].iter().all(known) {
            return Err(BlockProblem::Content("unknown location"));
        }
        Ok(())
    }

    fn codes(&mut self, cursor: &mut Cursor, n: usize) -> Result<(), BlockProblem> {
        const UNKNOWN: BlockProblem = BlockProblem::Content("unknown operation");
        let n_occurring = cursor.bytes(1)?[0] as usize;
        let occurring = OpCode::from_bytes(cursor.bytes(n_occurring)?).ok_or(UNKNOWN)?;
        let codes = &mut self.events.codes;
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
        codes.extend(packed.iter().flat_map(|&byte| pairs[byte as usize]));
        codes.truncate(codes.len() - n % 2);
        Ok(())
    }

    fn threads(&mut self, cursor: &mut Cursor, n: usize) -> Result<(), BlockProblem> {
        let end = self.events.threads.len() + n;
        let n_runs = cursor.id()? as usize;
        if n_runs > n {
            return Err(BlockProblem::Content("too many threads act"));
        }
        let (mut threads, mut lengths) = (Vec::new(), Vec::new());
        cursor.planes(n_runs, 4)?.join(&mut threads, |thread| thread);
        cursor.planes(n_runs, 4)?.join(&mut lengths, |length| length);
        for (thread, length) in threads.into_iter().zip(lengths) {
            let (thread, length) = (ThreadId(thread), length as usize);
            if length > end - self.events.threads.len() || thread.index() >= Events::MAX_THREADS {
                return Err(BlockProblem::Content("too many threads act"));
            }
            self.events.threads.extend(std::iter::repeat_n(thread, length));
        }
        if self.events.threads.len() < end {
            return Err(BlockProblem::Content("an event has no thread"));
        }
        Ok(())
    }

    /// Objects and locations; what is not said is predicted as the writer did.
    fn operands(&mut self, cursor: &mut Cursor, start: usize) -> Result<(), BlockProblem> {
        let codes = &self.events.codes[start..];
        let n_accesses = codes.iter().filter(|code| code.is_access()).count();
        let n_releases = codes.iter().filter(|code| code.kind() == Kind::Release).count();
        let n_others = codes.len() - n_accesses - n_releases;
        let said = &mut self.said;
        said.clear();
        cursor.planes(n_accesses, 4)?.join(&mut said.accessed, |id| id);
        cursor.planes(n_others, 4)?.join(&mut said.others, |id| id);
        let unexpected_lock = cursor.flags(n_releases)?;
        let n_locks = (0..n_releases).filter(|&i| unexpected_lock(i)).count();
        cursor.ranks(n_locks, &mut said.released)?;
        let unexpected_location = cursor.flags(n_releases)?;
        let n_locations = (0..n_releases).filter(|&i| unexpected_location(i)).count();
        cursor.ranks(n_locations, &mut said.released_at)?;
        cursor.ranks(n_accesses, &mut said.accessed_at)?;
        cursor.ranks(n_others, &mut said.others_at)?;

        self.interleave(start, unexpected_lock, unexpected_location);
        Ok(())
    }

    /// Puts the objects and locations of a block in the order of its events.
    fn interleave(
        &mut self,
        start: usize,
        unexpected_lock: impl Fn(usize) -> bool,
        unexpected_location: impl Fn(usize) -> bool,
    ) {
        let Decoder { events, said, past, .. } = self;
        past.clear(&events.tables);
        let (codes, threads) = (&events.codes[start..], &events.threads[start..]);
        let mut next = Next::default();
        let mut at = 0;
        while at < codes.len() {
            let n = codes[at..].iter().take_while(|code| code.is_access()).count();
            let run = next.access..next.access + n;
            events.objects.extend_from_slice(&said.accessed[run.clone()]);
            events.locations.extend_from_slice(&said.accessed_at[run]);
            next.access += n;
            at += n;
            let Some(code) = codes.get(at) else { break };
            let thread = threads[at];
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
            events.objects.push(object);
            events.locations.push(location);
            at += 1;
        }
    }

    fn stacks(&mut self, start: usize, stacks: &[u32]) -> Result<(), BlockProblem> {
        let n_stacks = self.events.tables.frames().len();
        for (i, &stack) in stacks.iter().enumerate().filter(|&(_, &s)| s != NONE) {
            if stack as usize >= n_stacks {
                return Err(BlockProblem::Content("unknown stack"));
            }
            self.events.set_stack(EventId((start + i) as u32), StackId(stack));
        }
        Ok(())
    }

    fn values(&mut self, cursor: &mut Cursor, start: usize, n: usize) -> Result<(), BlockProblem> {
        let n_values = cursor.id()? as usize;
        if n_values > n {
            return Err(BlockProblem::Content("too many values"));
        }
        let distances = cursor.planes(n_values, 4)?;
        let values = cursor.planes(n_values, 8)?;
        let mut event = start as u64;
        for i in 0..n_values {
            event += distances.get(i);
            if event >= (start + n) as u64 {
                return Err(BlockProblem::Content("a value belongs to no event"));
            }
            self.events.set_value(EventId(event as u32), values.get(i));
        }
        Ok(())
    }

    fn wakers(&mut self, cursor: &mut Cursor, start: usize, n: usize) -> Result<(), BlockProblem> {
        let invalid = BlockProblem::Content("a wake-up is matched with nothing");
        for _ in 0..cursor.number()? {
            let (place, distance) = (cursor.id()?, cursor.id()?);
            let wake = start as u64 + u64::from(place);
            let last = self.events.wakers.last().map(|&(wake, _)| u64::from(wake.0));
            if place as usize >= n || last.is_some_and(|last| last >= wake) {
                return Err(invalid);
            }
            let notify = (wake as u32).checked_sub(distance).ok_or(invalid.clone())?;
            self.events.set_waker(EventId(wake as u32), EventId(notify));
        }
        Ok(())
    }

    fn truncate(&mut self, n: usize) {
        let events = &mut self.events;
        events.codes.truncate(n);
        events.threads.truncate(n);
        events.objects.truncate(n);
        events.locations.truncate(n);
        events.stacks.truncate(n);
        events.values.truncate(n);
        events.wakers.retain(|&(wake, _)| wake.index() < n);
    }
}
