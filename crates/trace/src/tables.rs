//! Tables: the names and attributes of everything that events refer to.

use crate::id::{BarrierId, NONE, SemaphoreId, StackId, ThreadId, VarId};
use crate::names::Names;
use crate::op::ObjectClass;

/// The piece of memory that a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// Index into [`Tables::regions`].
    pub region: u32,
    /// Bytes from the start of the region.
    pub offset: u64,
    /// Bytes.
    pub size: u32,
}

/// One call: where it happened and from where that was called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Frame {
    /// The frame outside of this one.
    pub caller: Option<StackId>,
    /// Index into [`Tables::locations`].
    pub location: u32,
}

/// Everything that events refer to by a dense id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tables {
    /// Names of threads.
    pub threads: Names,
    /// Names of variables.
    pub variables: Names,
    /// Names of locks.
    pub locks: Names,
    /// Names of condition variables.
    pub conditions: Names,
    /// Names of semaphores.
    pub semaphores: Names,
    /// Names of barriers.
    pub barriers: Names,
    /// Labels of transactions.
    pub transactions: Names,
    /// Names of regions of memory.
    pub regions: Names,
    /// Source locations, as they are shown.
    pub locations: Names,
    ranges: Vec<Option<Range>>,
    initials: Vec<u32>,
    parties: Vec<u32>,
    frames: Vec<Frame>,
}

impl Tables {
    /// The names of a class of objects.
    pub fn names(&self, class: ObjectClass) -> Option<&Names> {
        Some(match class {
            ObjectClass::Variable => &self.variables,
            ObjectClass::Lock => &self.locks,
            ObjectClass::Thread => &self.threads,
            ObjectClass::Condition => &self.conditions,
            ObjectClass::Semaphore => &self.semaphores,
            ObjectClass::Barrier => &self.barriers,
            ObjectClass::Transaction => &self.transactions,
            ObjectClass::Region => &self.regions,
            ObjectClass::None => return None,
        })
    }

    /// The names of a class of objects, to add to them.
    pub(crate) fn names_mut(&mut self, class: ObjectClass) -> Option<&mut Names> {
        Some(match class {
            ObjectClass::Variable => &mut self.variables,
            ObjectClass::Lock => &mut self.locks,
            ObjectClass::Thread => &mut self.threads,
            ObjectClass::Condition => &mut self.conditions,
            ObjectClass::Semaphore => &mut self.semaphores,
            ObjectClass::Barrier => &mut self.barriers,
            ObjectClass::Transaction => &mut self.transactions,
            ObjectClass::Region => &mut self.regions,
            ObjectClass::None => return None,
        })
    }

    /// The name of a thread.
    pub fn thread(&self, thread: ThreadId) -> &str {
        self.threads.get(thread.0).unwrap_or("?")
    }

    /// The piece of memory behind a variable, if it is known.
    pub fn range(&self, var: VarId) -> Option<Range> {
        self.ranges.get(var.index()).copied().flatten()
    }

    /// Says which piece of memory a variable is.
    pub fn set_range(&mut self, var: VarId, range: Range) {
        put(&mut self.ranges, var.index(), Some(range), None);
    }

    /// The variables whose piece of memory is known, with that piece.
    pub fn ranges(&self) -> impl Iterator<Item = (VarId, Range)> {
        self.ranges.iter().enumerate().filter_map(|(v, r)| Some((VarId(v as u32), (*r)?)))
    }

    /// The count a semaphore starts with, if it is known.
    pub fn initial(&self, semaphore: SemaphoreId) -> Option<u32> {
        self.initials.get(semaphore.index()).copied().filter(|&n| n != NONE)
    }

    /// Says which count a semaphore starts with.
    pub fn set_initial(&mut self, semaphore: SemaphoreId, count: u32) {
        put(&mut self.initials, semaphore.index(), count, NONE);
    }

    /// How many threads a barrier waits for, if it is known.
    pub fn parties(&self, barrier: BarrierId) -> Option<u32> {
        self.parties.get(barrier.index()).copied().filter(|&n| n != NONE)
    }

    /// Says how many threads a barrier waits for.
    pub fn set_parties(&mut self, barrier: BarrierId, count: u32) {
        put(&mut self.parties, barrier.index(), count, NONE);
    }

    /// The innermost frame of a stack.
    pub fn frame(&self, stack: StackId) -> Option<Frame> {
        self.frames.get(stack.index()).copied()
    }

    /// Adds a frame. Its caller must have been added before it.
    pub fn add_frame(&mut self, frame: Frame) -> StackId {
        let id = StackId(self.frames.len() as u32);
        assert!(frame.caller.is_none_or(|c| c < id), "a caller is added before its callee");
        self.frames.push(frame);
        id
    }

    /// Every frame, in the order of the stack ids.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        let names = [
            &self.threads,
            &self.variables,
            &self.locks,
            &self.conditions,
            &self.semaphores,
            &self.barriers,
            &self.transactions,
            &self.regions,
            &self.locations,
        ];
        names.iter().map(|n| n.memory()).sum::<usize>()
            + self.ranges.capacity() * size_of::<Option<Range>>()
            + self.frames.capacity() * size_of::<Frame>()
            + 4 * (self.initials.capacity() + self.parties.capacity())
    }
}

fn put<T: Copy>(column: &mut Vec<T>, index: usize, value: T, fill: T) {
    if column.len() <= index {
        column.resize(index + 1, fill);
    }
    column[index] = value;
}
