//! Data races on cells.
//!
//! In: accesses to cells, with what happened before them. Out: the races of the run, and the cells
//! whose accesses are points. Of each thread the last read and the last write of a cell are
//! remembered.

use raddle_explore::{Race, Touch};
use raddle_happens::Ordered;

use super::{Here, Kind, NONE, Pending, Site, Slot, What, World};

/// What is remembered of cells.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    accesses: Vec<Vec<Accessed>>,
    n_cells: u32,
    /// The places whose accesses are points.
    promoted: Vec<Site>,
    /// Whether all accesses are points.
    pub(crate) all_points: bool,
    /// Whether a cell was used.
    pub(crate) any: bool,
}

/// An access to a cell.
#[derive(Clone, Copy, Debug)]
struct Accessed {
    thread: u32,
    time: u32,
    touch: Touch,
    site: Site,
}

impl Cells {
    pub(super) fn clear(&mut self) {
        let n = self.n_cells as usize;
        self.accesses[..n].iter_mut().for_each(Vec::clear);
        self.n_cells = 0;
    }

    /// Makes points of the accesses at a place; whether they were none.
    pub(crate) fn promote(&mut self, site: Site) -> bool {
        let is_new = !self.is_promoted(site) && !self.all_points;
        if is_new {
            self.promoted.push(site);
        }
        is_new
    }

    /// Whether some accesses are points because they race.
    pub(crate) fn has_promoted(&self) -> bool {
        !self.promoted.is_empty()
    }

    fn is_promoted(&self, site: Site) -> bool {
        self.promoted.iter().any(|&other| std::ptr::eq(other, site))
    }
}

impl Here {
    /// The current thread accesses a cell.
    pub(crate) fn access(self, slot: &Slot, writes: bool, site: Site) {
        let object = slot.object(self, Kind::Cell, || {});
        let is_point = self.with(|world| {
            let cells = &mut world.cells;
            cells.any = true;
            cells.all_points || !cells.promoted.is_empty() && cells.is_promoted(site)
        });
        if is_point {
            let what = if writes { What::CellWrite } else { What::CellRead };
            self.reach(Pending::open(what, object, site));
        }
        self.with(|world| {
            if !is_point {
                world.tell_access(writes, object, site);
            }
            world.accessed(object, writes, site);
        });
    }

    /// The current thread ends an access to a cell, behind points at which others could go on.
    pub(crate) fn access_ends(self, slot: &Slot, writes: bool, site: Site) {
        let object = slot.object(self, Kind::Cell, || {});
        self.with(|world| world.accessed(object, writes, site));
    }

    /// How many points there were.
    pub(crate) fn n_points(self) -> usize {
        self.with(|world| world.at)
    }
}

impl World {
    /// What is done with a pointer to what is shared cannot be seen.
    pub(crate) fn gave_pointer(&mut self, site: Site) {
        self.table.add_pointer(site);
    }

    /// The current thread accesses an atomic in another way than atomically.
    pub(crate) fn touch_bare(&mut self, object: u32, site: Site) {
        self.cells.any = true;
        self.touch(object, Touch::Write, site);
    }

    fn accessed(&mut self, object: u32, writes: bool, site: Site) {
        self.touch(object, if writes { Touch::Write } else { Touch::Read }, site);
        self.see_data(object);
        if writes {
            self.wrote_data(object);
            self.changed();
        }
    }

    pub(super) fn touch(&mut self, object: u32, touch: Touch, site: Site) {
        if !self.follows_clocks || !self.observe.races {
            return;
        }
        if self.objects[object as usize].cell == NONE {
            self.objects[object as usize].cell = self.cells.n_cells;
            self.cells.n_cells += 1;
            let n = self.cells.accesses.len().max(self.cells.n_cells as usize);
            self.cells.accesses.resize(n, Vec::new());
        }
        let cell = self.objects[object as usize].cell as usize;
        let thread = self.current;
        let time = self.orders.time(thread);
        let new = Accessed { thread, time, touch, site };
        let mut own = None;
        for index in 0..self.cells.accesses[cell].len() {
            let old = self.cells.accesses[cell][index];
            if old.thread == thread {
                own = if old.touch == touch { Some(index) } else { own };
            } else if old.touch.conflicts(touch) {
                match self.orders.view_of(thread).order(old.thread, old.time) {
                    Ordered::Always => {}
                    ordered => self.add_race(old, new, object, ordered == Ordered::ByC11),
                }
            }
        }
        match own {
            Some(index) => self.cells.accesses[cell][index] = new,
            None => self.cells.accesses[cell].push(new),
        }
    }

    #[cold]
    fn add_race(&mut self, old: Accessed, new: Accessed, object: u32, ordered_by_c11: bool) {
        let order = |access: &Accessed| {
            let site = access.site;
            (site.file(), site.line(), site.column(), access.touch)
        };
        let mut sides = [old, new];
        sides.sort_by_key(order);
        let sites = sides.each_ref().map(|side| std::ptr::from_ref(side.site) as u64);
        let race = Race {
            sites,
            callers: sites,
            touches: sides.each_ref().map(|side| side.touch),
            threads: sides.each_ref().map(|side| side.thread),
            starts: [0, 0],
            object: (0, self.objects[object as usize].id),
            bytes: (0, 0),
            point: self.at.saturating_sub(1) as u32,
            in_doubt: false,
            ordered_by_c11,
        };
        // One that is a race by both rules is found again, and is worth more.
        let covers = |other: &Race| {
            other.identity() == race.identity() && other.ordered_by_c11 <= race.ordered_by_c11
        };
        if !self.run.races.iter().any(covers) {
            self.run.races.push(race);
        }
    }
}
