//! Cancelling threads, which is refused.
//!
//! Setting and asking for a thread's state and type of cancellation is left to the C library: it
//! keeps them with the thread and, as no thread is ever cancelled, does nothing else.

use raddle_wire::OutcomeKind;

use crate::outcome::{self, End};
use crate::parallel;
use crate::state::State;

hook! {
    1, pthread_cancel => cancel;
}

extern "C" fn cancel(handle: usize, pc: u64) -> i32 {
    let end = End { kind: OutcomeKind::Unsupported, pc, address: 0 };
    let how = format_args!("cancels a thread (pthread_cancel)");
    match State::active() {
        Some(state) => outcome::finish(state, end, how),
        None if parallel::lane().is_some() => parallel::end::finish(end, how),
        None => real!(fn pthread_cancel(handle: usize) -> i32),
    }
}
