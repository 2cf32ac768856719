//! Operations: what threads are about to do at a point, and whose order can matter.

use crate::numbered::numbered;

/// What a thread is about to do, as far as other threads can notice. What concerns several objects
/// is as many operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Operation {
    /// Who.
    pub thread: u32,
    /// What it does to the object.
    pub access: Access,
    /// What it does it to: equal numbers are the same thing within a run.
    pub object: u64,
}

numbered! {
    /// What an operation does to its object.
    pub enum Access: u32 {
        /// Nothing that other threads can notice.
        Local = 0,
        /// It reads.
        Read = 1,
        /// It writes, and may read.
        Write = 2,
        /// It synchronises and never blocks.
        Sync = 3,
        /// It gives back what others block for; it never happens while one of them can go on.
        Release = 4,
        /// It synchronises and can block.
        Block = 5,
        /// It may do anything to any object.
        Any = 6,
    }
}

impl Operation {
    /// Whether it does something to an object that others can see.
    pub fn is_on(&self, object: u64) -> bool {
        self.access != Access::Local && self.object == object
    }

    /// Whether the order of two operations can matter.
    pub fn conflicts(&self, other: &Operation) -> bool {
        use Access::{Any, Local, Read};
        match (self.access, other.access) {
            (Local, _) | (_, Local) | (Read, Read) => false,
            (Any, _) | (_, Any) => true,
            _ => self.object == other.object,
        }
    }
}

/// What a thread does among the operations of a point.
pub fn of_thread(
    operations: &[Operation],
    thread: u32,
) -> impl Iterator<Item = &Operation> + Clone {
    operations.iter().filter(move |operation| operation.thread == thread)
}
