//! Which system calls a run may make.
//!
//! What a run writes to its output is not written: it would be written once for every run. Where
//! memory is put back after a run, what else a call changes has to be put back, too: files that are
//! opened are closed, memory that is mapped is unmapped. A call whose effects would stay ends the
//! run as a *misfit*, before it is made; the host then explores the program in another way.

use raddle_wire::OutcomeKind;
use raddle_wire::board::Model;

use super::number;
use super::snapshot::{Kept, mapped, touch};
use crate::given::Given;
use crate::outcome::{self, End};
use crate::state::State;
use crate::sys::{self, nr};
use crate::trap::Call;

/// Whether a call writes to the output: how many bytes it seems to write.
pub fn is_swallowed(state: &State, number: usize, args: [usize; 6]) -> Option<isize> {
    if !state.explore.is_on() || state.output_moved.get() || !(1..=2).contains(&args[0]) {
        return None;
    }
    match number {
        number::WRITE => Some(swallow(state, args[1], args[2])),
        number::WRITEV => {
            let mut total = 0;
            for index in 0..args[2] {
                // SAFETY: the program's array.
                let [start, len] = unsafe { *(args[1] as *const [usize; 2]).add(index) };
                total += swallow(state, start, len);
            }
            Some(total)
        }
        _ => None,
    }
}

