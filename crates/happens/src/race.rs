//! Which accesses must be ordered (rule H7).

/// What an access does to memory. As a number, bit 0 says that it writes and bit 1 that it is atomic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// It ends the life of a local, whose place is that of the local. Such a race is in doubt, as it is shown by the
    /// access that comes too late.
    End = 9,
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
            9 => Some(Touch::End),
            _ => None,
        }
    }

    /// Whether it changes anything.
    pub const fn writes(self) -> bool {
        self as u8 & Touch::Write as u8 != 0
    }

    /// Whether two of different threads to the same memory must be ordered.
    #[inline]
    pub const fn conflicts(self, other: Touch) -> bool {
        conflict(self as u8, other as u8)
    }

    /// What it does, in a word or two: `written`.
    pub const fn participle(self) -> &'static str {
        match self {
            Touch::Read => "read",
            Touch::Write => "written",
            Touch::AtomicRead => "read atomically",
            Touch::AtomicWrite => "written atomically",
            Touch::Free | Touch::End => "freed",
        }
    }
}

/// The same for touches as numbers.
#[inline]
pub const fn conflict(one: u8, other: u8) -> bool {
    (one | other) & Touch::Write as u8 != 0 && one & other & Touch::AtomicRead as u8 == 0
}
