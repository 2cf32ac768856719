//! System calls, made here and not by the C library.
//!
//! While system calls of the program are caught (`trap`), those made by the text of this library
//! are not; so everything that the runtime wants from the kernel goes through here.

use core::arch::asm;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

mod file;

pub use file::{Whence, close, map_file, max_file_len, read_file, seek};

/// Numbers of the system calls in use (x86-64).
#[allow(missing_docs)]
pub mod nr {
    pub const READ: usize = 0;
    pub const WRITE: usize = 1;
    pub const OPEN: usize = 2;
    pub const CLOSE: usize = 3;
    pub const POLL: usize = 7;
    pub const LSEEK: usize = 8;
    pub const MMAP: usize = 9;
    pub const MPROTECT: usize = 10;
    pub const MUNMAP: usize = 11;
    pub const BRK: usize = 12;
    pub const RT_SIGACTION: usize = 13;
    pub const RT_SIGPROCMASK: usize = 14;
    pub const PWRITE: usize = 18;
    pub const SCHED_YIELD: usize = 24;
    pub const MADVISE: usize = 28;
    pub const GETPID: usize = 39;
    pub const FORK: usize = 57;
    pub const WAIT4: usize = 61;
    pub const FTRUNCATE: usize = 77;
    pub const PRCTL: usize = 157;
    pub const GETTID: usize = 186;
    pub const FUTEX: usize = 202;
    pub const CLOCK_GETTIME: usize = 228;
    pub const EXIT_GROUP: usize = 231;
    pub const TGKILL: usize = 234;
    pub const FALLOCATE: usize = 285;
    pub const PRLIMIT: usize = 302;
    pub const PROCESS_VM_READV: usize = 310;
}

