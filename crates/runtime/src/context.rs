//! Contexts: stacks and thread pointers that take turns on one thread of the system.
//!
//! A thread of the program is created by the C library, so it has a stack, a thread control block
//! and thread-local storage like any other. Its thread of the system then *parks* on a small stack
//! of its own and leaves all that to the thread that runs the program: `switch` exchanges stack pointer,
//! callee-saved registers, floating-point control words and the `fs` base, which is where the C
//! library and compiled code look for everything that belongs to a thread. When a thread of the
//! program has ended, its thread of the system takes its stack back and ends as the C library
//! wants it to.

use core::arch::{asm, global_asm, naked_asm};
use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::sync::atomic::AtomicU8;

use crate::thread::{Start, Thread};

// One pointer per thread in the initial-exec model: no call is needed to find it.
global_asm!(
    ".pushsection .tbss,\"awT\",@nobits",
    ".balign 8",
    ".hidden raddle_thread",
    ".globl raddle_thread",
    ".type raddle_thread,@object",
    ".size raddle_thread, 8",
    "raddle_thread:",
    ".zero 8",
    ".popsection",
);

/// The thread under control that belongs to this thread pointer; null if there is none.
#[inline(always)]
pub fn own_thread() -> *const Thread {
    let thread: *const Thread;
    // SAFETY: reads the variable defined above. Not `pure`: the answer changes with a switch.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + raddle_thread@GOTTPOFF]",
            "mov {0}, qword ptr fs:[{0}]",
            out(reg) thread,
            options(nostack, readonly, preserves_flags),
        );
    }
    thread
}

/// Says which thread belongs to this thread pointer.
pub fn set_own_thread(thread: *const Thread) {
    // SAFETY: writes the variable defined above.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + raddle_thread@GOTTPOFF]",
            "mov qword ptr fs:[{0}], {1}",
            out(reg) _,
            in(reg) thread,
            options(nostack, preserves_flags),
        );
    }
}

/// The callee-saved registers and the stack pointer of the program when it last called something
/// that can be a scheduling point: `rbx`, `rbp`, `r12` to `r15`, `rsp`.
pub struct Entry(UnsafeCell<[u64; 7]>);

// SAFETY: written and read by the thread that runs.
unsafe impl Sync for Entry {}

/// See [`Entry`].
pub static ENTRY: Entry = Entry(UnsafeCell::new([0; 7]));

/// Not 0 if [`ENTRY`] is kept.
pub static KEEPS_ENTRY: AtomicU8 = AtomicU8::new(0);

/// What [`ENTRY`] holds.
pub fn entry() -> [u64; 7] {
    // SAFETY: only the running thread touches it.
    unsafe { *ENTRY.0.get() }
}

/// Puts back what [`ENTRY`] held before other threads ran.
pub fn set_entry(entry: [u64; 7]) {
    // SAFETY: only the running thread touches it.
    unsafe { *ENTRY.0.get() = entry };
}

/// Whether a thread was entered from `pc` with these registers, on a stack that ends at `end`.
pub fn is_of_call(entry: &[u64; 7], pc: u64, end: u64) -> bool {
    let stack = entry[6];
    // SAFETY: the stack of a thread that is in that call, which ends further up.
    stack != 0 && stack < end && unsafe { *(stack as *const u64) } == pc
}

/// What a thread had in its registers and in the innermost part of its stack, which ends at `end`: a hash.
pub fn fingerprint(entry: &[u64; 7], end: u64) -> u64 {
    const DEPTH: u64 = 1024;
    const N_LANES: usize = 4;
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(9) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let stack = entry[6];
    let n_words = end.min(stack + DEPTH).saturating_sub(stack) / 8;
    // SAFETY: the stack of a thread that is in a call.
    let words = unsafe { core::slice::from_raw_parts(stack as *const u64, n_words as usize) };
    // Several chains, since each multiplication waits for the one before it.
    let mut lanes = [entry[0], entry[1], entry[2], entry[3]];
    let (rows, rest) = words.as_chunks::<N_LANES>();
    for row in rows {
        for (lane, &word) in lanes.iter_mut().zip(row) {
            *lane = mix(*lane, word);
        }
    }
    let ends = rest.iter().chain(&lanes).chain(&entry[4..]);
    let hash = ends.fold(n_words, |hash, &word| mix(hash, word));
    hash ^ hash >> 32
}

/// The thread pointer.
pub fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the first word of a thread control block is its own address.
    unsafe { asm!("mov {0}, qword ptr fs:[0]", out(reg) pointer, options(nostack, readonly)) };
    pointer
}

/// Saves the context that runs and goes on with another one.
///
/// # Safety
/// `stack` was saved by this function or by [`park`], and nothing else runs on it.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(_save: *mut usize, _stack: usize, _thread_pointer: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "wrfsbase rdx",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// A context that begins with a function, on the stack that ends at `end`.
///
/// # Safety
/// That memory is not used.
pub unsafe fn prepare(end: usize, entry: unsafe extern "C" fn() -> !) -> usize {
    const MXCSR_AND_CONTROL_WORD: u64 = 0x037f_0000_1f80;
    const N_REGISTERS: usize = 6;
    // As if the function had been called: the stack is aligned before its return address.
    let top = (end & !15) - 8;
    let mut frame = [0; N_REGISTERS + 2];
    frame[0] = MXCSR_AND_CONTROL_WORD;
    frame[N_REGISTERS + 1] = entry as usize as u64;
    let stack = (top as *mut [u64; N_REGISTERS + 2]).wrapping_sub(1);
    // SAFETY: as the caller says; `top` is aligned to words.
    unsafe { stack.write(frame) };
    stack as usize
}

/// Saves the context of a thread of the system for others to run, and calls `parked(argument)` on
/// another stack. When that returns, the thread takes its stack back from `*save` as it is then.
///
/// # Safety
/// `stack` is the end of memory that is not used; `parked` returns only when nothing else runs on
/// the saved stack any more.
#[unsafe(naked)]
pub unsafe extern "C" fn park(
    _save: *mut usize,
    _stack: usize,
    _parked: unsafe extern "C" fn(*const Thread),
    _argument: *const Thread,
) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "push rdi",
        "push rdi",
        "mov rdi, rcx",
        "call rdx",
        "pop rdi",
        "mov rsp, [rdi]",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// Calls a thread's function, after saving where [`leave`] can come back to. What unwinds a stack
/// sees the end of it here.
///
/// # Safety
/// As the function demands.
#[unsafe(naked)]
pub unsafe extern "C" fn call(
    _save: *mut usize,
    _start: Start,
    _argument: *mut c_void,
) -> *mut c_void {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [rdi], rsp",
        "mov rdi, rdx",
        "call rsi",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        ".cfi_endproc",
    )
}

/// Returns from [`call`] with a result, whatever the function is doing.
///
/// # Safety
/// `stack` was saved by a [`call`] that has not returned and runs on the same stack.
#[unsafe(naked)]
pub unsafe extern "C" fn leave(_stack: usize, _result: *mut c_void) -> ! {
    naked_asm!(
        "mov rsp, rdi",
        "mov rax, rsi",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}
