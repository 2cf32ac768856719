//! Reading: every complete block, and a word about the rest.
//!
//! Blocks are put together in the order of the file, by one thread that has the tables. In large
//! files others unpack the blocks that come next.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope};

use super::frame::{Block, BlockKind, FILE_HEADER, Flags, read_block, read_file_header};
use super::unpack::{Columns, MAX_BLOCK_EVENTS, Unpacker};
use super::{Decoded, Loss, table, tries};
use crate::events::Events;
use crate::format::{BlockProblem, Monitor, ReadError, check_memory, report};
use crate::id::{EventId, NONE, StackId};

/// Files with fewer blocks are not worth a thread.
const MANY_BLOCKS: usize = 8;
/// Threads that unpack, at most.
const MAX_WORKERS: usize = 8;
/// Blocks that a thread unpacks in advance.
const IN_ADVANCE: usize = 4;

/// Reads all complete blocks of a file.
pub(in crate::format) fn decode(
    bytes: &[u8],
    limit: u64,
    monitor: &mut dyn Monitor,
) -> Result<Decoded, ReadError> {
    let Flags { claims, marked_tries } =
        read_file_header(bytes).map_err(|problem| ReadError::Block { offset: 0, problem })?;
    let offsets = event_blocks(bytes);
    check_memory(offsets.iter().map(|&(_, n)| u64::from(n)).sum(), limit)?;
    let n_events: usize = offsets.iter().map(|&(_, n)| n as usize).sum();
    let mut events = Events { claims, ..Events::default() };
    // A small file may promise a lot; what is more than it usually holds grows as it comes.
    events.reserve(n_events.min(bytes.len()));
    let mut decoded = thread::scope(|scope| {
        let unpacked = Unpacked::new(scope, bytes, &offsets)?;
        let reader = Reader { bytes, limit, events, unpacked, unpacker: Unpacker::new()? };
        reader.run(monitor)
    })?;
    if !marked_tries {
        tries::mark(&mut decoded.events);
    }
    Ok(decoded)
}

/// Where the events blocks begin and how many events they promise, by the headers alone.
fn event_blocks(bytes: &[u8]) -> Vec<(usize, u32)> {
    const HEADER: usize = super::frame::BLOCK_HEADER;
    let word = |at: usize| {
        let bytes = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    let (mut at, mut blocks) = (FILE_HEADER, Vec::new());
    while let (Some(n), Some(size)) = (word(at + 8), word(at + 16)) {
        let end = at + HEADER + size as usize;
        if n > MAX_BLOCK_EVENTS || end > bytes.len() {
            break;
        }
        if bytes[at + 4] == BlockKind::Events as u8 {
            blocks.push((at, n));
        }
        at = end;
    }
    blocks
}

type Unpacking = Result<Columns, BlockProblem>;

/// Why no more blocks are read.
enum Stop {
    /// The rest is lost.
    Damage(BlockProblem),
    /// All is lost.
    Error(ReadError),
}

impl From<BlockProblem> for Stop {
    fn from(problem: BlockProblem) -> Stop {
        Stop::Damage(problem)
    }
}

impl From<ReadError> for Stop {
    fn from(error: ReadError) -> Stop {
        Stop::Error(error)
    }
}

/// Blocks that other threads unpack, in the order of the file; none in a small file.
struct Unpacked {
    /// Worker w unpacks blocks w, w + n, w + 2n, ….
    workers: Vec<Receiver<Unpacking>>,
    next: usize,
}

impl Unpacked {
    fn new<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        bytes: &'env [u8],
        blocks: &'env [(usize, u32)],
    ) -> Result<Unpacked, ReadError> {
        let n_cores = thread::available_parallelism().map_or(1, |n| n.get()).min(MAX_WORKERS);
        let n_workers = if blocks.len() < MANY_BLOCKS || n_cores < 2 { 0 } else { n_cores };
        let mut workers = Vec::new();
        for worker in 0..n_workers {
            let (sender, receiver) = sync_channel(IN_ADVANCE);
            let mut unpacker = Unpacker::new()?;
            scope.spawn(move || {
                for &(offset, _) in blocks.iter().skip(worker).step_by(n_workers) {
                    let block = read_block(&bytes[offset..], true);
                    let columns = block.and_then(|block| unpacker.columns(&block));
                    // The receiver is gone if a block before this one was damaged.
                    if sender.send(columns).is_err() {
                        return;
                    }
                }
            });
            workers.push(receiver);
        }
        Ok(Unpacked { workers, next: 0 })
    }

    /// The next events block, if a worker unpacks it.
    fn next(&mut self) -> Option<Unpacking> {
        let n_workers = self.workers.len();
        let worker = self.workers.get(self.next % n_workers.max(1))?;
        self.next += 1;
        worker.recv().ok()
    }
}

