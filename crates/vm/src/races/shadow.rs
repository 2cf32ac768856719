//! Shadows: what is remembered of each object.
//!
//! In: accesses and the places of synchronisation. Out: the accesses remembered of the same bytes.
//! Of one thread, site and range only the last access is kept: whoever is not ordered with an
//! earlier one is not ordered with that one either. Accesses within 8 aligned bytes hang on the
//! cell of these bytes, longer ones on a list of their own; locks and atomic locations on another.

use raddle_explore::Touch;
use raddle_happens::{Location, Lock};

use super::logged::{self, Logged};
use crate::memory::Memory;

/// Stands for no entry.
pub(super) const NONE: u32 = u32::MAX;

/// How many bytes a cell has.
const CELL: u32 = 8;

/// What is remembered of one object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shadow {
    pub(super) object: u32,
    /// Tells apart the objects that had one number.
    pub(super) birth: u32,
    /// Its cells: the first, and how many.
    cells: u32,
    n_cells: u32,
    /// The first access that is in no cell.
    wide: u32,
    /// The first place of synchronisation.
    pub(super) places: u32,
}

/// The last access of a thread at a site to some bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) offset: u32,
    pub(super) size: u32,
    pub(super) thread: u32,
    /// The time of its thread.
    pub(super) time: u32,
    pub(super) site: u64,
    /// The call outside the library that led to it.
    pub(super) caller: u64,
    pub(super) touch: Touch,
    next: u32,
}

impl Access {
    #[allow(clippy::too_many_arguments, reason = "one for each field")]
    pub(super) fn new(
        offset: u32,
        size: u32,
        thread: u32,
        time: u32,
        site: u64,
        caller: u64,
        touch: Touch,
    ) -> Access {
        Access { offset, size, thread, time, site, caller, touch, next: NONE }
    }

    pub(super) fn overlaps(&self, other: &Access) -> bool {
        self.offset < other.offset + other.size && other.offset < self.offset + self.size
    }

    /// Whether it takes the place of another one.
    fn replaces(&self, other: &Access) -> bool {
        let key = |a: &Access| (a.site, a.thread, a.offset, a.size, a.touch, a.caller);
        key(self) == key(other)
    }

    /// The cell that it fits into.
    fn cell(&self) -> Option<u32> {
        let (first, last) = self.cells();
        (first == last).then_some(first)
    }

    fn cells(&self) -> (u32, u32) {
        (self.offset / CELL, (self.offset + self.size - 1) / CELL)
    }
}

/// A place of synchronisation: a lock or the like, an atomic location, or both in turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) offset: u32,
    /// At a lock, or to those who posted, arrived, ….
    pub(super) lock: Lock,
    pub(super) location: Location,
    pub(super) next: u32,
}

/// What is remembered of all objects.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadows {
    /// Per object, its shadow.
    index: Logged<u32>,
    pub(super) shadows: Logged<Shadow>,
    /// Per cell, its first access.
    cells: Logged<u32>,
    accesses: Logged<Access>,
    pub(super) places: Logged<Place>,
    /// The first access that can be used again, if there is one.
    spare: Logged<u32>,
}

/// Where the tables were.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark([logged::Mark; 6]);

impl Shadows {
    /// The shadow of an object, new if there was none or the object is another one now.
    pub(super) fn of(&mut self, memory: &Memory, object: u32) -> u32 {
        self.index.extend_to(object + 1, NONE);
        let birth = memory.object(object).birth;
        let known = *self.index.get(object);
        if known != NONE && self.shadows.get(known).birth == birth {
            return known;
        }
        if known != NONE {
            self.forget(known);
        }
        let n_cells = memory.object(object).size.div_ceil(CELL);
        let old = (known != NONE).then(|| *self.shadows.get(known));
        let room = old.filter(|old| old.n_cells >= n_cells).map(|old| (old.cells, old.n_cells));
        let (cells, n_cells) = room.unwrap_or_else(|| {
            let first = self.cells.len();
            self.cells.extend_to(first + n_cells, NONE);
            (first, n_cells)
        });
        let shadow = Shadow { object, birth, cells, n_cells, wide: NONE, places: NONE };
        match known {
            NONE => {
                let new = self.shadows.push(shadow);
                self.index.set(object, new);
                new
            }
            known => {
                self.shadows.set(known, shadow);
                known
            }
        }
    }

    /// Forgets the accesses to an object.
    pub(super) fn forget(&mut self, shadow: u32) {
        let about = *self.shadows.get(shadow);
        for cell in about.cells..about.cells + about.n_cells {
            let first = *self.cells.get(cell);
            if first != NONE {
                self.recycle(first);
                self.cells.set(cell, NONE);
            }
        }
        if about.wide != NONE {
            self.recycle(about.wide);
            self.shadows.set(shadow, Shadow { wide: NONE, ..about });
        }
    }

