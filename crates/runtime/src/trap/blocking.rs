//! System calls that could block: a thread is let into one only when it can return at once.

use super::Call;
use crate::external::External;
use crate::given::Given;
use crate::guard::Guard;
use crate::sched;
use crate::signal::{self, Handled};
use crate::state::State;
use crate::sys;
use crate::time::{self, Clock, Timespec};

/// A signal came while a call waited.
const INTERRUPTED: isize = -4;

const POLLIN: i16 = 1;
const POLLOUT: i16 = 4;
/// A blocking write of at most so much to a pipe that can be written does not block.
const PIPE_BUFFER: usize = 4096;

mod number {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const CLOSE: usize = 3;
    pub const POLL: usize = 7;
    pub const READV: usize = 19;
    pub const WRITEV: usize = 20;
    pub const SELECT: usize = 23;
    pub const DUP2: usize = 33;
    pub const PAUSE: usize = 34;
    pub const NANOSLEEP: usize = 35;
    pub const ACCEPT: usize = 43;
    pub const SENDTO: usize = 44;
    pub const RECVFROM: usize = 45;
    pub const SENDMSG: usize = 46;
    pub const RECVMSG: usize = 47;
    pub const WAIT4: usize = 61;
    pub const FCNTL: usize = 72;
    pub const RT_SIGTIMEDWAIT: usize = 128;
    pub const RT_SIGSUSPEND: usize = 130;
    pub const FUTEX: usize = 202;
    pub const CLOCK_NANOSLEEP: usize = 230;
    pub const EPOLL_WAIT: usize = 232;
    pub const WAITID: usize = 247;
    pub const PSELECT6: usize = 270;
    pub const PPOLL: usize = 271;
    pub const EPOLL_PWAIT: usize = 281;
    pub const ACCEPT4: usize = 288;
    pub const DUP3: usize = 292;
}

/// Makes a call, when it can.
pub fn call(state: &'static State, call: &mut Call<'_>) -> isize {
    let [a, b, c, d, ..] = call.args;
    let fd = a as i32;
    match call.number {
        number::READ if is_made_up(fd) => call.make(),
        number::READ
        | number::READV
        | number::RECVFROM
        | number::RECVMSG
        | number::ACCEPT
        | number::ACCEPT4 => match wait_for_file(state, fd, POLLIN, call.pc) {
            true => call.make(),
            false => INTERRUPTED,
        },
        // How often the C library writes depends on what the output is, which must not matter to a
        // schedule. Its reader is outside, so no thread has to go on meanwhile.
        number::WRITE | number::WRITEV if is_output(a) && !state.output_moved.get() => call.make(),
        number::WRITE | number::SENDTO if c > PIPE_BUFFER && blocks(fd) => {
            write_in_pieces(state, call)
        }
        number::WRITE | number::WRITEV | number::SENDTO | number::SENDMSG => {
            match wait_for_file(state, fd, POLLOUT, call.pc) {
                true => call.make(),
                false => INTERRUPTED,
            }
        }
        number::POLL | number::PPOLL => poll(state, call),
        number::SELECT | number::PSELECT6 => select(state, call),
        number::EPOLL_WAIT | number::EPOLL_PWAIT => {
            let deadline = milliseconds(state, d as i32);
            if d as i32 != 0
                && wait(state, External::File(fd, POLLIN), deadline, call.pc) != Handled::Nothing
            {
                return INTERRUPTED;
            }
            call.args[3] = 0;
            call.make()
        }
        number::WAIT4 | number::WAITID => {
            const NO_HANG: usize = 1;
            let (child, options) = if call.number == number::WAIT4 {
                (a as i32, c)
            } else {
                (if a == 1 { b as i32 } else { -1 }, d)
            };
            match options & NO_HANG != 0 || wait_again(state, External::Child(child), call.pc) {
                true => call.make(),
                false => INTERRUPTED,
            }
        }
        number::RT_SIGSUSPEND => {
            signal::suspend(state, call);
            INTERRUPTED
        }
        number::RT_SIGTIMEDWAIT => signal::wait(state, call),
        number::PAUSE => {
            wait(state, External::Signal(!state.current().signal_mask.get()), 0, call.pc);
            signal::receive_own(state);
            INTERRUPTED
        }
        number::NANOSLEEP => {
            let Timespec { seconds, nanoseconds } = call.given(0).get();
            let length = seconds as u64 * 1_000_000_000 + nanoseconds as u64;
            time::sleep_until(state, state.clock.get() + length, call.pc);
            0
        }
        number::CLOCK_NANOSLEEP => {
            let when = call.given::<Timespec>(2);
            let Timespec { seconds, nanoseconds } = when.get();
            let length = seconds as u64 * 1_000_000_000 + nanoseconds as u64;
            let relative = state.clock.get() + length;
            let deadline = if b & 1 == 0 {
                relative
            } else {
                time::deadline(state, Clock(a as i32), when).unwrap_or(relative)
            };
            time::sleep_until(state, deadline, call.pc);
            0
        }
        number::CLOSE if is_output(a) => moves_output(state, call),
        number::DUP2 | number::DUP3 if is_output(b) => moves_output(state, call),
        // SAFETY: what the program passed to the kernel.
        number::FUTEX => unsafe { crate::futex::futex(state, call.args, call.pc) },
        _ => call.make(),
    }
}

/// Whether a file is the output, or that of errors, unless they were moved.
fn is_output(fd: usize) -> bool {
    matches!(fd, 1 | 2)
}

