//! What ends a run: using memory that was freed, or freeing what cannot be.

use core::fmt;

use raddle_wire::{Code, OutcomeKind, Record};

use super::BLOCKS;
use super::quarantine::Block;
use crate::outcome::{self, End};
use crate::state::State;

/// Ends the run if the first byte of an access lies in a block that was freed.
#[inline(always)]
pub fn check(state: &State, record: Record) {
    check_at(state, record, record.object());
}

/// Ends the run if a byte of an access lies in a block that was freed.
#[inline(always)]
pub fn check_at(state: &State, record: Record, address: u64) {
    if state.shadow.is_freed(address) {
        ended_by(record, address);
    }
}

/// A byte of an access lies in a block that was freed.
#[cold]
#[inline(never)]
fn ended_by(record: Record, address: u64) {
    // A child after `fork` has the shadow, too, but no host to report to.
    let Some(state) = State::active() else { return };
    let Some(block) = BLOCKS.0.with(|blocks| blocks.find(address)) else { return };
    let use_of = Use { record, block };
    let kind = if use_of.frees() { OutcomeKind::BadFree } else { OutcomeKind::UseAfterFree };
    outcome::finish(state, End { kind, pc: record.pc(), address }, format_args!("{use_of}"))
}

/// The program frees what no allocation ever returned: all of them are aligned to 16 bytes.
pub fn misaligned(state: &State, address: u64, pc: u64) -> ! {
    let end = End { kind: OutcomeKind::BadFree, pc, address };
    outcome::finish(state, end, format_args!("free of an address that malloc did not return"))
}

/// An access, and the block that was freed before it.
struct Use {
    record: Record,
    block: Block,
}

impl Use {
    fn frees(&self) -> bool {
        self.record.code() == Some(Code::Free)
    }

    /// How many bytes are used; 0 if that is not known.
    fn n_bytes(&self) -> u32 {
        match self.record.code() {
            Some(Code::ReadRange | Code::WriteRange) => self.record.count(),
            _ => self.record.detail().into(),
        }
    }

    fn verb(&self) -> &'static str {
        match self.record.code() {
            Some(Code::Read | Code::ReadRange | Code::AtomicLoad | Code::AtomicMiss) => "reads",
            Some(Code::Write | Code::WriteRange | Code::AtomicStore) => "writes",
            Some(Code::AtomicUpdate) => "updates",
            Some(Code::Free) => "frees",
            _ => "uses",
        }
    }
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Block { address, size, pc, thread, .. } = self.block;
        let offset = self.record.object().saturating_sub(address);
        match self.frees() {
            true => write!(f, "memory is freed twice: {} ", self.verb())?,
            false => write!(f, "use of memory after it was freed: {} ", self.verb())?,
        }
        match self.n_bytes() {
            0 if self.frees() && offset == 0 => write!(f, "a block of {size} bytes")?,
            0 if self.frees() => write!(f, "offset {offset} of a block of {size} bytes")?,
            0 => write!(f, "an object at offset {offset} of a block of {size} bytes")?,
            1 => write!(f, "1 byte at offset {offset} of a block of {size} bytes")?,
            n => write!(f, "{n} bytes at offset {offset} of a block of {size} bytes")?,
        }
        write!(f, " that was freed by thread {thread} at {pc:#x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[track_caller]
    fn check(record: Record, expected: &str) {
        let block = Block { address: 0x100, size: 24, usable: 24, pc: 0x40, thread: 2 };
        let text = Use { record, block }.to_string();
        let wrong = ["use of memory after it was freed: ", "memory is freed twice: "];
        let text = text.strip_prefix(wrong[usize::from(record.code() == Some(Code::Free))]);
        let text = text.and_then(|text| text.strip_suffix(" that was freed by thread 2 at 0x40"));
        assert_eq!(text, Some(expected));
    }

    #[test]
    fn a_message_says_what_is_done_to_which_part() {
        let new = |code, object, detail| Record::new(code, object, detail, 0, 0);
        check(new(Code::Read, 0x108, 4), "reads 4 bytes at offset 8 of a block of 24 bytes");
        check(new(Code::Write, 0x100, 1), "writes 1 byte at offset 0 of a block of 24 bytes");
        let range = Record::counted(Code::WriteRange, 0x100, 70_000, 0);
        check(range, "writes 70000 bytes at offset 0 of a block of 24 bytes");
        check(new(Code::Free, 0x100, 0), "frees a block of 24 bytes");
        check(new(Code::Lock, 0x110, 0), "uses an object at offset 16 of a block of 24 bytes");
        check(new(Code::Free, 0x110, 0), "frees offset 16 of a block of 24 bytes");
    }
}
