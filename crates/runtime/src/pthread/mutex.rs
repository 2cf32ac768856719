//! Mutexes of all kinds, and spin locks.
//!
//! A robust mutex is given back when its owner ends ([`abandon`]). Whoever takes it then learns that its owner died, and
//! either says that the data is consistent again, or gives it back for good. One that inherits priorities is as any other:
//! there are none here.

use raddle_wire::{Code, Record};

use super::begins_or_ends;
use super::error::{EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use crate::given::{Given, Word};
use crate::guard::Guard;
use crate::object::Robust;
use crate::parallel::lock::How;
use crate::sched::{self, Want};
use crate::state::State;
use crate::time::{self, Clock, Timespec};
use crate::{parallel, record, thread, touch};

point_hook! {
    1, pthread_mutex_lock => lock;
    1, pthread_mutex_unlock => unlock;
    1, pthread_mutex_trylock => try_lock;
    2, pthread_mutex_timedlock => timed_lock;
    3, pthread_mutex_clocklock => clock_lock;
    2, pthread_mutex_init => init;
    1, pthread_mutex_destroy => destroy;
    1, pthread_mutex_consistent => consistent;
    1, pthread_spin_lock => spin_lock;
    1, pthread_spin_unlock => spin_unlock;
    1, pthread_spin_trylock => spin_try_lock;
    2, pthread_spin_init => spin_init;
    1, pthread_spin_destroy => spin_destroy;
}

/// What a mutex does when its owner locks it again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It waits for itself.
    Normal,
    Recursive,
    ErrorChecking,
    Destroyed,
}

/// Where the C library keeps the kind of a mutex.
const KIND: usize = 16;

/// Where it keeps it last when it makes one.
const LAST: usize = 32;

/// Whether a mutex outlives its owner.
fn is_robust(mutex: Word) -> bool {
    const ROBUST: i32 = 16;
    let kind = touch::read(mutex, KIND) as i32;
    kind > 0 && kind & ROBUST != 0
}

/// The kind that the program set up, of a mutex that is locked or unlocked.
fn kind_of(mutex: Word) -> Kind {
    let kind = touch::read(mutex, KIND) as i32;
    touch::write(mutex, 0);
    match kind {
        -1 => Kind::Destroyed,
        kind => match kind & 3 {
            1 => Kind::Recursive,
            2 => Kind::ErrorChecking,
            _ => Kind::Normal,
        },
    }
}

/// `pthread_mutex_lock`.
pub extern "C" fn lock(mutex: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return parallel::lock::lock(mutex, pc);
    };
    lock_until(state, mutex, 0, pc)
}

/// `pthread_mutex_timedlock`.
pub extern "C" fn timed_lock(mutex: Word, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_mutex_timedlock(mutex: Word, until: Given<Timespec>) -> i32);
        return parallel::lock::taken(result, mutex, How::Tried, pc);
    };
    lock_before(state, mutex, Clock::REALTIME, until, pc)
}

extern "C" fn clock_lock(mutex: Word, clock: i32, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_mutex_clocklock(mutex: Word, clock: i32, until: Given<Timespec>) -> i32);
        return parallel::lock::taken(result, mutex, How::Tried, pc);
    };
    lock_before(state, mutex, Clock(clock), until, pc)
}

/// Waits for a mutex until some moment. The C library looks at that only if it has to wait.
fn lock_before(state: &State, mutex: Word, clock: Clock, until: Given<Timespec>, pc: u64) -> i32 {
    const AT_ONCE: u64 = 1;
    let deadline = if time::is_there(until) { time::deadline(state, clock, until) } else { None };
    match lock_until(state, mutex, deadline.unwrap_or(AT_ONCE), pc) {
        ETIMEDOUT if deadline.is_none() => {
            touch::read(until.word(), 0);
            EINVAL
        }
        result => result,
    }
}

fn lock_until(state: &State, mutex: Word, deadline: u64, pc: u64) -> i32 {
    let kind = kind_of(mutex);
    let address = mutex.address();
    let me = state.current().number + 1;
    if state.objects.with(|objects| objects.mutex(address).owner) == me {
        match kind {
            Kind::Recursive => {
                state.objects.with(|objects| objects.mutex(address).depth += 1);
                return 0;
            }
            Kind::ErrorChecking => return EDEADLK,
            _ => {}
        }
    }
    let result = take(state, address, deadline, pc);
    usable(state, mutex, pc);
    if result == 0 { recover(state, mutex, pc) } else { result }
}

