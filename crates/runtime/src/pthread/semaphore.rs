//! Semaphores.
//!
//! What a semaphore begins with is in its own memory, where `sem_init` or `sem_open` has put it,
//! perhaps before `main`. From the first time that it is used here only the model counts.
//! A semaphore shared with another process is therefore on its own in each of them.

use raddle_wire::{Code, Record};

use super::begins_or_ends;
use super::error::{EAGAIN, EINVAL, EOVERFLOW, ETIMEDOUT};
use crate::given::{Given, Word};
use crate::guard::Guard;
use crate::sched::{self, Want};
use crate::state::State;
use crate::time::{self, Clock, Timespec};
use crate::{parallel, record, thread, touch};

point_hook! {
    3, sem_init => init;
    1, sem_destroy => destroy;
    1, sem_close => close;
    1, sem_wait => wait;
    1, sem_trywait => try_wait;
    2, sem_timedwait => timed_wait;
    3, sem_clockwait => clock_wait;
    1, sem_post => post;
    2, sem_getvalue => value;
}

/// Where the C library keeps whether other processes use it.
const SHARED: usize = 8;

/// The largest count (`SEM_VALUE_MAX`).
const COUNT_MAX: u32 = i32::MAX as u32;

extern "C" fn init(semaphore: Word, shared: i32, count: u32, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::write(semaphore, 0);
        begins_or_ends(state, semaphore, pc);
    }
    let result = real!(fn sem_init(semaphore: Word, shared: i32, count: u32) -> i32);
    if let (0, Some(state)) = (result, State::active()) {
        state.objects.with(|objects| objects.forget(semaphore.address()));
        known(state, semaphore);
        return result;
    }
    let begins = Record::counted(Code::SemaphoreInit, semaphore.address(), count.into(), 0);
    parallel::done(result, begins)
}

/// Sees to it that there is a model of a semaphore; its address.
fn known(state: &State, semaphore: Word) -> u64 {
    let count = touch::read(semaphore, 0);
    let address = semaphore.address();
    if !state.objects.with(|objects| objects.knows(address)) {
        state.objects.with(|objects| objects.semaphore(address).count = count);
        record::note(state, Record::counted(Code::SemaphoreInit, address, count.into(), 0));
        sched::settle(state);
        sched::arm(state);
    }
    address
}

extern "C" fn wait(semaphore: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn sem_wait(semaphore: Word) -> i32);
        return parallel::done(result, Record::new(Code::Take, semaphore.address(), 0, pc, 0));
    };
    take(state, semaphore, 0, pc)
}

extern "C" fn timed_wait(semaphore: Word, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn sem_timedwait(semaphore: Word, until: Given<Timespec>) -> i32);
        return parallel::done(result, Record::new(Code::Take, semaphore.address(), 0, pc, 0));
    };
    take_until(state, semaphore, Clock::REALTIME, until, pc)
}

extern "C" fn clock_wait(semaphore: Word, clock: i32, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result =
            real!(fn sem_clockwait(semaphore: Word, clock: i32, until: Given<Timespec>) -> i32);
        return parallel::done(result, Record::new(Code::Take, semaphore.address(), 0, pc, 0));
    };
    take_until(state, semaphore, Clock(clock), until, pc)
}

fn take_until(
    state: &State,
    semaphore: Word,
    clock: Clock,
    until: Given<Timespec>,
    pc: u64,
) -> i32 {
    match time::deadline(state, clock, until) {
        Some(deadline) => take(state, semaphore, deadline, pc),
        None => super::fail(EINVAL),
    }
}

fn take(state: &State, semaphore: Word, deadline: u64, pc: u64) -> i32 {
    let object = known(state, semaphore);
    touch::write(semaphore, 0);
    let (code, guard) = (Some(Code::Take), Guard::Positive(object));
    if !sched::point(state, Want { code, object, pc, guard, deadline }) {
        record::in_vain(state, pc);
        return super::fail(ETIMEDOUT);
    }
    lower(state, object, pc);
    0
}

extern "C" fn try_wait(semaphore: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn sem_trywait(semaphore: Word) -> i32);
        return parallel::done(result, Record::new(Code::Take, semaphore.address(), 0, pc, 0));
    };
    let address = semaphore;
    let semaphore = known(state, semaphore);
    sched::free_point(state, Code::Take, semaphore, pc);
    if !Guard::Positive(semaphore).holds(state, state.current()) {
        record::in_vain(state, pc);
        sched::idle(state);
        return super::fail(EAGAIN);
    }
    touch::write(address, 0);
    lower(state, semaphore, pc);
    0
}

fn lower(state: &State, semaphore: u64, pc: u64) {
    state.objects.with(|objects| objects.semaphore(semaphore).count -= 1);
    record::event(state, Record::new(Code::Take, semaphore, 0, pc, 0));
    sched::busy(state);
}

extern "C" fn post(semaphore: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        parallel::sync(Record::new(Code::Post, semaphore.address(), 0, pc, 0));
        return real!(fn sem_post(semaphore: Word) -> i32);
    };
    touch::read(semaphore, SHARED);
    touch::write(semaphore, 0);
    let semaphore = known(state, semaphore);
    sched::free_point(state, Code::Post, semaphore, pc);
    if state.objects.with(|objects| objects.semaphore(semaphore).count) >= COUNT_MAX {
        record::in_vain(state, pc);
        return super::fail(EOVERFLOW);
    }
    state.objects.with(|objects| objects.semaphore(semaphore).count += 1);
    record::event(state, Record::new(Code::Post, semaphore, 0, pc, 0));
    sched::busy(state);
    0
}

extern "C" fn value(semaphore: Word, answer: Given<i32>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn sem_getvalue(semaphore: Word, answer: Given<i32>) -> i32);
    };
    let semaphore = known(state, semaphore);
    sched::free_point(state, Code::Order, semaphore, pc);
    answer.set(state.objects.with(|objects| objects.semaphore(semaphore).count) as i32);
    record::in_vain(state, pc);
    sched::idle(state);
    0
}

extern "C" fn destroy(semaphore: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        begins_or_ends(state, semaphore, pc);
        let address = semaphore.address();
        let waits = |thread: &thread::Thread| thread.want.get().guard == Guard::Positive(address);
        if state.all_threads().any(waits) {
            let how = format_args!("a semaphore is destroyed while threads wait for it");
            thread::misuse(state, pc, address, how);
        }
        state.objects.with(|objects| objects.forget(address));
    }
    real!(fn sem_destroy(semaphore: Word) -> i32)
}

extern "C" fn close(semaphore: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        begins_or_ends(state, semaphore, pc);
        state.objects.with(|objects| objects.forget(semaphore.address()));
    }
    real!(fn sem_close(semaphore: Word) -> i32)
}
