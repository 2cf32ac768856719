//! Data races of an execution, by happens-before, while it runs.
//!
//! In: the events of the running threads, in order. Out: each pair of program counters at which two
//! threads accessed the same bytes, at least one of them writing and not both atomically, without
//! happens-before ordering them. After FastTrack (Flanagan and Freund, PLDI 2009): an access is the
//! time of its thread, and is before everything that knows this time. Unlike there, accesses are
//! kept per *program counter*, too: an execution shows all pairs that race in it.
//!
//! What orders is what `raddle_happens` says (rules H1 to H6), with both definitions of release sequences at once; `order`
//! has what each record means there. What gives in [`Code::Order`] is before every later taker. A location is an
//! address, whatever the size of the access.
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
mod block;
mod fixed;
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

use raddle_happens::Touch;
use raddle_wire::{Code, RaceRecord, Record};

use crate::sys;
use access::Access;
pub use found::Approach;
use found::{Found, Judge};
use order::Orders;
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

    /// From here on not all that orders threads is seen.
    pub fn begin_to_doubt(&self) {
        self.with((), |detector| detector.found.doubts(true));
    }

    /// Whether what is found may be ordered by something that is not seen.
    pub fn doubts(&self) -> bool {
        self.with(false, |detector| detector.found.is_in_doubt())
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
        // SAFETY: `begin` has mapped memory of that size, which is never given back. It is zero at first, which is a
        // value of every field. Only the thread that runs comes here, and `act` does not come here again.
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
    /// How many accesses came after an order between threads was lost.
    n_unseen: u64,
    /// The block of memory whose size is told next.
    new_block: u64,
    orders: Orders,
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
        self.n_unseen = 0;
        order::begin(&mut self.orders);
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
        // Nothing is kept of a thread that has not begun, whose time is 0.
        let new = Access::new(record.pc(), thread, self.orders.time(thread), touch as u8);
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
            _ if !self.is_blind() => self.synchronise(thread, code, record),
            _ => {}
        }
    }

    fn access(&mut self, doer: Doer, bytes: Range<u64>, touch: Touch) {
        let thread = doer.thread;
        let is_blind = self.is_blind();
        let Some((time, view)) = self.orders.access(thread).filter(|_| !is_blind) else {
            self.n_unseen += 1;
            return;
        };
        let new = Access::new(doer.pc, thread, time, touch as u8);
        let mut judge = Judge { view, found: &mut self.found, point: doer.point };
        let has_places = self.shadow.access(bytes.clone(), new, &mut judge);
        if has_places && touch == Touch::Write {
            self.overwrite(bytes);
        }
    }

    fn atomic(&mut self, doer: Doer, code: Code, bytes: Range<u64>, order: u16) {
        let (thread, address) = (doer.thread, bytes.start);
        if code != Code::AtomicStore {
            self.load(thread, address, order);
        }
        match code {
            Code::AtomicLoad | Code::AtomicMiss => self.access(doer, bytes, Touch::AtomicRead),
            _ => {
                self.access(doer, bytes, Touch::AtomicWrite);
                self.store(thread, address, order, code == Code::AtomicUpdate);
            }
        }
    }

    fn freed(&mut self, doer: Doer, bytes: Range<u64>) {
        let is_blind = self.is_blind();
        match self.orders.access(doer.thread).filter(|_| !is_blind) {
            Some((_, view)) => {
                let new = Access::new(doer.pc, doer.thread, 0, Touch::Free as u8);
                let mut judge = Judge { view, found: &mut self.found, point: doer.point };
                self.shadow.peek(bytes.clone(), new, &mut judge);
            }
            None => self.n_unseen += 1,
        }
        self.forget(bytes);
    }

    fn forget(&mut self, bytes: Range<u64>) {
        let (places, orders) = (&mut self.places, &mut self.orders);
        self.shadow.each_place(&bytes, |granule| {
            (granule..granule + 8).for_each(|address| places.forget(orders, address));
        });
        self.shadow.forget(&bytes);
    }
}
