//! Signals: crashes are told, and each thread of the program has its own mask.
//!
//! With coroutines all threads of the program are one thread of the system. Its mask is changed at
//! each switch; a signal that one thread sends to another waits until that one runs.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};

use raddle_wire::{Flags, OutcomeKind};

use crate::explore;
use crate::external::External;
use crate::guard::Guard;
use crate::outcome::{self, End};
use crate::parallel;
use crate::sched;
use crate::state::State;
use crate::sys::{self, nr};
use crate::touch;
use crate::trap::{self, Call, Context};

/// The signal by which system calls are caught.
pub const SIGSYS: usize = 31;
const SIGABRT: usize = 6;
const SIGSEGV: usize = 11;
/// Illegal instruction, trap, abort, bus error, arithmetic, segment.
const FATAL: [usize; 6] = [4, 5, SIGABRT, 7, 8, SIGSEGV];

/// Where a thread last sent a signal to itself.
static SENT_FROM: AtomicU64 = AtomicU64::new(0);

#[repr(C)]
struct Action {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

const WITH_INFO: u64 = 4;
const RESTORER: u64 = 0x0400_0000;
const ON_OWN_STACK: u64 = 0x0800_0000;
const NOT_DEFERRED: u64 = 0x4000_0000;

#[unsafe(naked)]
unsafe extern "C" fn restore() {
    core::arch::naked_asm!("mov eax, 15", "syscall", "ud2")
}

fn install(signal: usize, handler: usize, flags: u64) {
    let restorer = restore as *const () as usize;
    let action = Action { handler, flags: flags | RESTORER, restorer, mask: 0 };
    // SAFETY: the layout that the kernel has.
    unsafe {
        sys::call(nr::RT_SIGACTION, [signal, (&raw const action) as usize, 0, 8, 0, 0]);
    }
}

/// Installs a handler that may be interrupted by itself.
pub fn install_raw(signal: usize, handler: usize) {
    install(signal, handler, WITH_INFO | NOT_DEFERRED);
}

/// Crashes of the thread of the system that calls this are told from a stack of their own: its own one
/// may be used up.
pub fn use_stack(stack: *mut u8, len: usize) {
    const SIGALTSTACK: usize = 131;
    let description = [stack as usize, 0, len];
    // SAFETY: the layout of a `stack_t`; the memory is never given back.
    unsafe { sys::call3(SIGALTSTACK, description.as_ptr() as usize, 0, 0) };
}

/// From here on crashes are told.
pub fn begin(state: &State) {
    const STACK: usize = 64 << 10;
    let explores = state.has(Flags::EXPLORE);
    use_stack(if explores { sys::map_kept(STACK) } else { sys::map(STACK) }, STACK);
    for signal in FATAL {
        // While one crash is told, memory may be written for the first time.
        install(signal, crashed as *const () as usize, WITH_INFO | ON_OWN_STACK | NOT_DEFERRED);
    }
}

unsafe extern "C" fn crashed(signal: i32, info: *const c_void, context: *mut Context) {
    const CODE: usize = 8;
    const ADDRESS: usize = 16;
    let address = info.byte_add(ADDRESS).cast::<u64>().read();
    let code = info.byte_add(CODE).cast::<i32>().read();
    if signal as usize == SIGSEGV && explore::fault(address, code, &mut *context) {
        return;
    }
    let state = State::get();
    let is_abort = signal as usize == SIGABRT;
    if state.is_on.get() || parallel::is_on() {
        let kind = if is_abort { OutcomeKind::Abort } else { OutcomeKind::Crash };
        let address = if is_abort { 0 } else { address };
        state.control().signal = signal;
        let pc = match (*context).pc() {
            // The program called, and said from where.
            own if trap::is_own(own) && is_abort => SENT_FROM.load(Ordering::Relaxed),
            own if trap::is_own(own) => touch::caller().unwrap_or(own),
            pc => pc,
        };
        let end = End { kind, pc, address };
        outcome::tell(state, end, format_args!("signal {signal}"));
        if state.explore.is_on() {
            state.explore.end(state);
        }
    }
    // The default action follows: the instruction is tried again, or the signal sent again.
    install(signal as usize, 0, 0);
    if is_abort {
        let (process, thread) = (sys::process_id() as usize, sys::thread_id() as usize);
        sys::call3(nr::TGKILL, process, thread, signal as usize);
    }
}

/// A thread changes its mask. The mask that counts is the one put back when the handler returns.
pub fn change_mask(state: &State, call: &mut Call<'_>) -> isize {
    let [how, new, old, ..] = call.args;
    let mask = &mut call.context.signal_mask;
    // SAFETY: the program's pointers, to 8 bytes each.
    unsafe {
        if old != 0 {
            *(old as *mut u64) = *mask;
        }
        if new != 0 {
            // A signal that is blocked when it is needed would kill the process.
            let set = *(new as *const u64) & !(1 << (SIGSYS - 1) | 1 << (SIGSEGV - 1));
            match how {
                0 => *mask |= set,
                1 => *mask &= !set,
                2 => *mask = set,
                _ => return -22,
            }
        }
    }
    state.current().signal_mask.set(*mask);
    0
}

/// A signal from one thread to another, or to itself.
pub fn send(state: &State, to: u32, signal: u32, call: &Call<'_>) -> isize {
    let me = state.current();
    let other = state.all_threads().find(|thread| {
        thread.system_id.get() == to && !thread.is_done.get() && !core::ptr::eq(*thread, me)
    });
    match other {
        Some(other) if signal > 0 => {
            other.pending_signals.set(other.pending_signals.get() | 1 << (signal - 1));
            sched::busy(state);
            0
        }
        // To itself: whatever the C library takes for its number, it is this thread of the system.
        None if to == me.system_id.get() => {
            let (process, thread) = (sys::process_id() as usize, sys::thread_id() as usize);
            SENT_FROM.store(call.pc, Ordering::Relaxed);
            // SAFETY: a signal to itself.
            unsafe { sys::call3(nr::TGKILL, process, thread, signal as usize) }
        }
        _ => call.make(),
    }
}

/// Delivers what was sent to the thread that just got its turn.
pub fn deliver(state: &State) {
    let me = state.current();
    let ready = me.pending_signals.get() & !me.signal_mask.get();
    if ready == 0 || matches!(me.want.get().guard, Guard::External(External::Signal(_))) {
        return;
    }
    me.pending_signals.set(me.pending_signals.get() & !ready);
    for signal in 1..=64usize {
        if ready >> (signal - 1) & 1 != 0 {
            let (process, thread) = (sys::process_id() as usize, sys::thread_id() as usize);
            // SAFETY: a signal to itself.
            unsafe { sys::call3(nr::TGKILL, process, thread, signal) };
        }
    }
}

/// `sigtimedwait` and its family.
pub fn wait(state: &State, call: &mut Call<'_>) -> isize {
    let [set, info, timeout, ..] = call.args;
    // SAFETY: the program's pointers.
    let (set, deadline) = unsafe {
        let deadline = if timeout == 0 {
            0
        } else {
            let [seconds, nanoseconds] = *(timeout as *const [u64; 2]);
            state.clock.get() + seconds * 1_000_000_000 + nanoseconds + 1
        };
        (*(set as *const u64), deadline)
    };
    let external = External::Signal(set);
    let me = state.current();
    sched::pass_when(state, Guard::External(external), deadline, call.pc);
    let own = me.pending_signals.get() & set;
    if own != 0 {
        let signal = own.trailing_zeros() as isize + 1;
        me.pending_signals.set(me.pending_signals.get() & !(1 << (signal - 1)));
        if info != 0 {
            // SAFETY: the program's `siginfo_t`.
            unsafe { (info as *mut i32).write(signal as i32) };
        }
        return signal;
    }
    let zero = [0u64; 2];
    call.args[2] = zero.as_ptr() as usize;
    call.make()
}
