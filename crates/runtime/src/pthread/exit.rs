//! Ending a thread from within: `pthread_exit`, and the handlers that it runs.
//!
//! The stack is unwound without being left, so that destructors of C++ run. For each frame, before
//! it is unwound, [`stop`] runs what C has registered in the frames before it. At the end the stack
//! is cut off where the runtime called the thread's function, as if that had returned. Below `main`
//! there is no such place: the main thread ends at the bottom of what was its stack.

use core::ffi::c_void;

use alloc::boxed::Box;
use raddle_wire::OutcomeKind;

use super::unwind::{self, Exception, Frame};
use crate::given::Given;
use crate::outcome::{self, End};
use crate::state::State;
use crate::thread::{self, Thread};
use crate::{context, sys};

hook! {
    1, pthread_exit => exit;
    1, __pthread_register_cancel => register;
    1, __pthread_register_cancel_defer => register;
    1, __pthread_unregister_cancel => unregister;
    1, __pthread_unregister_cancel_restore => unregister;
    1, __pthread_unwind_next => unwind_next;
    3, _pthread_cleanup_push => push;
    2, _pthread_cleanup_pop => pop;
}

type Routine = unsafe extern "C" fn(*mut c_void);

/// What the macro `pthread_cleanup_push` has on the stack: where to jump, and room for the C
/// library.
#[derive(Clone, Copy)]
#[repr(C)]
struct Jump {
    registers: [u64; 9],
    before: usize,
    room: [usize; 3],
}

/// What older programs have there.
#[derive(Clone, Copy)]
#[repr(C)]
struct Call {
    routine: Option<Routine>,
    argument: *mut c_void,
    kind: i32,
    before: usize,
}

impl Call {
    fn run(self) {
        if let Some(routine) = self.routine {
            // SAFETY: the program has registered the function to be called with this.
            unsafe { routine(self.argument) };
        }
    }
}

/// Handlers of both forms are in one list ([`Thread::cleanup`]); this bit is set for a [`Call`].
const IS_CALL: usize = 1;

/// Ends the calling thread.
pub extern "C" fn exit(result: *mut c_void, _pc: u64) -> ! {
    let Some(state) = State::active() else { real!(fn pthread_exit(result: *mut c_void) -> !) };
    state.current().result.set(result);
    unwind(state.current())
}

extern "C" fn unwind_next(jump: Given<Jump>, _pc: u64) -> ! {
    let Some(state) = State::active() else {
        real!(fn __pthread_unwind_next(jump: Given<Jump>) -> !)
    };
    state.current().cleanup.set(jump.get().before);
    unwind(state.current())
}

/// Unwinds the running thread from here on.
fn unwind(thread: &'static Thread) -> ! {
    // Not on the stack, of which destructors will overwrite what was unwound.
    let exception = Box::leak(Box::new(Exception::new(caught)));
    unwind::force(exception, stop);
    end(thread)
}

unsafe extern "C" fn stop(
    _version: i32,
    actions: i32,
    _class: u64,
    _exception: *mut Exception,
    frame: Frame,
    _argument: *mut c_void,
) -> i32 {
    let thread = State::get().current();
    // SAFETY: the unwinder has just passed the frame.
    let frame = unsafe { unwind::stack_pointer(frame) };
    let base = thread.base.get();
    let is_end = actions & unwind::END_OF_STACK != 0 || (base != 0 && frame >= base);
    // A handler is on the stack itself: if it is below this frame, its frame has been unwound.
    while thread.cleanup.get() != 0 && (is_end || thread.cleanup.get() < frame) {
        run_handler(thread);
    }
    if is_end {
        end(thread);
    }
    unwind::GO_ON
}

/// Runs the innermost handler. One of the newer form comes back by `__pthread_unwind_next`.
fn run_handler(thread: &Thread) {
    let handler = thread.cleanup.get();
    if handler & IS_CALL == 0 {
        let (jump, value) = (handler as *mut Jump, 1);
        real!(fn siglongjmp(jump: *mut Jump, value: i32) -> !);
    }
    // SAFETY: the program has registered a handler of this form there, and its frame has not been left.
    let call = unsafe { Given::<Call>::new(handler & !IS_CALL) }.get();
    thread.cleanup.set(call.before);
    call.run();
}

/// The stack has been unwound.
fn end(thread: &'static Thread) -> ! {
    if thread.base.get() != 0 {
        // SAFETY: the base is where `context::call` was entered on this stack, which has not returned: the thread's
        // function, which it called, has come here.
        unsafe { context::leave(thread.base.get(), thread.result.get()) };
    }
    thread::finish(State::get(), thread);
    // The main thread does not come back from there.
    sys::exit_group(0)
}

/// The program caught what ends the thread and did not throw it again.
extern "C" fn caught(_reason: i32, _exception: *mut Exception) {
    let end = End { kind: OutcomeKind::Abort, pc: 0, address: 0 };
    let how = format_args!("catches the exception that ends a thread and does not rethrow it");
    outcome::finish(State::get(), end, how)
}

extern "C" fn register(jump: Given<Jump>, _pc: u64) {
    let Some(state) = State::active() else {
        return real!(fn __pthread_register_cancel(jump: Given<Jump>) -> ());
    };
    let before = state.current().cleanup.replace(jump.address() as usize);
    jump.set(Jump { before, ..jump.get() });
}

extern "C" fn unregister(jump: Given<Jump>, _pc: u64) {
    let Some(state) = State::active() else {
        return real!(fn __pthread_unregister_cancel(jump: Given<Jump>) -> ());
    };
    state.current().cleanup.set(jump.get().before);
}

extern "C" fn push(call: Given<Call>, routine: Option<Routine>, argument: *mut c_void, _pc: u64) {
    let Some(state) = State::active() else {
        return real!(fn _pthread_cleanup_push(call: Given<Call>, routine: Option<Routine>, argument: *mut c_void) -> ());
    };
    let before = state.current().cleanup.replace(call.address() as usize | IS_CALL);
    call.set(Call { routine, argument, kind: 0, before });
}

extern "C" fn pop(call: Given<Call>, execute: i32, _pc: u64) {
    let Some(state) = State::active() else {
        return real!(fn _pthread_cleanup_pop(call: Given<Call>, execute: i32) -> ());
    };
    let call = call.get();
    state.current().cleanup.set(call.before);
    if execute != 0 {
        call.run();
    }
}
