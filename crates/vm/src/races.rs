//! Data races of a run, by happens-before.
//!
//! In: the events of a run, as an observer. Out: each pair of accesses of two threads to the same
//! bytes, at least one of them a write and not both atomic, that happens-before does not order;
//! pairs at the same sites once. After FastTrack (Flanagan and Freund, PLDI 2009): an access is
//! the time of its thread, and is before everything that knows this time. Unlike there, one
//! access is kept per thread and *site*, not per thread: a run shows all pairs of sites that race
//! in it, and not the first for each variable.
//!
//! What orders is what `raddle_happens` says (rules H1 to H6), with both definitions of release sequences at once; `order`
//! has what each event means there. An atomic section is a lock that all of them share. A location is an offset in
//! an object, whatever the size of the access.
//!
//! Freeing an object counts as a write to all of it. So does the end of a local that another thread has accessed, but
//! nothing in the program says where it is: such a race stands for the local, in place of a site. It is not reported;
//! the access becomes a point, so that it is found to come too late if it can. For reduction all that the thread does
//! meanwhile conflicts with accesses of the local.
//!
//! All tables can go back to earlier points of the run (`logged`), as the engine does. What they
//! remember is hashed by `recall`, for the cache of states.

mod logged;
mod order;
mod recall;
mod shadow;

use raddle_cfront::ir::{FunctionId, Order};
use raddle_explore::{Race, Touch};
use raddle_happens::{Happens, Head, Known, Ordered, Thread};
use rustc_hash::FxHashSet;

use crate::observe::{Event, Observer, What};
use crate::site::Site;
use logged::Logged;
use shadow::{Access, Shadows};

/// What orders the threads of a run.
type Orders = Happens<Logged<u32>, Logged<Thread>, Logged<Head>>;

/// Finds the data races of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detector {
    orders: Orders,
    /// The functions that threads were started with.
    starts: Logged<u32>,
    shadows: Shadows,
    /// What is known to those who left atomic sections, once there was one.
    sections: Logged<Known>,
    /// The point whose choice led here.
    pub(crate) point: u32,
    /// What was found and not taken.
    pub(crate) found: Vec<Race>,
    /// What was found in this run, and whether C11 orders it.
    known: FxHashSet<([[u64; 2]; 2], bool)>,
    /// What knows something, while it is listed.
    knowers: Vec<(u64, Known)>,
}

/// Where a detector was.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    orders: [logged::Mark; 3],
    starts: logged::Mark,
    sections: logged::Mark,
    shadows: shadow::Mark,
}

impl Detector {
    /// One before any run.
    pub(crate) fn new() -> Detector {
        let mut detector = Detector::default();
        detector.orders.begin();
        detector
    }

    /// From now on it can go back to here.
    pub(crate) fn mark(&mut self) -> Mark {
        let (times, threads, heads) = self.orders.tables_mut();
        Mark {
            orders: [times.mark(), threads.mark(), heads.mark()],
            starts: self.starts.mark(),
            sections: self.sections.mark(),
            shadows: self.shadows.mark(),
        }
    }

    /// Goes back to a mark, where these races were found. The first mark is before everything.
    pub(crate) fn rewind(&mut self, mark: Mark, races: &[Race]) {
        let (times, threads, heads) = self.orders.tables_mut();
        times.rewind(mark.orders[0]);
        threads.rewind(mark.orders[1]);
        heads.rewind(mark.orders[2]);
        if mark.orders[0] == logged::Mark::default() {
            self.orders.begin();
        }
        self.starts.rewind(mark.starts);
        self.sections.rewind(mark.sections);
        self.shadows.rewind(mark.shadows);
        self.found.clear();
        self.known.clear();
        self.known.extend(races.iter().map(|race| (race.identity(), race.ordered_by_c11)));
    }

    /// How many bytes it has.
    pub(crate) fn size(&self) -> usize {
        let (times, threads, _) = self.orders.tables();
        times.size() + threads.size() + self.shadows.size()
    }

