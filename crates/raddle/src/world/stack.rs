//! Local states, as far as they can be compared: the stack of a thread, and its registers.
//!
//! In: a thread of an execution. Out: what is on its stack. What it has on the heap is not part of that, so two states
//! with one stack may differ; two with different stacks may be the same but for what is still there of functions that
//! have returned.

use std::ptr;

use super::World;

/// How much of a stack is compared: the functions that were called last.
const N_COMPARED: usize = 16 << 10;

/// How much of what functions have left on a stack is cleared.
const N_CLEARED: usize = 4 << 10;

impl World {
    /// The end of the stack of the current thread at which it began, if it is the caller's.
    pub(super) fn stack_base(&self) -> Option<usize> {
        let here = 0_u8;
        let at = (&raw const here).addr();
        self.fibers.stack(self.current).filter(|stack| stack.contains(&at)).map(|stack| stack.end)
    }
}

/// The stack of the thread that calls, from a variable of the caller to where the stack began, and registers. Other
/// variables of the caller should be few: where one was not written to, there is what functions that have returned
/// have left.
#[inline(always)]
pub(super) fn copy(base: usize, to: &mut Vec<u64>) {
    // What the caller, or who called it, has put into a register of its own, it has kept on the stack before, above
    // its variables: whatever the thread had there is seen in one place or the other.
    let registers = registers();
    copy_from((&raw const registers).addr(), base, to);
}

#[inline(never)]
fn copy_from(from: usize, base: usize, to: &mut Vec<u64>) {
    to.clear();
    // SAFETY: each lies between a variable of the caller and where the stack began, so it is mapped, and it is a
    // number to whoever reads it as one.
    let word = |at| unsafe { ptr::with_exposed_provenance::<u64>(at).read_volatile() };
    to.extend((from..base.min(from + N_COMPARED)).step_by(8).map(word));
}

/// Clears what functions that have returned have left below the stack of the caller.
#[inline(never)]
pub(super) fn clear() {
    std::hint::black_box([0_u8; N_CLEARED]);
}

/// The registers that functions leave as they find them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn registers() -> [u64; 6] {
    let (b, bp, r12, r13, r14, r15): (u64, u64, u64, u64, u64, u64);
    // SAFETY: registers are read, nothing else.
    unsafe {
        std::arch::asm!(
            "mov {b}, rbx",
            "mov {bp}, rbp",
            "mov {r12}, r12",
            "mov {r13}, r13",
            "mov {r14}, r14",
            "mov {r15}, r15",
            b = out(reg) b,
            bp = out(reg) bp,
            r12 = out(reg) r12,
            r13 = out(reg) r13,
            r14 = out(reg) r14,
            r15 = out(reg) r15,
            options(nomem, nostack, preserves_flags),
        );
    }
    [b, bp, r12, r13, r14, r15]
}

/// Elsewhere what is only in registers is not seen.
#[cfg(not(target_arch = "x86_64"))]
fn registers() -> [u64; 6] {
    [0; 6]
}
