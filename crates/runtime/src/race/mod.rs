//! Data races of an execution, by happens-before, while it runs.
//!
//! In: the events of the running threads, in order. Out: each pair of program counters at which two
//! threads accessed the same bytes, at least one of them writing and not both atomically, without
//! happens-before ordering them. After FastTrack (Flanagan and Freund, PLDI 2009): an access is the
//! time of its thread, and is before everything that knows this time. Unlike there, accesses are
//! kept per *program counter*, too: an execution shows all pairs that race in it.
//!
//! What orders (`order`, `atomic`), as in the machine for C sources:
//! - H1: a lock, a `pthread_once`: giving back before taking; of a lock for reading and writing,
//!   readers are ordered with writers only.
//! - H2: making a thread before all it does; all it did before its join.
//! - H3: a post before every later take; all arrivals at a barrier before all departures; what
//!   gives in [`Code::Order`] before every later taker.
//! - H4: a signal or broadcast before the wake-up that it causes, if it is what ends the wait.
//! - H5: atomics as C11 has them and as they are written: release sequences (read-modify-writes,
//!   and stores of the thread that heads them) and fences. Relaxed accesses order nothing. A
//!   location is an address, whatever the size of the access.
//!
//! Giving memory back counts as a write to all of it. Memory that is given out again is other
//! memory, and so is what is synchronised with there.
//!
//! Everything lies in one mapping that is not put back with the state of the program: tables are
//! marked with the number of the execution, so that the next one begins without touching them.
//! What finds no room is forgotten and counted. A clock or a place of synchronisation that finds no
//! room would make ordered accesses look unordered: from then on nothing is reported, and all is
//! counted as forgotten.

mod access;
mod atomic;
mod block;
mod clock;
mod found;
mod line;
mod order;
mod place;
mod shadow;
#[cfg(test)]
mod tests;

use core::cell::Cell;
use core::mem;
use core::ops::Range;
use core::ptr;

use raddle_wire::{Code, RaceRecord, Record, Touch};

use crate::sys;
use access::Access;
use clock::Clocks;
pub use found::Approach;
use found::{Found, Judge};
use order::Actor;
use place::Places;
use shadow::{Shadow, granule_end};

/// Numbers of threads are below this.
const N_THREADS: usize = 1 << 16;

/// Finds the data races of one execution after the other; off until `begin`.
pub struct Races {
    /// Null while it is off. Nothing else is here, since this is put back with the state.
    detector: Cell<*mut Detector>,
}

impl Races {
    /// One that is off.
    pub const fn new() -> Races {
        Races { detector: Cell::new(ptr::null_mut()) }
    }

    /// Maps its tables and begins the first execution; false if there is no memory for them. If not
    /// all that orders threads is seen, what is found is in doubt until the threads meet there.
    pub fn begin(&self, sees_all: bool) -> bool {
        if self.detector.get().is_null() {
            self.detector.set(sys::map_kept(mem::size_of::<Detector>()).cast());
        }
        self.with((), |detector| detector.found.doubts(!sees_all));
        self.reset();
        self.is_on()
    }

    /// Whether it looks at events.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        !self.detector.get().is_null()
    }

    /// A new execution begins. Takes the same time however long the last one was.
    pub fn reset(&self) {
        self.with((), Detector::reset);
    }

    /// The next event. Needs everything that [`Code::is_event`], and `SemaphoreInit`, `BarrierInit`,
    /// `Alloc` and `Extent`; the others are ignored, and so is `Free`, which does not say how much
    /// ([`Races::freed`]).
    #[inline]
    pub fn observe(&self, thread: u32, record: Record, point: u32) {
        self.with((), |detector| {
            if !detector.is_known(thread, record) {
                detector.observe(thread, record, point);
            }
        });
    }

    /// A thread gives some memory back. What is accessed there later is other memory.
    pub fn freed(&self, thread: u32, bytes: Range<u64>, pc: u64, point: u32) {
        self.with((), |detector| detector.freed(Doer { thread, pc, point }, bytes));
    }

    /// What two threads are both about to do, if that is a race. Threads and program counters come
    /// with what they touch.
    pub fn meet(&self, one: Approach, other: Approach, point: u32) {
        self.with((), |detector| detector.found.meet(one, other, point));
    }

    /// Some memory becomes other memory: a block that is given out again, the stack of a new thread.
    /// Forgets whole units of 8 aligned bytes, up to 512 bytes of memory in use at a time, so the
    /// range may be large.
    pub fn forget(&self, bytes: Range<u64>) {
        self.with((), |detector| detector.forget(bytes));
    }

    /// The races of this execution, in the order in which they were found; there may be more than the
    /// 256 that are kept. Not to be held while events are observed.
    pub fn found(&self) -> &[RaceRecord] {
        let detector = self.detector.get();
        if detector.is_null() {
            return &[];
        }
        // SAFETY: it stays mapped, and nobody changes it before the next event.
        unsafe { (*detector).found.records() }
    }

    /// How many accesses of this execution were forgotten for want of room. If there are any, there
    /// may be races that were not found.
    pub fn n_forgotten(&self) -> u64 {
        self.with(0, |detector| detector.n_unseen + detector.shadow.n_forgotten())
    }

    #[inline(always)]
    fn with<R>(&self, off: R, act: impl FnOnce(&mut Detector) -> R) -> R {
        let detector = self.detector.get();
        if detector.is_null() {
            return off;
        }
        // SAFETY: it is mapped, all zero at first, which is valid for every field. Only the thread
        // that runs comes here, and `act` does not come back.
        act(unsafe { &mut *detector })
    }
}

