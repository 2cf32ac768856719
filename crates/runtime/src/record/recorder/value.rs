//! Values of accesses, in recordings that are told (`Flags::VALUES`).
//!
//! In: each access of 1, 2, 4 or 8 bytes. Out: right behind its record, what it read or wrote. Values are
//! neither counted nor hashed: a run with them is the same run.
//!
//! - V1: a plain access is recorded before it happens. Its value is looked at when its thread comes here
//!   again: before its next record, scheduling point or system call. Nobody else has run since, so what is
//!   there is what was read or written, and what the thread has just touched can be read.
//! - V2: where a run ends at an access (a crash, memory that was freed), there is no value.
//! - V3: an atomic operation is recorded after it has happened: what it found is known to who did it, and
//!   what it left is still there.
//!
//! What code that nobody instrumented writes to the same place between an access and that moment, without
//! a system call, is taken for the value of the access.

use raddle_wire::{Code, Record};

use super::Recorder;

impl Recorder {
    /// Looks at the value of a plain access that was just recorded, as soon as it has happened (V1).
    pub fn expect_value(&self, access: Record) {
        let has_value = matches!(access.code(), Some(Code::Read | Code::Write));
        if self.is_on() && has_value && is_word(access) {
            self.due.set(access.head);
        }
    }

    /// The thread that did the last access comes back (V1).
    #[inline]
    pub fn settle_value(&self) {
        let head = self.due.replace(0);
        if head != 0 {
            self.write_value(Record { head, tail: 0 });
        }
    }

    /// Nobody knows whether the last access has happened (V2).
    pub fn forget_value(&self) {
        self.due.set(0);
    }

    /// An atomic operation that was just recorded has happened, and found this (V3).
    pub fn atomic_value(&self, access: Record, found: u64) {
        if !self.is_on() || !is_word(access) {
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
        // SAFETY: the running thread has just accessed it.
        let value = unsafe { peek(access.object(), access.detail()) };
        self.write(Record::valued(Code::Value, value));
    }
}

/// Whether an access is of a size that has a value.
fn is_word(access: Record) -> bool {
    matches!(access.detail(), 1 | 2 | 4 | 8)
}

/// What is there: 1, 2, 4 or 8 bytes, aligned or not.
///
/// # Safety
/// It can be read.
pub unsafe fn peek(address: u64, size: u8) -> u64 {
    match size {
        1 => (address as *const u8).read_volatile().into(),
        2 => (address as *const u16).read_unaligned().into(),
        4 => (address as *const u32).read_unaligned().into(),
        _ => (address as *const u64).read_unaligned(),
    }
}
