//! Condition variables.
//!
//! A wait is two steps: give the lock back and begin to wait, in one; then, woken and with the lock free, take it
//! again. One that can run out is three: that no signal reaches it any more comes before it gets the lock, and others
//! that hold the lock may signal in between, in vain. Who is woken by a signal is a choice of the schedule.

use alloc::vec::Vec;
use raddle_wire::{Code, Defect, Record};

use super::begins_or_ends;
use super::error::{EINVAL, ETIMEDOUT};
use super::mutex::{self, hold, record_lock};
use crate::given::{Given, Word};
use crate::guard::Guard;
use crate::sched::{self, Want};
use crate::state::State;
use crate::time::{self, Clock, Timespec};
use crate::{parallel, record, signal, thread, touch};

point_hook! {
    2, pthread_cond_wait => wait;
    3, pthread_cond_timedwait => timed_wait;
    4, pthread_cond_clockwait => clock_wait;
    1, pthread_cond_signal => signal;
    1, pthread_cond_broadcast => broadcast;
    2, pthread_cond_init => init;
    1, pthread_cond_destroy => destroy;
}

/// `pthread_cond_wait`.
pub extern "C" fn wait(condition: Word, mutex: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return parallel::lock::wait(
            condition,
            mutex,
            pc,
            || real!(fn pthread_cond_wait(condition: Word, mutex: Word) -> i32),
        );
    };
    wait_until(state, condition, mutex, 0, pc)
}

/// `pthread_cond_timedwait`.
pub extern "C" fn timed_wait(condition: Word, mutex: Word, until: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return parallel::lock::wait(
            condition,
            mutex,
            pc,
            || real!(fn pthread_cond_timedwait(condition: Word, mutex: Word, until: Given<Timespec>) -> i32),
        );
    };
    match time::deadline(state, clock_of(condition), until) {
        Some(deadline) => wait_until(state, condition, mutex, deadline, pc),
        None => EINVAL,
    }
}

extern "C" fn clock_wait(
    condition: Word,
    mutex: Word,
    clock: i32,
    until: Given<Timespec>,
    pc: u64,
) -> i32 {
    let Some(state) = State::active() else {
        return parallel::lock::wait(
            condition,
            mutex,
            pc,
            || real!(fn pthread_cond_clockwait(condition: Word, mutex: Word, clock: i32, until: Given<Timespec>) -> i32),
        );
    };
    match time::deadline(state, Clock(clock), until) {
        Some(deadline) => wait_until(state, condition, mutex, deadline, pc),
        None => EINVAL,
    }
}

/// Where the C library keeps the clock of a condition variable, and who uses it.
const FLAGS: usize = 36;

/// The clock that the program gave a condition variable when it made it.
fn clock_of(condition: Word) -> Clock {
    const MONOTONIC: u32 = 2;
    if touch::read(condition, FLAGS) & MONOTONIC != 0 { Clock::MONOTONIC } else { Clock::REALTIME }
}

/// Waits, or gives up at a moment.
pub fn wait_until(state: &State, condition: Word, mutex: Word, deadline: u64, pc: u64) -> i32 {
    touch::write(condition, 0);
    mutex::touch_held(mutex);
    let lock = mutex;
    let (condition, mutex) = (condition.address(), mutex.address());
    let me = state.current();
    let (owner, depth) = state.objects.with(|objects| {
        let mutex = objects.mutex(mutex);
        (mutex.owner, mutex.depth)
    });
    if owner != me.number + 1 {
        let how = format_args!("wait on a condition without holding a mutex");
        thread::misuse(state, pc, mutex, how);
    }
    me.waits_with.set(mutex);
    sched::free_point(state, Code::Wait, condition, pc);
    me.is_in_wait.set(true);
    record::event(state, Record::new(Code::Wait, condition, 0, pc, 0));
    mutex::spoil(state, mutex);
    state.objects.with(|objects| objects.mutex(mutex).owner = 0);
    record_lock(state, Record::new(Code::Unlock, mutex, 0, pc, 0));
    sched::busy(state);
    begin_to_wait(state, condition);

    if Defect::LateWakes.is_there() && deadline != 0 {
        let guard = Guard::WokenAndFree(mutex);
        let want = Want { code: Some(Code::Wake), object: condition, pc, guard, deadline };
        let woken = sched::point(state, want) || me.is_woken.get();
        me.waits_for.set(0);
        me.is_in_wait.set(false);
        hold(state, mutex, depth);
        return if woken { 0 } else { ETIMEDOUT };
    }
    let woken = deadline == 0 || is_woken_before(state, condition, deadline, pc);
    let (code, object, guard) = match deadline {
        0 => (Some(Code::Wake), condition, Guard::WokenAndFree(mutex)),
        _ => (Some(Code::Lock), mutex, Guard::Free(mutex)),
    };
    sched::point(state, Want { code, object, pc, guard, deadline: 0 });
    me.waits_for.set(0);
    hold(state, mutex, depth);
    record_lock(state, Record::new(Code::Lock, mutex, 0, pc, 0));
    // H2: a signal is no notification.
    let is_notified = woken && !me.is_interrupted.get();
    record::event(state, Record::new(Code::Wake, condition, 0, pc, u16::from(!is_notified)));
    sched::busy(state);
    me.is_in_wait.set(false);
    signal::deliver(state);
    match mutex::recover(state, lock, pc) {
        0 if !woken => ETIMEDOUT,
        result => result,
    }
}

