//! What code does that is not instrumented.
//!
//! A library may order threads by operations that are not seen: what looks like a race then is in doubt until an execution
//! shows that nothing orders the accesses ([`meet`]; rule U2). `module::any_unseen` says whether there is such a library.
//!
//! Rust's standard library comes compiled. Some of its locks is inlined into the program and
//! instrumented there; the rest, such as waiting for a lock and all of a condition variable, changes
//! the same words where nobody looks. What a lock orders would be lost with it, and threads that
//! take turns would seem to race.
//!
//! In: each atomic operation that is seen, each futex call. Out: events for those that are not.
//! - U1: what the running thread changed unseen before a futex call, or after one and before
//!   its next event, is told as a read-modify-write that acquires and releases.
//! - U2: what else is changed unseen has no events. So a race of such a program is in doubt until two
//!   threads were about to do both accesses at the same time ([`meet`]).
//!
//! Words are looked at (U1) only in programs that make futex calls themselves ([`Flags::HALF_SEEN`]).

use core::cell::Cell;

use alloc::vec::Vec;
use raddle_happens::Touch;
use raddle_wire::{Code, Flags, Record};

use crate::host;
use crate::race::Approach;
use crate::record;
use crate::sched;
use crate::state::{Shared, State};
use crate::table::Table;
use crate::thread::Thread;

/// The order of an operation that acquires and releases, as C has it.
const ACQ_REL: u16 = 4;

/// What words held when they were last seen.
pub struct Unseen {
    words: Shared<Table<Word>>,
    /// The futex call that the running thread has just come back from; 0: none.
    since: Cell<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Bytes: 1, 2, 4 or 8.
    size: u8,
    value: u64,
}

impl Word {
    /// The word at an address.
    ///
    /// # Safety
    /// It is mapped.
    unsafe fn at(address: u64, size: u8) -> Word {
        // SAFETY: as the caller says.
        Word { size, value: unsafe { record::peek(address, size) } }
    }
}

impl Unseen {
    /// No word was seen yet.
    pub const fn new() -> Unseen {
        Unseen { words: Shared::new(Table::new()), since: Cell::new(0) }
    }

    /// Whether the running thread may have changed something since its last event.
    #[inline]
    pub fn is_due(&self) -> bool {
        self.since.get() != 0
    }
}

/// The running thread has done an atomic operation that is seen.
#[inline]
pub fn after(state: &State, address: u64, size: u8) {
    if host::has(Flags::HALF_SEEN) && size <= 8 {
        // SAFETY: the program has just accessed it.
        let word = unsafe { Word::at(address, size) };
        state.unseen.words.with(|words| words.insert(address, word));
    }
}

/// A futex call begins: tells what the running thread has changed before (U1).
pub fn enter(state: &State, pc: u64) {
    if host::has(Flags::HALF_SEEN) {
        tell(state, pc);
    }
}

/// A futex call ends: what the running thread changes now is told with its next event.
pub fn leave(state: &State, pc: u64) {
    if host::has(Flags::HALF_SEEN) {
        state.unseen.since.set(pc);
        sched::settle(state);
        sched::arm(state);
    }
}

/// Tells what the running thread has changed since a futex call (U1).
pub fn settle(state: &State) {
    let since = state.unseen.since.replace(0);
    if since != 0 {
        tell(state, since);
    }
}

#[cold]
fn tell(state: &State, pc: u64) {
    // SAFETY: memory that is given back is forgotten.
    let changed: Vec<(u64, Word, Word)> = state.unseen.words.with(|words| unsafe {
        let now =
            words.entries().map(|(address, word)| (address, word, Word::at(address, word.size)));
        now.filter(|(_, before, now)| before.value != now.value).collect()
    });
    for (address, before, word) in changed {
        state.unseen.words.with(|words| words.insert(address, word));
        let update = Record::new(Code::AtomicUpdate, address, word.size, pc, ACQ_REL);
        record::event(state, update);
        if host::has(Flags::VALUES) {
            state.recorder.atomic_value(update, before.value);
        }
        sched::busy(state);
    }
}

/// Memory is given back: what is there later is something else.
pub fn forget(state: &State, start: u64, end: u64) {
    if host::has(Flags::HALF_SEEN) {
        state.unseen.words.with(|words| {
            words.keys_within(start.max(1), end, 1).into_iter().for_each(|address| {
                words.remove(address);
            });
        });
    }
}

/// Looks for threads that are about to do what races (U2).
pub fn meet(state: &State) {
    if !state.races.doubts() || !state.explore.looks_for_races() {
        return;
    }
    let threads = || state.all_threads().filter_map(approach);
    for (index, (thread, one)) in threads().enumerate() {
        let meets = |(_, other): &(_, Approach)| one.overlaps(other);
        for (with, other) in threads().skip(index + 1).filter(meets) {
            let both = [(thread, one), (with, other)].map(|(thread, one)| as_it_is(thread, one));
            state.races.meet(both[0], both[1], state.explore.point());
        }
    }
}

/// What a thread would do now: an operation that does not find what it expects only reads.
fn as_it_is(thread: &Thread, approach: Approach) -> Approach {
    let Some(expected) = thread.expects.get() else { return approach };
    let (start, end) = approach.bytes;
    // SAFETY: another thread is about to access a part of it, too, and both do so in the next step.
    let part = |at: u64| unsafe { record::peek(at, (end - at).min(8) as u8) };
    let found = match end - start {
        16 => u128::from(part(start)) | u128::from(part(start + 8)) << 64,
        _ => part(start).into(),
    };
    let touch = if found == expected { approach.touch } else { Touch::AtomicRead };
    Approach { touch, ..approach }
}

/// What a thread is about to do to memory.
fn approach(thread: &'static Thread) -> Option<(&'static Thread, Approach)> {
    let want = thread.want.get();
    let touch = match want.code? {
        Code::Read | Code::ReadRange => Touch::Read,
        Code::Write | Code::WriteRange => Touch::Write,
        Code::AtomicLoad => Touch::AtomicRead,
        Code::AtomicStore | Code::AtomicUpdate | Code::AtomicMiss => Touch::AtomicWrite,
        Code::Free => Touch::Free,
        _ => return None,
    };
    let bytes = (want.object, want.object.saturating_add(thread.reach.get()));
    let approach = Approach { thread: thread.number, pc: want.pc, bytes, touch };
    (!thread.is_done.get()).then_some((thread, approach))
}