/// Puts the blocks together.
struct Reader<'a> {
    bytes: &'a [u8],
    limit: u64,
    events: Events,
    unpacked: Unpacked,
    unpacker: Unpacker,
}

impl Reader<'_> {
    fn run(mut self, monitor: &mut dyn Monitor) -> Result<Decoded, ReadError> {
        let mut offset = FILE_HEADER;
        let problem = loop {
            match self.block(&mut offset) {
                Ok(BlockKind::End) if offset == self.bytes.len() => break None,
                Ok(BlockKind::End) => break Some(BlockProblem::Content("bytes follow the end")),
                Ok(_) => report(monitor, offset as u64, self.events.len() as u64)?,
                Err(Stop::Damage(problem)) => break Some(problem),
                Err(Stop::Error(error)) => return Err(error),
            }
        };
        let (offset, events) = (offset as u64, self.events);
        if events.is_empty() {
            let damaged = problem.map(|problem| ReadError::Block { offset, problem });
            return Err(damaged.unwrap_or(ReadError::Empty));
        }
        let (n_bytes, n_events) = (self.bytes.len() as u64 - offset, events.len() as u64);
        let loss = problem.map(|problem| Loss { offset, problem, n_bytes, n_events });
        Ok(Decoded { events, loss })
    }

    /// Adds the block at an offset and goes behind it, unless the block makes no sense.
    fn block(&mut self, offset: &mut usize) -> Result<BlockKind, Stop> {
        let is_events = self.bytes.get(*offset + 4) == Some(&(BlockKind::Events as u8));
        let unpacked = if is_events { self.unpacked.next() } else { None };
        // The worker that unpacked the block has looked at its checksum.
        let block = read_block(&self.bytes[*offset..], unpacked.is_none())?;
        check_memory(self.events.len() as u64 + u64::from(block.n_events), self.limit)?;
        match block.kind {
            BlockKind::End => {}
            BlockKind::Tables => {
                table::read(self.unpacker.decompress(&block)?, &mut self.events)?;
            }
            BlockKind::Events => {
                let columns = unpacked.unwrap_or_else(|| self.unpacker.columns(&block))?;
                self.append(&block, &columns)?;
            }
        }
        *offset += block.size;
        Ok(block.kind)
    }

    fn append(&mut self, block: &Block, columns: &Columns) -> Result<(), BlockProblem> {
        let events = &mut self.events;
        let start = events.len();
        if block.first_event as usize != start {
            return Err(BlockProblem::Content("a block is missing"));
        }
        if start + columns.codes.len() > Events::MAX_LEN {
            return Err(BlockProblem::Content("there are too many events"));
        }
        check_ids(&columns.locations, events.tables.locations.len(), "unknown location")?;
        check_ids(&columns.stacks, events.tables.frames().len(), "unknown stack")?;
        let wakers: Vec<_> = columns
            .wakers
            .iter()
            .map(|&(place, distance)| {
                let wake = start as u32 + place;
                Some((EventId(wake), EventId(wake.checked_sub(distance)?)))
            })
            .collect::<Option<_>>()
            .ok_or(BlockProblem::Content("a wake-up is matched with nothing"))?;

        events.codes.extend_from_slice(&columns.codes);
        events.threads.extend_from_slice(&columns.threads);
        events.objects.extend_from_slice(&columns.objects);
        events.locations.extend_from_slice(&columns.locations);
        events.wakers.extend(wakers);
        for (i, &stack) in columns.stacks.iter().enumerate().filter(|&(_, &s)| s != NONE) {
            events.set_stack(EventId((start + i) as u32), StackId(stack));
        }
        for &(place, value) in &columns.values {
            events.set_value(EventId(start as u32 + place), value);
        }
        for &(place, value) in &columns.found {
            events.set_found(EventId(start as u32 + place), value);
        }
        Ok(())
    }
}

fn check_ids(ids: &[u32], limit: usize, problem: &'static str) -> Result<(), BlockProblem> {
    let known = |&id: &u32| (id as usize) < limit || id == NONE;
    if ids.iter().all(known) { Ok(()) } else { Err(BlockProblem::Content(problem)) }
}
