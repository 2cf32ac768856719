//! Extensions for threads: names, and joining without waiting for ever.
//!
//! Names are kept here: the system's belong to its threads, of which coroutines have only one.

use core::ffi::{c_char, c_void};

use raddle_wire::{Code, TextKind};

use super::create::{join_until, named};
use super::error::{EBUSY, EINVAL, ERANGE, ESRCH};
use crate::given::Given;
use crate::state::State;
use crate::thread::{self, NAME_LEN, Thread};
use crate::time::{self, Clock, Timespec};
use crate::{parallel, record, sched};

point_hook! {
    2, pthread_setname_np => set;
    3, pthread_getname_np => get;
    2, pthread_tryjoin_np => try_join;
    3, pthread_timedjoin_np => timed_join;
    4, pthread_clockjoin_np => clock_join;
}

extern "C" fn set(handle: usize, name: Given<c_char>, _pc: u64) -> i32 {
    let Some(state) = State::active() else {
        if let Some(lane) = parallel::lane().filter(|lane| lane.has(handle)) {
            lane.text(TextKind::ThreadName, name.text());
        }
        return real!(fn pthread_setname_np(handle: usize, name: Given<c_char>) -> i32);
    };
    let Some(thread) = find(state, handle) else { return ESRCH };
    let name = name.text();
    if name.len() >= NAME_LEN {
        return ERANGE;
    }
    let mut kept = [0; NAME_LEN];
    kept[..name.len()].copy_from_slice(name);
    thread.name.set(Some(kept));
    // A recording can only name the thread that runs.
    if core::ptr::eq(thread, state.current()) {
        state.recorder.text(TextKind::ThreadName, &[name]);
        sched::settle(state);
        sched::arm(state);
    }
    0
}

/// The thread with a handle; the one that runs may have been detached.
fn find(state: &State, handle: usize) -> Option<&'static Thread> {
    let me = state.current();
    if me.handle.get() == handle { Some(me) } else { thread::by_handle(state, handle) }
}

extern "C" fn get(handle: usize, answer: Given<c_char>, len: usize, _pc: u64) -> i32 {
    let named = State::active().and_then(|state| find(state, handle));
    let Some(name) = named.and_then(|thread| thread.name.get()) else {
        return real!(fn pthread_getname_np(handle: usize, answer: Given<c_char>, len: usize) -> i32);
    };
    if len < NAME_LEN {
        return ERANGE;
    }
    answer.cast::<[u8; NAME_LEN]>().set(name);
    0
}

extern "C" fn try_join(handle: usize, result: Given<*mut c_void>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return parallel::thread::joined(
            handle,
            pc,
            || real!(fn pthread_tryjoin_np(handle: usize, result: Given<*mut c_void>) -> i32),
        );
    };
    let Some(thread) = named(state, handle) else { return ESRCH };
    sched::free_point(state, Code::Join, thread.number.into(), pc);
    if !thread.is_done.get() {
        record::in_vain(state, pc);
        sched::idle(state);
        return EBUSY;
    }
    join_until(state, handle, result, 0, pc)
}

extern "C" fn timed_join(
    handle: usize,
    result: Given<*mut c_void>,
    until: Given<Timespec>,
    pc: u64,
) -> i32 {
    clock_join(handle, result, Clock::REALTIME.0, until, pc)
}

extern "C" fn clock_join(
    handle: usize,
    result: Given<*mut c_void>,
    clock: i32,
    until: Given<Timespec>,
    pc: u64,
) -> i32 {
    let Some(state) = State::active() else {
        return parallel::thread::joined(
            handle,
            pc,
            || real!(fn pthread_clockjoin_np(handle: usize, result: Given<*mut c_void>, clock: i32, until: Given<Timespec>) -> i32),
        );
    };
    if until.is_null() {
        return join_until(state, handle, result, 0, pc);
    }
    match time::deadline(state, Clock(clock), until) {
        Some(deadline) => join_until(state, handle, result, deadline, pc),
        None => EINVAL,
    }
}