/// Makes a system call; the answer is negative for an error.
///
/// # Safety
/// The arguments are what the kernel expects for this number.
#[inline(always)]
pub unsafe fn call(number: usize, args: [usize; 6]) -> isize {
    let answer: isize;
    // SAFETY: the kernel changes no other registers, and does to memory what the call says, as the caller has checked.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number as isize => answer,
            in("rdi") args[0],
            in("rsi") args[1],
            in("rdx") args[2],
            in("r10") args[3],
            in("r8") args[4],
            in("r9") args[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// Makes a system call with up to three arguments.
///
/// # Safety
/// As [`call`].
#[inline(always)]
pub unsafe fn call3(number: usize, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: as the caller says.
    unsafe { call(number, [a, b, c, 0, 0, 0]) }
}

/// Copies memory of this process that may not be there; whether all of it was.
pub fn read_own(from: usize, to: &mut [u8]) -> bool {
    let len = to.len();
    let (here, there) = ([to.as_mut_ptr() as usize, len], [from, len]);
    let (here, there) = (here.as_ptr() as usize, there.as_ptr() as usize);
    // SAFETY: `to` has room for so many bytes, and what is not there is an error.
    unsafe {
        let process = call3(nr::GETPID, 0, 0, 0) as usize;
        call(nr::PROCESS_VM_READV, [process, here, 1, there, 1, 0]) == len as isize
    }
}

/// Writes text to standard error.
pub fn write_error(text: &[u8]) {
    // SAFETY: the text is readable for its length.
    unsafe { call3(nr::WRITE, 2, text.as_ptr() as usize, text.len()) };
}

/// Where the next mapping should be: far from where the system would put it. So what the runtime
/// maps, which depends on whether it records, does not move what the program maps.
fn place(len: usize) -> usize {
    const START: usize = 1 << 44;
    const GAP: usize = 1 << 16;
    static NEXT: AtomicUsize = AtomicUsize::new(START);
    NEXT.fetch_add((len + GAP).next_multiple_of(GAP), Ordering::Relaxed)
}

/// Maps memory that is not shared; null if there is none.
pub fn map(len: usize) -> *mut u8 {
    const READ_WRITE: usize = 3;
    const PRIVATE_ANONYMOUS_NORESERVE: usize = 0x4022;
    let at = place(len);
    // SAFETY: a new mapping touches nothing that exists.
    let address = unsafe {
        call(nr::MMAP, [at, len, READ_WRITE, PRIVATE_ANONYMOUS_NORESERVE, usize::MAX, 0])
    };
    if address < 0 {
        return core::ptr::null_mut();
    }
    crate::explore::mapped(address as usize, len);
    address as *mut u8
}

/// Maps memory that stays as it is when the state of the program is put back to an earlier one, and
/// that a child shares with its parent; null if there is none.
pub fn map_kept(len: usize) -> *mut u8 {
    const READ_WRITE: usize = 3;
    const SHARED_ANONYMOUS_NORESERVE: usize = 0x4021;
    let at = place(len);
    // SAFETY: a new mapping touches nothing that exists.
    let address =
        unsafe { call(nr::MMAP, [at, len, READ_WRITE, SHARED_ANONYMOUS_NORESERVE, usize::MAX, 0]) };
    if address < 0 {
        return core::ptr::null_mut();
    }
    leave_out_of_cores(address as usize, len);
    address as *mut u8
}

/// Says that memory is of no interest to who looks at a core file.
fn leave_out_of_cores(address: usize, len: usize) {
    const NOT_IN_CORES: usize = 16;
    // SAFETY: advice on a mapping that is ours.
    unsafe { call3(nr::MADVISE, address, len, NOT_IN_CORES) };
}

/// Gives a mapping back.
///
/// # Safety
/// It is a whole mapping, and it is not used any more.
pub unsafe fn unmap(address: *mut u8, len: usize) {
    // SAFETY: as the caller says.
    unsafe { call3(nr::MUNMAP, address as usize, len, 0) };
}

/// Moves the end of the heap, or not if it cannot be there; where it is then.
pub fn set_heap_end(end: usize) -> usize {
    // SAFETY: who moves it back gives up what lies behind it.
    unsafe { call3(nr::BRK, end, 0, 0) as usize }
}

/// Changes what may be done to pages; below 0 if that is not possible.
///
/// # Safety
/// Who uses the pages expects it.
pub unsafe fn protect(start: usize, len: usize, rights: usize) -> isize {
    // SAFETY: as the caller says.
    unsafe { call3(nr::MPROTECT, start, len, rights) }
}

/// Lets the kernel end this process as soon as its parent has ended.
pub fn end_with_parent() {
    const SET_DEATH_SIGNAL: usize = 1;
    const SIGKILL: usize = 9;
    // SAFETY: two numbers.
    unsafe { call3(nr::PRCTL, SET_DEATH_SIGNAL, SIGKILL, 0) };
}

/// Waits while a word has a value.
pub fn futex_wait(word: &AtomicU32, value: u32) {
    const WAIT_PRIVATE: usize = 128;
    // SAFETY: the word is alive for the call.
    unsafe { call3(nr::FUTEX, word.as_ptr() as usize, WAIT_PRIVATE, value as usize) };
}

/// Wakes the threads that wait for a word.
pub fn futex_wake(word: &AtomicU32) {
    const WAKE_PRIVATE: usize = 129;
    // SAFETY: the word is alive for the call.
    unsafe { call3(nr::FUTEX, word.as_ptr() as usize, WAKE_PRIVATE, i32::MAX as usize) };
}

/// Moves a thread that waits for a word, which is 0, to another word; whether there was one.
pub fn futex_move(from: &AtomicU32, to: &AtomicU32) -> bool {
    const COMPARE_AND_REQUEUE_PRIVATE: usize = 132;
    let (from, to) = (from.as_ptr() as usize, to.as_ptr() as usize);
    // SAFETY: both words are alive for the call.
    unsafe { call(nr::FUTEX, [from, COMPARE_AND_REQUEUE_PRIVATE, 0, 1, to, 0]) == 1 }
}

/// Waits while a word that processes share has a value.
pub fn futex_wait_shared(word: &AtomicU32, value: u32) {
    const WAIT: usize = 0;
    // SAFETY: the word is alive for the call.
    unsafe { call3(nr::FUTEX, word.as_ptr() as usize, WAIT, value as usize) };
}

/// Wakes the threads that wait for a word that processes share.
pub fn futex_wake_shared(word: &AtomicU32) {
    const WAKE: usize = 1;
    // SAFETY: the word is alive for the call.
    unsafe { call3(nr::FUTEX, word.as_ptr() as usize, WAKE, i32::MAX as usize) };
}

/// Sets a word to 1 and wakes the threads that wait for that.
pub fn raise(word: &AtomicU32) {
    word.store(1, Ordering::Release);
    futex_wake(word);
}

/// Waits until a word is 1 and sets it back to 0.
pub fn take(word: &AtomicU32) {
    while word.swap(0, Ordering::Acquire) == 0 {
        futex_wait(word, 0);
    }
}

/// The number of this thread in the system.
pub fn thread_id() -> u32 {
    // SAFETY: no arguments.
    unsafe { call3(nr::GETTID, 0, 0, 0) as u32 }
}

/// The number of this process.
pub fn process_id() -> u32 {
    // SAFETY: no arguments.
    unsafe { call3(nr::GETPID, 0, 0, 0) as u32 }
}

/// Whether a thread of this process still exists.
pub fn thread_exists(thread: u32) -> bool {
    const NO_SUCH_PROCESS: isize = -3;
    // SAFETY: signal 0 only asks.
    unsafe { call3(nr::TGKILL, process_id() as usize, thread as usize, 0) != NO_SUCH_PROCESS }
}

/// Lets others of the system run.
pub fn give_way() {
    // SAFETY: no arguments.
    unsafe { call3(nr::SCHED_YIELD, 0, 0, 0) };
}

/// Replaces the mask of signals of this thread of the system; the old one.
pub fn set_signal_mask(mask: u64) -> u64 {
    const SET: usize = 2;
    let mut old = 0u64;
    // SAFETY: both masks are 8 bytes, as said.
    unsafe {
        call(
            nr::RT_SIGPROCMASK,
            [SET, (&raw const mask) as usize, (&raw mut old) as usize, 8, 0, 0],
        )
    };
    old
}

/// Ends the process at once.
pub fn exit_group(code: i32) -> ! {
    loop {
        // SAFETY: nothing is used after it.
        unsafe { call3(nr::EXIT_GROUP, code as usize, 0, 0) };
    }
}

/// Time of a clock of the system, in nanoseconds.
pub fn clock(id: i32) -> u64 {
    let mut time = [0u64; 2];
    // SAFETY: `time` has the layout of a `timespec`.
    unsafe { call3(nr::CLOCK_GETTIME, id as usize, time.as_mut_ptr() as usize, 0) };
    time[0] * 1_000_000_000 + time[1]
}