/// From here on these numbers may stand for something inside the program.
fn moves_output(state: &State, call: &mut Call<'_>) -> isize {
    state.output_moved.set(true);
    call.make()
}

/// Waits, also when nothing has to be waited for: what is outside may be faster or slower the next
/// time, and a schedule must not depend on that. Handlers of signals that ended it have run then.
fn wait(state: &State, external: External, deadline: u64, pc: u64) -> Handled {
    sched::pass_when(state, Guard::External(external), deadline, pc);
    signal::deliver(state)
}

/// The same, again after handlers that allow it; false if one does not.
fn wait_again(state: &State, external: External, pc: u64) -> bool {
    loop {
        match wait(state, external, 0, pc) {
            Handled::Nothing => return true,
            Handled::Restarts => {}
            Handled::Interrupts => return false,
        }
    }
}

/// Whether a call on a file may block at all.
fn blocks(fd: i32) -> bool {
    const GET_FLAGS: usize = 3;
    const NON_BLOCKING: isize = 0o4000;
    // SAFETY: asks only.
    let flags = unsafe { sys::call3(number::FCNTL, fd as usize, GET_FLAGS, 0) };
    flags >= 0 && flags & NON_BLOCKING == 0
}

/// Whether the kernel makes up a file while it is read. That never blocks, and how many reads it takes
/// depends on the process, which is another one when a schedule is followed again.
fn is_made_up(fd: i32) -> bool {
    const FSTATFS: usize = 138;
    const PROC: u64 = 0x9fa0;
    let mut about = [0u64; 16];
    // SAFETY: more room than a `statfs` needs.
    unsafe {
        sys::call3(FSTATFS, fd as usize, about.as_mut_ptr() as usize, 0) == 0 && about[0] == PROC
    }
}

/// Waits for a file, if a call on it may block; false if a signal ended that.
fn wait_for_file(state: &State, fd: i32, events: i16, pc: u64) -> bool {
    !blocks(fd) || wait_again(state, External::File(fd, events), pc)
}

/// A long blocking write to a pipe or socket: piece by piece, others in between.
fn write_in_pieces(state: &State, call: &mut Call<'_>) -> isize {
    let fd = call.args[0] as i32;
    if is_regular(fd) {
        return call.make();
    }
    let (start, len) = (call.args[1], call.args[2]);
    let mut done = 0;
    while done < len {
        if !wait_for_file(state, fd, POLLOUT, call.pc) {
            return if done > 0 { done as isize } else { INTERRUPTED };
        }
        call.args[1] = start + done;
        call.args[2] = (len - done).min(PIPE_BUFFER);
        let n = call.make();
        if n < 0 {
            return if done > 0 { done as isize } else { n };
        }
        done += n as usize;
    }
    done as isize
}

fn is_regular(fd: i32) -> bool {
    const FSTAT: usize = 5;
    const MODE: usize = 6; // The seventh 32-bit word.
    const TYPE: u32 = 0o170_000;
    const REGULAR: u32 = 0o100_000;
    let mut status = [0u32; 36];
    // SAFETY: 144 bytes, as large as a `stat`.
    unsafe { sys::call3(FSTAT, fd as usize, status.as_mut_ptr() as usize, 0) };
    status[MODE] & TYPE == REGULAR
}

/// A timeout in milliseconds as a moment of virtual time; 0: never.
fn milliseconds(state: &State, timeout: i32) -> u64 {
    if timeout < 0 { 0 } else { state.clock.get() + timeout as u64 * 1_000_000 + 1 }
}

/// A pointer to a length of time as a moment; 0: never. Its fraction is in `unit` nanoseconds.
fn length(state: &State, length: Given<[u64; 2]>, unit: u64) -> u64 {
    if length.is_null() {
        return 0;
    }
    let [seconds, fraction] = length.get();
    state.clock.get() + seconds * 1_000_000_000 + fraction * unit + 1
}

fn poll(state: &State, call: &mut Call<'_>) -> isize {
    let [files, n, timeout, ..] = call.args;
    let is_plain = call.number == number::POLL;
    let deadline = match is_plain {
        true => milliseconds(state, timeout as i32),
        false => length(state, call.given(2), 1),
    };
    let ask = || {
        // SAFETY: the program's array.
        unsafe { sys::call3(number::POLL, files, n, 0) }
    };
    if is_plain && timeout as i32 == 0 || deadline == state.clock.get() + 1 {
        return ask();
    }
    if n == 0 {
        time::sleep_until(state, deadline, call.pc);
        return 0;
    }
    match wait(state, External::Poll(files, n), deadline, call.pc) {
        Handled::Nothing => ask(),
        _ => INTERRUPTED,
    }
}

fn select(state: &State, call: &mut Call<'_>) -> isize {
    let is_plain = call.number == number::SELECT;
    let deadline = length(state, call.given(4), if is_plain { 1000 } else { 1 });
    let at_once = deadline == state.clock.get() + 1;
    let sets = [call.args[1], call.args[2], call.args[3]];
    let n = call.args[0];
    if !at_once && wait(state, External::Select(n, sets), deadline, call.pc) != Handled::Nothing {
        return INTERRUPTED;
    }
    let zero = [0u64; 2];
    // SAFETY: the program's sets, and no time to wait.
    unsafe { sys::call(number::SELECT, [n, sets[0], sets[1], sets[2], zero.as_ptr() as usize, 0]) }
}
