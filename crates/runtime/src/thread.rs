//! Threads of the program: what each consists of, how it begins, takes turns and ends.
//!
//! A thread is made by the C library's `pthread_create`. With coroutines its thread of the system
//! parks at once ([`context::park`]) and its stack is run by whoever runs the program; otherwise it
//! waits for its turn. When the program's function and all destructors are done, the thread of the
//! system goes back to the C library and ends there, while everybody else waits: so the C library
//! never does anything at the same time as the program.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::AtomicU32;

use alloc::boxed::Box;
use raddle_wire::{Code, Flags, MISUSES_MAX, Misuse, OutcomeKind, Record, TextKind};

use crate::outcome::{self, End};
use crate::sched::{self, Want};
use crate::spin::Sights;
use crate::state::State;
use crate::{context, host, record, signal, sys, trap, unseen};

/// A thread's function.
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// A thread under control. What is asked of every thread at each point lies in one cache line.
#[repr(C, align(64))]
pub struct Thread {
    /// Threads are numbered in the order in which they are made; the main thread is 0.
    pub number: u32,
    /// Whether it has ended.
    pub is_done: Cell<bool>,
    /// Whether it was woken.
    pub is_woken: Cell<bool>,
    /// Whether it lets others go first at the next point.
    pub gives_way: Cell<bool>,
    /// What it is about to do.
    pub want: Cell<Want>,
    /// Whether somebody has joined or detached it.
    pub is_released: Cell<bool>,
    /// What its function returned.
    pub result: Cell<*mut c_void>,
    /// The condition variable, futex or the like that it waits for; 0: none.
    pub waits_for: Cell<u64>,
    /// The mutex that it gives back while it waits for a condition variable.
    pub waits_with: Cell<u64>,
    /// When it began to wait, in order.
    pub ticket: Cell<u64>,
    /// What it has seen lately, to find out when it spins.
    pub sights: Sights,
    /// The registers with which it came to the point that it is at ([`context::ENTRY`]).
    pub entry: Cell<[u64; 7]>,
    /// What an atomic operation at that point comes with: a hash of its operands.
    pub operands: Cell<u64>,
    /// What has to be there for that operation to write, if it depends on that.
    pub expects: Cell<Option<u128>>,
    /// Where it last rested, and how often in a row; see [`Rest`](crate::explore::Rest).
    pub rest: Cell<crate::explore::Rest>,
    /// Which step of an exploration was its last one.
    pub last_step: Cell<u64>,
    /// Before which step it could last go on.
    pub last_able: Cell<u64>,
    /// How many events it has done beyond what the plan had asked for.
    pub ahead: Cell<i64>,
    /// The C library's name of it (`pthread_t`).
    pub handle: Cell<usize>,
    /// Its number in the system.
    pub system_id: Cell<u32>,
    /// Its mask of signals.
    pub signal_mask: Cell<u64>,
    /// Signals that it received and has not acted on.
    pub pending_signals: Cell<u64>,
    /// Whether it is in a wait for a condition variable, with a handler running only behind it.
    pub is_in_wait: Cell<bool>,
    /// Whether a signal ended that wait, and not a notification.
    pub is_interrupted: Cell<bool>,
    /// C's cleanup handlers, innermost first (`pthread_exit`); 0: none.
    pub cleanup: Cell<usize>,
    /// Where its stack lies: its first byte, and the one behind its last.
    pub stack_range: Cell<(usize, usize)>,
    /// Where its own frames begin; 0 in the main thread.
    pub base: Cell<usize>,
    /// Which wakers of a futex it waits for, as bits.
    pub wait_bits: Cell<u32>,
    /// How many bytes the access is about that it wants to make.
    pub reach: Cell<u64>,
    /// Its name, if the program gave it one.
    pub name: Cell<Option<[u8; NAME_LEN]>>,
    /// Coroutines: its stack and thread pointer while it does not run.
    pub stack: Cell<usize>,
    pub pointer: Cell<usize>,
    /// Whether its thread of the system was made before the program asked for it, and stays.
    pub is_pooled: Cell<bool>,
    /// Coroutines: set when its thread of the system can have its stack back.
    release: AtomicU32,
    /// Set when it is ready to be run.
    ready: AtomicU32,
    /// Own threads: set when it is its turn.
    turn: AtomicU32,
    start: Cell<Option<Start>>,
    argument: Cell<*mut c_void>,
}

/// Bytes of a thread's name, with the zero at its end.
pub const NAME_LEN: usize = 16;

