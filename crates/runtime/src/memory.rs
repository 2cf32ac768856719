//! Functions of the C library that work on the program's memory: what they touch is reported as
//! accesses of their caller, since they are not instrumented.
//!
//! In: calls of the program and of libraries. Out: ranges that are read and written, recorded
//! before the C library's function does it; they are events but no scheduling points. Where the
//! range depends on what is in memory (the end of a string), it is what it was before the event.
//!
//! The compiler makes this library call `memcpy` and a few others, too, and those calls end here.
//! That this does not recurse forever:
//!
//! - M1: A call from the text of this library, known by its return address, is not recorded.
//! - M2: Recording is never the last thing that a function here does. So it is a call and not a
//!   jump, and what recording calls has a return address in the text of this library.
//! - M3: What is needed to look the C library's functions up is done by [`plain`] until they are
//!   found, and that consists of instructions, not of calls.
//! - M4: These calls come here even if the program has functions of the same names.

mod block;
mod file;
pub mod plain;
mod string;

use core::sync::atomic::{AtomicBool, Ordering};

use raddle_wire::Code;

use crate::given::Given;
use crate::state::State;
use crate::{export, parallel, tsan};

/// Memory as functions of the C library take it.
type Bytes = Given<u8>;

/// `real_or!(plain::copy, fn memcpy(to: Bytes, …) -> Bytes)` calls the C library's, or does the
/// plain thing for this library itself and while the C library's is looked up.
macro_rules! real_or {
    ($plain:path, $pc:ident, fn $name:ident($($arg:ident : $type:ty),*) -> $ret:ty) => {{
        type Function = unsafe extern "C" fn($($type),*) -> $ret;
        static REAL: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
        let mut address = REAL.load(core::sync::atomic::Ordering::Relaxed);
        if address == 0 {
            address = $crate::memory::look_up(concat!(stringify!($name), "\0"), $pc);
            REAL.store(address, core::sync::atomic::Ordering::Relaxed);
        }
        if address == 0 {
            $plain($($arg),*)
        } else {
            // SAFETY: the C library's function of this name has this type.
            let function = unsafe { core::mem::transmute::<usize, Function>(address) };
            // SAFETY: the contract of `real!`.
            unsafe { function($($arg),*) }
        }
    }};
}
use real_or;

/// The C library's function of a name; 0 if this is not the time to look.
#[cold]
fn look_up(name: &str, pc: u64) -> usize {
    static LOOKS: AtomicBool = AtomicBool::new(false);
    if is_own(pc) || LOOKS.swap(true, Ordering::Acquire) {
        return 0;
    }
    let address = export::next(name);
    LOOKS.store(false, Ordering::Release);
    address
}

/// Whether a place lies in this library.
#[inline(always)]
fn is_own(pc: u64) -> bool {
    let (start, end): (u64, u64);
    // SAFETY: only takes addresses that the linker defines for this library alone.
    unsafe {
        core::arch::asm!(
            ".hidden __ehdr_start",
            ".hidden _end",
            "lea {0}, [rip + __ehdr_start]",
            "lea {1}, [rip + _end]",
            out(reg) start,
            out(reg) end,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    (start..end).contains(&pc)
}

/// The state, if what a caller touches is to be reported.
#[inline(always)]
fn watching(pc: u64) -> Option<&'static State> {
    let is_watched = !is_own(pc) && (State::active().is_some() || parallel::lane().is_some());
    is_watched.then(State::get)
}

/// The caller reads so many bytes.
fn reads(state: &State, from: Bytes, len: usize, pc: u64) {
    tsan::range(state, Code::ReadRange, from.address(), len as u64, pc);
}

/// The caller writes so many bytes.
fn writes(state: &State, to: Bytes, len: usize, pc: u64) {
    tsan::range(state, Code::WriteRange, to.address(), len as u64, pc);
}
