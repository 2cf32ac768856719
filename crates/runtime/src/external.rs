//! What threads wait for outside of the process: files, children, signals.
//!
//! A thread that would block in a system call is not let into it; it waits here until the call
//! can be made without blocking. When nobody inside can go on, the process waits for real.

use crate::state::State;
use crate::sys::{self, nr};
use crate::thread::Thread;

/// Something outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum External {
    /// A file descriptor that can be read (`POLLIN`), written (`POLLOUT`) or both.
    File(i32, i16),
    /// A child process that has ended; as `waitpid` names it.
    Child(i32),
    /// One of a set of signals.
    Signal(u64),
    /// Anything: the thread asks again whenever nobody else can go on.
    Anything,
}

#[repr(C)]
struct Poll {
    fd: i32,
    events: i16,
    answers: i16,
}

/// How long the process sleeps when it waits for what cannot be polled.
const NAP_MILLISECONDS: usize = 1;

impl External {
    /// Whether a call would not block.
    pub fn is_ready(self, thread: &Thread) -> bool {
        match self {
            External::File(fd, events) => {
                let mut poll = Poll { fd, events, answers: 0 };
                // SAFETY: one entry, no waiting.
                unsafe { sys::call3(nr::POLL, (&raw mut poll) as usize, 1, 0) != 0 }
            }
            External::Child(child) => {
                const WAITID: usize = 247;
                const ALL: usize = 0;
                const PID: usize = 1;
                const LOOK_ONLY: usize = 0x0100_0005; // WNOWAIT | WEXITED | WNOHANG
                let mut info = [0u32; 32];
                let (kind, id) = if child > 0 { (PID, child as usize) } else { (ALL, 0) };
                // SAFETY: `info` is as large as a `siginfo_t`.
                let answer = unsafe {
                    sys::call(WAITID, [kind, id, info.as_mut_ptr() as usize, LOOK_ONLY, 0, 0])
                };
                // An error (no such child) is what the call itself should tell.
                answer < 0 || info[0] != 0
            }
            External::Signal(set) => {
                const RT_SIGPENDING: usize = 127;
                let mut pending = 0u64;
                // SAFETY: a mask has 8 bytes.
                unsafe { sys::call3(RT_SIGPENDING, (&raw mut pending) as usize, 8, 0) };
                (pending | thread.pending_signals.get()) & set != 0
            }
            External::Anything => false,
        }
    }
}

/// Waits until something outside may have changed; false if nobody waits for the outside.
pub fn wait(state: &State) -> bool {
    let mut polls = [const { Poll { fd: -1, events: 0, answers: 0 } }; 64];
    let (mut n_files, mut n_others) = (0, 0);
    for thread in state.all_threads().filter(|thread| !thread.is_done.get()) {
        if let crate::guard::Guard::External(external) = thread.want.get().guard {
            match external {
                External::File(fd, events) if n_files < polls.len() => {
                    polls[n_files] = Poll { fd, events, answers: 0 };
                    n_files += 1;
                }
                _ => n_others += 1,
            }
        }
    }
    if n_files + n_others == 0 {
        return false;
    }
    let timeout = if n_others > 0 { NAP_MILLISECONDS } else { usize::MAX };
    // SAFETY: so many entries are there.
    unsafe { sys::call3(nr::POLL, polls.as_mut_ptr() as usize, n_files, timeout) };
    true
}
