//! Writing: events become blocks, appended and never touched again.

use std::io::{self, Write};
use std::ops::Range;

use zstd::stream::raw::{InBuffer, Operation, OutBuffer};

use super::BLOCK_EVENTS;
use super::column::Content;
use super::frame::{BlockKind, MAX_RAW, block_header, file_header};
use super::predict::Past;
use super::table::Written;
use crate::events::{Claims, Events, Values};
use crate::format::{Monitor, report_write};
use crate::id::{EventId, NONE};
use crate::op::{Kind, OpCode};

/// A higher level gains next to nothing on these columns.
const LEVEL: i32 = 3;

/// A trace could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The operating system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A single name is larger than a block can be.
    #[error("a name is longer than {} bytes", MAX_RAW)]
    NameTooLong,
}

/// Appends events to a file, block by block.
///
/// What was flushed stays readable whatever happens afterwards.
pub struct Writer<W: Write> {
    out: W,
    compressor: zstd::stream::raw::Encoder<'static>,
    written: Written,
    past: Past,
    n_events: usize,
    n_bytes: u64,
}

/// Writes a whole trace.
pub fn write(
    events: &Events,
    out: &mut dyn Write,
    monitor: &mut dyn Monitor,
) -> Result<u64, WriteError> {
    let mut writer = Writer::new(out, events.claims)?;
    writer.flush(events, monitor)?;
    writer.finish()
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    pub fn new(mut out: W, claims: Claims) -> Result<Writer<W>, WriteError> {
        let header = file_header(claims);
        out.write_all(&header)?;
        let compressor = zstd::stream::raw::Encoder::new(LEVEL)?;
        let n_bytes = header.len() as u64;
        let (written, past) = (Written::default(), Past::default());
        Ok(Writer { out, compressor, written, past, n_events: 0, n_bytes })
    }

    /// Appends what `events` has and the file has not.
    pub fn flush(&mut self, events: &Events, monitor: &mut dyn Monitor) -> Result<(), WriteError> {
        while let Some(content) = self.written.next_block(&events.tables) {
            self.block(BlockKind::Tables, 0, &Content { bytes: content, cuts: Vec::new() })?;
        }
        while self.n_events < events.len() {
            let end = events.len().min(self.n_events + BLOCK_EVENTS);
            let content = columns(events, self.n_events..end, &mut self.past);
            self.block(BlockKind::Events, end - self.n_events, &content)?;
            self.n_events = end;
            report_write(monitor, end as u64)?;
        }
        self.out.flush()?;
        Ok(())
    }

    /// Marks the file as complete; answers with its size.
    pub fn finish(mut self) -> Result<u64, WriteError> {
        self.block(BlockKind::End, 0, &Content::default())?;
        self.out.flush()?;
        Ok(self.n_bytes)
    }

    fn block(&mut self, kind: BlockKind, n_events: usize, raw: &Content) -> Result<(), WriteError> {
        let raw_size = raw.bytes.len();
        if raw_size > MAX_RAW {
            return Err(WriteError::NameTooLong);
        }
        let content = if raw_size == 0 { Vec::new() } else { self.compress(raw)? };
        let (n_events, first) = (n_events as u32, self.n_events as u32);
        let header = block_header(kind, n_events, raw_size as u32, first, &content);
        self.out.write_all(&header)?;
        self.out.write_all(&content)?;
        self.n_bytes += (header.len() + content.len()) as u64;
        Ok(())
    }

    /// Compresses to one frame. At each cut the compressor ends what it has begun, so that
    /// columns of different kinds do not share their statistics.
    fn compress(&mut self, raw: &Content) -> io::Result<Vec<u8>> {
        let mut content =
            vec![0; zstd::zstd_safe::compress_bound(raw.bytes.len()) + 16 * raw.cuts.len()];
        let mut out = OutBuffer::around(&mut content);
        self.compressor.reinit()?;
        let mut start = 0;
        for &end in raw.cuts.iter().chain([&raw.bytes.len()]) {
            let mut input = InBuffer::around(&raw.bytes[start..end]);
            while input.pos() < input.src.len() {
                self.compressor.run(&mut input, &mut out)?;
            }
            while end < raw.bytes.len() && self.compressor.flush(&mut out)? > 0 {}
            start = end;
        }
        while self.compressor.finish(&mut out, true)? > 0 {}
        let size = out.pos();
        content.truncate(size);
        Ok(content)
    }
}

/// The content of an events block; [`super::decode`] has the same order.
fn columns(events: &Events, range: Range<usize>, past: &mut Past) -> Content {
    let mut out = Content::default();
    put_codes(&mut out, &events.codes[range.clone()]);
    put_runs(&mut out, events, range.clone());
    put_operands(&mut out, events, range.clone(), past);
    put_ids(&mut out, &stacks(events, range.clone()));
    put_values(&mut out, &events.values, range.clone());
    put_wakers(&mut out, events, range.clone());
    let found = &events.found;
    if !found.is_empty() && range.clone().any(|e| found.get(e).is_some()) {
        put_values(&mut out, found, range);
    }
    out
}

