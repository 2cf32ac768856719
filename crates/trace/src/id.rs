//! Dense identifiers: newtypes over `u32` that index the tables and columns of a trace.

/// Marks "none" in columns that hold an optional id.
pub(crate) const NONE: u32 = u32::MAX;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table or column.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// A position in the trace: event 0 happened first.
    EventId,
    /// A thread.
    ThreadId,
    /// A variable: a named piece of memory of one size.
    VarId,
    /// An elementary piece of memory; variables that overlap share cells.
    CellId,
    /// A lock: a mutex, a reader-writer lock or a monitor.
    LockId,
    /// A condition variable, or a monitor in its role as one.
    CondId,
    /// A counting semaphore.
    SemaphoreId,
    /// A barrier.
    BarrierId,
    /// The label of a transaction, a block that is meant to be atomic.
    TransactionId,
    /// A piece of memory that is allocated and freed as a whole.
    RegionId,
    /// A place in the source.
    LocationId,
    /// A call stack.
    StackId,
    /// The critical section between an acquire and its release.
    ScopeId,
}
