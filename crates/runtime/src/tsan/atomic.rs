//! Atomic operations: scheduling points, done here, so their values are known.
//!
//! They run one at a time, so plain loads and stores would do among threads under control; real
//! atomics are used since memory may be shared with other processes and with signal handlers, and
//! since threads that are only recorded run at once.

use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use raddle_wire::{Code, Flags, Record};

use crate::given::Given;
use crate::heap;
use crate::host;
use crate::parallel;
use crate::record;
use crate::sched;
use crate::state::State;
use crate::unseen;

const STRONGEST: Ordering = Ordering::SeqCst;

/// Who does an atomic operation.
pub enum Turn {
    /// A thread under control.
    Controlled(&'static State),
    /// One that is recorded while others run.
    Recorded(parallel::Turn),
}

/// Announces an atomic operation and waits for its turn. `operands` is a hash of what it comes with.
#[inline]
pub fn announce(code: Code, (address, size): (u64, u8), pc: u64, operands: u64) -> Option<Turn> {
    let Some(state) = State::active() else {
        return parallel::Turn::begin(address).map(Turn::Recorded);
    };
    let me = state.current();
    me.reach.set(size.into());
    me.operands.set(operands);
    sched::free_point(state, code, address, pc);
    me.operands.set(0);
    Some(Turn::Controlled(state))
}

/// The same for an operation that writes only if it finds what it expects.
pub fn announce_compare(at: (u64, u8), pc: u64, expected: u128, operands: u64) -> Option<Turn> {
    let expects = |expected| {
        if let Some(state) = State::active() {
            state.current().expects.set(expected);
        }
    };
    expects(Some(expected));
    let turn = announce(Code::AtomicUpdate, at, pc, operands);
    expects(None);
    turn
}

/// Where an atomic operation happens.
#[derive(Clone, Copy)]
pub struct Place {
    /// Of its memory.
    pub address: u64,
    /// Bytes.
    pub size: u8,
    /// In the program.
    pub pc: u64,
}

/// What an atomic operation did to memory.
#[derive(Clone, Copy)]
pub struct Change {
    /// What it found; of 16 bytes, a mix of all.
    pub found: u64,
    /// Whether it left something else.
    pub changed: bool,
}

/// Notes what an atomic operation did.
#[inline]
pub fn done(turn: Turn, code: Code, at: Place, order: i32, change: Change) {
    // Compilers may set bits above the order (hardware lock elision).
    let Place { address, size, pc } = at;
    let record = Record::new(code, address, size, pc, (order & 7) as u16);
    let state = match turn {
        Turn::Controlled(state) => state,
        Turn::Recorded(turn) => return turn.end(record),
    };
    record::event(state, record);
    if host::has(Flags::VALUES) {
        state.recorder.atomic_value(record, change.found);
    }
    unseen::after(state, address, size);
    heap::check(state, record);
    state.n_others.set(state.n_others.get() - 1);
    if change.changed {
        sched::busy_at(state, address, size.into());
    } else if state.current().sights.is_new(pc, address, change.found) {
        sched::sees_new(state);
    } else {
        sched::idle(state);
    }
}

macro_rules! atomics {
    ($($int:ty, $atomic:ty, $size:literal, $module:ident:
        $load:ident $store:ident $exchange:ident $add:ident $sub:ident $and:ident $or:ident
        $xor:ident $nand:ident $strong:ident $weak:ident $value:ident;)*) => { $(
        mod $module {
            use super::*;

            point_hook! {
                2, $load => load;
                3, $store => store;
                3, $exchange => exchange;
                3, $add => add;
                3, $sub => sub;
                3, $and => and;
                3, $or => or;
                3, $xor => xor;
                3, $nand => nand;
                5, $strong => compare;
                5, $weak => compare;
                5, $value => compare_value;
            }

            extern "C" fn load(cell: Given<$atomic>, order: i32, pc: u64) -> $int {
                let turn = announce(Code::AtomicLoad, (cell.address(), $size), pc, 0);
                let value = cell.cell().load(STRONGEST);
                if let Some(turn) = turn {
                    let place = Place { address: cell.address(), size: $size, pc };
                    let change = Change { found: value.into(), changed: false };
                    done(turn, Code::AtomicLoad, place, order, change);
                }
                value
            }

            extern "C" fn store(cell: Given<$atomic>, value: $int, order: i32, pc: u64) {
                let turn = announce(Code::AtomicStore, (cell.address(), $size), pc, value.into());
                let old = cell.cell().swap(value, STRONGEST);
                if let Some(turn) = turn {
                    let place = Place { address: cell.address(), size: $size, pc };
                    let change = Change { found: old.into(), changed: old != value };
                    done(turn, Code::AtomicStore, place, order, change);
                }
            }

            /// Reads and writes.
            fn update(
                cell: Given<$atomic>,
                order: i32,
                pc: u64,
                value: $int,
                act: impl FnOnce(&$atomic) -> ($int, bool),
            ) -> $int {
                let turn = announce(Code::AtomicUpdate, (cell.address(), $size), pc, value.into());
                let (old, changed) = act(cell.cell());
                if let Some(turn) = turn {
                    let place = Place { address: cell.address(), size: $size, pc };
                    let change = Change { found: old.into(), changed };
                    done(turn, Code::AtomicUpdate, place, order, change);
                }
                old
            }

            extern "C" fn exchange(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| {
                    let old = it.swap(value, STRONGEST);
                    (old, old != value)
                })
            }

            extern "C" fn add(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| (it.fetch_add(value, STRONGEST), value != 0))
            }

            extern "C" fn sub(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| (it.fetch_sub(value, STRONGEST), value != 0))
            }

            extern "C" fn and(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| {
                    let old = it.fetch_and(value, STRONGEST);
                    (old, old & value != old)
                })
            }

