//! One access, as it is remembered.

use core::ops::Range;

/// The last access of a thread at a program counter to some bytes of a granule, or to a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Access {
    /// Program counter: 48 bits, thread: 16 bits.
    who: u64,
    /// Time of the thread: 32 bits, mask of bytes: 8, touch: 8, whether it is wide: 1.
    what: u64,
}

impl Access {
    /// Of no thread; not equal to any other, since it has no bytes.
    pub(super) const NONE: Access = Access { who: 0, what: 0 };
    const WIDE: u64 = 1 << 48;
    const MASK: u64 = 0xff << 32;
    const TIME: u64 = 0xffff_ffff;

    /// An access to no bytes yet.
    #[inline]
    pub(super) fn new(pc: u64, thread: u32, time: u32, touch: u8) -> Access {
        let what = u64::from(time) | u64::from(touch) << 40;
        Access { who: pc | u64::from(thread) << 48, what }
    }

    pub(super) fn pc(self) -> u64 {
        self.who & ((1 << 48) - 1)
    }

    pub(super) fn thread(self) -> u32 {
        (self.who >> 48) as u32
    }

    pub(super) fn time(self) -> u32 {
        self.what as u32
    }

    pub(super) fn mask(self) -> u8 {
        (self.what >> 32) as u8
    }

    pub(super) fn touch(self) -> u8 {
        (self.what >> 40) as u8
    }

    pub(super) fn is_wide(self) -> bool {
        self.what & Access::WIDE != 0
    }

    /// The same to some bytes of one granule.
    #[inline]
    pub(super) fn to(self, bytes: Range<u64>) -> Access {
        let len = bytes.end - bytes.start;
        let mask = ((1_u64 << len) - 1) << (bytes.start & 7);
        Access { what: self.what & !(Access::MASK | Access::WIDE) | mask << 32, ..self }
    }

    /// The same to all of a block.
    pub(super) fn to_all(self) -> Access {
        Access { what: self.what | Access::MASK | Access::WIDE, ..self }
    }

    /// Whether they do the same to the same bytes at the same program counter.
    pub(super) fn is_like(self, other: Access) -> bool {
        self.pc() == other.pc() && (self.what ^ other.what) & !Access::TIME == 0
    }
}
