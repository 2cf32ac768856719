//! Values of accesses, in recordings for stories (`Flags::VALUES`).
//!
//! In: each access. Out: right behind its record, what it read or wrote: a number for 1, 2, 4 or 8 bytes, the first
//! bytes for more or other ones. Values are neither counted nor hashed: a run with them is the same run.
//!
//! - V1: a plain access is recorded before it happens. Its value is looked at when its thread comes here
//!   again: before its next record, scheduling point or system call. No other thread has run since, so what is
//!   there is what was read or written, and what the thread has just touched can be read.
//! - V2: where a run ends at an access (a crash, memory that was freed), there is no value.
//! - V3: an atomic operation is recorded after it has happened: what it found is known to who did it, and
//!   what it left is still there.
//! - V4: of what `memcpy` and its like do, reading is recorded, then writing, then both happen. So what is read is looked
//!   at too early to know that it can be read: the system is asked to do it.
//!
//! What code that is not instrumented writes to the same place between an access and that moment, without
//! a system call, is taken for the value of the access.

use raddle_wire::{Code, Record, TextKind};

use super::Recorder;
use crate::sys;

/// How many bytes are looked at.
const BYTES_MAX: usize = 64;

impl Recorder {
    /// Looks at the value of a plain access that was just recorded, as soon as it has happened (V1).
    pub fn expect_value(&self, access: Record) {
        use Code::{Read, ReadRange, Write, WriteRange};
        let has_value = matches!(access.code(), Some(Read | Write | ReadRange | WriteRange));
        if self.is_on() && has_value {
            self.due.set(access);
        }
    }

    /// The thread that did the last access comes back (V1).
    #[inline]
    pub fn settle_value(&self) {
        let access = self.due.replace(Record::default());
        if access.head != 0 {
            self.write_value(access);
        }
    }

    /// Whether the last access has happened is not known (V2).
    pub fn forget_value(&self) {
        self.due.set(Record::default());
    }

    /// An atomic operation that was just recorded has happened, and found this (V3).
    pub fn atomic_value(&self, access: Record, found: u64) {
        if !self.is_on() || !is_word(len(access)) {
            return;
        }
        if access.code() == Some(Code::AtomicUpdate) {
            self.write(Record::valued(Code::Found, found));
        }
        self.write_value(access);
    }

    #[cold]
    #[inline(never)]
    fn write_value(&self, access: Record) {
        let is_range = matches!(access.code(), Some(Code::ReadRange | Code::WriteRange));
        let len = len(access);
        if is_word(len) && !is_range {
            // SAFETY: the running thread has just accessed it.
            let value = unsafe { peek(access.object(), access.detail()) };
            return self.write(Record::valued(Code::Value, value));
        }
        let mut bytes = [0; BYTES_MAX];
        let part = &mut bytes[..len.min(BYTES_MAX)];
        // V4
        if sys::read_own(access.object() as usize, part) {
            match is_word(len) {
                true => {
                    let word = u64::from_le_bytes(*bytes.first_chunk().expect("there are more"));
                    self.write(Record::valued(Code::Value, word));
                }
                false => self.text(TextKind::Bytes, &[part]),
            }
        }
    }
}

/// How many bytes an access is about.
fn len(access: Record) -> usize {
    match access.code() {
        Some(Code::ReadRange | Code::WriteRange) => access.count() as usize,
        _ => access.detail().into(),
    }
}

/// Whether so many bytes are one number.
fn is_word(len: usize) -> bool {
    matches!(len, 1 | 2 | 4 | 8)
}

/// What is there: 1, 2, 4 or 8 bytes, aligned or not.
///
/// # Safety
/// It can be read.
pub unsafe fn peek(address: u64, size: u8) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        match size {
            1 => (address as *const u8).read_volatile().into(),
            2 => (address as *const u16).read_unaligned().into(),
            4 => (address as *const u32).read_unaligned().into(),
            _ => (address as *const u64).read_unaligned(),
        }
    }
}
