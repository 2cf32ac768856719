//! Threads: `pthread_create`, `pthread_join`, `pthread_detach`.

use core::ffi::c_void;

use raddle_wire::{Code, Record, TextKind};

use super::error::{EDEADLK, EINVAL, ESRCH, ETIMEDOUT};
use crate::given::{Given, Word};
use crate::guard::Guard;
use crate::sched::{self, Want};
use crate::state::State;
use crate::thread::{self, Start, Thread};
use crate::{parallel, record, touch, trap};

point_hook! {
    4, pthread_create => create;
    2, pthread_join => join;
    1, pthread_detach => detach;
}

/// `pthread_create`.
pub extern "C" fn create(
    handle: Given<usize>,
    attributes: *const c_void,
    start: Start,
    argument: *mut c_void,
    pc: u64,
) -> i32 {
    type Entry = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
    let Some(state) = State::active() else {
        if parallel::is_on() {
            return parallel::thread::create(handle, attributes, start, argument, pc);
        }
        return real!(fn pthread_create(handle: Given<usize>, attributes: *const c_void, start: Start, argument: *mut c_void) -> i32);
    };
    touch::write(handle.word(), 0);
    sched::free_point(state, Code::Fork, state.n_threads().into(), pc);
    let thread = Thread::new(state, Some(start), argument);
    let mut name = 0usize;
    let pooled = state.explore.take_pooled(state, thread, stack_wanted(attributes), pc);
    let result = if let Some(pooled) = pooled {
        name = pooled;
        0
    } else {
        let (handle, start, argument) =
            (&raw mut name, thread::enter as Entry, (&raw const *thread) as *mut c_void);
        trap::paused(
            || real!(fn pthread_create(handle: *mut usize, attributes: *const c_void, start: Entry, argument: *mut c_void) -> i32),
        )
    };
    if result != 0 {
        state.threads.with(|threads| threads.pop());
        return result;
    }
    if pooled.is_none() {
        thread.wait_until_ready();
        thread.stack_range.set(stack_range(state, name));
    }
    thread.handle.set(name);
    if state.explore.looks_for_races() {
        // What was on that stack before was something else.
        let (low, high) = thread.stack_range.get();
        state.races.forget(low as u64..high as u64);
    }
    thread.signal_mask.set(state.current().signal_mask.get());
    if !attributes.is_null() {
        let mut detached = 0i32;
        let state_of = &raw mut detached;
        real!(fn pthread_attr_getdetachstate(attributes: *const c_void, state_of: *mut i32) -> i32);
        const DETACHED: i32 = 1;
        thread.is_released.set(detached == DETACHED);
    }
    handle.set(name);
    record::event(state, Record::new(Code::Fork, thread.number.into(), 0, pc, 0));
    let child = [u64::from(thread.number), start as usize as u64].map(u64::to_le_bytes);
    state.recorder.text(TextKind::Child, &[&child[0], &child[1]]);
    sched::busy(state);
    0
}

/// How large a stack a thread needs; more than there is if it brings one.
fn stack_wanted(attributes: *const c_void) -> usize {
    if attributes.is_null() {
        return 0;
    }
    let (mut start, mut len) = (0usize, 0usize);
    let (low, size) = (&raw mut start, &raw mut len);
    real!(fn pthread_attr_getstack(attributes: *const c_void, low: *mut usize, size: *mut usize) -> i32);
    // Where no stack was set, its end is at zero.
    if start.wrapping_add(len) != 0 { usize::MAX } else { len }
}

/// Where the stack of a thread lies. The C library allocates to say so, which is not the program's doing.
pub fn stack_range(state: &State, handle: usize) -> (usize, usize) {
    const ATTRIBUTES: usize = 7;
    let mut attributes = [0u64; ATTRIBUTES];
    let (mut start, mut len) = (0usize, 0usize);
    let (attributes, low, size) = (attributes.as_mut_ptr(), &raw mut start, &raw mut len);
    state.set_on(false);
    trap::paused(|| {
        if real!(fn pthread_getattr_np(handle: usize, attributes: *mut u64) -> i32) == 0 {
            real!(fn pthread_attr_getstack(attributes: *mut u64, low: *mut usize, size: *mut usize) -> i32);
            real!(fn pthread_attr_destroy(attributes: *mut u64) -> i32);
        }
    });
    state.set_on(true);
    (start, start + len)
}

/// The thread that a handle names. What names none is looked at as the C library looks at it.
pub fn named(state: &State, handle: usize) -> Option<&'static Thread> {
    /// Where the C library keeps the number that the system has for a thread.
    const SYSTEM_ID: usize = 0x2d0;
    let thread = thread::by_handle(state, handle);
    if thread.is_none() && handle != 0 {
        // SAFETY: the program passed it for a thread.
        touch::read(unsafe { Word::new(handle) }, SYSTEM_ID);
    }
    thread
}

/// `pthread_join`.
pub extern "C" fn join(handle: usize, result: Given<*mut c_void>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return parallel::thread::joined(
            handle,
            pc,
            || real!(fn pthread_join(handle: usize, result: Given<*mut c_void>) -> i32),
        );
    };
    join_until(state, handle, result, 0, pc)
}

/// Joins a thread, or gives up at a moment.
pub fn join_until(
    state: &State,
    handle: usize,
    result: Given<*mut c_void>,
    deadline: u64,
    pc: u64,
) -> i32 {
    let Some(thread) = named(state, handle) else { return ESRCH };
    if core::ptr::eq(thread, state.current()) {
        return EDEADLK;
    }
    let number = thread.number;
    let (code, guard) = (Some(Code::Join), Guard::Ended(number));
    if !sched::point(state, Want { code, object: number.into(), pc, guard, deadline }) {
        record::in_vain(state, pc);
        return ETIMEDOUT;
    }
    record::event(state, Record::new(Code::Join, number.into(), 0, pc, 0));
    sched::busy(state);
    thread.is_released.set(true);
    if !result.is_null() {
        result.set(thread.result.get());
    }
    if number == 0 || thread.is_pooled.get() {
        // Its thread of the system stays to the end.
        return 0;
    }
    let none = core::ptr::null_mut::<*mut c_void>();
    trap::paused(|| real!(fn pthread_join(handle: usize, none: *mut *mut c_void) -> i32));
    0
}

/// `pthread_detach`.
pub extern "C" fn detach(handle: usize, _pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return real!(fn pthread_detach(handle: usize) -> i32);
    };
    let Some(thread) = named(state, handle) else { return EINVAL };
    thread.is_released.set(true);
    if thread.is_pooled.get() {
        return 0;
    }
    trap::paused(|| real!(fn pthread_detach(handle: usize) -> i32))
}
