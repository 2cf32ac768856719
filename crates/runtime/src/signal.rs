//! Signals: crashes are told, and each thread of the program has its own mask.
//!
//! With coroutines all threads of the program are one thread of the system. Its mask is changed at
//! each switch; a signal that one thread sends to another waits until that one runs.
//!
//! - H1: a handler runs between two operations of its thread: before the next one that can be a scheduling point, or
//!   behind the wait that the signal ends. In the middle of an operation its events would be where none can be.
//! - H2: a signal ends a wait for a condition variable, as a wake-up that nobody notified, and makes a system call that
//!   waits fail with `EINTR`, or begin again if the program asked for that (`SA_RESTART`).
//! - H3: signals from outside ([`HELD_BACK`]) stay blocked for the system while a program runs once. They are looked
//!   for at every so many points, and given to the first thread that does not block them.

use core::ffi::c_void;
use core::sync::atomic::{AtomicU64, Ordering};

use raddle_wire::{Flags, OutcomeKind};

use crate::explore;
use crate::external::External;
use crate::guard::Guard;
use crate::host;
use crate::outcome::{self, End};
use crate::parallel;
use crate::sched;
use crate::state::State;
use crate::sys::{self, nr};
use crate::thread::Thread;
use crate::touch;
use crate::trap::{self, Call, Context};

/// The signal by which system calls are caught.
pub const SIGSYS: usize = 31;
const SIGABRT: usize = 6;
const SIGSEGV: usize = 11;
/// What must not be blocked: a signal that is blocked when it is needed would kill the process.
const NEEDED: u64 = 1 << (SIGSYS - 1) | 1 << (SIGSEGV - 1);
/// Illegal instruction, trap, abort, bus error, arithmetic, segment.
const FATAL: [usize; 6] = [4, 5, SIGABRT, 7, 8, SIGSEGV];

/// Signals that processes and people send: hangup, interrupt, quit, the two of users, alarm, termination.
const HELD_BACK: u64 = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 9 | 1 << 11 | 1 << 13 | 1 << 14;

/// Signals from outside are looked for once in so many points.
const LOOKS_EVERY: u64 = 256;

/// Where a thread last sent a signal to itself.
static SENT_FROM: AtomicU64 = AtomicU64::new(0);

/// What is to be done about a signal, as the kernel has it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Action {
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
pub fn begin() {
    const STACK: usize = 64 << 10;
    let explores = host::has(Flags::EXPLORE);
    use_stack(if explores { sys::map_kept(STACK) } else { sys::map(STACK) }, STACK);
    for signal in FATAL {
        // While one crash is told, memory may be written for the first time.
        install(signal, crashed as *const () as usize, WITH_INFO | ON_OWN_STACK | NOT_DEFERRED);
    }
}

unsafe extern "C" fn crashed(signal: i32, info: *const c_void, context: *mut Context) {
    const CODE: usize = 8;
    const ADDRESS: usize = 16;
    // SAFETY: the kernel passes what it knows of the signal, of which this is the layout.
    let (address, code) = unsafe {
        (info.byte_add(ADDRESS).cast::<u64>().read(), info.byte_add(CODE).cast::<i32>().read())
    };
    // SAFETY: it passes the registers, too, which are this handler's until it returns.
    let context = unsafe { &mut *context };
    if signal as usize == SIGSEGV && explore::fault(address, code, context) {
        return;
    }
    let state = State::get();
    let is_abort = signal as usize == SIGABRT;
    if state.is_on() || parallel::is_on() {
        let kind = if is_abort { OutcomeKind::Abort } else { OutcomeKind::Crash };
        let address = if is_abort { 0 } else { address };
        host::control().signal.set(signal);
        let pc = match context.pc() {
            // The program called, and said from where.
            own if trap::is_own(own) && is_abort => SENT_FROM.load(Ordering::Relaxed),
            own if trap::is_own(own) => touch::caller().unwrap_or(own),
            pc => pc,
        };
        let end = End { kind, pc, address };
        outcome::report(end, format_args!("signal {signal}"));
        if state.explore.is_on() {
            state.explore.end(state);
        }
    }
    // The default action follows: the instruction is tried again, or the signal sent again.
    install(signal as usize, 0, 0);
    if is_abort {
        send_to_itself(signal as usize);
    }
}