    fn access(&mut self, event: &Event<'_>, object: u32, bytes: (u32, u32), touch: Touch) {
        let thread = event.thread;
        self.starts.extend_to(thread + 1, 0);
        let shadow = self.shadows.of(event.view.memory, object);
        let Detector { orders, starts, known, found, point, .. } = self;
        let Some((time, view)) = orders.access(thread) else { return };
        let site = match touch {
            Touch::End => number(local(event.view.memory.object(object).made)),
            _ => number(event.site),
        };
        let caller = number(outside(event));
        let new = Access::new(bytes.0, bytes.1, thread, time, site, caller, touch);
        self.shadows.add(shadow, new, |old| {
            if old.thread == thread || !touch.conflicts(old.touch) || !old.overlaps(&new) {
                return;
            }
            let ordered = view.order(old.thread, old.time);
            if ordered != Ordered::Always {
                let by_c11 = ordered == Ordered::ByC11;
                let race = race(event, object, [old, &new], starts, *point, by_c11);
                // One that is a race by both rules is found again, and is worth more.
                let identity = race.identity();
                if !known.contains(&(identity, false)) && known.insert((identity, by_c11)) {
                    found.push(race);
                }
            }
        });
    }

    fn end(&mut self, event: &Event<'_>, object: u32) {
        let size = event.view.size(object);
        if size > 0 {
            self.access(event, object, (0, size), Touch::End);
        }
    }

    fn free(&mut self, event: &Event<'_>, object: u32) {
        let size = event.view.size(object);
        if size > 0 {
            self.access(event, object, (0, size), Touch::Free);
            let shadow = self.shadows.of(event.view.memory, object);
            self.shadows.forget(shadow);
        }
    }
}

impl Observer for Detector {
    fn event(&mut self, event: &Event<'_>) {
        match event.what {
            What::Read { object, offset, size, order, .. } => {
                let atomic = order != Order::Plain;
                let touch = if atomic { Touch::AtomicRead } else { Touch::Read };
                if atomic {
                    self.load(event, object, offset, order);
                }
                self.access(event, object, (offset, size), touch);
            }
            What::Write { object, offset, size, order, .. } => {
                let atomic = order != Order::Plain;
                let touch = if atomic { Touch::AtomicWrite } else { Touch::Write };
                self.access(event, object, (offset, size), touch);
                match atomic {
                    true => self.store(event, (object, offset), order, false),
                    false => self.overwrite(event, object, offset, size),
                }
            }
            What::Rmw { object, offset, size, value, order, .. } => {
                let writes = value.is_some();
                let touch = if writes { Touch::AtomicWrite } else { Touch::AtomicRead };
                self.load(event, object, offset, order);
                self.access(event, object, (offset, size), touch);
                if writes {
                    self.store(event, (object, offset), order, true);
                }
            }
            What::Free { object } => self.free(event, object),
            What::Gone { object } => self.end(event, object),
            _ => self.synchronise(event),
        }
    }
}

/// The number of a site in races.
pub(crate) fn number(site: Site) -> u64 {
    u64::from(site.function.0) << 32 | u64::from(site.op)
}

/// No function has so many transitions: what stands for a local instead of a transition.
const LOCAL: u32 = 1 << 31;

/// What stands for the local that was made there.
pub(crate) fn local(made: Site) -> Site {
    Site { op: made.op | LOCAL, ..made }
}

/// Whether it stands for a local.
pub(crate) fn is_local(site: Site) -> bool {
    site.op & LOCAL != 0 && site != Site::NONE
}

/// The site with this number.
pub(crate) fn site(number: u64) -> Site {
    Site { function: FunctionId((number >> 32) as u32), op: number as u32 }
}

/// The innermost call outside the library, or the access itself.
fn outside(event: &Event<'_>) -> Site {
    event.view.stack().find(|frame| !frame.library).map_or(event.site, |frame| frame.site)
}

/// The race of two accesses, the later one last.
fn race(
    event: &Event<'_>,
    object: u32,
    mut accesses: [&Access; 2],
    starts: &Logged<u32>,
    point: u32,
    ordered_by_c11: bool,
) -> Race {
    accesses.sort_by_key(|access| (access.site, access.caller));
    let about = event.view.memory.object(object);
    let offset = accesses[0].offset.max(accesses[1].offset);
    let end = |access: &Access| access.offset + access.size;
    let size = end(accesses[0]).min(end(accesses[1])) - offset;
    Race {
        sites: accesses.map(|access| access.site),
        callers: accesses.map(|access| access.caller),
        touches: accesses.map(|access| access.touch),
        threads: accesses.map(|access| access.thread),
        starts: accesses.map(|access| *starts.get(access.thread)),
        object: crate::name::identity(about, object),
        bytes: (offset, size),
        point,
        in_doubt: accesses.iter().any(|access| access.touch == Touch::End),
        ordered_by_c11,
    }
}
