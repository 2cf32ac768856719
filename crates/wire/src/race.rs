//! Data races, as the runtime tells them.

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
    /// What they do: each a `Touch` of `raddle_happens` as a number; the other side checks it.
    pub touches: [u8; 2],
    /// Not 0 if something that is not seen may order them.
    pub doubt: u16,
    /// Not 0 if release sequences order them as C11 has them, and as C++20 has them do not.
    pub ordered_by_c11: u16,
}