impl Default for Races {
    fn default() -> Races {
        Races::new()
    }
}

/// All tables. Far too large for any stack: it is only ever mapped.
struct Detector {
    /// The number of the execution, not 0.
    execution: u64,
    /// Whether an order between threads was lost.
    is_blind: bool,
    /// How many accesses came after that.
    n_unseen: u64,
    /// The block of memory whose size is told next.
    new_block: u64,
    /// All threads have numbers below this.
    n_actors: u32,
    actors: [Actor; N_THREADS],
    clocks: Clocks,
    places: Places,
    found: Found,
    shadow: Shadow,
}

/// Who does something, and where.
#[derive(Clone, Copy)]
struct Doer {
    thread: u32,
    pc: u64,
    point: u32,
}

impl Detector {
    fn reset(&mut self) {
        self.execution += 1;
        self.is_blind = false;
        self.n_unseen = 0;
        self.n_actors = 0;
        self.clocks.reset();
        self.places.reset(self.execution);
        self.found.reset(self.execution);
        self.shadow.reset(self.execution);
    }

    /// Most accesses are the same again, so this is where time goes: it looks at the number of the
    /// code only.
    #[inline]
    fn is_known(&self, thread: u32, record: Record) -> bool {
        const READ: u8 = Code::Read as u8;
        const WRITE: u8 = Code::Write as u8;
        let touch = match (record.head >> 48) as u8 {
            READ => Touch::Read,
            WRITE => Touch::Write,
            _ => return false,
        };
        let (start, end) = (record.object(), record.object() + u64::from(record.detail()));
        let actor = self.actors.get(thread as usize);
        let Some(actor) = actor.filter(|actor| actor.execution == self.execution) else {
            return false;
        };
        let new = Access::new(record.pc(), thread, actor.time, touch as u8);
        end <= granule_end(start) && self.shadow.knows(start..end, new)
    }

    #[inline(never)]
    fn observe(&mut self, thread: u32, record: Record, point: u32) {
        let Some(code) = record.code() else { return };
        let doer = Doer { thread, pc: record.pc(), point };
        let start = record.object();
        let few = start..start + u64::from(record.detail());
        let many = start..start + u64::from(record.count());
        match code {
            Code::Read => self.access(doer, few, Touch::Read),
            Code::Write => self.access(doer, few, Touch::Write),
            Code::ReadRange => self.access(doer, many, Touch::Read),
            Code::WriteRange => self.access(doer, many, Touch::Write),
            Code::AtomicLoad | Code::AtomicStore | Code::AtomicUpdate | Code::AtomicMiss => {
                self.atomic(doer, code, few, record.extra());
            }
            Code::Alloc => self.new_block = start,
            Code::Extent => self.forget(self.new_block..self.new_block.saturating_add(start)),
            _ if !self.is_blind => self.synchronise(thread, code, record),
            _ => {}
        }
    }

    fn access(&mut self, doer: Doer, bytes: Range<u64>, touch: Touch) {
        let thread = doer.thread;
        let known = self.actor(thread).map(|actor| (actor.clock, actor.time));
        let (Some((clock, time)), false) = (known, self.is_blind) else {
            self.n_unseen += 1;
            return;
        };
        let times = self.clocks.times(clock);
        let new = Access::new(doer.pc, thread, time, touch as u8);
        let mut judge = Judge { times, found: &mut self.found, point: doer.point };
        let has_places = self.shadow.access(bytes.clone(), new, &mut judge);
        if has_places && touch == Touch::Write {
            self.overwrite(bytes);
        }
    }

    fn atomic(&mut self, doer: Doer, code: Code, bytes: Range<u64>, order: u16) {
        let (thread, address) = (doer.thread, bytes.start);
        if self.actor(thread).is_some() && code != Code::AtomicStore {
            self.load(thread, address, order);
        }
        match code {
            Code::AtomicLoad | Code::AtomicMiss => self.access(doer, bytes, Touch::AtomicRead),
            _ => self.access(doer, bytes, Touch::AtomicWrite),
        }
        match code {
            Code::AtomicStore => self.store(thread, address, order),
            Code::AtomicUpdate => self.modify(thread, address, order),
            _ => {}
        }
        self.is_blind |= self.clocks.is_full || self.places.is_full;
    }

    fn freed(&mut self, doer: Doer, bytes: Range<u64>) {
        let clock = self.actor(doer.thread).map(|actor| actor.clock);
        match clock.filter(|_| !self.is_blind) {
            Some(clock) => {
                let times = self.clocks.times(clock);
                let new = Access::new(doer.pc, doer.thread, 0, Touch::Free as u8);
                let mut judge = Judge { times, found: &mut self.found, point: doer.point };
                self.shadow.peek(bytes.clone(), new, &mut judge);
            }
            None => self.n_unseen += 1,
        }
        self.forget(bytes);
    }

    fn forget(&mut self, bytes: Range<u64>) {
        let (places, clocks) = (&mut self.places, &mut self.clocks);
        self.shadow.each_place(&bytes, |granule| {
            (granule..granule + 8).for_each(|address| places.forget(clocks, address));
        });
        self.shadow.forget(&bytes);
    }
}
