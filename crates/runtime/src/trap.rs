//! System calls of the program and of every library in it.
//!
//! Linux can send SIGSYS instead of making a system call (Syscall User Dispatch, since 5.11), except
//! for calls from one range of addresses, which is the text of this library, and while a byte says
//! so. The handler then does what the call would have done: most are just made from here, those
//! that could block wait their turn ([`blocking`]), and a few mean something to the scheduler.
//!
//! Some calls cannot be made on top of a signal's stack frame (a child would come back on another
//! stack): the interrupted code goes on at [`direct`] instead, which makes the call with exactly
//! the registers and the stack of the program and then jumps back.

mod blocking;

use core::arch::naked_asm;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering, compiler_fence};

use raddle_wire::{Flags, OutcomeKind};

use crate::given::Given;
use crate::outcome::{self, End};
use crate::state::State;
use crate::sys::{self, nr};
use crate::{boot, context, explore, host, module, signal, unseen};

const ALLOW: u8 = 0;
const BLOCK: u8 = 1;

/// Whether calls are caught: read by the kernel at each of them.
static SELECTOR: AtomicU8 = AtomicU8::new(ALLOW);

/// The text of this library, once calls are caught: where it begins, or 0, and where it ends.
static TEXT: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

/// Where [`direct`] goes back to.
static RESUME: AtomicU64 = AtomicU64::new(0);

/// See [`TEXT`].
fn text() -> Option<(usize, usize)> {
    let [start, end] = TEXT.each_ref().map(|place| place.load(Ordering::Relaxed));
    (start != 0).then_some((start, end))
}

fn set_text(start: usize, end: usize) {
    TEXT[0].store(start, Ordering::Relaxed);
    TEXT[1].store(end, Ordering::Relaxed);
}

/// Does something of the C library that makes system calls of its own.
pub fn paused<T>(act: impl FnOnce() -> T) -> T {
    let old = SELECTOR.load(Ordering::Relaxed);
    set(ALLOW);
    let result = act();
    set(old);
    result
}

/// The next system call goes by this.
fn set(value: u8) {
    SELECTOR.store(value, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
}

/// From here on the program's system calls are caught.
pub fn begin(state: &State) {
    if host::has(Flags::NO_TRAP) {
        return;
    }
    let own = begin as *const () as u64;
    let Some((start, end)) = module::text_around(own) else { return };
    set_text(start as usize, end as usize);
    signal::install_raw(signal::SIGSYS, handler as *const () as usize);
    if begin_thread() {
        signal::hold_back(state);
        set(BLOCK);
    } else {
        set_text(0, 0);
    }
}

/// Whether the program's system calls are caught.
pub fn is_on() -> bool {
    text().is_some()
}

/// Whether an address is within this library, as far as that is known.
pub fn is_own(address: u64) -> bool {
    text().is_some_and(|(start, end)| (start..end).contains(&(address as usize)))
}

/// The same for one more thread of the system.
pub fn begin_thread() -> bool {
    const SET_DISPATCH: usize = 59;
    const ON: usize = 1;
    let Some((start, end)) = text() else { return false };
    let selector = SELECTOR.as_ptr() as usize;
    // SAFETY: the selector lives as long as the process.
    unsafe { sys::call(nr::PRCTL, [SET_DISPATCH, ON, start, end - start, selector, 0]) == 0 }
}

/// This thread of the system is no longer under control.
pub fn end_thread() {
    const SET_DISPATCH: usize = 59;
    // SAFETY: switching it off is always allowed.
    unsafe { sys::call(nr::PRCTL, [SET_DISPATCH, 0, 0, 0, 0, 0]) };
}

/// The registers of interrupted code, as the kernel lays them out.
#[repr(C)]
pub struct Context {
    flags: u64,
    link: u64,
    stack: [u64; 3],
    registers: [u64; 23],
    floating_point: u64,
    reserved: [u64; 8],
    /// The mask that is put back when the handler returns.
    pub signal_mask: u64,
}

const R8: usize = 0;
const R9: usize = 1;
const R10: usize = 2;
const RDI: usize = 8;
const RSI: usize = 9;
const RDX: usize = 12;
const RAX: usize = 13;
const RSP: usize = 15;
const RIP: usize = 16;
const ERROR: usize = 19;

impl Context {
    /// Of nothing.
    const NONE: Context = Context {
        flags: 0,
        link: 0,
        stack: [0; 3],
        registers: [0; 23],
        floating_point: 0,
        reserved: [0; 8],
        signal_mask: 0,
    };

    /// Where it was interrupted.
    pub fn pc(&self) -> u64 {
        self.registers[RIP]
    }

    /// Where its stack was then.
    pub fn stack_pointer(&self) -> u64 {
        self.registers[RSP]
    }

    /// Of a fault: whether it was a write.
    pub fn is_write(&self) -> bool {
        const WRITE: u64 = 2;
        self.registers[ERROR] & WRITE != 0
    }

    /// Whether it was interrupted right behind a system call.
    ///
    /// # Safety
    /// It was interrupted in code.
    pub unsafe fn is_behind_call(&self) -> bool {
        const SYSCALL: [u8; 2] = [0x0f, 0x05];
        // SAFETY: in front of where code was interrupted there is more of it, be it the end of another function.
        unsafe { ((self.pc() - 2) as *const [u8; 2]).read() == SYSCALL }
    }

    /// Lets it make that call again, which was not made.
    pub fn repeat_call(&mut self) {
        self.registers[RIP] -= 2;
    }
}

/// A system call that was caught.
pub struct Call<'a> {
    /// Its number.
    pub number: usize,
    /// Its arguments.
    pub args: [usize; 6],
    /// Where the program goes on.
    pub pc: u64,
    /// The interrupted code.
    pub context: &'a mut Context,
}

