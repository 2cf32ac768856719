//! Memory orders.

/// The order of an atomic operation, as it is written. Consume is acquire, as compilers have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// It orders nothing by itself.
    Relaxed,
    /// Reads acquire.
    Acquire,
    /// Writes release.
    Release,
    /// Both.
    AcqRel,
    /// Both, in one order with all others.
    SeqCst,
}

impl Order {
    /// Whether who reads so learns what was released.
    #[inline]
    pub const fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    /// Whether who writes so says what it knows.
    #[inline]
    pub const fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}
