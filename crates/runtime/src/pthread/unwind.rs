//! Unwinding the program's frames, and being unwound.
//!
//! The program's unwinder (of libgcc) is used, found when it is first needed: a program in C may
//! have none until then. Frames of this library have no landing pads; an exception just passes
//! them. Where something must be done then, a *personality* does it: the function that the
//! unwinder asks, for each frame, what is to be done there.

use core::arch::naked_asm;
use core::ffi::{CStr, c_char, c_void};

use crate::{export, outcome, trap};

/// What is thrown: the part of an exception that the unwinder knows.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct Exception {
    class: u64,
    deleted: unsafe extern "C" fn(i32, *mut Exception),
    private: [u64; 2],
}

/// A frame on its way out, as the unwinder has it.
pub type Frame = *mut c_void;

/// Called for every frame, innermost first, before it is unwound: version, actions, class,
/// exception, frame, argument.
pub type Stop = unsafe extern "C" fn(i32, i32, u64, *mut Exception, Frame, *mut c_void) -> i32;

/// In `actions`: cleanups run now.
const CLEANUP_PHASE: i32 = 2;
/// In `actions`: there is no frame behind this one.
pub const END_OF_STACK: i32 = 16;
/// The answer of a [`Stop`] that lets unwinding go on.
pub const GO_ON: i32 = 0;
/// The answer of a personality that lets unwinding go on.
const CONTINUE: i32 = 8;

impl Exception {
    /// One that no handler may stop for good.
    pub fn new(deleted: unsafe extern "C" fn(i32, *mut Exception)) -> Exception {
        Exception { class: 0, deleted, private: [0; 2] }
    }
}

/// Unwinds the stack of the caller until `stop` leaves it; returns if it cannot be unwound.
pub fn force(exception: &'static mut Exception, stop: Stop) {
    type Force = unsafe extern "C" fn(*mut Exception, Stop, *mut c_void) -> i32;
    // SAFETY: that is what the function of this name takes and returns.
    let force = unsafe { core::mem::transmute::<usize, Force>(find(c"_Unwind_ForcedUnwind")) };
    // SAFETY: the exception is never freed, so the unwinder may keep it for as long as it takes. The frames that it
    // unwinds are the program's, which may end a thread there, and those of this library, which have nothing to clean up.
    unsafe { force(exception, stop, core::ptr::null_mut()) };
}

/// The stack pointer in a frame.
///
/// # Safety
/// The unwinder has passed the frame to the caller, which has not returned.
pub unsafe fn stack_pointer(frame: Frame) -> usize {
    type Get = unsafe extern "C" fn(Frame) -> usize;
    // SAFETY: that is what the function of this name takes and returns.
    let get = unsafe { core::mem::transmute::<usize, Get>(find(c"_Unwind_GetCFA")) };
    // SAFETY: as the caller says.
    unsafe { get(frame) }
}

/// Calls a function. If it is left by an exception or `pthread_exit`, [`super::once::left`] is
/// called with `object` on the way.
///
/// # Safety
/// As the function demands.
#[unsafe(naked)]
pub unsafe extern "C" fn call_watched(_function: unsafe extern "C" fn(), _object: u64) {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {personality}",
        "push rbx",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbx, -16",
        "mov rbx, rsi",
        "call rdi",
        "pop rbx",
        ".cfi_def_cfa_offset 8",
        "ret",
        ".cfi_endproc",
        personality = sym personality,
    )
}

/// What is done when a frame of [`call_watched`] is unwound; the object is in `rbx`.
unsafe extern "C" fn personality(
    _version: i32,
    actions: i32,
    _class: u64,
    _exception: *mut Exception,
    frame: Frame,
) -> i32 {
    if actions & CLEANUP_PHASE != 0 {
        const RBX: i32 = 3;
        type Get = unsafe extern "C" fn(Frame, i32) -> u64;
        // SAFETY: that is what the function of this name takes and returns.
        let get = unsafe { core::mem::transmute::<usize, Get>(find(c"_Unwind_GetGR")) };
        // SAFETY: the unwinder has just passed the frame.
        super::once::left(unsafe { get(frame, RBX) });
    }
    CONTINUE
}

/// A function of the unwinder.
fn find(name: &CStr) -> usize {
    let mut address = export::first(name);
    if address == 0 {
        const NOW_FOR_ALL: i32 = 0x102;
        let (library, flags) = (c"libgcc_s.so.1".as_ptr(), NOW_FOR_ALL);
        trap::paused(|| real!(fn dlopen(library: *const c_char, flags: i32) -> *mut c_void));
        address = export::first(name);
    }
    if address == 0 {
        outcome::internal(format_args!("there is no libgcc_s.so.1 to unwind a thread with"));
    }
    address
}
