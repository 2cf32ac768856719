//! Semaphores and barriers.

/// A semaphore.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SemaphoreId(pub u32);

/// A barrier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BarrierId(pub u32);

/// A counting semaphore.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Semaphore {
    /// Its name.
    pub name: String,
    /// Its value before the first step.
    pub initial: u32,
}

/// A barrier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Barrier {
    /// Its name.
    pub name: String,
    /// How many threads have to arrive before they go on.
    pub n_parties: u32,
}
