//! Atomic operations on 16 bytes, by the one instruction that there is for them.
//!
//! A value of 16 bytes takes two registers, so there is not always one left for the place of the
//! call; it is then passed on the stack.

use core::arch::asm;

use raddle_wire::Code;

use crate::given::Given;

use super::atomic::{Change, Place, Turn, announce, announce_compare, done};

const SIZE: u8 = 16;

point_hook! {
    2, __tsan_atomic128_load => load;
    4, __tsan_atomic128_store => store;
    4, __tsan_atomic128_exchange => exchange;
    4, __tsan_atomic128_fetch_add => add;
    4, __tsan_atomic128_fetch_sub => sub;
    4, __tsan_atomic128_fetch_and => and;
    4, __tsan_atomic128_fetch_or => or;
    4, __tsan_atomic128_fetch_xor => xor;
    4, __tsan_atomic128_fetch_nand => nand;
}

/// As `hook!`, with the return address as the seventh word of the arguments.
macro_rules! hook_by_stack {
    ($($name:ident => $imp:path;)*) => { $(
        #[doc = concat!("See [`", stringify!($imp), "`]; called by programs only.")]
        #[unsafe(naked)]
        #[cfg_attr(raddle_inside, unsafe(no_mangle))]
        pub unsafe extern "C" fn $name() {
            core::arch::naked_asm!(
                "push qword ptr [rsp]",
                "call {imp}",
                "add rsp, 8",
                "ret",
                imp = sym $imp,
            )
        }
    )* };
}

hook_by_stack! {
    __tsan_atomic128_compare_exchange_strong => compare;
    __tsan_atomic128_compare_exchange_weak => compare;
    __tsan_atomic128_compare_exchange_val => compare_value;
}

/// Compares and exchanges; what was found.
fn swap_if(cell: Given<u128>, expected: u128, value: u128) -> u128 {
    let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
    // SAFETY: the program passed 16 bytes, aligned to as many, for such an operation (`given`).
    unsafe {
        asm!(
            // The compiler keeps `rbx` to itself.
            "xchg {low_value}, rbx",
            "lock cmpxchg16b [rdi]",
            "mov rbx, {low_value}",
            low_value = inout(reg) value as u64 => _,
            in("rcx") (value >> 64) as u64,
            in("rdi") cell.pointer(),
            inout("rax") low,
            inout("rdx") high,
            options(nostack),
        );
    }
    u128::from(high) << 64 | u128::from(low)
}

/// Replaces a value by what a function makes of it; the old one.
fn replace(cell: Given<u128>, act: impl Fn(u128) -> u128) -> u128 {
    let mut old = 0;
    loop {
        // The first guess is usually wrong, but then what is there is known.
        let found = swap_if(cell, old, act(old));
        if found == old {
            return old;
        }
        old = found;
    }
}

fn note(turn: Turn, code: Code, address: u64, order: i32, pc: u64, seen: (bool, u128)) {
    let (changed, seen) = seen;
    let place = Place { address, size: SIZE, pc };
    done(turn, code, place, order, Change { found: (seen ^ seen >> 64) as u64, changed });
}

extern "C" fn load(cell: Given<u128>, order: i32, pc: u64) -> u128 {
    let turn = announce(Code::AtomicLoad, (cell.address(), SIZE), pc, 0);
    let value = swap_if(cell, 0, 0);
    if let Some(turn) = turn {
        note(turn, Code::AtomicLoad, cell.address(), order, pc, (false, value));
    }
    value
}

extern "C" fn store(cell: Given<u128>, value: u128, order: i32, pc: u64) {
    let turn = announce(Code::AtomicStore, (cell.address(), SIZE), pc, folded(value));
    let old = replace(cell, |_| value);
    if let Some(turn) = turn {
        note(turn, Code::AtomicStore, cell.address(), order, pc, (old != value, old));
    }
}

/// A hash of a value.
fn folded(value: u128) -> u64 {
    value as u64 ^ ((value >> 64) as u64).rotate_left(21)
}

/// Reads and writes.
fn update(cell: Given<u128>, order: i32, pc: u64, value: u128, act: impl Fn(u128) -> u128) -> u128 {
    let turn = announce(Code::AtomicUpdate, (cell.address(), SIZE), pc, folded(value));
    let old = replace(cell, &act);
    if let Some(turn) = turn {
        note(turn, Code::AtomicUpdate, cell.address(), order, pc, (act(old) != old, old));
    }
    old
}

macro_rules! updates {
    ($($name:ident: |$old:ident, $value:ident| $new:expr;)*) => { $(
        extern "C" fn $name(cell: Given<u128>, $value: u128, order: i32, pc: u64) -> u128 {
            update(cell, order, pc, $value, |$old| $new)
        }
    )* };
}

updates! {
    exchange: |_old, value| value;
    add: |old, value| old.wrapping_add(value);
    sub: |old, value| old.wrapping_sub(value);
    and: |old, value| old & value;
    or: |old, value| old | value;
    xor: |old, value| old ^ value;
    nand: |old, value| !(old & value);
}

extern "C" fn compare(
    cell: Given<u128>,
    expected: Given<u128>,
    value: u128,
    order: i32,
    on_failure: i32,
    pc: u64,
) -> i32 {
    let found = exchange_if(cell, (expected.get(), value), (order, on_failure), pc);
    if found == expected.get() {
        return 1;
    }
    expected.set(found);
    0
}

/// Behind the place of the call is the return address, which is the same, and behind that the order of a failure.
extern "C" fn compare_value(
    cell: Given<u128>,
    expected: u128,
    value: u128,
    order: i32,
    pc: u64,
    _returns_to: u64,
    on_failure: i32,
) -> u128 {
    exchange_if(cell, (expected, value), (order, on_failure), pc)
}

/// Compares and exchanges, as an atomic operation of the program; what was found.
fn exchange_if(
    cell: Given<u128>,
    (expected, value): (u128, u128),
    (order, on_failure): (i32, i32),
    pc: u64,
) -> u128 {
    let operands = folded(expected).rotate_left(32) ^ folded(value);
    let turn = announce_compare((cell.address(), SIZE), pc, expected, operands);
    let found = swap_if(cell, expected, value);
    let is_same = found == expected;
    if let Some(turn) = turn {
        let (code, order) = match is_same {
            true => (Code::AtomicUpdate, order),
            false => (Code::AtomicMiss, on_failure),
        };
        note(turn, code, cell.address(), order, pc, (is_same && expected != value, found));
    }
    found
}
