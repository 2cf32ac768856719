//! Defects: rules that can be broken on purpose, so that tests can show that they would notice.
//!
//! Only the feature `defects` puts them in, which no other crate of the workspace asks for; without it a question about
//! one is answered when the code is compiled, and costs nothing. At most one is there at a time, for the whole process
//! and for the programs that it runs, whose runtime is given its number with the flags of the run.

#[cfg(feature = "defects")]
use core::sync::atomic::{AtomicUsize, Ordering};

/// A rule that is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Defect {
    /// Leaving a thread within its round costs a preemption (P2).
    LeavingCosts,
    /// A thread spins if it has changed nothing for a few operations.
    QuietSpins,
    /// Of the questions of a thread that spins only one answer is tried.
    OneAnswer,
    /// A thread whose round changes something waits for others to change something (P3).
    RestoringWaits,
    /// Threads whose rounds change something never get anywhere (P4).
    RestoringIsStuck,
    /// What threads want that are left in a livelock is not noted.
    NobodyIsLeft,
    /// What can fail instead of blocking is excluded by who gives back.
    TryBlocks,
    /// Inputs have their first value only.
    FirstInput,
    /// Executions that end in a false assumption count.
    AssumptionsCount,
    /// A thread that gives a lock back in its round is set aside with it (P3, Rust).
    KeepsLock,
    /// A loop is endless as soon as something was done twice (P5, Rust).
    NoTrial,
    /// A wait that may end spuriously always can (C4, Rust).
    AlwaysWakes,
    /// Readers pass writers that wait (Q2, Rust).
    ReadersPass,
    /// A wait runs out only when its lock is free (binaries).
    LateWakes,
}

#[cfg(feature = "defects")]
static THERE: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Where the number is in the flags of a run, which use few of the bits below.
#[cfg(feature = "defects")]
const FLAGS_SHIFT: u32 = 24;

impl Defect {
    /// Whether this rule is broken.
    #[inline(always)]
    pub fn is_there(self) -> bool {
        #[cfg(feature = "defects")]
        return THERE.load(Ordering::Relaxed) == self as usize;
        #[cfg(not(feature = "defects"))]
        false
    }

    /// The flags of a run that say which rule is broken in the program, too.
    #[inline(always)]
    pub fn flags() -> u32 {
        #[cfg(feature = "defects")]
        return (THERE.load(Ordering::Relaxed).wrapping_add(1) as u32) << FLAGS_SHIFT;
        #[cfg(not(feature = "defects"))]
        0
    }

    /// Breaks the rule that these flags name.
    #[cfg(feature = "defects")]
    pub fn put_in_by(flags: u32) {
        THERE.store((flags as usize >> FLAGS_SHIFT).wrapping_sub(1), Ordering::Relaxed);
    }

    /// Breaks this rule, and mends the one that was broken before.
    #[cfg(feature = "defects")]
    pub fn put_in(self) {
        THERE.store(self as usize, Ordering::Relaxed);
    }
}