/// What a thread learns that has just taken a mutex: 0, or what became of a robust one.
pub fn recover(state: &State, mutex: Word, pc: u64) -> i32 {
    if !is_robust(mutex) {
        return 0;
    }
    let address = mutex.address();
    match state.objects.with(|objects| *objects.robust(address)) {
        Robust::Consistent => 0,
        Robust::OwnerDied => EOWNERDEAD,
        Robust::Lost => {
            let_go(state, address, pc);
            ENOTRECOVERABLE
        }
    }
}

/// The running thread does not have a mutex any more.
fn let_go(state: &State, address: u64, pc: u64) {
    state.objects.with(|objects| objects.mutex(address).owner = 0);
    record_lock(state, Record::new(Code::Unlock, address, 0, pc, 0));
    sched::busy_at(state, address, 1);
}

/// The running thread ends: the robust mutexes that it has are free.
pub fn abandon(state: &State) {
    let me = state.current().number;
    for address in state.objects.with(|objects| objects.robust_of(me)) {
        state.objects.with(|objects| {
            let mutex = objects.mutex(address);
            (mutex.depth, mutex.robust) = (0, Some(Robust::OwnerDied));
        });
        let_go(state, address, 0);
    }
}

/// `pthread_mutex_consistent`.
extern "C" fn consistent(mutex: Word, _pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn pthread_mutex_consistent(mutex: Word) -> i32);
    };
    let (robust, me) = (is_robust(mutex), state.current().number + 1);
    state.objects.with(|objects| {
        let mutex = objects.mutex(mutex.address());
        let died = robust && mutex.owner == me && mutex.robust == Some(Robust::OwnerDied);
        if died {
            mutex.robust = Some(Robust::Consistent);
        }
        if died { 0 } else { EINVAL }
    })
}

/// The kind of a mutex that was not destroyed. Who asks has just got its turn: what others do shows in what it does then,
/// and not in what it did before.
fn usable(state: &State, mutex: Word, pc: u64) -> Kind {
    let kind = kind_of(mutex);
    if kind == Kind::Destroyed {
        let how = format_args!("use of a mutex, which was destroyed");
        thread::misuse(state, pc, mutex.address(), how);
    }
    kind
}

/// Takes a lock that has one holder at a time.
fn take(state: &State, address: u64, deadline: u64, pc: u64) -> i32 {
    let (code, guard) = (Some(Code::Lock), Guard::Free(address));
    if !sched::point(state, Want { code, object: address, pc, guard, deadline }) {
        record_lock(state, Record::new(Code::TryFail, address, 0, pc, 0));
        return ETIMEDOUT;
    }
    hold(state, address, 1);
    record_lock(state, Record::new(Code::Lock, address, u8::from(deadline != 0), pc, 0));
    sched::busy_at(state, address, 1);
    0
}

/// The running thread has a lock from here on.
pub fn hold(state: &State, address: u64, depth: u32) {
    let owner = state.current().number + 1;
    state.objects.with(|objects| {
        let mutex = objects.mutex(address);
        (mutex.owner, mutex.depth) = (owner, depth);
    });
}

/// `pthread_mutex_trylock`.
pub extern "C" fn try_lock(mutex: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_mutex_trylock(mutex: Word) -> i32);
        return parallel::lock::taken(result, mutex, How::Tried, pc);
    };
    kind_of(mutex);
    let address = mutex.address();
    sched::free_point(state, Code::Lock, address, pc);
    let kind = usable(state, mutex, pc);
    let me = state.current().number + 1;
    let owner = state.objects.with(|objects| objects.mutex(address).owner);
    if owner == me && kind == Kind::Recursive {
        record::event(state, Record::new(Code::Pass, 0, 0, pc, 0));
        state.objects.with(|objects| objects.mutex(address).depth += 1);
        return 0;
    }
    match try_take(state, address, pc) {
        0 => recover(state, mutex, pc),
        result => result,
    }
}

fn try_take(state: &State, address: u64, pc: u64) -> i32 {
    if state.objects.with(|objects| objects.mutex(address).owner) != 0 {
        record_lock(state, Record::new(Code::TryFail, address, 0, pc, 0));
        sched::idle(state);
        return EBUSY;
    }
    hold(state, address, 1);
    record_lock(state, Record::new(Code::Lock, address, 1, pc, 0));
    sched::busy_at(state, address, 1);
    0
}

/// `pthread_mutex_unlock`.
pub extern "C" fn unlock(mutex: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        parallel::lock::gives(mutex, pc);
        return real!(fn pthread_mutex_unlock(mutex: Word) -> i32);
    };
    let kind = kind_of(mutex);
    let address = mutex.address();
    let me = state.current().number + 1;
    let (owner, depth) = state.objects.with(|objects| {
        let mutex = objects.mutex(address);
        (mutex.owner, mutex.depth)
    });
    if owner != me && (kind != Kind::Normal || is_robust(mutex)) {
        return EPERM;
    }
    if owner == me && depth > 1 {
        state.objects.with(|objects| objects.mutex(address).depth -= 1);
        return 0;
    }
    give(state, address, MUTEX, pc);
    0
}