/// What happened: the codes that occur; then, if they are at most 16, two ranks among them to a
/// byte, otherwise the codes as they are.
fn put_codes(out: &mut Content, codes: &[OpCode]) {
    let mut ranks = [None; 256];
    let mut occurring = Vec::new();
    for code in codes {
        ranks[code.byte() as usize].get_or_insert_with(|| {
            occurring.push(code.byte());
            occurring.len() as u8 - 1
        });
    }
    out.byte(occurring.len() as u8);
    occurring.iter().for_each(|&code| out.byte(code));
    if occurring.len() > 16 {
        return out.column(codes.iter().map(|code| code.byte()));
    }
    let rank = |code: &OpCode| ranks[code.byte() as usize].unwrap_or(0);
    out.column(codes.chunks(2).map(|pair| rank(&pair[0]) | pair.get(1).map_or(0, rank) << 4));
}

/// Objects and locations, apart by what the event does, without what can be predicted.
fn put_operands(out: &mut Content, events: &Events, range: Range<usize>, past: &mut Past) {
    let mut accesses = Operands::default();
    let mut others = Operands::default();
    let mut releases = Operands::default();
    let (mut unexpected_lock, mut unexpected_location) = (Vec::new(), Vec::new());
    past.clear();
    for e in range {
        let (code, thread) = (events.codes[e], events.threads[e]);
        let (object, location) = (events.objects[e], events.locations[e]);
        match code.kind() {
            _ if code.is_access() => accesses.push(object, location),
            Kind::Release => {
                unexpected_lock.push(past.lock(thread) != object);
                unexpected_location.push(past.location(object) != location);
                releases.objects.extend((past.lock(thread) != object).then_some(object));
                releases.locations.extend((past.location(object) != location).then_some(location));
                past.release(thread, object, location);
            }
            kind => {
                others.push(object, location);
                if kind == Kind::Acquire {
                    past.acquire(thread, object);
                }
            }
        }
    }
    out.planes(&accesses.objects.iter().map(|&o| o.into()).collect::<Vec<u64>>());
    out.planes(&others.objects.iter().map(|&o| o.into()).collect::<Vec<u64>>());
    out.flags(&unexpected_lock);
    out.ranks(&releases.objects);
    out.flags(&unexpected_location);
    out.ranks(&releases.locations);
    out.ranks(&accesses.locations);
    out.ranks(&others.locations);
}

#[derive(Default)]
struct Operands {
    objects: Vec<u32>,
    locations: Vec<u32>,
}

impl Operands {
    fn push(&mut self, object: u32, location: u32) {
        self.objects.push(object);
        self.locations.push(location);
    }
}

/// The column of stacks, which ends with the last event that has one.
fn stacks(events: &Events, range: Range<usize>) -> Vec<u32> {
    let n_known = events.stacks.len();
    let mut stacks = events.stacks[range.start.min(n_known)..range.end.min(n_known)].to_vec();
    stacks.resize(range.len(), NONE);
    stacks
}

/// Who acted, as (thread, number of events) runs.
fn put_runs(out: &mut Content, events: &Events, range: Range<usize>) {
    let runs: Vec<_> = events.threads[range].chunk_by(|a, b| a == b).collect();
    out.number(runs.len() as u64);
    out.planes(&runs.iter().map(|run| run[0].0.into()).collect::<Vec<_>>());
    out.planes(&runs.iter().map(|run| run.len() as u64).collect::<Vec<_>>());
}

/// Ids, some of them absent: a 0 or 1 for "any", then each plus one, with 0 for none.
fn put_ids(out: &mut Content, ids: &[u32]) {
    let any = ids.iter().any(|&id| id != NONE);
    out.byte(any.into());
    if any {
        out.planes(&ids.iter().map(|id| id.wrapping_add(1).into()).collect::<Vec<u64>>());
    }
}

/// Values: their number, the distances between the events that have one, the values.
fn put_values(out: &mut Content, all: &Values, range: Range<usize>) {
    let mut distances = Vec::new();
    let mut values = Vec::new();
    let mut last = range.start;
    if !all.is_empty() {
        for e in range {
            if let Some(value) = all.get(e) {
                distances.push((e - last) as u64);
                values.push(value);
                last = e;
            }
        }
    }
    out.number(values.len() as u64);
    out.planes(&distances);
    out.planes(&values);
}

/// Wake-ups: their number, then each as its place in the block and how far back its notify is.
fn put_wakers(out: &mut Content, events: &Events, range: Range<usize>) {
    let at = |e: usize| events.wakers.partition_point(|&(wake, _)| wake < EventId(e as u32));
    let wakers = &events.wakers[at(range.start)..at(range.end)];
    out.number(wakers.len() as u64);
    for (wake, notify) in wakers {
        out.number((wake.index() - range.start) as u64);
        out.number(u64::from(wake.0.saturating_sub(notify.0)));
    }
}
