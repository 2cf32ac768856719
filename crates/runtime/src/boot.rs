//! From the first instruction of the library to `main` under control, and from there to the end.
//!
//! A constructor looks for a host. Without one the library does nothing, ever. With one, `main` is
//! wrapped (`__libc_start_main`), and control begins right before it: constructors of the program
//! run on their own.

use core::ffi::{c_char, c_void};
use core::mem;
use core::sync::atomic::Ordering;

use raddle_wire::{
    CONTROL_FD, Code, Control, ENVIRONMENT, Flags, MAGIC, OutcomeKind, Phase, RECORDING_FD, Record,
    TextKind, Threading, VERSION,
};

use crate::given::Given;
use crate::outcome::{self, End};
use crate::state::{Same, State};
use crate::sys::Whence;
use crate::thread::Thread;
use crate::{
    context, explore, export, heap, host, module, parallel, record, sched, signal, sys, trap,
};

/// The stack of the main thread is no longer than that.
const STACK_MAX: u64 = 64 << 20;

type Main = unsafe extern "C" fn(i32, *mut *mut c_char, *mut *mut c_char) -> i32;

#[cfg(raddle_inside)]
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn(i32, Given<Given<c_char>>, Given<Given<c_char>>) = construct;

#[cfg(raddle_inside)]
#[used]
#[unsafe(link_section = ".fini_array")]
static DESTRUCTOR: extern "C" fn() = destruct;

/// Looks for a host.
extern "C" fn construct(
    _n: i32,
    _arguments: Given<Given<c_char>>,
    environment: Given<Given<c_char>>,
) {
    let Some(version) = take_variable(environment) else { return };
    let len = sys::seek(CONTROL_FD, 0, Whence::End);
    let shared = sys::map_file(CONTROL_FD, 0, len.max(0) as usize).cast::<Control>();
    let has_room = len >= mem::size_of::<Control>() as isize && !shared.is_null();
    // SAFETY: there is room for one, any bytes are one, and the mapping is never given back.
    let control = has_room.then(|| unsafe { &*shared });
    let Some(control) = control.filter(|control| control.magic == MAGIC) else {
        sys::write_error(b"raddle: the controlling process has exited\n");
        sys::exit_group(2);
    };
    if version != VERSION {
        // Where the version stands does not change with it.
        control.version.set(VERSION);
        sys::write_error(b"raddle: this program uses the runtime of another version of Raddle\n");
        sys::exit_group(2);
    }
    sys::close(CONTROL_FD);
    // SAFETY: as above.
    unsafe { host::begin(shared) };
    #[cfg(feature = "defects")]
    raddle_wire::Defect::put_in_by(control.flags);
    let is_first = export::first(c"__libc_start_main") == __libc_start_main as *const () as usize;
    let phase = if is_first { Phase::Loaded } else { Phase::Late };
    control.phase.store(phase as u32, Ordering::Release);
    if !is_first {
        sys::exit_group(2);
    }
}

