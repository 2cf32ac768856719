//! What threads wait for outside of the process: files, children, signals.
//!
//! A thread that would block in a system call is not let into it; it waits here until the call
//! can be made without blocking. When no thread inside can go on, the process waits for real.

use core::fmt::{self, Write};

use crate::guard::Guard;
use crate::outcome::Text;
use crate::signal;
use crate::state::State;
use crate::sys::{self, nr};
use crate::thread::Thread;

/// Something outside.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum External {
    /// A file descriptor that can be read (`POLLIN`), written (`POLLOUT`) or both.
    File(i32, i16),
    /// One of so many `pollfd`s at an address.
    Poll(usize, usize),
    /// One of the file descriptors below a number in three sets.
    Select(usize, [usize; 3]),
    /// A child process that has ended; as `waitpid` names it.
    Child(i32),
    /// One of a set of signals.
    Signal(u64),
}

/// What `poll` wants to know of one file.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Poll {
    /// Which one; below zero, none.
    pub fd: i32,
    /// What is waited for.
    pub events: i16,
    /// What of it has come.
    pub answers: i16,
}

/// How long the process sleeps before it looks again.
const NAP_MILLISECONDS: u64 = 1;
const MILLISECOND: u64 = 1_000_000;

impl External {
    /// Whether a call would not block.
    pub fn is_ready(self, thread: &Thread) -> bool {
        // H2
        let is_interrupted = thread.pending_signals.get() & !thread.signal_mask.get() != 0;
        match self {
            External::Signal(_) => {}
            _ if is_interrupted => return true,
            _ => {}
        }
        match self {
            External::File(fd, events) => {
                let mut poll = Poll { fd, events, answers: 0 };
                // SAFETY: one entry, no waiting.
                unsafe { sys::call3(nr::POLL, (&raw mut poll) as usize, 1, 0) != 0 }
            }
            // SAFETY: the program's array, no waiting. What it answers is what it will answer.
            External::Poll(files, n) => unsafe { sys::call3(nr::POLL, files, n, 0) != 0 },
            External::Select(n, sets) => select(n, sets),
            External::Child(child) => has_ended(child),
            External::Signal(set) => {
                const RT_SIGPENDING: usize = 127;
                let mut pending = 0u64;
                // SAFETY: a mask has 8 bytes.
                unsafe { sys::call3(RT_SIGPENDING, (&raw mut pending) as usize, 8, 0) };
                (pending | thread.pending_signals.get()) & set != 0
            }
        }
    }
}

fn select(n: usize, sets: [usize; 3]) -> bool {
    const SELECT: usize = 23;
    const SET_BYTES: usize = 128;
    let mut copies = [[0u8; SET_BYTES]; 3];
    let mut args = [n, 0, 0, 0, 0, 0];
    for (index, (copy, &set)) in copies.iter_mut().zip(&sets).enumerate() {
        if set != 0 {
            let len = n.div_ceil(64).min(SET_BYTES / 8) * 8;
            // SAFETY: the program's set is as long as its highest file descriptor needs.
            unsafe { core::ptr::copy_nonoverlapping(set as *const u8, copy.as_mut_ptr(), len) };
            args[index + 1] = copy.as_mut_ptr() as usize;
        }
    }
    let zero = [0u64; 2];
    args[4] = zero.as_ptr() as usize;
    // SAFETY: copies of the program's sets, no waiting.
    unsafe { sys::call(SELECT, args) != 0 }
}

fn has_ended(child: i32) -> bool {
    const WAITID: usize = 247;
    const ALL: usize = 0;
    const PID: usize = 1;
    const LOOK_ONLY: usize = 0x0100_0005; // WNOWAIT | WEXITED | WNOHANG
    let mut info = [0u32; 32];
    let (kind, id) = if child > 0 { (PID, child as usize) } else { (ALL, 0) };
    // SAFETY: `info` is as large as a `siginfo_t`.
    let answer =
        unsafe { sys::call(WAITID, [kind, id, info.as_mut_ptr() as usize, LOOK_ONLY, 0, 0]) };
    // An error (no such child) is for the call itself to return.
    answer < 0 || info[0] != 0
}

fn waiting(state: &State) -> impl Iterator<Item = (&'static Thread, External)> + '_ {
    state.all_threads().filter(|thread| !thread.is_done.get()).filter_map(|thread| {
        match thread.want.get().guard {
            Guard::External(external) => Some((thread, external)),
            _ => None,
        }
    })
}

/// Whether any thread waits for the outside, and not just for other threads.
pub fn any(state: &State) -> bool {
    any_but(state, |_| false)
}

/// The same without some threads, if what these wait for has come: waiting for it once more would end at once, for ever.
pub fn any_but(state: &State, is_left_out: impl Fn(&Thread) -> bool) -> bool {
    waiting(state).any(|(thread, external)| {
        let has_come = is_left_out(thread) && external.is_ready(thread);
        !has_come && !state.inner.holds(external)
    })
}

/// Who waits for what outside, for people.
pub struct Waits<'a>(pub &'a State);

