//! Processes: `fork`, failed assertions, libraries that are loaded later.

use core::ffi::{c_char, c_void};
use core::sync::atomic::Ordering;

use raddle_wire::OutcomeKind;

use crate::given::Given;
use crate::outcome::{self, End};
use crate::state::State;
use crate::sys::{self, nr};
use crate::{explore, host, module, parallel, sched, trap};

hook! {
    0, fork => new_process;
    0, abort => aborted;
    0, __stack_chk_fail => smashed;
    4, __assert_fail => assertion_failed;
    2, dlopen => load;
}

/// The child runs on its own: what it does is neither controlled nor recorded.
extern "C" fn new_process(pc: u64) -> i32 {
    let state = State::active();
    if state.is_none() && parallel::lane().is_none() {
        return real!(fn fork() -> i32);
    }
    if let Some(state) = state {
        explore::admit_process(state, nr::FORK, pc);
        state.inner.forget_all();
    }
    host::control().n_processes.fetch_add(1, Ordering::Relaxed);
    let child = trap::paused(|| real!(fn fork() -> i32));
    if child == 0 {
        parallel::leave_child();
        if let Some(state) = state {
            state.leave_child();
            trap::leave_child(state);
        }
        host::leave();
        // It ends with its parent, so nothing is left behind when that is killed.
        sys::end_with_parent();
    }
    child
}

/// Reported here, where the caller is known: what follows is a signal from within the C library.
extern "C" fn aborted(pc: u64) {
    tell_abort(pc, "abort");
    real!(fn abort() -> ())
}

/// The compiler's check that a return address was not overwritten.
extern "C" fn smashed(pc: u64) {
    tell_abort(pc, "stack smashing detected");
    real!(fn __stack_chk_fail() -> ())
}

fn tell_abort(pc: u64, why: &str) {
    if State::active().is_some() || parallel::is_on() {
        let end = End { kind: OutcomeKind::Abort, pc, address: 0 };
        outcome::report(end, format_args!("{why}"));
    }
}

extern "C" fn assertion_failed(
    text: Given<c_char>,
    file: Given<c_char>,
    line: u32,
    function: Given<c_char>,
    pc: u64,
) {
    if State::active().is_some() || parallel::is_on() {
        let word = |text: Given<c_char>| match text.is_null() {
            true => "?",
            false => core::str::from_utf8(text.text()).unwrap_or("?"),
        };
        let end = End { kind: OutcomeKind::Assertion, pc, address: 0 };
        let (text, file, function) = (word(text), word(file), word(function));
        outcome::report(end, format_args!("{file}:{line}: {function}: `{text}`"));
    }
    real!(fn __assert_fail(text: Given<c_char>, file: Given<c_char>, line: u32, function: Given<c_char>) -> ())
}

/// Another library: the host has to know where it is.
extern "C" fn load(path: Given<c_char>, flags: i32, _pc: u64) -> *mut c_void {
    let handle = real!(fn dlopen(path: Given<c_char>, flags: i32) -> *mut c_void);
    if let Some(state) = State::active() {
        sched::settle(state);
        module::record_all(&state.recorder);
        if state.races.is_on() && module::any_unseen() {
            state.races.begin_to_doubt();
        }
        sched::arm(state);
    } else if let Some(lane) = parallel::lane() {
        lane.with_recorder(module::record_all);
    }
    handle
}
