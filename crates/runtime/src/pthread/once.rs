//! What is done once: `pthread_once`, `call_once`, and the initialisation of local static
//! variables in C++.
//!
//! Whether it has been done is kept where the C library and compiled code keep it, so what was
//! done before `main` counts. Who is doing it is in the model.

use core::sync::atomic::{AtomicI32, AtomicU8, Ordering};

use raddle_wire::{Code, Record};

use super::unwind;
use crate::given::Given;
use crate::guard::Guard;
use crate::parallel;
use crate::record;
use crate::sched::{self, Want};
use crate::state::State;
use crate::touch;

point_hook! {
    2, pthread_once => once;
    2, call_once => once;
    1, __cxa_guard_acquire => acquire;
    1, __cxa_guard_release => release;
    1, __cxa_guard_abort => abort;
}

type Initialiser = unsafe extern "C" fn();

/// What the C library writes when the function has run.
const DONE: i32 = 2;
/// Of memory orders, by number.
const RELEASE: u16 = 3;

extern "C" fn once(control: Given<AtomicI32>, function: Initialiser, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        return recorded(control, function, pc);
    };
    if touch::read(control.word(), 0) & DONE as u32 == 0 {
        touch::write(control.word(), 0);
    }
    let object = control.address();
    if enter(state, object, || control.cell().load(Ordering::Acquire) & DONE != 0, pc) {
        // SAFETY: the program passed the function to be called once.
        unsafe { unwind::call_watched(function, object) };
        sched::free_point(state, Code::OnceDone, object, pc);
        control.cell().store(DONE, Ordering::Release);
        done(state, object, pc);
    }
    0
}

/// The real one, recorded. It cannot pass the function what it is called for.
fn recorded(control: Given<AtomicI32>, function: Initialiser, pc: u64) -> i32 {
    let Some(lane) = parallel::lane() else {
        return real!(fn pthread_once(control: Given<AtomicI32>, function: Initialiser) -> i32);
    };
    let object = control.address();
    lane.once.set(Some(Once { function, object, pc }));
    let function = run_recorded as Initialiser;
    let result = real!(fn pthread_once(control: Given<AtomicI32>, function: Initialiser) -> i32);
    if lane.once.take().is_some() {
        parallel::sync(Record::new(Code::OncePass, object, 0, pc, 0));
    }
    result
}

/// What is to be done once.
#[derive(Clone, Copy)]
pub struct Once {
    function: Initialiser,
    object: u64,
    pc: u64,
}

extern "C" fn run_recorded() {
    let Some(Once { function, object, pc }) = parallel::lane().and_then(|lane| lane.once.take())
    else {
        return;
    };
    parallel::sync(Record::new(Code::OnceEnter, object, 0, pc, 0));
    // SAFETY: the program passed the function to be called once.
    unsafe { unwind::call_watched(function, object) };
    parallel::sync(Record::new(Code::OnceDone, object, 0, pc, 0));
}

extern "C" fn acquire(guard: Given<AtomicU8>, pc: u64) -> i32 {
    let Some(state) = State::active() else {
        let result = real!(fn __cxa_guard_acquire(guard: Given<AtomicU8>) -> i32);
        let code = if result == 0 { Code::OncePass } else { Code::OnceEnter };
        parallel::sync(Record::new(code, guard.address(), 0, pc, 0));
        return result;
    };
    enter(state, guard.address(), || guard.cell().load(Ordering::Acquire) != 0, pc).into()
}

extern "C" fn release(guard: Given<AtomicU8>, pc: u64) {
    let Some(state) = State::active() else {
        parallel::sync(Record::new(Code::AtomicStore, guard.address(), 1, pc, RELEASE));
        parallel::sync(Record::new(Code::OnceDone, guard.address(), 0, pc, 0));
        return real!(fn __cxa_guard_release(guard: Given<AtomicU8>) -> ());
    };
    let object = guard.address();
    sched::free_point(state, Code::OnceDone, object, pc);
    guard.cell().store(1, Ordering::Release);
    // Compiled code looks at this byte before it calls anything.
    record::event(state, Record::new(Code::AtomicStore, object, 1, pc, RELEASE));
    done(state, object, pc);
}

extern "C" fn abort(guard: Given<AtomicU8>, _pc: u64) {
    if State::active().is_none() {
        parallel::sync(Record::new(Code::Order, guard.address(), 0, 0, 0));
        return real!(fn __cxa_guard_abort(guard: Given<AtomicU8>) -> ());
    }
    left(guard.address());
}

/// Waits until no thread is doing it; true if the running thread is to do it.
fn enter(state: &State, object: u64, is_done: impl FnOnce() -> bool, pc: u64) -> bool {
    let (code, guard) = (Some(Code::OnceEnter), Guard::OnceIdle(object));
    sched::point(state, Want { code, object, pc, guard, deadline: 0 });
    if is_done() {
        record::event(state, Record::new(Code::OncePass, object, 0, pc, 0));
        sched::idle(state);
        return false;
    }
    let runner = state.current().number + 1;
    let was_left = state.objects.with(|objects| {
        let once = objects.once(object);
        once.runner = runner;
        core::mem::take(&mut once.was_left)
    });
    if was_left {
        record::event(state, Record::new(Code::Order, object, 0, pc, 1));
    }
    record::event(state, Record::new(Code::OnceEnter, object, 0, pc, 0));
    sched::busy(state);
    true
}

fn done(state: &State, object: u64, pc: u64) {
    state.objects.with(|objects| objects.once(object).runner = 0);
    record::event(state, Record::new(Code::OnceDone, object, 0, pc, 0));
    sched::busy(state);
}

/// Who was doing it has left it by an exception: the next one does it again.
pub fn left(object: u64) {
    let Some(state) = State::active() else {
        return parallel::sync(Record::new(Code::Order, object, 0, 0, 0));
    };
    sched::free_point(state, Code::Order, object, 0);
    state.objects.with(|objects| {
        let once = objects.once(object);
        (once.runner, once.was_left) = (0, true);
    });
    record::event(state, Record::new(Code::Order, object, 0, 0, 0));
    sched::busy(state);
}