impl Call<'_> {
    /// An argument that is a pointer to such values.
    pub fn given<T>(&self, index: usize) -> Given<T> {
        // SAFETY: the program passed it to the kernel as one.
        unsafe { Given::new(self.args[index]) }
    }

    /// Makes it.
    pub fn make(&self) -> isize {
        // SAFETY: what the program asked for.
        unsafe { sys::call(self.number, self.args) }
    }
}

/// Makes a call with the program's own registers and stack.
#[unsafe(naked)]
unsafe extern "C" fn direct() {
    naked_asm!("syscall", "jmp qword ptr [rip + {resume}]", resume = sym RESUME)
}

mod number {
    pub const RT_SIGPROCMASK: usize = 14;
    pub const RT_SIGRETURN: usize = 15;
    pub const CLONE: usize = 56;
    pub const FORK: usize = 57;
    pub const VFORK: usize = 58;
    pub const EXECVE: usize = 59;
    pub const EXIT: usize = 60;
    pub const KILL: usize = 62;
    pub const GETTID: usize = 186;
    pub const TKILL: usize = 200;
    pub const EXIT_GROUP: usize = 231;
    pub const TGKILL: usize = 234;
    pub const GETRANDOM: usize = 318;
    pub const EXECVEAT: usize = 322;
    pub const CLONE3: usize = 435;
}

unsafe extern "C" fn handler(_signal: i32, _info: *mut c_void, context: *mut Context) {
    // What the program had in `errno` is not touched: no function of the C library is called.
    // SAFETY: the kernel passes the registers, which are this handler's until it returns.
    let context = unsafe { &mut *context };
    let r = &context.registers;
    let (number, pc) = (r[RAX] as usize, r[RIP]);
    let args = [r[RDI], r[RSI], r[RDX], r[R10], r[R8], r[R9]].map(|word| word as usize);
    if matches!(
        number,
        number::RT_SIGRETURN
            | number::CLONE
            | number::CLONE3
            | number::FORK
            | number::VFORK
            | number::EXIT
    ) {
        if matches!(number, number::CLONE | number::CLONE3 | number::FORK | number::VFORK) {
            explore::admit_process(State::get(), number, pc);
        }
        // A new thread or process begins without its calls being caught.
        const THREAD: usize = 0x1_0000;
        let is_process = match number {
            number::CLONE => args[0] & THREAD == 0,
            // SAFETY: the program passed the kernel a structure that begins with the flags.
            number::CLONE3 => unsafe { Given::<usize>::new(args[0]) }.get() & THREAD == 0,
            number::FORK | number::VFORK => true,
            _ => false,
        };
        if let (true, Some(control)) = (is_process, host::page()) {
            control.n_processes.fetch_add(1, Ordering::Relaxed);
            State::get().inner.forget_all();
        }
        RESUME.store(pc, Ordering::Relaxed);
        context.registers[RIP] = direct as *const () as u64;
        return;
    }
    let mut call = Call { number, args, pc, context };
    let answer = match State::active() {
        Some(state) => under_control(state, &mut call),
        None => call.make(),
    };
    context.registers[RAX] = answer as u64;
}

