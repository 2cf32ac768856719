//! Data races, as an engine reports them.

use serde::{Deserialize, Serialize};

/// Two accesses of two threads to the same memory, one of them a write, that nothing orders.
///
/// Everything that an engine needs to describe it is in it: who describes it may have run
/// something else since. Numbers are those of the engine, and the same in all runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Race {
    /// Where they are in the program; the smaller one first, and everything else in their order.
    pub sites: [u64; 2],
    /// Where people look for them: the calls that led into a library.
    pub callers: [u64; 2],
    /// What they do.
    pub touches: [Touch; 2],
    /// The threads.
    pub threads: [u32; 2],
    /// The functions that the threads were started with.
    pub starts: [u32; 2],
    /// What kind of object they access, and which one.
    pub object: (u32, u64),
    /// The first byte of it that both access, and how many.
    pub bytes: (u32, u32),
    /// The point whose choice led to the later one.
    pub point: u32,
    /// Something that the engine does not see may order them. They become points, and nobody is told
    /// unless a later run shows them beyond doubt.
    pub in_doubt: bool,
}

impl Race {
    /// What makes it another race than others.
    pub fn identity(&self) -> [[u64; 2]; 2] {
        [self.sites, self.callers]
    }

    /// Whether one side is that a local ends: nobody is told, as there is an access to what has ended if the order
    /// can be the other one.
    pub fn is_about_end(&self) -> bool {
        self.touches.contains(&Touch::End)
    }
}

/// What an access of a race does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Touch {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads atomically.
    AtomicRead,
    /// It writes atomically, and may read.
    AtomicWrite,
    /// It ends the life of the object.
    Free,
    /// It ends the life of a local, whose place is that of the local. Such a race is in doubt, as it is shown by the
    /// access that comes too late.
    End,
}

impl Touch {
    /// Whether it changes anything.
    pub fn writes(self) -> bool {
        !matches!(self, Touch::Read | Touch::AtomicRead)
    }

    /// Whether it is atomic.
    pub fn is_atomic(self) -> bool {
        matches!(self, Touch::AtomicRead | Touch::AtomicWrite)
    }

    /// Whether two of different threads to the same memory must be ordered.
    pub fn conflicts(self, other: Touch) -> bool {
        (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }
}