fn swallow(state: &State, start: usize, len: usize) -> isize {
    let mut hash = state.explore.output_hash.get();
    for at in 0..len {
        // SAFETY: the program wants so many bytes to be written.
        let byte = unsafe { ((start + at) as *const u8).read() };
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    state.explore.output_hash.set(hash);
    len as isize
}

/// Before a call is made: its answer, if it is not made at all.
pub fn admit(state: &'static State, call: &Call<'_>) -> Option<isize> {
    let explore = &state.explore;
    if !explore.is_on() {
        return None;
    }
    if call.number == number::SIGALTSTACK {
        return Some(no_stack_for_signals(call));
    }
    if explore.model.get() != Model::Snapshot {
        return None;
    }
    let kept = explore.kept.get().expect("memory is put back, so there is room for it");
    if kept.is_full() || !is_fit(kept, call) {
        misfit(state, call.number, call.pc);
    }
    if has_effects(call.number) {
        return Some(make(kept, call));
    }
    touch_answers(call);
    None
}

/// Before a process is made: its memory would be that of this one.
pub fn admit_process(state: &State, number: usize, pc: u64) {
    let explore = &state.explore;
    if explore.is_on() && explore.model.get() == Model::Snapshot {
        misfit(state, number, pc);
    }
}

/// The run ends here: after this call nothing could be put back.
pub(super) fn misfit(state: &State, number: usize, pc: u64) -> ! {
    let end = End { kind: OutcomeKind::Misfit, pc, address: number as u64 };
    outcome::finish(state, end, format_args!("it makes system call {number}"))
}

/// Signals are handled on the stacks that are there: where they have one of their own, the runtime's
/// is in use.
fn no_stack_for_signals(call: &Call<'_>) -> isize {
    const DISABLED: usize = 2;
    let old = call.given::<[usize; 3]>(1);
    if !old.is_null() {
        old.set([0, DISABLED, 0]);
    }
    0
}

fn is_fit(kept: &Kept, call: &Call<'_>) -> bool {
    use number::*;
    let [a, b, c, d, ..] = call.args;
    match call.number {
        READ | READV | FSTAT | LSEEK => a == 0 || kept.is_own(a),
        WRITE | WRITEV | SENDTO | SENDMSG | RECVFROM | RECVMSG | PREAD | PREADV | PREADV2
        | SHUTDOWN | CLOSE | GETDENTS | EPOLL_CTL | EPOLL_WAIT | GETSOCKNAME | GETPEERNAME
        | GETSOCKOPT | READAHEAD | FADVISE => kept.is_own(a),
        FCNTL => kept.is_own(a) || matches!(b, 1 | 3),
        OPEN => is_reading(b),
        OPENAT => is_reading(c),
        MMAP => {
            const SHARED: usize = 1;
            const FIXED: usize = 0x10;
            d & SHARED == 0 && (d & FIXED == 0 || kept.is_new(a, b))
        }
        MUNMAP | MPROTECT | MADVISE => kept.is_new(a, b),
        MREMAP => kept.is_new(a, b),
        BRK => a == 0 || a >= kept.heap_end(),
        RT_SIGACTION => b == 0 || !matches!(a, 4 | 5 | 6 | 7 | 8 | 11 | 31),
        IOCTL => {
            const GET_TERMINAL: usize = 0x5401;
            b == GET_TERMINAL
        }
        PRCTL => {
            const SET_NAME: usize = 15;
            const GET_NAME: usize = 16;
            matches!(a, SET_NAME | GET_NAME)
        }
        PRLIMIT => c == 0,
        DUP | PIPE | PIPE2 | SOCKETPAIR | EVENTFD2 | EPOLL_CREATE1 => true,
        STAT
        | LSTAT
        | POLL
        | RT_SIGPROCMASK
        | ACCESS
        | SELECT
        | SCHED_YIELD
        | NANOSLEEP
        | GETPID
        | UNAME
        | GETCWD
        | READLINK
        | GETTIMEOFDAY
        | GETRLIMIT
        | GETRUSAGE
        | SYSINFO
        | TIMES
        | GETUID
        | GETGID
        | GETEUID
        | GETEGID
        | GETPPID
        | RT_SIGPENDING
        | RT_SIGTIMEDWAIT
        | GETTID
        | TKILL
        | TIME
        | FUTEX
        | SCHED_GETAFFINITY
        | CLOCK_GETTIME
        | CLOCK_GETRES
        | CLOCK_NANOSLEEP
        | EXIT_GROUP
        | TGKILL
        | NEWFSTATAT
        | READLINKAT
        | FACCESSAT
        | PSELECT6
        | PPOLL
        | SET_ROBUST_LIST
        | GETCPU
        | GETRANDOM
        | STATX
        | FACCESSAT2
        | MINCORE
        | GETITIMER
        | GETPGRP
        | GETGROUPS
        | GETRESUID
        | GETRESGID
        | GETPGID
        | GETSID
        | CAPGET
        | STATFS
        | FSTATFS
        | GETPRIORITY
        | SCHED_GETPARAM
        | SCHED_GETSCHEDULER
        | SCHED_GET_PRIORITY_MAX
        | SCHED_GET_PRIORITY_MIN
        | SCHED_RR_GET_INTERVAL
        | GETXATTR
        | LGETXATTR
        | FGETXATTR
        | LISTXATTR
        | LLISTXATTR
        | FLISTXATTR
        | GET_MEMPOLICY
        | GET_ROBUST_LIST
        | SCHED_GETATTR
        | MEMBARRIER => true,
        _ => false,
    }
}

/// Whether a file is opened to be read and exists already.
fn is_reading(flags: usize) -> bool {
    const WRITE_CREATE_TRUNCATE: usize = 0o3 | 0o100 | 0o1000;
    flags & WRITE_CREATE_TRUNCATE == 0
}

/// Whether something has to be put back after a call.
fn has_effects(number: usize) -> bool {
    use number::*;
    matches!(
        number,
        OPEN | OPENAT
            | CLOSE
            | MMAP
            | MUNMAP
            | MREMAP
            | BRK
            | RT_SIGACTION
            | DUP
            | PIPE
            | PIPE2
            | SOCKETPAIR
            | EVENTFD2
            | EPOLL_CREATE1
            | FCNTL
    )
}

/// Makes a call and notes what has to be put back.
fn make(kept: &Kept, call: &Call<'_>) -> isize {
    use number::*;
    let [a, b, c, d, ..] = call.args;
    touch_answers(call);
    if call.number == RT_SIGACTION && b != 0 {
        let mut old = [0usize; 4];
        // SAFETY: asks how a signal is handled; 32 bytes, as the kernel has it.
        unsafe { sys::call(nr::RT_SIGACTION, [a, 0, old.as_mut_ptr() as usize, 8, 0, 0]) };
        kept.acted(a, old);
    }
    let answer = call.make();
    if answer < 0 {
        return answer;
    }
    // SAFETY: where the kernel has just written two numbers.
    let pair = |at: usize| unsafe { *(at as *const [i32; 2]) };
    match call.number {
        OPEN | OPENAT | DUP | EVENTFD2 | EPOLL_CREATE1 => kept.opened(answer),
        FCNTL => {
            const DUPLICATE: usize = 0;
            const DUPLICATE_AND_CLOSE: usize = 1030;
            if matches!(b, DUPLICATE | DUPLICATE_AND_CLOSE) {
                kept.opened(answer);
            }
        }
        CLOSE => kept.closed(a),
        PIPE | PIPE2 => pair(a).into_iter().for_each(|file| kept.opened(file as isize)),
        SOCKETPAIR => pair(d).into_iter().for_each(|file| kept.opened(file as isize)),
        MMAP => mapped(answer as usize, b.next_multiple_of(4096)),
        MUNMAP => kept.unmapped(a, b.next_multiple_of(4096)),
        MREMAP => {
            kept.unmapped(a, b.next_multiple_of(4096));
            mapped(answer as usize, c.next_multiple_of(4096));
        }
        BRK => kept.heap_moved.set(kept.heap_moved.get() | (a != 0)),
        _ => {}
    }
    answer
}

/// Sees to it that the kernel can write its answer (P2 of `snapshot`).
fn touch_answers(call: &Call<'_>) {
    use number::*;
    const STATUS: usize = 256;
    let [a, b, c, d, e, ..] = call.args;
    let (start, len) = match call.number {
        READ | PREAD | RECVFROM | GETDENTS | GETRANDOM => (b, c),
        READV | PREADV | PREADV2 | RECVMSG => return touch_vector(call),
        GETRESUID | GETRESGID => return touch_each(&[(a, 4), (b, 4), (c, 4)]),
        GETSOCKNAME | GETPEERNAME => return touch_each(&[(b, STATUS), (c, 4)]),
        GETSOCKOPT => return touch_each(&[(d, STATUS), (e, 4)]),
        CAPGET => return touch_each(&[(a, 8), (b, 24)]),
        GET_MEMPOLICY => return touch_each(&[(a, 4), (b, c.div_ceil(8))]),
        GET_ROBUST_LIST => return touch_each(&[(b, 8), (c, 8)]),
        GETITIMER | SCHED_GETPARAM | SCHED_RR_GET_INTERVAL | STATFS | FSTATFS => (b, STATUS),
        SCHED_GETATTR => (b, c),
        GETGROUPS => (b, a * 4),
        GETXATTR | LGETXATTR | FGETXATTR => (c, d),
        LISTXATTR | LLISTXATTR | FLISTXATTR => (b, c),
        MINCORE => (c, b.div_ceil(4096)),
        STAT | LSTAT | FSTAT | UNAME => (b, STATUS),
        NEWFSTATAT => (c, STATUS),
        STATX => (e, STATUS),
        POLL | PPOLL => (a, b * 8),
        GETCWD => (a, b),
        READLINK => (b, c),
        READLINKAT => (c, d),
        PIPE | PIPE2 => (a, 8),
        SOCKETPAIR => (d, 8),
        EPOLL_WAIT => (b, c * 12),
        RT_SIGACTION => (c, 32),
        CLOCK_GETTIME | CLOCK_GETRES | GETRLIMIT | GETRUSAGE => (b, STATUS),
        GETTIMEOFDAY | SYSINFO | TIMES => (a, STATUS),
        PRLIMIT => (d, 16),
        SCHED_GETAFFINITY => (c, b),
        IOCTL => (c, 64),
        _ => return,
    };
    touch_each(&[(start, len)]);
}

/// Touches each range that there is: where it begins, and how long it is.
fn touch_each(ranges: &[(usize, usize)]) {
    for &(start, len) in ranges.iter().filter(|(start, _)| *start != 0) {
        touch(start, len);
    }
}

fn touch_vector(call: &Call<'_>) {
    let [_, b, c, ..] = call.args;
    const VECTOR: usize = 2; // Words before the vector in a `msghdr`.
    let (vector, n) = match call.number {
        number::READV | number::PREADV | number::PREADV2 => (call.given(1), c),
        _ => {
            touch(b, 56);
            let message = call.given::<usize>(1);
            // SAFETY: the program's message, which has a vector.
            (unsafe { Given::new(message.get_at(VECTOR)) }, message.get_at(VECTOR + 1))
        }
    };
    for index in 0..n.min(1024) {
        let [start, len] = vector.get_at(index);
        touch(start, len);
    }
}
