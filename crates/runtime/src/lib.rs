//! The library inside a program under control.
//!
//! Compilers make programs that are built with `-fsanitize=thread` call a function at every memory
//! access. This library is where these calls end, instead of the one that comes with the compiler,
//! and where calls of pthreads, `malloc`, `clock_gettime` and the like end, too. So it knows
//! everything that a thread does before it does it, and decides who goes on.
//!
//! ```text
//!  tsan (accesses, atomics) ─┐
//!  pthread model, heap, time ┼─► sched: announce, choose, switch ─► record, hash
//!  trap (system calls) ──────┘
//! ```
//!
//! # The contract of all unsafe code here
//!
//! - **One runs.** Under control exactly one thread of the program runs at any time, whether all of
//!   them are on one thread of the system or each has its own and waits for its turn. So what is
//!   in `state::State` is never used by two at once, though it is not locked.
//! - **Or all run, and nothing is under control.** Where threads are only recorded (`parallel`), nothing is ever
//!   written to `State`. Hooks still read that it is off, which never changes then. What such threads share is atomic
//!   or has a lock: the variables of `parallel`, what the host asked for (`host`), and the switch for system calls.
//! - **The host sees the same memory.** The page, the board and the slots are only reached by shared references, and
//!   what may change there is in cells of [`raddle_wire::Shared`] or atomic. Arrays behind them are read and written by
//!   raw pointers; the side that has them changes with what is posted and done.
//! - **Nothing is shared with the program.** The runtime has its own memory ([`arena`]), makes
//!   system calls itself ([`sys`]), and calls the C library only by `real!`, which says what has to hold.
//! - **Who is not under control is left alone**: before `main`, in a child after `fork`, in threads
//!   that are ending, every function does what the C library's does.
//! - **What the program passes in** is as the C standard or POSIX demands; where it is not, the program
//!   crashes as it would without this library. Its pointers are of types that say so (`given`), and that is what makes
//!   nearly all hooks safe functions.
//!
//! The library is built with `--cfg raddle_inside`, which makes it export its symbols. Without it,
//! as in the tests of this crate, it is an ordinary Rust library that takes over nothing.

#![no_std]
#![cfg_attr(not(raddle_inside), allow(dead_code, reason = "nothing is exported then"))]
#![allow(non_snake_case, reason = "exported symbols have the names that compilers give them")]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[macro_use]
mod export;

pub mod arena;
mod boot;
mod c11;
mod context;
mod explore;
mod external;
mod futex;
mod given;
mod guard;
mod hash;
mod heap;
mod host;
mod inner;
mod memory;
mod module;
mod object;
mod outcome;
mod parallel;
mod process;
mod pthread;
pub mod race;
mod record;
mod sched;
mod signal;
mod spin;
mod state;
pub mod sys;
mod table;
mod thread;
mod time;
mod touch;
mod trap;
mod tsan;
mod unseen;

#[cfg(raddle_inside)]
mod panic {
    /// A panic is a defect of the runtime; it is told and ends the process.
    #[panic_handler]
    fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
        crate::outcome::internal(format_args!("{info}"))
    }
}
