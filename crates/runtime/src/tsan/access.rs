//! Plain memory accesses.
//!
//! This is the hot path of everything: count, hash, record. Whatever else may have to be done is
//! behind two questions: whether the budget is used up, and whether the memory was freed.

use raddle_wire::{Code, Record};

use crate::given::Given;
use crate::heap;
use crate::parallel;
use crate::record;
use crate::sched;
use crate::state::State;

/// An access of the running thread.
#[inline(always)]
pub fn access(state: &State, record: Record) {
    let budget = state.budget.get() - 1;
    if budget < 0 {
        return look(state, record);
    }
    state.budget.set(budget);
    state.hash.set(record::hash_of(state, record));
    // SAFETY: the budget is never more than the room of the recorder.
    unsafe { state.recorder.put_within_room(record) };
    heap::check(state, record);
}

/// The memory may be freed while others have their turn, so it is looked at after that.
#[cold]
#[inline(never)]
fn look(state: &State, record: Record) {
    if !state.is_on() {
        return parallel::access(record);
    }
    sched::look(state, record);
    heap::check(state, record);
}

/// An access that may not be aligned, so that its last byte may lie elsewhere than its first.
#[inline(always)]
fn unaligned(state: &State, record: Record) {
    access(state, record);
    heap::check_at(state, record, record.object() + u64::from(record.detail()) - 1);
}

/// Accesses of so many bytes; longer ones are several.
pub fn range(state: &State, code: Code, address: u64, len: u64, pc: u64) {
    const LARGEST: u64 = 0xff_ffff;
    let mut done = 0;
    while done < len {
        let part = (len - done).min(LARGEST);
        let record = Record::counted(code, address + done, part, pc);
        access(state, record);
        if state.is_on() {
            state.n_others.set(state.n_others.get() + 1);
        }
        done += part;
        heap::check_at(state, record, address + done - 1);
    }
}

macro_rules! accesses {
    ($($name:ident $with_pc:ident $imp:ident: $code:ident $size:literal;)*) => { $(
        point_hook! { 1, $name => $imp; }

        /// The same with the place as an argument.
        #[cfg_attr(raddle_inside, unsafe(no_mangle))]
        pub extern "C" fn $with_pc(address: u64, pc: u64) {
            $imp(address, pc)
        }

        extern "C" fn $imp(address: u64, pc: u64) {
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
    1, __tsan_unaligned_read2 => unaligned_read2;
    1, __tsan_unaligned_read4 => unaligned_read4;
    1, __tsan_unaligned_read8 => unaligned_read8;
    1, __tsan_unaligned_read16 => unaligned_read16;
    1, __tsan_unaligned_write2 => unaligned_write2;
    1, __tsan_unaligned_write4 => unaligned_write4;
    1, __tsan_unaligned_write8 => unaligned_write8;
    1, __tsan_unaligned_write16 => unaligned_write16;
    1, __tsan_read_write1 => read_write1;
    1, __tsan_read_write2 => read_write2;
    1, __tsan_read_write4 => read_write4;
    1, __tsan_read_write8 => read_write8;
    1, __tsan_read_write16 => read_write16;
    1, __tsan_unaligned_read_write2 => unaligned_read_write2;
    1, __tsan_unaligned_read_write4 => unaligned_read_write4;
    1, __tsan_unaligned_read_write8 => unaligned_read_write8;
    1, __tsan_unaligned_read_write16 => unaligned_read_write16;
    1, __tsan_vptr_read => read8;
    2, __tsan_vptr_update => virtual_table;
    2, __tsan_read_range => read_range;
    2, __tsan_write_range => write_range;
}

// What is volatile is often waited for.
point_hook! {
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
    1, __tsan_unaligned_volatile_read2 => unaligned_read2;
    1, __tsan_unaligned_volatile_read4 => unaligned_read4;
    1, __tsan_unaligned_volatile_read8 => unaligned_read8;
    1, __tsan_unaligned_volatile_read16 => unaligned_read16;
    1, __tsan_unaligned_volatile_write2 => unaligned_write2;
    1, __tsan_unaligned_volatile_write4 => unaligned_write4;
    1, __tsan_unaligned_volatile_write8 => unaligned_write8;
    1, __tsan_unaligned_volatile_write16 => unaligned_write16;
}

macro_rules! kinds {
    ($($imp:ident: $act:ident $($code:ident)* $size:literal;)*) => { $(
        extern "C" fn $imp(address: u64, pc: u64) {
            $($act(State::get(), Record::new(Code::$code, address, $size, pc, 0));)*
        }
    )* };
}

kinds! {
    read_write1: access Read Write 1;
    read_write2: access Read Write 2;
    read_write4: access Read Write 4;
    read_write8: access Read Write 8;
    read_write16: access Read Write 16;
    unaligned_read2: unaligned Read 2;
    unaligned_read4: unaligned Read 4;
    unaligned_read8: unaligned Read 8;
    unaligned_read16: unaligned Read 16;
    unaligned_write2: unaligned Write 2;
    unaligned_write4: unaligned Write 4;
    unaligned_write8: unaligned Write 8;
    unaligned_write16: unaligned Write 16;
    unaligned_read_write2: unaligned Read Write 2;
    unaligned_read_write4: unaligned Read Write 4;
    unaligned_read_write8: unaligned Read Write 8;
    unaligned_read_write16: unaligned Read Write 16;
}

/// Setting a pointer to a virtual table to what it is already is not a write.
extern "C" fn virtual_table(place: Given<u64>, value: u64, pc: u64) {
    if place.get() != value {
        write8(place.address(), pc);
    }
}

extern "C" fn read_range(address: u64, len: u64, pc: u64) {
    range(State::get(), Code::ReadRange, address, len, pc);
}

extern "C" fn write_range(address: u64, len: u64, pc: u64) {
    range(State::get(), Code::WriteRange, address, len, pc);
}
