//! Threads of C11 (`threads.h`): other names and other results for what POSIX threads do.
//!
//! In the C library both are the same objects, so both have the same models. What is not here
//! (`mtx_init`'s kinds, `tss_get`, `thrd_current`, …) the C library does alone, and
//! `call_once` is with `pthread_once`.

use core::ffi::c_void;

use crate::given::{Given, Word};
use crate::pthread::begins_or_ends;
use crate::pthread::destructors::{self, Destructor};
use crate::pthread::error::{EBUSY, ETIMEDOUT};
use crate::pthread::{condition, create, exit, mutex};
use crate::sched;
use crate::state::State;
use crate::thread::Start;
use crate::time::{self, Timespec};
use crate::touch;

point_hook! {
    2, mtx_init => init_mutex;
    1, mtx_lock => lock;
    1, mtx_trylock => try_lock;
    2, mtx_timedlock => timed_lock;
    1, mtx_unlock => unlock;
    1, mtx_destroy => mutex::destroy;
    1, cnd_init => init_condition;
    2, cnd_wait => wait;
    3, cnd_timedwait => timed_wait;
    1, cnd_signal => signal;
    1, cnd_broadcast => broadcast;
    1, cnd_destroy => condition::destroy;
    3, thrd_create => create_thread;
    2, thrd_join => join;
    1, thrd_detach => detach;
    1, thrd_exit => exit_thread;
    2, thrd_sleep => sleep;
    0, thrd_yield => give_way;
    2, tss_create => create_key;
    1, tss_delete => destructors::key_delete;
}

/// The result of C11 for an error number of POSIX.
fn result(error: i32) -> i32 {
    const SUCCESS: i32 = 0;
    const BUSY: i32 = 1;
    const ERROR: i32 = 2;
    const NO_MEMORY: i32 = 3;
    const TIMED_OUT: i32 = 4;
    const ENOMEM: i32 = 12;
    match error {
        0 => SUCCESS,
        EBUSY => BUSY,
        ENOMEM => NO_MEMORY,
        ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

extern "C" fn init_mutex(mutex: Word, kind: i32, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        mutex::touch_new(mutex);
        begins_or_ends(state, mutex, pc);
        state.objects.with(|objects| objects.forget(mutex.address()));
    }
    real!(fn mtx_init(mutex: Word, kind: i32) -> i32)
}

extern "C" fn init_condition(condition: Word, pc: u64) -> i32 {
    if let Some(state) = State::active() {
        touch::write(condition, 0);
        begins_or_ends(state, condition, pc);
    }
    real!(fn cnd_init(condition: Word) -> i32)
}

extern "C" fn lock(mutex: Word, pc: u64) -> i32 {
    result(mutex::lock(mutex, pc))
}

extern "C" fn try_lock(mutex: Word, pc: u64) -> i32 {
    result(mutex::try_lock(mutex, pc))
}

extern "C" fn timed_lock(mutex: Word, until: Given<Timespec>, pc: u64) -> i32 {
    result(mutex::timed_lock(mutex, until, pc))
}

extern "C" fn unlock(mutex: Word, pc: u64) -> i32 {
    result(mutex::unlock(mutex, pc))
}

extern "C" fn wait(condition: Word, mutex: Word, pc: u64) -> i32 {
    result(condition::wait(condition, mutex, pc))
}

extern "C" fn timed_wait(condition: Word, mutex: Word, until: Given<Timespec>, pc: u64) -> i32 {
    result(condition::timed_wait(condition, mutex, until, pc))
}

extern "C" fn signal(condition: Word, pc: u64) -> i32 {
    result(condition::signal(condition, pc))
}

extern "C" fn broadcast(condition: Word, pc: u64) -> i32 {
    result(condition::broadcast(condition, pc))
}

/// The function returns an `int`, which is the lower half of what [`join`] gets.
extern "C" fn create_thread(
    handle: Given<usize>,
    start: Start,
    argument: *mut c_void,
    pc: u64,
) -> i32 {
    result(create::create(handle, core::ptr::null(), start, argument, pc))
}

extern "C" fn join(handle: usize, answer: Given<i32>, pc: u64) -> i32 {
    let mut value = core::ptr::null_mut();
    // SAFETY: the value is there until this function returns.
    let error = create::join(handle, unsafe { Given::own(&mut value) }, pc);
    if error == 0 && !answer.is_null() {
        answer.set(value as usize as i32);
    }
    result(error)
}

extern "C" fn detach(handle: usize, pc: u64) -> i32 {
    result(create::detach(handle, pc))
}

extern "C" fn exit_thread(value: i32, pc: u64) -> ! {
    exit::exit(value as usize as *mut c_void, pc)
}

extern "C" fn sleep(length: Given<Timespec>, left: Given<Timespec>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn thrd_sleep(length: Given<Timespec>, left: Given<Timespec>) -> i32);
    };
    const INVALID: i32 = -2;
    let Some(deadline) = time::after(state, length) else { return INVALID };
    time::sleep_until(state, deadline, pc);
    0
}

extern "C" fn give_way(pc: u64) {
    let Some(state) = State::active() else {
        return real!(fn thrd_yield() -> ());
    };
    sched::idle(state);
    sched::give_way(state, pc);
}

extern "C" fn create_key(key: Given<u32>, destructor: Option<Destructor>, pc: u64) -> i32 {
    result(destructors::key_create(key, destructor, pc))
}
