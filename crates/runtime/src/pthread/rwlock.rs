//! Locks for readers and writers.
//!
//! Readers are let in whenever nobody writes, also while somebody waits to write: what the C
//! library does unless a program asks for something else. Of the kind
//! `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP` they wait while a writer waits: a writer that does not get the lock
//! *lines up*, which is a step of its own, and waits from then on.

use raddle_wire::{Code, Record};

use super::begins_or_ends;
use super::error::{EBUSY, EDEADLK, EINVAL, ETIMEDOUT};
use crate::given::{Given, Word};
use crate::guard::Guard;
use crate::parallel::lock::{How, gives_rwlock, taken_other};
use crate::sched::{self, Want};
use crate::state::State;
use crate::time::{self, Clock, Timespec};
use crate::{record, thread, touch};

point_hook! {
    1, pthread_rwlock_rdlock => lock_shared;
    1, pthread_rwlock_wrlock => lock_alone;
    1, pthread_rwlock_tryrdlock => try_read;
    1, pthread_rwlock_trywrlock => try_write;
    2, pthread_rwlock_timedrdlock => timed_read;
    2, pthread_rwlock_timedwrlock => timed_write;
    3, pthread_rwlock_clockrdlock => clock_read;
    3, pthread_rwlock_clockwrlock => clock_write;
    1, pthread_rwlock_unlock => unlock;
    2, pthread_rwlock_init => init;
    1, pthread_rwlock_destroy => destroy;
}

/// Where the C library keeps who writes, and what it sets first when it makes a lock.
const WRITER: usize = 24;
const LAST: usize = 48;

/// Where it keeps the kind of a lock, and the kind of which readers wait while a writer waits.
const KIND: usize = 48;
const WRITERS_FIRST: u32 = 2;

/// What a thread wants a lock for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Write = 0,
    Read = 1,
}

impl Use {
    fn guard(self, lock: u64) -> Guard {
        match self {
            Use::Read => Guard::Readable(lock),
            Use::Write => Guard::Writable(lock),
        }
    }
}

extern "C" fn lock_shared(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_rwlock_rdlock(lock: Word) -> i32);
        return taken_other(result, lock, How::Awaited, Use::Read as u16, pc);
    };
    take(state, lock, Use::Read, 0, pc)
}

extern "C" fn lock_alone(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_rwlock_wrlock(lock: Word) -> i32);
        return taken_other(result, lock, How::Awaited, Use::Write as u16, pc);
    };
    take(state, lock, Use::Write, 0, pc)
}

extern "C" fn timed_read(lock: Word, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result =
            real!(fn pthread_rwlock_timedrdlock(lock: Word, until: Given<Timespec>) -> i32);
        return taken_other(result, lock, How::Tried, Use::Read as u16, pc);
    };
    take_until(state, lock, Use::Read, Clock::REALTIME, until, pc)
}

extern "C" fn timed_write(lock: Word, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result =
            real!(fn pthread_rwlock_timedwrlock(lock: Word, until: Given<Timespec>) -> i32);
        return taken_other(result, lock, How::Tried, Use::Write as u16, pc);
    };
    take_until(state, lock, Use::Write, Clock::REALTIME, until, pc)
}

extern "C" fn clock_read(lock: Word, clock: i32, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_rwlock_clockrdlock(lock: Word, clock: i32, until: Given<Timespec>) -> i32);
        return taken_other(result, lock, How::Tried, Use::Read as u16, pc);
    };
    take_until(state, lock, Use::Read, Clock(clock), until, pc)
}

extern "C" fn clock_write(lock: Word, clock: i32, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_rwlock_clockwrlock(lock: Word, clock: i32, until: Given<Timespec>) -> i32);
        return taken_other(result, lock, How::Tried, Use::Write as u16, pc);
    };
    take_until(state, lock, Use::Write, Clock(clock), until, pc)
}

fn take_until(
    state: &State,
    lock: Word,
    wanted: Use,
    clock: Clock,
    until: Given<Timespec>,
    pc: u64,
) -> i32 {
    match time::deadline(state, clock, until) {
        Some(deadline) => take(state, lock, wanted, deadline, pc),
        None => EINVAL,
    }
}

