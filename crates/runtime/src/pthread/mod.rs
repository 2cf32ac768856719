//! A model of POSIX threads: what programs call, and what happens then.
//!
//! Every function first asks whether its caller is under control; if not, the C library does it.

mod barrier;
mod cancel;
pub mod condition;
pub mod create;
pub mod destructors;
pub mod exit;
pub mod mutex;
mod name;
pub mod once;
mod rwlock;
mod semaphore;
mod unwind;

use raddle_wire::Code;

use crate::given::{Given, Word};
use crate::state::State;
use crate::{record, sched};

pub use destructors::run_destructors;

/// A point before an object is made or destroyed, unless there is no other thread to notice.
pub fn begins_or_ends(state: &State, object: Word, pc: u64) {
    let me = state.current();
    if state.all_threads().any(|thread| !thread.is_done.get() && !core::ptr::eq(thread, me)) {
        sched::free_point(state, Code::Order, object.address(), pc);
        record::in_vain(state, pc);
    }
}

/// Fails the way older functions do: the number goes to `errno`.
pub fn fail(error: i32) -> i32 {
    real!(fn __errno_location() -> Given<i32>).set(error);
    -1
}

/// Error numbers of POSIX, as Linux has them.
#[allow(missing_docs)]
pub mod error {
    pub const EPERM: i32 = 1;
    pub const ESRCH: i32 = 3;
    pub const EAGAIN: i32 = 11;
    pub const ENOMEM: i32 = 12;
    pub const EFAULT: i32 = 14;
    pub const EBUSY: i32 = 16;
    pub const EINVAL: i32 = 22;
    pub const ERANGE: i32 = 34;
    pub const EDEADLK: i32 = 35;
    pub const EOVERFLOW: i32 = 75;
    pub const ETIMEDOUT: i32 = 110;
    pub const EOWNERDEAD: i32 = 130;
    pub const ENOTRECOVERABLE: i32 = 131;
}