/// A thread changes its mask. The mask that counts is the one put back when the handler returns.
pub fn change_mask(state: &State, call: &mut Call<'_>) -> isize {
    let (how, new, old) = (call.args[0], call.given::<u64>(1), call.given::<u64>(2));
    let me = state.current();
    let held_back = held_back();
    let mut mask = call.context.signal_mask & !held_back | me.signal_mask.get() & held_back;
    if !old.is_null() {
        old.set(mask);
    }
    if !new.is_null() {
        let set = new.get() & !NEEDED;
        match how {
            0 => mask |= set,
            1 => mask &= !set,
            2 => mask = set,
            _ => return -22,
        }
    }
    me.signal_mask.set(mask);
    call.context.signal_mask = mask | held_back;
    0
}

/// What a thread wants to be done about a signal, if a call says that. While the handler runs, nothing may be blocked
/// that is needed.
pub fn action_of(call: &Call<'_>) -> Option<Action> {
    let new = call.given::<Action>(1);
    if call.number != nr::RT_SIGACTION || new.is_null() {
        return None;
    }
    let action = new.get();
    Some(Action { mask: action.mask & !NEEDED, ..action })
}

/// The signals that are held back from this program (H3).
fn held_back() -> u64 {
    if trap::is_on() && !host::has(Flags::EXPLORE) { HELD_BACK } else { 0 }
}

/// The mask that the system has while a thread runs that has another one.
pub fn real_mask(mask: u64) -> u64 {
    mask | held_back()
}

/// From here on signals from outside are held back.
pub fn hold_back(state: &State) {
    let mask = sys::set_signal_mask(u64::MAX);
    state.current().signal_mask.set(mask);
    sys::set_signal_mask(real_mask(mask));
}

/// Looks for signals from outside, and gives each to a thread; whether there was one.
pub fn look_outside(state: &State) -> bool {
    const RT_SIGPENDING: usize = 127;
    let held_back = held_back();
    let mut pending = 0u64;
    if held_back != 0 {
        // SAFETY: a mask has 8 bytes.
        unsafe { sys::call3(RT_SIGPENDING, (&raw mut pending) as usize, 8, 0) };
    }
    let mut signals = pending & held_back;
    let mut any = false;
    while signals != 0 {
        let signal = signals.trailing_zeros() + 1;
        let bit = signals & signals.wrapping_neg();
        signals &= !bit;
        let waits = |thread: &Thread| match thread.want.get().guard {
            Guard::External(External::Signal(set)) => set & bit != 0,
            _ => false,
        };
        let alive = || state.all_threads().filter(|thread| !thread.is_done.get());
        // Who waits for it takes it from the system.
        if alive().any(waits) {
            continue;
        }
        let thread = alive().find(|thread| thread.signal_mask.get() & bit == 0);
        if let Some(thread) = thread
            && take(bit)
        {
            receive(state, thread, signal);
            any = true;
        }
    }
    any
}

/// Takes a signal that is pending from the system, if it is still there.
fn take(bit: u64) -> bool {
    const RT_SIGTIMEDWAIT: usize = 128;
    let zero = [0u64; 2];
    let (set, timeout) = ((&raw const bit) as usize, zero.as_ptr() as usize);
    // SAFETY: a mask of 8 bytes, and no time to wait.
    unsafe { sys::call(RT_SIGTIMEDWAIT, [set, 0, timeout, 8, 0, 0]) > 0 }
}

/// A thread gets a signal, which it acts on later; what it waits for may be over by that (H2).
fn receive(state: &State, thread: &Thread, signal: u32) {
    let bit = 1 << (signal - 1);
    thread.pending_signals.set(thread.pending_signals.get() | bit);
    let is_blocked = thread.signal_mask.get() & bit != 0;
    if thread.is_in_wait.get()
        && thread.waits_for.get() != 0
        && !thread.is_woken.get()
        && !is_blocked
    {
        thread.is_interrupted.set(true);
        thread.is_woken.set(true);
    }
    sched::busy(state);
}

/// Before a thread announces an operation (H1).
#[inline]
pub fn before_operation(state: &State, me: &Thread) {
    if host::control().n_points.get().is_multiple_of(LOOKS_EVERY) {
        look_outside(state);
    }
    if me.pending_signals.get() != 0 && !me.is_in_wait.get() && me.waits_for.get() == 0 {
        deliver(state);
    }
}