fn take(state: &State, lock: Word, wanted: Use, deadline: u64, pc: u64) -> i32 {
    touch::read(lock, WRITER);
    touch::write(lock, 0);
    let lines_up = wanted == Use::Write && touch::read(lock, KIND) == WRITERS_FIRST;
    let lock = lock.address();
    if state.objects.with(|objects| objects.rwlock(lock).writer) == state.current().number + 1 {
        return EDEADLK;
    }
    let (code, guard) = (Some(Code::Lock), wanted.guard(lock));
    if lines_up {
        sched::free_point(state, Code::Lock, lock, pc);
        if guard.holds(state, state.current()) {
            hold(state, lock, wanted, deadline != 0, pc);
            return 0;
        }
        state.objects.with(|objects| objects.rwlock(lock).n_queued += 1);
        record::event(state, Record::new(Code::Pass, 0, 0, pc, 0));
        sched::busy(state);
    }
    let is_granted = sched::point(state, Want { code, object: lock, pc, guard, deadline });
    if lines_up {
        state.objects.with(|objects| objects.rwlock(lock).n_queued -= 1);
        sched::busy(state);
    }
    if !is_granted {
        record::event(state, Record::new(Code::TryFail, lock, 0, pc, wanted as u16));
        return ETIMEDOUT;
    }
    hold(state, lock, wanted, deadline != 0, pc);
    0
}

extern "C" fn try_read(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_rwlock_tryrdlock(lock: Word) -> i32);
        return taken_other(result, lock, How::Tried, Use::Read as u16, pc);
    };
    try_take(state, lock, Use::Read, pc)
}

extern "C" fn try_write(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_rwlock_trywrlock(lock: Word) -> i32);
        return taken_other(result, lock, How::Tried, Use::Write as u16, pc);
    };
    try_take(state, lock, Use::Write, pc)
}

fn try_take(state: &State, lock: Word, wanted: Use, pc: u64) -> i32 {
    touch::read(lock, 0);
    touch::write(lock, 0);
    let lock = lock.address();
    sched::free_point(state, Code::Lock, lock, pc);
    if !wanted.guard(lock).holds(state, state.current()) {
        record::event(state, Record::new(Code::TryFail, lock, 0, pc, wanted as u16));
        sched::idle(state);
        return EBUSY;
    }
    hold(state, lock, wanted, true, pc);
    0
}

fn hold(state: &State, lock: u64, wanted: Use, tried: bool, pc: u64) {
    let me = state.current().number;
    state.objects.with(|objects| {
        let lock = objects.rwlock(lock);
        match wanted {
            Use::Read => lock.readers.push(me),
            Use::Write => lock.writer = me + 1,
        }
    });
    record::event(state, Record::new(Code::Lock, lock, tried.into(), pc, wanted as u16));
    sched::busy(state);
}

extern "C" fn unlock(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        gives_rwlock(lock, pc);
        return real!(fn pthread_rwlock_unlock(lock: Word) -> i32);
    };
    touch::read(lock, WRITER);
    touch::write(lock, 0);
    let lock = lock.address();
    let me = state.current().number;
    let (writes, reads, is_free) = state.objects.with(|objects| {
        let lock = objects.rwlock(lock);
        let is_free = lock.writer == 0 && lock.readers.is_empty();
        (lock.writer == me + 1, lock.readers.contains(&me), is_free)
    });
    if !writes && !reads {
        let who = if is_free { "no thread" } else { "another thread" };
        thread::misuse(state, pc, lock, format_args!("unlock of a lock, which {who} holds"));
    }
    sched::free_point(state, Code::Unlock, lock, pc);
    state.objects.with(|objects| {
        let lock = objects.rwlock(lock);
        if writes {
            lock.writer = 0;
        } else if let Some(index) = lock.readers.iter().position(|&reader| reader == me) {
            lock.readers.swap_remove(index);
        }
    });
    record::event(state, Record::new(Code::Unlock, lock, 0, pc, u16::from(!writes)));
    sched::busy(state);
    0
}

extern "C" fn init(lock: Word, attributes: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::write(lock, LAST);
        begins_or_ends(state, lock, pc);
        state.objects.with(|objects| objects.forget(lock.address()));
    }
    real!(fn pthread_rwlock_init(lock: Word, attributes: Word) -> i32)
}

extern "C" fn destroy(lock: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        begins_or_ends(state, lock, pc);
        let address = lock.address();
        if !Guard::Writable(address).holds(state, state.current()) {
            let how = format_args!("a lock is destroyed while it is held");
            thread::misuse(state, pc, address, how);
        }
        state.objects.with(|objects| objects.forget(address));
    }
    real!(fn pthread_rwlock_destroy(lock: Word) -> i32)
}