/// Waits until a moment; whether the running thread was woken. From here on it cannot be.
fn is_woken_before(state: &State, condition: u64, deadline: u64, pc: u64) -> bool {
    let (code, guard) = (Some(Code::Wake), Guard::Woken);
    let woken = sched::point(state, Want { code, object: condition, pc, guard, deadline });
    state.current().waits_for.set(0);
    record::in_vain(state, pc);
    woken
}

/// The running thread can be woken from here on.
pub fn begin_to_wait(state: &State, object: u64) {
    let me = state.current();
    me.is_woken.set(false);
    me.is_interrupted.set(false);
    me.waits_for.set(object);
    me.ticket.set(state.next_ticket.replace(state.next_ticket.get() + 1));
}

/// Who waits for an object, in the order in which they began to.
pub fn waiters(state: &State, object: u64) -> Vec<u32> {
    let waits = |thread: &&thread::Thread| {
        thread.waits_for.get() == object && !thread.is_woken.get() && !thread.is_done.get()
    };
    let mut waiters: Vec<_> = state.all_threads().filter(waits).collect();
    waiters.sort_by_key(|thread| thread.ticket.get());
    waiters.into_iter().map(|thread| thread.number).collect()
}

/// `pthread_cond_signal`.
pub extern "C" fn signal(condition: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        parallel::sync(Record::new(Code::Notify, condition.address(), 0, pc, 0));
        return real!(fn pthread_cond_signal(condition: Word) -> i32);
    };
    touch::read(condition, FLAGS);
    let condition = condition.address();
    sched::free_point(state, Code::Notify, condition, pc);
    let chosen = sched::choose_waiter(state, &waiters(state, condition));
    let woken = chosen.and_then(|number| state.thread(number));
    if let Some(thread) = woken {
        thread.is_woken.set(true);
    }
    let extra = woken.map_or(0, |thread| thread.number as u16 + 1);
    record::event(state, Record::new(Code::Notify, condition, 0, pc, extra));
    sched::busy(state);
    0
}

/// `pthread_cond_broadcast`.
pub extern "C" fn broadcast(condition: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        parallel::sync(Record::new(Code::NotifyAll, condition.address(), 0, pc, 0));
        return real!(fn pthread_cond_broadcast(condition: Word) -> i32);
    };
    touch::read(condition, FLAGS);
    let condition = condition.address();
    sched::free_point(state, Code::NotifyAll, condition, pc);
    for number in waiters(state, condition) {
        if let Some(thread) = state.thread(number) {
            thread.is_woken.set(true);
        }
    }
    record::event(state, Record::new(Code::NotifyAll, condition, 0, pc, 0));
    sched::busy(state);
    0
}

extern "C" fn init(condition: Word, attributes: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::write(condition, 0);
        begins_or_ends(state, condition, pc);
    }
    real!(fn pthread_cond_init(condition: Word, attributes: Word) -> i32)
}

/// `pthread_cond_destroy`.
pub extern "C" fn destroy(condition: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn pthread_cond_destroy(condition: Word) -> i32);
    };
    touch::read(condition, FLAGS);
    touch::write(condition, FLAGS);
    begins_or_ends(state, condition, pc);
    if !waiters(state, condition.address()).is_empty() {
        let how = format_args!("a condition is destroyed while threads wait for it");
        thread::misuse(state, pc, condition.address(), how);
    }
    0
}