/// A signal from one thread to another, or to itself.
pub fn send(state: &State, to: u32, signal: u32, call: &Call<'_>) -> isize {
    let me = state.current();
    let other = state.all_threads().find(|thread| {
        thread.system_id.get() == to && !thread.is_done.get() && !core::ptr::eq(*thread, me)
    });
    match other {
        Some(other) if signal > 0 => {
            receive(state, other, signal);
            0
        }
        // To itself: whatever the C library takes for its number, it is this thread of the system.
        None if to == me.system_id.get() => {
            SENT_FROM.store(call.pc, Ordering::Relaxed);
            let answer = send_to_itself(signal as usize);
            receive_own(state);
            answer
        }
        _ => call.make(),
    }
}

/// Sends a signal to this thread of the system, which acts on it at once if it is not blocked.
fn send_to_itself(signal: usize) -> isize {
    make_room();
    let (process, thread) = (sys::process_id() as usize, sys::thread_id() as usize);
    // SAFETY: a signal to itself.
    unsafe { sys::call3(nr::TGKILL, process, thread, signal) }
}

/// Before a signal may arrive: lets the kernel write its frame below what runs now.
pub fn make_room() {
    let here = 0u8;
    explore::touch_frame((&raw const here) as usize);
}

/// A process that sends itself a signal receives it before the call returns, if a thread does not block it.
pub fn receive_own(state: &State) {
    look_outside(state);
    deliver(state);
}

/// What the handlers did that ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handled {
    /// None ran.
    Nothing,
    /// System calls that waited begin again.
    Restarts,
    /// System calls that waited fail.
    Interrupts,
}

/// Lets the running thread act on the signals that it received and does not block.
pub fn deliver(state: &State) -> Handled {
    let me = state.current();
    let ready = me.pending_signals.get() & !me.signal_mask.get();
    me.pending_signals.set(me.pending_signals.get() & !ready);
    let mut handled = Handled::Nothing;
    for signal in (1..=64usize).filter(|signal| ready >> (signal - 1) & 1 != 0) {
        match (handled, handling(signal)) {
            (Handled::Interrupts, _) | (_, Handled::Nothing) => {}
            (_, other) => handled = other,
        }
        let real = real_mask(me.signal_mask.get());
        let is_held_back = held_back() >> (signal - 1) & 1 != 0;
        if is_held_back {
            sys::set_signal_mask(real & !(1 << (signal - 1)));
        }
        send_to_itself(signal);
        if is_held_back {
            sys::set_signal_mask(real_mask(me.signal_mask.get()));
        }
    }
    handled
}

/// What the program does about a signal.
fn handling(signal: usize) -> Handled {
    const RESTARTS: u64 = 0x1000_0000;
    let mut action = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };
    // SAFETY: asks only; the layout that the kernel has.
    unsafe { sys::call(nr::RT_SIGACTION, [signal, 0, (&raw mut action) as usize, 8, 0, 0]) };
    match action.handler {
        0 | 1 => Handled::Nothing,
        _ if action.flags & RESTARTS != 0 => Handled::Restarts,
        _ => Handled::Interrupts,
    }
}

/// `sigsuspend`: waits for a signal with another mask.
pub fn suspend(state: &State, call: &Call<'_>) {
    let me = state.current();
    let mask = call.given::<u64>(0).get() & !NEEDED;
    let own = me.signal_mask.replace(mask);
    sys::set_signal_mask(real_mask(mask));
    sched::pass_when(state, Guard::External(External::Signal(!mask)), 0, call.pc);
    receive_own(state);
    // The mask of the system is put back when the caught call returns.
    me.signal_mask.set(own);
}

/// `sigtimedwait` and its family.
pub fn wait(state: &State, call: &mut Call<'_>) -> isize {
    let (info, timeout) = (call.given::<i32>(1), call.given::<[u64; 2]>(2));
    let deadline = if timeout.is_null() {
        0
    } else {
        let [seconds, nanoseconds] = timeout.get();
        state.clock.get() + seconds * 1_000_000_000 + nanoseconds + 1
    };
    let set = call.given::<u64>(0).get();
    let external = External::Signal(set);
    let me = state.current();
    sched::pass_when(state, Guard::External(external), deadline, call.pc);
    let own = me.pending_signals.get() & set;
    if own != 0 {
        let signal = own.trailing_zeros() as isize + 1;
        me.pending_signals.set(me.pending_signals.get() & !(1 << (signal - 1)));
        if !info.is_null() {
            info.set(signal as i32);
        }
        return signal;
    }
    let zero = [0u64; 2];
    call.args[2] = zero.as_ptr() as usize;
    call.make()
}
