//! Plain memory accesses.
//!
//! This is the hot path of everything: count, hash, record. Whatever else may have to be done is
//! behind the one question whether the budget is used up.

use raddle_wire::{Code, Record};

use crate::record;
use crate::sched;
use crate::state::State;

/// An access of the running thread.
#[inline(always)]
pub fn access(state: &State, record: Record) {
    let budget = state.budget.get() - 1;
    state.budget.set(budget);
    if budget < 0 {
        return sched::look(state, record);
    }
    state.hash.set(record::hash_of(state, record));
    if state.recorder.is_on() {
        // SAFETY: the budget is never more than the room of the recorder.
        unsafe { state.recorder.put(record) };
    }
}

/// Accesses of so many bytes; longer ones are several.
pub fn range(state: &State, code: Code, address: u64, len: u64, pc: u64) {
    const LARGEST: u64 = 0xff_ffff;
    let mut done = 0;
    while done < len {
        let part = (len - done).min(LARGEST);
        access(state, Record::counted(code, address + done, part, pc));
        state.n_others.set(state.n_others.get() + 1);
        done += part;
    }
}

macro_rules! accesses {
    ($($name:ident $with_pc:ident $imp:ident: $code:ident $size:literal;)*) => { $(
        hook! { 1, $name => $imp; }

        /// The same with the place as an argument.
        #[cfg_attr(raddle_inside, unsafe(no_mangle))]
        pub unsafe extern "C" fn $with_pc(address: u64, pc: u64) {
            $imp(address, pc)
        }

        unsafe extern "C" fn $imp(address: u64, pc: u64) {
            access(State::get(), Record::new(Code::$code, address, $size, pc, 0));
        }
    )* };
}

accesses! {
    __tsan_read1 __tsan_read1_pc read1: Read 1;
    __tsan_read2 __tsan_read2_pc read2: Read 2;
    __tsan_read4 __tsan_read4_pc read4: Read 4;
    __tsan_read8 __tsan_read8_pc read8: Read 8;
    __tsan_read16 __tsan_read16_pc read16: Read 16;
    __tsan_write1 __tsan_write1_pc write1: Write 1;
    __tsan_write2 __tsan_write2_pc write2: Write 2;
    __tsan_write4 __tsan_write4_pc write4: Write 4;
    __tsan_write8 __tsan_write8_pc write8: Write 8;
    __tsan_write16 __tsan_write16_pc write16: Write 16;
}

hook! {
    1, __tsan_unaligned_read2 => read2;
    1, __tsan_unaligned_read4 => read4;
    1, __tsan_unaligned_read8 => read8;
    1, __tsan_unaligned_read16 => read16;
    1, __tsan_unaligned_write2 => write2;
    1, __tsan_unaligned_write4 => write4;
    1, __tsan_unaligned_write8 => write8;
    1, __tsan_unaligned_write16 => write16;
    1, __tsan_volatile_read1 => read1;
    1, __tsan_volatile_read2 => read2;
    1, __tsan_volatile_read4 => read4;
    1, __tsan_volatile_read8 => read8;
    1, __tsan_volatile_read16 => read16;
    1, __tsan_volatile_write1 => write1;
    1, __tsan_volatile_write2 => write2;
    1, __tsan_volatile_write4 => write4;
    1, __tsan_volatile_write8 => write8;
    1, __tsan_volatile_write16 => write16;
    1, __tsan_unaligned_volatile_read2 => read2;
    1, __tsan_unaligned_volatile_read4 => read4;
    1, __tsan_unaligned_volatile_read8 => read8;
    1, __tsan_unaligned_volatile_read16 => read16;
    1, __tsan_unaligned_volatile_write2 => write2;
    1, __tsan_unaligned_volatile_write4 => write4;
    1, __tsan_unaligned_volatile_write8 => write8;
    1, __tsan_unaligned_volatile_write16 => write16;
    1, __tsan_read_write1 => read_write1;
    1, __tsan_read_write2 => read_write2;
    1, __tsan_read_write4 => read_write4;
    1, __tsan_read_write8 => read_write8;
    1, __tsan_read_write16 => read_write16;
    1, __tsan_unaligned_read_write2 => read_write2;
    1, __tsan_unaligned_read_write4 => read_write4;
    1, __tsan_unaligned_read_write8 => read_write8;
    1, __tsan_unaligned_read_write16 => read_write16;
    1, __tsan_vptr_read => read8;
    2, __tsan_vptr_update => virtual_table;
    2, __tsan_read_range => read_range;
    2, __tsan_write_range => write_range;
}

macro_rules! read_writes {
    ($($imp:ident $size:literal;)*) => { $(
        unsafe extern "C" fn $imp(address: u64, pc: u64) {
            access(State::get(), Record::new(Code::Read, address, $size, pc, 0));
            access(State::get(), Record::new(Code::Write, address, $size, pc, 0));
        }
    )* };
}

read_writes! {
    read_write1 1;
    read_write2 2;
    read_write4 4;
    read_write8 8;
    read_write16 16;
}

/// Setting a pointer to a virtual table to what it is already is not a write.
unsafe extern "C" fn virtual_table(address: u64, value: u64, pc: u64) {
    if *(address as *const u64) != value {
        write8(address, pc);
    }
}

unsafe extern "C" fn read_range(address: u64, len: u64, pc: u64) {
    range(State::get(), Code::ReadRange, address, len, pc);
}

unsafe extern "C" fn write_range(address: u64, len: u64, pc: u64) {
    range(State::get(), Code::WriteRange, address, len, pc);
}
