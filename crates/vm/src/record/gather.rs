//! What `strcpy` and its like do, as one step.
//!
//! The library is C, and a text is copied byte by byte: others can come in between, and what they see then is a bug
//! of the program. Where none does, stories show one access, as for binaries, whose C library is not
//! instrumented.
//!
//! In: accesses of the library's functions for text and memory, in a run that is described. Out: the same with what is
//! read or written in a row as one.
//!
//! - G1: only what one call does, with no other event in between. The zero that ends a text separates calls from one
//!   place.
//! - G2: what is in a row begins where something ended that the call has read, or written, before.
//! - G3: what is gathered takes its place among events when something else happens, in the order of its beginnings.

use raddle_trace::{Events, LocationId, Op, Order, ThreadId};

use super::{Recorder, locate};
use crate::observe::{Event, What};
use crate::site::Site;

/// What a call is doing.
#[derive(Default)]
pub(super) struct Gather {
    /// The thread, the place of the call, and how many calls are around it.
    call: Option<(u32, Site, usize)>,
    rows: Vec<Row>,
}

/// Bytes that are read or written in a row.
struct Row {
    is_write: bool,
    /// An object by its number and birth.
    object: (u32, u32),
    start: u32,
    size: u32,
    bytes: Vec<u8>,
    /// Whether the zero at the end of a text came.
    is_over: bool,
    name: String,
    region: u32,
    thread: ThreadId,
    location: Option<LocationId>,
}

impl Gather {
    /// How many events it will be.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }
}

impl Recorder {
    /// Takes in an access, if it is one to be gathered.
    pub(super) fn gather(&mut self, event: &Event<'_>) -> bool {
        let Some(call) = call(event) else { return false };
        let (is_write, object, offset, size) = match event.what {
            What::Read { object, offset, size, order: Order::Plain, .. } => {
                (false, object, offset, size)
            }
            What::Write { object, offset, size, order: Order::Plain, .. } => {
                (true, object, offset, size)
            }
            _ => return false,
        };
        // G1
        if self.gather.call != Some(call) {
            self.settle();
            self.gather.call = Some(call);
        }
        let identity = (object, event.view.birth(object));
        let bytes = event.view.bytes(object, offset, size);
        // G2
        let goes_on = |row: &&mut Row| {
            (row.is_write, row.object, row.start + row.size) == (is_write, identity, offset)
                && !row.is_over
        };
        let row = match self.gather.rows.iter_mut().find(goes_on) {
            Some(row) => row,
            None => match self.begin(event, is_write, identity, offset) {
                Some(row) => row,
                None => return false,
            },
        };
        row.size += size;
        let room = Events::BLOCK_MAX.saturating_sub(row.bytes.len());
        row.bytes.extend(bytes.iter().take(room));
        row.is_over = bytes == [0];
        row.name = event.view.name(object, row.start, row.size);
        true
    }

    /// Whatever comes next is something else (G3).
    pub(super) fn settle(&mut self) {
        self.gather.call = None;
        for row in std::mem::take(&mut self.gather.rows) {
            let place = (row.object, row.start, row.size);
            let tables = &mut self.events.tables;
            let Some(var) = self.namer.piece(tables, place, row.region, row.name) else { continue };
            let order = Order::Plain;
            let op = if row.is_write { Op::Write { var, order } } else { Op::Read { var, order } };
            let id = self.events.push(row.thread, op, row.location);
            match *row.bytes {
                [a] => self.events.set_value(id, a.into()),
                [a, b] => self.events.set_value(id, u16::from_le_bytes([a, b]).into()),
                [a, b, c, d] => self.events.set_value(id, u32::from_le_bytes([a, b, c, d]).into()),
                [..] => match <[u8; 8]>::try_from(&*row.bytes) {
                    Ok(bytes) => self.events.set_value(id, u64::from_le_bytes(bytes)),
                    Err(_) => self.events.set_block(id, &row.bytes),
                },
            }
        }
    }

    fn begin(
        &mut self,
        event: &Event<'_>,
        is_write: bool,
        object: (u32, u32),
        start: u32,
    ) -> Option<&mut Row> {
        if self.len() as usize >= Events::MAX_LEN {
            self.full = true;
            return None;
        }
        let tables = &mut self.events.tables;
        let thread = ThreadId(self.namer.thread(tables, event, event.thread)?);
        let location = self.namer.location(tables, event).map(LocationId);
        let region = self.namer.region(tables, event, object.0)?;
        let (size, bytes, is_over, name) = (0, Vec::new(), false, String::new());
        let row =
            Row { is_write, object, start, size, bytes, is_over, name, region, thread, location };
        self.gather.rows.push(row);
        self.gather.rows.last_mut()
    }
}

/// The call of the program that an access is part of, if it is one of a function for text and memory.
fn call(event: &Event<'_>) -> Option<(u32, Site, usize)> {
    let mut frames = event.view.stack();
    let innermost = frames.next().filter(|frame| frame.library)?;
    let (file, _) = locate(event.view.program(), innermost.site)?;
    if *file != *"<library/string.c>" {
        return None;
    }
    let caller = frames.by_ref().find(|frame| !frame.library)?;
    Some((event.thread, caller.site, frames.count()))
}