    /// Shows the accesses remembered of the bytes of a new one, and keeps that one.
    pub(super) fn add(&mut self, shadow: u32, access: Access, mut see: impl FnMut(&Access)) {
        let about = *self.shadows.get(shadow);
        let (first, last) = access.cells();
        let mut same = None;
        let cells = (about.cells + first..=about.cells + last).map(|cell| *self.cells.get(cell));
        for start in cells.chain([about.wide]) {
            for (index, old) in self.chain(start) {
                if access.replaces(old) {
                    same = Some((index, old.next));
                } else {
                    see(old);
                }
            }
        }
        match (same, access.cell()) {
            (Some((index, next)), _) => self.accesses.set(index, Access { next, ..access }),
            (None, Some(cell)) => {
                let cell = about.cells + cell;
                let new = self.insert(access, *self.cells.get(cell));
                self.cells.set(cell, new);
            }
            (None, None) => {
                let wide = self.insert(access, about.wide);
                self.shadows.set(shadow, Shadow { wide, ..about });
            }
        }
    }

    /// All accesses remembered of an object.
    pub(super) fn all(&self, shadow: &Shadow) -> impl Iterator<Item = &Access> {
        let cells = self.cells.slice(shadow.cells, shadow.n_cells).iter().copied();
        let starts = cells.filter(|&start| start != NONE).chain([shadow.wide]);
        starts.flat_map(|start| self.chain(start).map(|(_, access)| access))
    }

    /// The places of synchronisation of an object.
    pub(super) fn places(&self, shadow: &Shadow) -> impl Iterator<Item = (u32, &Place)> {
        let mut next = shadow.places;
        std::iter::from_fn(move || {
            let index = next;
            let place = (index != NONE).then(|| self.places.get(index))?;
            next = place.next;
            Some((index, place))
        })
    }

    /// The place of synchronisation at an offset, if anybody was there before.
    pub(super) fn find(&self, shadow: u32, offset: u32) -> Option<u32> {
        let places = self.places(self.shadows.get(shadow));
        places.into_iter().find(|(_, place)| place.offset == offset).map(|(index, _)| index)
    }

    /// The place of synchronisation at an offset, new if there was none.
    pub(super) fn find_or_make(&mut self, shadow: u32, offset: u32) -> u32 {
        self.find(shadow, offset).unwrap_or_else(|| {
            let (lock, location) = (Lock::default(), Location::default());
            let next = self.shadows.get(shadow).places;
            let new = self.places.push(Place { offset, lock, location, next });
            self.shadows.change(shadow).places = new;
            new
        })
    }

    pub(super) fn mark(&mut self) -> Mark {
        Mark([
            self.index.mark(),
            self.shadows.mark(),
            self.cells.mark(),
            self.accesses.mark(),
            self.places.mark(),
            self.spare.mark(),
        ])
    }

    pub(super) fn rewind(&mut self, mark: Mark) {
        let Mark([index, shadows, cells, accesses, places, spare]) = mark;
        self.index.rewind(index);
        self.shadows.rewind(shadows);
        self.cells.rewind(cells);
        self.accesses.rewind(accesses);
        self.places.rewind(places);
        self.spare.rewind(spare);
    }

    pub(super) fn size(&self) -> usize {
        let tables = self.index.size() + self.shadows.size() + self.cells.size();
        tables + self.accesses.size() + self.places.size()
    }

    fn chain(&self, start: u32) -> impl Iterator<Item = (u32, &Access)> {
        let mut next = start;
        std::iter::from_fn(move || {
            let index = next;
            let access = (index != NONE).then(|| self.accesses.get(index))?;
            next = access.next;
            Some((index, access))
        })
    }

    fn insert(&mut self, access: Access, next: u32) -> u32 {
        self.spare.extend_to(1, NONE);
        let access = Access { next, ..access };
        match *self.spare.get(0) {
            NONE => self.accesses.push(access),
            spare => {
                self.spare.set(0, self.accesses.get(spare).next);
                self.accesses.set(spare, access);
                spare
            }
        }
    }

    /// Puts a chain of accesses with those that can be used again.
    fn recycle(&mut self, start: u32) {
        let Some((last, end)) = self.chain(start).last().map(|(index, access)| (index, *access))
        else {
            return;
        };
        self.spare.extend_to(1, NONE);
        let next = *self.spare.get(0);
        self.accesses.set(last, Access { next, ..end });
        self.spare.set(0, start);
    }
}