/// A call that the program makes by the C library's `syscall` function.
///
/// # Safety
/// The arguments are what the kernel expects.
pub unsafe fn by_function(
    state: &'static State,
    number: usize,
    args: [usize; 6],
    pc: u64,
) -> isize {
    if matches!(number, number::CLONE | number::CLONE3 | number::FORK | number::VFORK) {
        let end = End { kind: OutcomeKind::Unsupported, pc, address: 0 };
        outcome::finish(
            state,
            end,
            format_args!("creates a process or thread with `syscall({number})`"),
        );
    }
    let mut context = Context { signal_mask: state.current().signal_mask.get(), ..Context::NONE };
    let answer = under_control(state, &mut Call { number, args, pc, context: &mut context });
    if number == number::RT_SIGPROCMASK {
        sys::set_signal_mask(context.signal_mask);
    }
    answer
}

fn under_control(state: &'static State, call: &mut Call<'_>) -> isize {
    let (number, args) = (call.number, call.args);
    state.recorder.settle_value();
    let answer = answer(state, call);
    state.inner.note(number, args, answer);
    if number == nr::MUNMAP {
        unseen::forget(state, args[0] as u64, args[0].saturating_add(args[1]) as u64);
    }
    answer
}

fn answer(state: &'static State, call: &mut Call<'_>) -> isize {
    host::control().n_syscalls.update(|n| n + 1);
    let action = signal::action_of(call);
    if let Some(action) = &action {
        call.args[1] = ptr::from_ref(action) as usize;
    }
    if let Some(answer) = explore::is_swallowed(state, call.number, call.args) {
        return answer;
    }
    if let Some(answer) = explore::admit(state, call) {
        return answer;
    }
    let [a, b, c, ..] = call.args;
    match call.number {
        number::EXIT_GROUP => {
            boot::exited(a as i32);
            call.make()
        }
        number::EXECVE | number::EXECVEAT => {
            let end = End { kind: OutcomeKind::Replaced, pc: call.pc, address: 0 };
            outcome::tell(state, end, format_args!("the program executed another program"));
            // The other program inherits the mask.
            let mask = sys::set_signal_mask(state.current().signal_mask.get());
            let answer = call.make();
            sys::set_signal_mask(mask);
            outcome::take_back();
            answer
        }
        number::RT_SIGPROCMASK => signal::change_mask(state, call),
        // Whatever thread of the system it runs on: a signal to that number is for itself.
        number::GETTID => state.current().system_id.get() as isize,
        number::TGKILL => signal::send(state, b as u32, c as u32, call),
        number::TKILL => signal::send(state, a as u32, b as u32, call),
        number::KILL => {
            signal::make_room();
            let answer = call.make();
            signal::receive_own(state);
            answer
        }
        number::GETRANDOM => random(state, a, b),
        _ => blocking::call(state, call),
    }
}

/// Random bytes that are the same in every run with the same seed.
fn random(state: &State, to: usize, len: usize) -> isize {
    for at in 0..len {
        // SAFETY: the program wants so many bytes there.
        unsafe { ((to + at) as *mut u8).write(state.random_below(256) as u8) };
    }
    len as isize
}

/// After `fork` in the child: nothing is caught, and nobody is under control.
pub fn leave_child(state: &State) {
    if is_on() && !state.current.get().is_null() {
        sys::set_signal_mask(state.current().signal_mask.get());
    }
    set(ALLOW);
    set_text(0, 0);
    context::set_own_thread(core::ptr::null());
}
