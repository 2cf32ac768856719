//! Futexes: waiting for a word of memory, the system call beneath the locks of Rust's standard
//! library, of C++'s `std::atomic::wait`, and of the C library itself.
//!
//! In: a call as the kernel gets it, from the `syscall` function here or from wherever system
//! calls are caught. Out: what the kernel would answer, negative for an error.
//!
//! A wait is two steps: look at the word and begin to wait, in one; then, woken or out of time, go
//! on. Who is woken, if not all are, is a choice of the schedule. That a waker is before the thread
//! it woke is told as [`Code::Order`]: the word itself may be written by code that nobody sees.

use core::arch::naked_asm;
use core::sync::atomic::{AtomicU32, Ordering};

use alloc::vec::Vec;
use raddle_wire::{Code, Flags, OutcomeKind, Record};

use crate::given::Given;
use crate::guard::Guard;
use crate::outcome::{self, End};
use crate::pthread::condition::{begin_to_wait, waiters};
use crate::pthread::error::{EAGAIN, EINVAL, EPERM, ETIMEDOUT};
use crate::sched::{self, Want};
use crate::state::State;
use crate::sys::{self, nr};
use crate::thread::Thread;
use crate::time::{self, Clock, Timespec};
use crate::{boot, host, parallel, pthread, record, trap, unseen};

const WAIT: usize = 0;
const WAKE: usize = 1;
const REQUEUE: usize = 3;
const REQUEUE_IF: usize = 4;
const UNLOCK_INHERITING: usize = 7;
const WAIT_BITS: usize = 9;
const WAKE_BITS: usize = 10;

/// The bits of a word that name who has a lock.
const OWNER: u32 = 0x3fff_ffff;

const PRIVATE: usize = 128;
const REALTIME: usize = 256;

/// A futex call of the running thread: address, operation, value, time or second number, second
/// address, third value.
///
/// # Safety
/// The arguments are what the kernel expects.
pub unsafe fn futex(state: &State, args: [usize; 6], pc: u64) -> isize {
    unseen::enter(state, pc);
    // SAFETY: as the caller says.
    let answer = unsafe { made(state, args, pc) };
    unseen::leave(state, pc);
    answer
}

/// # Safety
/// As [`futex`].
unsafe fn made(state: &State, args: [usize; 6], pc: u64) -> isize {
    let [address, operation, value, fourth, second, third] = args;
    // SAFETY: as the caller says, the first argument leads to a word.
    let word = unsafe { Given::<AtomicU32>::new(address) };
    // SAFETY: where this is used, it is a pointer.
    let time = unsafe { Given::<Timespec>::new(fourth) };
    let bits = third as u32;
    match operation & !(PRIVATE | REALTIME) {
        WAIT => match length(state, time) {
            Some(deadline) => wait(state, word, value as u32, u32::MAX, deadline, pc),
            None => -EINVAL as isize,
        },
        WAIT_BITS => match moment(state, operation, time) {
            Some(deadline) if bits != 0 => wait(state, word, value as u32, bits, deadline, pc),
            _ => -EINVAL as isize,
        },
        WAKE => wake(state, address as u64, value as i32, u32::MAX, pc),
        WAKE_BITS if bits == 0 => -EINVAL as isize,
        WAKE_BITS => wake(state, address as u64, value as i32, bits, pc),
        REQUEUE => requeue(state, word, value as i32, fourth as i32, second, None, pc),
        REQUEUE_IF => {
            let expected = Some(third as u32);
            requeue(state, word, value as i32, fourth as i32, second, expected, pc)
        }
        // The C library asks for this kind of locks by giving back one that is free. None is ever taken here.
        UNLOCK_INHERITING if word.cell().load(Ordering::SeqCst) & OWNER == 0 => -EPERM as isize,
        other => {
            let end = End { kind: OutcomeKind::Unsupported, pc, address: address as u64 };
            outcome::finish(state, end, format_args!("uses operation {other} of futex"))
        }
    }
}

/// When a length of time is over; 0 if none is given, none if it is no length.
fn length(state: &State, length: Given<Timespec>) -> Option<u64> {
    if length.is_null() { Some(0) } else { time::after(state, length) }
}

/// When a moment comes, likewise.
fn moment(state: &State, operation: usize, until: Given<Timespec>) -> Option<u64> {
    let clock = if operation & REALTIME != 0 { Clock::REALTIME } else { Clock::MONOTONIC };
    if until.is_null() { Some(0) } else { time::deadline(state, clock, until) }
}

fn wait(
    state: &State,
    word: Given<AtomicU32>,
    expected: u32,
    bits: u32,
    deadline: u64,
    pc: u64,
) -> isize {
    let object = word.address();
    // Who wakes others does not name the word, unless it is known that some of what happens to it is not seen.
    let code = if host::has(Flags::HALF_SEEN) { Code::AtomicLoad } else { Code::Order };
    state.current().reach.set(4);
    sched::free_point(state, code, object, pc);
    let matches = look(state, word, pc) == expected;
    if !matches {
        sched::idle(state);
        return -EAGAIN as isize;
    }
    let me = state.current();
    begin_to_wait(state, object);
    me.wait_bits.set(bits);
    let (code, guard) = (Some(Code::Order), Guard::Woken);
    sched::point(state, Want { code, object, pc, guard, deadline });
    // Not necessarily the word that it began to wait for.
    let object = me.waits_for.replace(0);
    if !me.is_woken.get() {
        record::in_vain(state, pc);
        return -ETIMEDOUT as isize;
    }
    record::event(state, Record::new(Code::Order, object, 0, pc, 1));
    sched::busy(state);
    0
}