/// Bytes of the stack that a thread of the system parks on.
pub const PARKING: usize = 16 << 10;

impl Thread {
    /// Whether an address is in the frames of this thread, which runs.
    pub fn has_on_stack(&self, address: u64) -> bool {
        let here = 0u8;
        let here = (&raw const here) as u64;
        (here..self.stack_range.get().1 as u64).contains(&address)
    }

    /// A thread that does not run yet.
    pub fn new(state: &State, start: Option<Start>, argument: *mut c_void) -> &'static Thread {
        let number = state.n_threads();
        let thread = Box::leak(Box::new(Thread {
            number,
            want: Cell::new(Want::default()),
            is_done: Cell::new(false),
            is_released: Cell::new(false),
            result: Cell::new(ptr::null_mut()),
            waits_for: Cell::new(0),
            waits_with: Cell::new(0),
            ticket: Cell::new(0),
            is_woken: Cell::new(false),
            sights: Sights::new(),
            gives_way: Cell::new(false),
            entry: Cell::new([0; 7]),
            operands: Cell::new(0),
            expects: Cell::new(None),
            rest: Cell::new(crate::explore::Rest::default()),
            last_step: Cell::new(0),
            last_able: Cell::new(0),
            ahead: Cell::new(0),
            handle: Cell::new(0),
            system_id: Cell::new(0),
            signal_mask: Cell::new(0),
            pending_signals: Cell::new(0),
            is_in_wait: Cell::new(false),
            is_interrupted: Cell::new(false),
            cleanup: Cell::new(0),
            stack_range: Cell::new((0, 0)),
            base: Cell::new(0),
            wait_bits: Cell::new(0),
            reach: Cell::new(0),
            name: Cell::new(None),
            stack: Cell::new(0),
            pointer: Cell::new(0),
            is_pooled: Cell::new(false),
            release: AtomicU32::new(0),
            ready: AtomicU32::new(0),
            turn: AtomicU32::new(0),
            start: Cell::new(start),
            argument: Cell::new(argument),
        }));
        state.threads.with(|threads| threads.push(thread));
        thread
    }

    /// Makes the thread of the system that calls this the main thread.
    pub fn adopt(&'static self) {
        self.pointer.set(context::thread_pointer());
        self.system_id.set(sys::thread_id());
        context::set_own_thread(self);
    }

    /// Waits until its thread of the system has come so far that it can be run.
    pub fn wait_until_ready(&self) {
        sys::take(&self.ready);
    }
}

/// What the C library starts a thread with; the argument is the [`Thread`].
pub unsafe extern "C" fn enter(argument: *mut c_void) -> *mut c_void {
    // SAFETY: `create` passes a thread, which is never freed.
    let thread: &'static Thread = unsafe { &*argument.cast::<Thread>() };
    let state = State::get();
    thread.pointer.set(context::thread_pointer());
    thread.system_id.set(sys::thread_id());
    context::set_own_thread(thread);
    // Signals for the process are received by whoever runs the program.
    let mask = sys::set_signal_mask(u64::MAX);
    if signal::real_mask(0) == 0 {
        thread.signal_mask.set(mask);
    }
    // Here it is parked, or tells of its crash.
    let parking = sys::map(PARKING);
    if state.own_threads.get() {
        signal::use_stack(parking, PARKING);
        sys::raise(&thread.ready);
        sys::take(&thread.turn);
        sys::set_signal_mask(mask);
        trap::begin_thread();
    } else {
        let end = parking as usize + PARKING - 64;
        // SAFETY: the parking was just mapped for this alone, and who releases the thread has left its stack for good.
        unsafe { context::park(thread.stack.as_ptr(), end, parked, thread) };
    }
    resumed(state);
    run(state, thread);
    // Coroutines come back here on their own thread of the system, to end.
    context::set_own_thread(ptr::null());
    thread.result.get()
}

/// A thread of the system whose stack is run by another one.
unsafe extern "C" fn parked(thread: *const Thread) {
    // SAFETY: `enter` passes a thread, which is never freed.
    let thread = unsafe { &*thread };
    sys::raise(&thread.ready);
    sys::take(&thread.release);
}