impl fmt::Display for Waits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (thread, external)) in waiting(self.0).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}thread {} waits {external}", thread.number)?;
        }
        Ok(())
    }
}

impl fmt::Display for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const POLLIN: i16 = 1;
        match *self {
            External::File(fd, events) => {
                let reads = events & POLLIN != 0;
                let mut name = [0; 256];
                let does = if reads { "to read from" } else { "to write to" };
                write!(f, "{does} {} (file descriptor {fd})", file_name(fd, &mut name))
            }
            External::Poll(_, n) => write!(f, "for one of {n} files"),
            External::Select(..) => f.write_str("for one of a set of files"),
            External::Child(child) if child > 0 => f.write_str("for a process to end"),
            External::Child(_) => f.write_str("for any process to end"),
            External::Signal(_) => f.write_str("for a signal"),
        }
    }
}

/// What a file is called, or what it is if it has no name.
fn file_name(fd: i32, room: &mut [u8; 256]) -> &str {
    const READLINK: usize = 89;
    let mut link = [0u8; 32];
    let mut text = Text { bytes: &mut link, len: 0 };
    // It is long enough for any number.
    let _ = write!(text, "/proc/self/fd/{fd}\0");
    // SAFETY: a string with its end, and room for so many bytes.
    let n = unsafe {
        sys::call3(READLINK, link.as_ptr() as usize, room.as_mut_ptr() as usize, room.len())
    };
    let name = room.get(..n.max(0) as usize).and_then(|name| core::str::from_utf8(name).ok());
    match name {
        Some(name) if name.starts_with("pipe:") => "a pipe",
        Some(name) if name.starts_with("socket:") => "a socket",
        Some(name) if name.starts_with('/') => name,
        _ => "a file",
    }
}

/// How long something may take to come from outside before it is not expected any more. Signals come
/// from people, who are not there.
pub fn patience(state: &State) -> u64 {
    let is_signal = |(_, external)| matches!(external, External::Signal(_));
    if waiting(state).all(is_signal) { 50 * MILLISECOND } else { 2_000 * MILLISECOND }
}

/// Gives what a thread waits for outside the time that it takes. What others do at that moment must not
/// decide whether the thread can go on: the next run would be another one. What depends on other
/// threads does not come however long one waits, so this ends.
pub fn settle(state: &State, thread: &Thread) {
    let Guard::External(external) = thread.want.get().guard else { return };
    let patience = match external {
        _ if state.inner.holds(external) => 0,
        External::Child(_) => 200 * MILLISECOND,
        External::File(..) | External::Poll(..) | External::Select(..) => 20 * MILLISECOND,
        External::Signal(_) => 0,
    };
    let end = now() + patience;
    while patience > 0 && !external.is_ready(thread) && now() < end {
        doze(state, NAP_MILLISECONDS);
    }
}

/// Waits until something outside has changed, or for so long; whether something has.
pub fn wait(state: &State, nanoseconds: Option<u64>) -> bool {
    let end = nanoseconds.map(|long| now().saturating_add(long));
    loop {
        let is_ready = |(thread, external): (&Thread, External)| external.is_ready(thread);
        if signal::look_outside(state) || waiting(state).any(is_ready) {
            return true;
        }
        if end.is_some_and(|end| now() >= end) {
            return false;
        }
        doze(state, NAP_MILLISECONDS);
    }
}

/// Waits until what one thread waits for is ready.
pub fn wait_for(state: &State, thread: &Thread) {
    while !thread.want.get().guard.holds(state, thread) {
        signal::look_outside(state);
        doze(state, NAP_MILLISECONDS);
    }
}

/// The system's time, in nanoseconds: on a busy machine a nap takes far longer than it should.
fn now() -> u64 {
    const MONOTONIC: i32 = 1;
    sys::clock(MONOTONIC)
}

/// Sleeps for so many milliseconds, or until one of the files is ready.
fn doze(state: &State, milliseconds: u64) {
    let mut polls = [const { Poll { fd: -1, events: 0, answers: 0 } }; 64];
    let files = waiting(state).filter_map(|(_, external)| match external {
        External::File(fd, events) => Some(Poll { fd, events, answers: 0 }),
        _ => None,
    });
    let mut n = 0;
    for (slot, poll) in polls.iter_mut().zip(files) {
        *slot = poll;
        n += 1;
    }
    // SAFETY: so many entries are there.
    unsafe { sys::call3(nr::POLL, polls.as_mut_ptr() as usize, n, milliseconds as usize) };
}
