//! Tables blocks: names and attributes that the blocks before did not have.
//!
//! Content: for each table of names, in the order of [`TABLES`], a count and that many (length,
//! bytes); then counted lists of ranges (variable, region, offset, size), initial counts
//! (semaphore, count), parties (barrier, count) and frames (caller + 1 or 0, location).

use super::column::{Cursor, put_number};
use crate::events::Events;
use crate::format::BlockProblem;
use crate::id::{BarrierId, SemaphoreId, StackId, VarId};
use crate::names::Names;
use crate::tables::{Frame, Range, Tables};

const N_TABLES: usize = 9;

type Table = (fn(&Tables) -> &Names, fn(&mut Tables) -> &mut Names);

/// The tables of names, in the order of the file.
const TABLES: [Table; N_TABLES] = [
    (|t| &t.threads, |t| &mut t.threads),
    (|t| &t.variables, |t| &mut t.variables),
    (|t| &t.locks, |t| &mut t.locks),
    (|t| &t.conditions, |t| &mut t.conditions),
    (|t| &t.semaphores, |t| &mut t.semaphores),
    (|t| &t.barriers, |t| &mut t.barriers),
    (|t| &t.transactions, |t| &mut t.transactions),
    (|t| &t.regions, |t| &mut t.regions),
    (|t| &t.locations, |t| &mut t.locations),
];

/// How much of the tables has been written.
#[derive(Default)]
pub(super) struct Written {
    names: [u32; N_TABLES],
    n_frames: usize,
}

/// About how many bytes a block may have before the next is begun.
const BLOCK_BYTES: usize = 4 << 20;

impl Written {
    /// The content of the next tables block; `None` if nothing is new.
    pub(super) fn next_block(&mut self, tables: &Tables) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let before = self.names;
        for ((get, _), done) in TABLES.iter().zip(&mut self.names) {
            *done += put_names(&mut out, get(tables), *done);
        }
        let new_names = before != self.names;
        if !new_names && self.n_frames == tables.frames().len() {
            return None;
        }
        let new = |table: usize, id: u32| (before[table]..self.names[table]).contains(&id);
        put_list(&mut out, tables.ranges().filter(|(v, _)| new(1, v.0)), |out, (var, range)| {
            for n in [u64::from(var.0), range.region.into(), range.offset, range.size.into()] {
                put_number(out, n);
            }
        });
        let semaphores = (before[4]..self.names[4]).map(SemaphoreId);
        let initials = semaphores.filter_map(|s| Some((s.0, tables.initial(s)?)));
        put_list(&mut out, initials, put_pair);
        let barriers = (before[5]..self.names[5]).map(BarrierId);
        let parties = barriers.filter_map(|b| Some((b.0, tables.parties(b)?)));
        put_list(&mut out, parties, put_pair);
        // Frames name locations, so they wait until all of those are written.
        let ready = self.names[8] as usize == tables.locations.len();
        let n_new =
            if ready { (tables.frames().len() - self.n_frames).min(BLOCK_BYTES / 8) } else { 0 };
        let frames = &tables.frames()[self.n_frames..self.n_frames + n_new];
        self.n_frames += frames.len();
        put_list(&mut out, frames.iter(), |out, frame| {
            put_pair(out, (frame.caller.map_or(0, |c| c.0 + 1), frame.location));
        });
        Some(out)
    }
}

/// Writes names from `from` on, as many as fit; answers how many.
fn put_names(out: &mut Vec<u8>, names: &Names, from: u32) -> u32 {
    let mut n = 0;
    let mut content = Vec::new();
    while out.len() + content.len() < BLOCK_BYTES {
        let Some(name) = names.get(from + n) else { break };
        put_number(&mut content, name.len() as u64);
        content.extend(name.as_bytes());
        n += 1;
    }
    put_number(out, n.into());
    out.extend(content);
    n
}

fn put_list<T>(out: &mut Vec<u8>, items: impl Iterator<Item = T>, put: impl Fn(&mut Vec<u8>, T)) {
    let items: Vec<T> = items.collect();
    put_number(out, items.len() as u64);
    items.into_iter().for_each(|item| put(out, item));
}

fn put_pair(out: &mut Vec<u8>, (a, b): (u32, u32)) {
    put_number(out, a.into());
    put_number(out, b.into());
}

/// Adds what a tables block has to the tables.
pub(super) fn read(content: &[u8], events: &mut Events) -> Result<(), BlockProblem> {
    let mut cursor = Cursor::new(content);
    let tables = &mut events.tables;
    for (_, get) in TABLES {
        for _ in 0..cursor.number()? {
            let length = cursor.id()? as usize;
            let name = cursor.bytes(length)?;
            let added = get(tables)
                .append(name)
                .map_err(|_| BlockProblem::Content("a name is not text"))?;
            added.ok_or(BlockProblem::Content("a name occurs twice"))?;
        }
    }
    if tables.threads.len() > Events::MAX_THREADS {
        return Err(BlockProblem::Content("there are too many threads"));
    }
    for _ in 0..cursor.number()? {
        let var = known(cursor.id()?, &tables.variables)?;
        let region = known(cursor.id()?, &tables.regions)?;
        let (offset, size) = (cursor.number()?, cursor.id()?);
        tables.set_range(VarId(var), Range { region, offset, size });
    }
    for _ in 0..cursor.number()? {
        let semaphore = SemaphoreId(known(cursor.id()?, &tables.semaphores)?);
        tables.set_initial(semaphore, cursor.id()?);
    }
    for _ in 0..cursor.number()? {
        let barrier = BarrierId(known(cursor.id()?, &tables.barriers)?);
        tables.set_parties(barrier, cursor.id()?);
    }
    for _ in 0..cursor.number()? {
        let caller = cursor.id()?.checked_sub(1).map(StackId);
        let location = known(cursor.id()?, &tables.locations)?;
        if caller.is_some_and(|caller| tables.frame(caller).is_none()) {
            return Err(BlockProblem::Content("a frame has no caller"));
        }
        tables.add_frame(Frame { caller, location });
    }
    cursor.finish()
}

fn known(id: u32, names: &Names) -> Result<u32, BlockProblem> {
    let unknown = BlockProblem::Content("an attribute belongs to nothing");
    if (id as usize) < names.len() { Ok(id) } else { Err(unknown) }
}
