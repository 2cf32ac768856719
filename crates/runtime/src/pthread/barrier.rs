//! Barriers.
//!
//! A thread that arrives waits until the last one wakes all. Whether a thread was woken is kept with
//! the thread, so one that has left may destroy the barrier before the others have noticed, as
//! POSIX allows.

use raddle_wire::{Code, Record};

use super::begins_or_ends;
use super::condition::{begin_to_wait, waiters};
use crate::given::Word;
use crate::guard::Guard;
use crate::sched::{self, Want};
use crate::state::State;
use crate::{parallel, record, thread, touch};

point_hook! {
    3, pthread_barrier_init => init;
    1, pthread_barrier_destroy => destroy;
    1, pthread_barrier_wait => wait;
}

/// Where the C library keeps whether other processes use it, which it sets first.
const SHARED: usize = 12;

/// What exactly one thread of each round gets (`PTHREAD_BARRIER_SERIAL_THREAD`).
const SERIAL: i32 = -1;

extern "C" fn init(barrier: Word, attributes: Word, n_parties: u32, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::write(barrier, SHARED);
        begins_or_ends(state, barrier, pc);
    }
    let result =
        real!(fn pthread_barrier_init(barrier: Word, attributes: Word, n_parties: u32) -> i32);
    if let (0, Some(state)) = (result, State::active()) {
        state.objects.with(|objects| objects.forget(barrier.address()));
        known(state, barrier);
        return result;
    }
    let begins = Record::counted(Code::BarrierInit, barrier.address(), n_parties.into(), 0);
    parallel::done(result, begins)
}

/// Sees to it that there is a model of a barrier; its address.
fn known(state: &State, barrier: Word) -> u64 {
    // Where the C library keeps how many it waits for, perhaps since before `main`.
    const N_PARTIES: usize = 8;
    let n_parties = touch::read(barrier, N_PARTIES);
    let address = barrier.address();
    if !state.objects.with(|objects| objects.knows(address)) {
        state.objects.with(|objects| objects.barrier(address).n_parties = n_parties);
        record::note(state, Record::counted(Code::BarrierInit, address, n_parties.into(), 0));
        sched::settle(state);
        sched::arm(state);
    }
    address
}

extern "C" fn wait(barrier: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        parallel::sync(Record::new(Code::Arrive, barrier.address(), 0, pc, 0));
        let result = real!(fn pthread_barrier_wait(barrier: Word) -> i32);
        parallel::sync(Record::new(Code::Leave, barrier.address(), 0, pc, 0));
        return result;
    };
    touch::write(barrier, 0);
    let object = known(state, barrier);
    sched::free_point(state, Code::Arrive, object, pc);
    if state.objects.with(|objects| objects.barrier(object).n_parties) == 0 {
        let how = format_args!("use of a barrier, which is not initialised");
        thread::misuse(state, pc, object, how);
    }
    let is_last = state.objects.with(|objects| {
        let barrier = objects.barrier(object);
        barrier.n_arrived += 1;
        let is_last = barrier.n_arrived >= barrier.n_parties;
        if is_last {
            barrier.n_arrived = 0;
        }
        is_last
    });
    begin_to_wait(state, object);
    record::event(state, Record::new(Code::Arrive, object, 0, pc, 0));
    sched::busy(state);
    if is_last {
        for thread in waiters(state, object).into_iter().filter_map(|number| state.thread(number)) {
            thread.is_woken.set(true);
        }
    }
    let (code, guard) = (Some(Code::Leave), Guard::Woken);
    sched::point(state, Want { code, object, pc, guard, deadline: 0 });
    state.current().waits_for.set(0);
    record::event(state, Record::new(Code::Leave, object, 0, pc, 0));
    sched::busy(state);
    if is_last { SERIAL } else { 0 }
}

extern "C" fn destroy(barrier: Word, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn pthread_barrier_destroy(barrier: Word) -> i32);
    };
    let object = known(state, barrier);
    begins_or_ends(state, barrier, pc);
    if !waiters(state, object).is_empty() {
        let how = format_args!("a barrier is destroyed while threads wait for it");
        thread::misuse(state, pc, object, how);
    }
    // It stays known: waiting at it again is misuse until it is initialised again.
    state.objects.with(|objects| objects.barrier(object).n_parties = 0);
    0
}