/// What locks are called in [`raddle_wire::Misuse`].
const MUTEX: u16 = 0;
const SPIN: u16 = 1;

/// Gives a lock back, whichever thread has it when it is the thread's turn.
fn give(state: &State, address: u64, what: u16, pc: u64) {
    sched::free_point(state, Code::Unlock, address, pc);
    let me = state.current().number + 1;
    let owner = state.objects.with(|objects| objects.mutex(address).owner);
    if owner != me {
        thread::unlocks_foreign(state, pc, address, what, owner != 0);
        state.objects.with(|objects| objects.mutex(address).is_broken = true);
    }
    spoil(state, address);
    let_go(state, address, pc);
}

/// The owner of a mutex is about to give it back, or to wait on a condition: if it is robust and was not made consistent,
/// that is for good.
pub fn spoil(state: &State, address: u64) {
    state.objects.with(|objects| {
        let mutex = objects.mutex(address);
        if mutex.robust == Some(Robust::OwnerDied) {
            mutex.robust = Some(Robust::Lost);
        }
    });
}

/// Records what was done with a lock. One that is broken may be taken twice, which no lock is: only the order in which
/// threads used it is recorded.
pub fn record_lock(state: &State, record: Record) {
    const TAKES: u16 = 1;
    let is_broken = state.objects.with(|objects| objects.mutex(record.object()).is_broken);
    let (object, pc) = (record.object(), record.pc());
    record::event(
        state,
        match record.code() {
            _ if !is_broken => record,
            Some(Code::Lock) => Record::new(Code::Order, object, 0, pc, TAKES),
            Some(Code::Unlock) => Record::new(Code::Order, object, 0, pc, 0),
            _ => Record::new(Code::Pass, 0, 0, pc, 0),
        },
    );
}

extern "C" fn init(mutex: Word, attributes: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch_new(mutex);
        begins_or_ends(state, mutex, pc);
        state.objects.with(|objects| objects.forget(mutex.address()));
    }
    real!(fn pthread_mutex_init(mutex: Word, attributes: Word) -> i32)
}

/// Touches a mutex that is given back while its holder waits for something else.
pub fn touch_held(mutex: Word) {
    kind_of(mutex);
}

/// Touches memory that becomes a mutex.
pub fn touch_new(mutex: Word) {
    touch::write(mutex, LAST);
}

/// `pthread_mutex_destroy`. That of a mutex which is held is undefined; the C library says `EBUSY`, which hardly any
/// program looks at.
pub extern "C" fn destroy(mutex: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::read(mutex, KIND);
        touch::write(mutex, KIND);
        begins_or_ends(state, mutex, pc);
        let address = mutex.address();
        if state.objects.with(|objects| objects.mutex(address).owner) != 0 {
            let how = format_args!("a mutex is destroyed while it is held");
            thread::misuse(state, pc, address, how);
        }
        state.objects.with(|objects| objects.forget(address));
    }
    real!(fn pthread_mutex_destroy(mutex: Word) -> i32)
}

extern "C" fn spin_lock(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_spin_lock(lock: Word) -> i32);
        return parallel::lock::taken_other(result, lock, How::Awaited, 0, pc);
    };
    touch::write(lock, 0);
    take(state, lock.address(), 0, pc)
}

extern "C" fn spin_try_lock(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn pthread_spin_trylock(lock: Word) -> i32);
        return parallel::lock::taken_other(result, lock, How::Tried, 0, pc);
    };
    touch::write(lock, 0);
    sched::free_point(state, Code::Lock, lock.address(), pc);
    try_take(state, lock.address(), pc)
}

extern "C" fn spin_unlock(lock: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        parallel::sync(Record::new(Code::Unlock, lock.address(), 0, pc, 0));
        return real!(fn pthread_spin_unlock(lock: Word) -> i32);
    };
    touch::write(lock, 0);
    give(state, lock.address(), SPIN, pc);
    0
}

extern "C" fn spin_init(lock: Word, shared: i32, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::write(lock, 0);
        begins_or_ends(state, lock, pc);
        state.objects.with(|objects| objects.forget(lock.address()));
    }
    real!(fn pthread_spin_init(lock: Word, shared: i32) -> i32)
}

extern "C" fn spin_destroy(lock: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        begins_or_ends(state, lock, pc);
        state.objects.with(|objects| objects.forget(lock.address()));
    }
    real!(fn pthread_spin_destroy(lock: Word) -> i32)
}
