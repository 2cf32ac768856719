//! Data races, as an engine reports them.

use raddle_happens::Touch;
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
    /// Something that the engine does not see may order them. They become points, and they are not reported
    /// unless a later run shows them beyond doubt.
    pub in_doubt: bool,
    /// Release sequences order them as C11 and C++17 have them, and as C++20 has them do not.
    pub ordered_by_c11: bool,
}

impl Race {
    /// What makes it another race than others.
    pub fn identity(&self) -> [[u64; 2]; 2] {
        [self.sites, self.callers]
    }

    /// Whether one side is that a local ends. Such a race is not reported: if the order can be the other one, there is an
    /// access to what has ended.
    pub fn is_about_end(&self) -> bool {
        self.touches.contains(&Touch::End)
    }
}