/// Looks at a word as the kernel does.
fn look(state: &State, word: Given<AtomicU32>, pc: u64) -> u32 {
    let value = word.cell().load(Ordering::SeqCst);
    record::event(state, Record::new(Code::AtomicLoad, word.address(), 4, pc, 0));
    value
}

fn wake(state: &State, object: u64, n_max: i32, bits: u32, pc: u64) -> isize {
    sched::free_point(state, Code::Order, object, pc);
    let n_woken = wake_some(state, object, n_max, bits, pc);
    if n_woken > 0 {
        sched::busy(state);
    } else {
        sched::idle(state);
    }
    n_woken
}

/// Wakes up to so many; how many. Each is an event of its own, since a schedule can make one choice
/// before an event; so is waking nobody.
fn wake_some(state: &State, object: u64, n_max: i32, bits: u32, pc: u64) -> isize {
    let mut open = waiting(state, object, bits);
    let n = open.len().min(n_max.max(0) as usize);
    let is_choice = n < open.len();
    let gives = Record::new(Code::Order, object, 0, pc, 0);
    for _ in 0..n {
        let chosen =
            if is_choice { sched::choose_waiter(state, &open) } else { open.first().copied() };
        open.retain(|&number| Some(number) != chosen);
        if let Some(thread) = chosen.and_then(|number| state.thread(number)) {
            thread.is_woken.set(true);
        }
        record::event(state, gives);
    }
    if n == 0 {
        record::event(state, gives);
    }
    n as isize
}

/// Who waits for a word and one of some bits, in the order in which they began to.
fn waiting(state: &State, object: u64, bits: u32) -> Vec<u32> {
    let asks = |thread: &Thread| thread.wait_bits.get() & bits != 0;
    let mut waiting = waiters(state, object);
    waiting.retain(|&number| state.thread(number).is_some_and(asks));
    waiting
}

/// Wakes some, and lets others wait for another word.
fn requeue(
    state: &State,
    word: Given<AtomicU32>,
    n_woken_max: i32,
    n_moved_max: i32,
    to: usize,
    expected: Option<u32>,
    pc: u64,
) -> isize {
    let object = word.address();
    sched::free_point(state, Code::Order, object, pc);
    if let Some(expected) = expected {
        let matches = look(state, word, pc) == expected;
        if !matches {
            sched::idle(state);
            return -EAGAIN as isize;
        }
    }
    let n_woken = wake_some(state, object, n_woken_max, u32::MAX, pc);
    let mut moved = waiting(state, object, u32::MAX);
    moved.truncate(n_moved_max.max(0) as usize);
    for thread in moved.iter().filter_map(|&number| state.thread(number)) {
        thread.waits_for.set(to as u64);
    }
    sched::busy(state);
    n_woken + moved.len() as isize
}

/// The kernel's, recorded: who wakes says so before, who was woken afterwards. A word that is not
/// what a thread would wait for is looked at here, so that it is known which write it saw.
///
/// # Safety
/// As [`futex`].
unsafe fn recorded(args: [usize; 6], pc: u64) -> isize {
    let [address, operation, value, ..] = args;
    // SAFETY: as the caller says, the first argument leads to a word.
    let word = unsafe { Given::<AtomicU32>::new(address) };
    let object = word.address();
    // SAFETY: as the caller says.
    let call = || unsafe { sys::call(nr::FUTEX, args) };
    match operation & !(PRIVATE | REALTIME) {
        WAKE | WAKE_BITS | REQUEUE | REQUEUE_IF => {
            parallel::sync(Record::new(Code::Order, object, 0, pc, 0));
            call()
        }
        WAIT | WAIT_BITS => loop {
            if let Some(turn) = parallel::Turn::begin(object) {
                let seen = word.cell().load(Ordering::SeqCst);
                turn.end(Record::new(Code::AtomicLoad, object, 4, pc, 0));
                if seen != value as u32 {
                    return -EAGAIN as isize;
                }
            }
            let answer = call();
            if answer == 0 {
                parallel::sync(Record::new(Code::Order, object, 0, pc, 1));
            }
            if answer != -EAGAIN as isize || parallel::lane().is_none() {
                return answer;
            }
        },
        _ => call(),
    }
}

/// The C library's function for making system calls; the caller's address is passed on.
#[unsafe(naked)]
#[cfg_attr(raddle_inside, unsafe(no_mangle))]
pub extern "C" fn syscall() {
    naked_asm!(
        "mov rax, [rsp]",
        "mov r10, [rsp + 8]",
        "sub rsp, 8",
        "push rax",
        "push r10",
        "call {imp}",
        "add rsp, 24",
        "ret",
        imp = sym by_number,
    )
}

#[allow(clippy::too_many_arguments, reason = "the C library's function has so many")]
extern "C" fn by_number(
    number: usize,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    pc: u64,
) -> isize {
    let args = [a, b, c, d, e, f];
    let answer = match State::active() {
        // SAFETY: what the program passed for the kernel.
        Some(state) if number == nr::FUTEX => unsafe { futex(state, args, pc) },
        // Coroutines run on a thread of the system that is not theirs.
        Some(state) if number == nr::GETTID => state.current().system_id.get() as isize,
        // SAFETY: as above.
        Some(state) => unsafe { trap::by_function(state, number, args, pc) },
        // SAFETY: as above.
        None if number == nr::FUTEX => unsafe { recorded(args, pc) },
        None => {
            if number == nr::EXIT_GROUP {
                boot::exited(a as i32);
            }
            // SAFETY: as above.
            unsafe { sys::call(number, args) }
        }
    };
    const ERROR_MAX: isize = 4095;
    if (-ERROR_MAX..0).contains(&answer) {
        return pthread::fail(-answer as i32) as isize;
    }
    answer
}