/// The life of a thread of the program.
pub fn run(state: &'static State, thread: &'static Thread) {
    record::event(state, Record::new(Code::Begin, 0, 0, 0, 0));
    if let Some(start) = thread.start.get() {
        let (low, high) = thread.stack_range.get();
        let range = [(low as u64).to_le_bytes(), (high as u64).to_le_bytes()];
        state.recorder.text(TextKind::Stack, &[&range[0], &range[1]]);
        sched::settle(state);
        sched::arm(state);
        // SAFETY: the program passed the function to be called with this argument in a new thread.
        let result = unsafe { context::call(thread.base.as_ptr(), start, thread.argument.get()) };
        thread.result.set(result);
    }
    finish(state, thread);
}

/// Runs destructors and gives the turn away for good. With coroutines it returns when the thread
/// of the system has its stack back; for the main thread, whose thread of the system stays, never.
/// The last thread ends the process.
pub fn finish(state: &'static State, thread: &'static Thread) {
    crate::pthread::run_destructors();
    // The end is an event that others wait for.
    sched::free_point(state, Code::End, thread.number.into(), 0);
    if state.all_threads().all(|other| other.is_done.get() || ptr::eq(other, thread)) {
        let code = 0;
        host::control().exit_code.set(code);
        real!(fn exit(code: i32) -> !);
    }
    crate::pthread::mutex::abandon(state);
    record::event(state, Record::new(Code::End, thread.number.into(), 0, 0, 0));
    sched::settle(state);
    sched::busy(state);
    thread.is_done.set(true);
    let is_main = thread.number == 0;
    if !is_main {
        let (low, high) = thread.stack_range.get();
        unseen::forget(state, low as u64, high as u64);
    }
    if !is_main && !thread.is_pooled.get() {
        state.ended.set(thread);
    }
    let next = sched::choose(state, thread);
    sched::announce(state, next);
    if state.own_threads.get() {
        sys::set_signal_mask(u64::MAX);
        trap::end_thread();
        sys::raise(&next.turn);
        if is_main {
            sys::take(&thread.turn);
        }
    } else {
        // SAFETY: `next` does not run, so its context was saved.
        unsafe { context::switch(thread.stack.as_ptr(), next.stack.get(), next.pointer.get()) };
    }
}

/// Lets another thread run; returns when somebody lets this one run again.
pub fn switch(state: &State, me: &Thread, next: &Thread) {
    if state.own_threads.get() {
        sys::raise(&next.turn);
        sys::take(&me.turn);
    } else {
        if me.signal_mask.get() != next.signal_mask.get() {
            sys::set_signal_mask(signal::real_mask(next.signal_mask.get()));
        }
        // SAFETY: `next` does not run, so its context was saved.
        unsafe { context::switch(me.stack.as_ptr(), next.stack.get(), next.pointer.get()) };
    }
    resumed(state);
}

/// What the thread that just got its turn does first: sees off the one that ended.
pub fn resumed(state: &State) {
    let ended = state.ended.replace(ptr::null());
    if !ended.is_null() {
        // SAFETY: threads are never freed.
        let ended = unsafe { &*ended };
        if !state.own_threads.get() {
            sys::raise(&ended.release);
        }
        while sys::thread_exists(ended.system_id.get()) {
            sys::give_way();
        }
    }
    sched::arm(state);
}

/// The thread that a handle of the C library names: the latest one that nobody has joined.
pub fn by_handle(state: &State, handle: usize) -> Option<&'static Thread> {
    let mut found = None;
    for thread in state.all_threads() {
        if thread.handle.get() == handle && !thread.is_released.get() {
            found = Some(thread);
        }
    }
    found
}

/// The running thread unlocks what it does not hold. Without the C library's checks that frees the lock, and the run goes
/// on, unless that is not wanted.
pub fn unlocks_foreign(state: &State, pc: u64, address: u64, what: u16, held: bool) {
    let point = state.explore.point();
    let misuse = Misuse { pc, address, point, what, held: held.into() };
    if host::has(Flags::STRICT_LOCKS) {
        self::misuse(state, pc, address, format_args!("{}", misuse.text()));
    }
    let control = host::control();
    let n = (control.n_misuses.get() as usize).min(MISUSES_MAX);
    let is_known = control.misuses[..n].iter().any(|known| known.get().address == address);
    if !is_known && n < MISUSES_MAX {
        control.misuses[n].set(misuse);
        control.n_misuses.set(n as u64 + 1);
    }
}

/// The program used something against its rules.
pub fn misuse(state: &State, pc: u64, address: u64, how: core::fmt::Arguments<'_>) -> ! {
    outcome::finish(state, End { kind: OutcomeKind::Misuse, pc, address }, how)
}