            extern "C" fn or(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| {
                    let old = it.fetch_or(value, STRONGEST);
                    (old, old | value != old)
                })
            }

            extern "C" fn xor(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| (it.fetch_xor(value, STRONGEST), value != 0))
            }

            extern "C" fn nand(cell: Given<$atomic>, value: $int, order: i32, pc: u64) -> $int {
                update(cell, order, pc, value, |it| (it.fetch_nand(value, STRONGEST), true))
            }

            extern "C" fn compare(
                cell: Given<$atomic>,
                expected: Given<$int>,
                value: $int,
                order: i32,
                on_failure: i32,
                pc: u64,
            ) -> i32 {
                let found = compare_value(cell, expected.get(), value, order, on_failure, pc);
                if found == expected.get() {
                    return 1;
                }
                expected.set(found);
                0
            }

            extern "C" fn compare_value(
                cell: Given<$atomic>,
                expected: $int,
                value: $int,
                order: i32,
                on_failure: i32,
                pc: u64,
            ) -> $int {
                let operands = u64::from(expected).rotate_left(32) ^ u64::from(value);
                let at = (cell.address(), $size);
                let turn = announce_compare(at, pc, expected.into(), operands);
                let result = cell.cell().compare_exchange(expected, value, STRONGEST, STRONGEST);
                let (code, order) = match result {
                    Ok(_) => (Code::AtomicUpdate, order),
                    Err(_) => (Code::AtomicMiss, on_failure),
                };
                if let Some(turn) = turn {
                    let place = Place { address: cell.address(), size: $size, pc };
                    let changed = result.is_ok() && expected != value;
                    let found = result.unwrap_or_else(|found| found).into();
                    done(turn, code, place, order, Change { found, changed });
                }
                result.unwrap_or_else(|found| found)
            }
        }
    )* };
}

atomics! {
    u8, AtomicU8, 1, bits8:
        __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange
        __tsan_atomic8_fetch_add __tsan_atomic8_fetch_sub __tsan_atomic8_fetch_and
        __tsan_atomic8_fetch_or __tsan_atomic8_fetch_xor __tsan_atomic8_fetch_nand
        __tsan_atomic8_compare_exchange_strong __tsan_atomic8_compare_exchange_weak
        __tsan_atomic8_compare_exchange_val;
    u16, AtomicU16, 2, bits16:
        __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange
        __tsan_atomic16_fetch_add __tsan_atomic16_fetch_sub __tsan_atomic16_fetch_and
        __tsan_atomic16_fetch_or __tsan_atomic16_fetch_xor __tsan_atomic16_fetch_nand
        __tsan_atomic16_compare_exchange_strong __tsan_atomic16_compare_exchange_weak
        __tsan_atomic16_compare_exchange_val;
    u32, AtomicU32, 4, bits32:
        __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange
        __tsan_atomic32_fetch_add __tsan_atomic32_fetch_sub __tsan_atomic32_fetch_and
        __tsan_atomic32_fetch_or __tsan_atomic32_fetch_xor __tsan_atomic32_fetch_nand
        __tsan_atomic32_compare_exchange_strong __tsan_atomic32_compare_exchange_weak
        __tsan_atomic32_compare_exchange_val;
    u64, AtomicU64, 8, bits64:
        __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange
        __tsan_atomic64_fetch_add __tsan_atomic64_fetch_sub __tsan_atomic64_fetch_and
        __tsan_atomic64_fetch_or __tsan_atomic64_fetch_xor __tsan_atomic64_fetch_nand
        __tsan_atomic64_compare_exchange_strong __tsan_atomic64_compare_exchange_weak
        __tsan_atomic64_compare_exchange_val;
}

point_hook! {
    1, __tsan_atomic_thread_fence => thread_fence;
    1, __tsan_atomic_signal_fence => signal_fence;
}

extern "C" fn thread_fence(order: i32, pc: u64) {
    fence(STRONGEST);
    let record = Record::new(Code::Fence, 0, 0, pc, (order & 7) as u16);
    match State::active() {
        Some(state) => record::event(state, record),
        None => parallel::sync(record),
    }
}

extern "C" fn signal_fence(_order: i32, _pc: u64) {}
