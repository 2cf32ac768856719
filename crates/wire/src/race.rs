//! Data races, as the runtime tells them.

/// What an access does to memory. As a number, bit 0 says that it writes and bit 1 that it is
/// atomic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Touch {
    /// It reads.
    Read = 0,
    /// It writes.
    Write = 1,
    /// It reads atomically.
    AtomicRead = 2,
    /// It writes atomically, and may read.
    AtomicWrite = 3,
    /// It gives the memory back.
    Free = 5,
}

impl Touch {
    /// The touch with a number.
    pub const fn from_number(number: u8) -> Option<Touch> {
        match number {
            0 => Some(Touch::Read),
            1 => Some(Touch::Write),
            2 => Some(Touch::AtomicRead),
            3 => Some(Touch::AtomicWrite),
            5 => Some(Touch::Free),
            _ => None,
        }
    }
}

/// Two accesses of two threads to the same bytes, one of them a write and not both atomic, that
/// nothing orders. What there is two of is in the order of the program counters; if those are the
/// same, the earlier access is the first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct RaceRecord {
    /// Where they are in the program; the smaller one first.
    pub pcs: [u64; 2],
    /// The first byte that both access.
    pub address: u64,
    /// The threads.
    pub threads: [u32; 2],
    /// The scheduling point that led to the later one.
    pub point: u32,
    /// How many bytes from there on both access, up to the end of the eight aligned bytes, or the
    /// 512 if both access all of these.
    pub n_bytes: u16,
    /// What they do: each a [`Touch`] as a number; the other side checks it.
    pub touches: [u8; 2],
    /// Not 0 if something that is not seen may order them.
    pub doubt: u32,
}