/// Removes the host's variable from the environment; its value.
fn take_variable(environment: Given<Given<c_char>>) -> Option<u32> {
    let mut at = environment;
    while !at.get().is_null() {
        let text = at.get().text();
        let value =
            text.strip_prefix(ENVIRONMENT.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        if let Some(value) = value {
            let digit = |version: u32, &digit: &u8| version * 10 + u32::from(digit - b'0');
            let version = value.iter().filter(|byte| byte.is_ascii_digit()).fold(0, digit);
            while !at.get().is_null() {
                at.set(at.get_at(1));
                at = at.wrapping_add(1);
            }
            return Some(version);
        }
        at = at.wrapping_add(1);
    }
    None
}

struct Wrapped(core::cell::Cell<Option<Main>>);
// SAFETY: written once, before there is a second thread.
unsafe impl Sync for Wrapped {}
static MAIN: Wrapped = Wrapped(core::cell::Cell::new(None));

/// Where the C library begins; `main` is wrapped.
#[cfg_attr(raddle_inside, unsafe(no_mangle))]
pub extern "C" fn __libc_start_main(
    main: Main,
    n: i32,
    arguments: *mut *mut c_char,
    init: usize,
    fini: usize,
    loader_fini: usize,
    stack_end: usize,
) -> i32 {
    MAIN.0.set(Some(main));
    let main: Main = controlled_main;
    real!(fn __libc_start_main(main: Main, n: i32, arguments: *mut *mut c_char, init: usize, fini: usize, loader_fini: usize, stack_end: usize) -> i32)
}

extern "C" fn controlled_main(
    n: i32,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
) -> i32 {
    let Some(main) = MAIN.0.get() else { return 127 };
    if host::page().is_none() {
        // SAFETY: the C library calls the program's `main` with these.
        return unsafe { main(n, arguments, environment) };
    }
    // SAFETY: as above; it has a frame like any function.
    unsafe { on_aligned_stack(n, arguments, environment) }
}

/// Calls [`controlled`] with the same and with where the stack is then: at the beginning of a page.
/// The environment lies above, and frames whose variables have to be aligned would else lie
/// differently for each size of it.
#[unsafe(naked)]
unsafe extern "C" fn on_aligned_stack(
    _n: i32,
    _arguments: *mut *mut c_char,
    _environment: *mut *mut c_char,
) -> i32 {
    core::arch::naked_asm!(
        ".cfi_startproc",
        "push rbp",
        ".cfi_def_cfa_offset 16",
        ".cfi_offset rbp, -16",
        "mov rbp, rsp",
        ".cfi_def_cfa_register rbp",
        "and rsp, -4096",
        "mov rcx, rsp",
        "call {controlled}",
        "leave",
        ".cfi_def_cfa rsp, 8",
        "ret",
        ".cfi_endproc",
        controlled = sym controlled,
    )
}

/// `main` under control; all that it has on the stack lies below `stack`.
extern "C" fn controlled(
    n: i32,
    arguments: *mut *mut c_char,
    environment: *mut *mut c_char,
    stack: u64,
) -> i32 {
    let Some(main) = MAIN.0.get() else { return 127 };
    begin(State::get(), stack);
    // SAFETY: the C library calls the program's `main` with these.
    let code = unsafe { main(n, arguments, environment) };
    leave(code, 0)
}

/// Control begins; all that `main` has on the stack lies below `stack`.
fn begin(state: &'static State, stack: u64) {
    if parallel::is_chosen() {
        return parallel::begin();
    }
    let control = host::control();
    let threading = Threading::from_number(control.threading).unwrap_or(Threading::Coroutines);
    state.own_threads.set(threading == Threading::Threads);
    state.random.set(control.seed);
    if host::has(Flags::FIXED_ADDRESSES) {
        state.same.set(Same { stack: stack - STACK_MAX, stack_base: stack, ..state.same.get() });
    } else {
        let upper = !((1 << 48) - 1);
        state.same.set(Same { head: upper, tail: upper, ..state.same.get() });
    }
    // One arena, so that addresses do not depend on which thread of the system asks.
    const ARENA_MAX: i32 = -8;
    let (option, value) = (ARENA_MAX, 1);
    real!(fn mallopt(option: i32, value: i32) -> i32);

    let main = Thread::new(state, None, core::ptr::null_mut());
    let handle = real!(fn pthread_self() -> usize);
    main.handle.set(handle);
    main.adopt();
    main.stack_range.set((0, stack as usize));
    state.current.set(main);
    if host::has(Flags::RECORD) {
        state.recorder.begin(RECORDING_FD, control, host::has(Flags::STACKS));
        module::record_all(&state.recorder);
    }
    state.recorder.write(Record::new(Code::Switch, 0, 0, 0, 0));
    let stack = [stack - STACK_MAX, stack].map(u64::to_le_bytes);
    state.recorder.text(TextKind::Stack, &[&stack[0], &stack[1]]);
    state.slice_left.set(i64::from(control.slice));
    state.plan.begin(state, control.n_plan);
    control.phase.store(Phase::Running as u32, Ordering::Release);
    state.set_on(true);
    context::KEEPS_ENTRY.store(1, Ordering::Relaxed);
    sched::arm(state);
    record::event(state, Record::new(Code::Begin, 0, 0, 0, 0));
    heap::record_early();
    signal::begin();
    trap::begin(state);
    if host::has(Flags::EXPLORE) {
        explore::serve(state);
    }
}

hook! {
    1, exit => leave;
    1, _exit => exit_now;
    1, _Exit => exit_now;
}

/// The program ends: a scheduling point, since others may still run.
extern "C" fn leave(code: i32, pc: u64) -> ! {
    if let Some(state) = State::active() {
        sched::pass(state, pc);
        host::control().exit_code.set(code);
    } else if parallel::is_on() {
        host::control().exit_code.set(code);
    }
    real!(fn exit(code: i32) -> ());
    sys::exit_group(code)
}

extern "C" fn exit_now(code: i32, _pc: u64) -> ! {
    if State::active().is_some() || parallel::is_on() {
        exited(code);
    }
    sys::exit_group(code)
}

/// Tells the host that the program ended by itself.
pub fn exited(code: i32) {
    let state = State::get();
    if state.is_on() || parallel::is_on() {
        host::control().exit_code.set(code);
        let end = End { kind: OutcomeKind::Exited, pc: 0, address: 0 };
        outcome::report(end, format_args!(""));
        if state.explore.is_on() {
            state.explore.end(state);
        }
    }
}

extern "C" fn destruct() {
    let state = State::get();
    if state.explore.is_on() {
        // What comes after this is the C library's: it writes what is left of the output.
        let all = core::ptr::null_mut::<c_void>();
        real!(fn fflush(all: *mut c_void) -> i32);
    }
    if state.is_on() || parallel::is_on() {
        exited(host::control().exit_code.get());
    }
}
