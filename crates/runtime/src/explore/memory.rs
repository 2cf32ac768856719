//! Complete states: all that decides what a program does next, as a hash or as a copy.
//!
//! In: the process, with every thread at a scheduling point. Out: a key that two moments of one run share only if
//! the program would do the same from both, or a copy to compare with later.
//!
//! A state is what is in private memory that the program can write, the registers with which each thread came to its
//! point, what it wants to do there, and the models of locks and the like. Left out is what decides nothing: the
//! runtime's own memory, stacks below the innermost frame of the program, and the words that the kernel writes to at
//! any time. What the kernel holds for the program and the clock are no part of a state either; who compares states
//! has to see to it that neither was used in between.

use core::hash::Hasher;
use core::ptr;

use alloc::vec::Vec;

use super::snapshot;
use crate::state::State;
use crate::sys;
use crate::thread::Thread;
use crate::{export, module};

/// More memory than this is not compared.
const BYTES_MAX: usize = 64 << 20;

/// Everything that the runtime maps for itself lies in here (`sys::place`).
const OWN_MAPS: core::ops::Range<usize> = 1 << 44..1 << 45;

/// What is no part of any state, found once.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeftOut {
    /// The variables of the runtime.
    own: (usize, usize),
    /// How far behind its thread pointer the kernel writes to for restartable sequences of a thread, if it does.
    sequences: Option<isize>,
}

impl LeftOut {
    /// Nothing.
    pub(super) const NONE: LeftOut = LeftOut { own: (0, 0), sequences: None };

    /// Looks for it.
    pub(super) fn find(state: &State) -> LeftOut {
        let own = module::data_around(ptr::from_ref(state) as u64).unwrap_or((0, 0));
        // SAFETY: a constant of the C library, if it has it.
        let sequences = unsafe {
            let place = export::first(c"__rseq_offset") as *const isize;
            (!place.is_null()).then(|| *place)
        };
        LeftOut { own: (own.0 as usize, own.1 as usize), sequences }
    }
}

/// Four chains of multiplications, so that the processor can work on all of them at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash([u64; 4]);

const FACTORS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb];

impl Hash {
    pub(super) const fn new() -> Hash {
        Hash(FACTORS)
    }

    #[inline(always)]
    fn block(&mut self, words: [u64; 4]) {
        for lane in 0..4 {
            self.0[lane] = (self.0[lane] ^ words[lane]).wrapping_mul(FACTORS[lane]);
            self.0[lane] ^= self.0[lane] >> 29;
        }
    }

    /// Adds memory.
    ///
    /// # Safety
    /// It can be read.
    unsafe fn memory(&mut self, start: usize, len: usize) {
        self.block([start as u64, len as u64, 1, 2]);
        let mut at = start;
        let end = start + len;
        while at + 32 <= end {
            // SAFETY: as the caller says.
            self.block(unsafe { (at as *const [u64; 4]).read_unaligned() });
            at += 32;
        }
        while at < end {
            // SAFETY: as the caller says.
            self.write_u64(u64::from(unsafe { *(at as *const u8) }));
            at += 1;
        }
    }

    pub(super) fn value(mut self) -> u128 {
        self.block([3, 5, 7, 11]);
        let [a, b, c, d] = self.0;
        let low = (a ^ b.rotate_left(32)).wrapping_mul(FACTORS[0]);
        let high = (c ^ d.rotate_left(32)).wrapping_mul(FACTORS[1]);
        u128::from(low ^ high.rotate_left(17)) | u128::from(high ^ low.rotate_left(41)) << 64
    }
}

impl Hasher for Hash {
    fn finish(&self) -> u64 {
        self.value() as u64
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        self.block([word, 0, 0, 0]);
        self.0.rotate_left(1);
    }
}

/// The complete state, while the running thread is at a point; none if it is too large.
pub(super) fn key(state: &State) -> Option<u128> {
    let mut hash = Hash::new();
    models(state, &mut hash);
    // SAFETY: memory of the process that is there.
    let is_whole = each(state, |start, len| unsafe { hash.memory(start, len) });
    is_whole.then(|| hash.value())
}

/// What is not in the memory of the program: threads, and the models of locks and the like.
fn models(state: &State, hash: &mut Hash) {
    for thread in state.all_threads() {
        let want = thread.want.get();
        for word in thread.entry.get() {
            hash.write_u64(word);
        }
        let flags = u64::from(thread.is_done.get())
            | u64::from(thread.is_released.get()) << 1
            | u64::from(thread.is_woken.get()) << 2
            | u64::from(want.deadline != 0) << 3
            | u64::from(thread.is_in_wait.get()) << 4
            | u64::from(thread.is_interrupted.get()) << 5
            | want.code.map_or(0, |code| code as u64) << 8
            | u64::from(thread.wait_bits.get()) << 32;
        for word in [
            flags,
            thread.waits_for.get(),
            thread.waits_with.get(),
            thread.signal_mask.get(),
            thread.pending_signals.get(),
            thread.operands.get(),
            want.object,
            want.pc,
        ] {
            hash.write_u64(word);
        }
        core::hash::Hash::hash(&want.guard, hash);
    }
    let waits = |thread: &&Thread| thread.waits_for.get() != 0;
    let mut waiting: Vec<_> = state.all_threads().filter(waits).collect();
    waiting.sort_by_key(|thread| thread.ticket.get());
    waiting.iter().for_each(|thread| hash.write_u64(thread.number.into()));
    state.objects.with(|objects| core::hash::Hash::hash(objects, hash));
}

/// Visits the memory of the program, in the same order each time; false if it is too much.
fn each(state: &State, mut visit: impl FnMut(usize, usize)) -> bool {
    let left_out = state.explore.left_out.get();
    let mut holes: Vec<(usize, usize)> = Vec::new();
    state.explore.pool.each_unused(|range| holes.push(range));
    for thread in state.all_threads() {
        if let Some(offset) = left_out.sequences {
            const SEQUENCES: usize = 32;
            let start = thread.pointer.get().wrapping_add_signed(offset);
            holes.push((start, start.wrapping_add(SEQUENCES)));
        }
        let (low, high) = thread.stack_range.get();
        if thread.is_done.get() && low != 0 {
            holes.push((low, high));
            continue;
        }
        let inner = thread.entry.get()[6] as usize;
        let inner = if inner != 0 { inner } else { thread.stack.get() };
        // Of the main thread only the end of its stack is known.
        const MAIN_MAX: usize = 64 << 20;
        let low = if low != 0 { low } else { high.saturating_sub(MAIN_MAX) };
        if (low..high).contains(&inner) {
            holes.push((low, inner));
        }
    }
    let mut n_bytes = 0;
    let mut part = |start: usize, end: usize| {
        let mut at = start;
        while at < end {
            // What is left out of the rest, if anything is.
            let all = holes.iter().chain([&left_out.own]);
            let hole = all.filter(|hole| hole.0 < end && at < hole.1).min_by_key(|hole| hole.0);
            let until = hole.map_or(end, |hole| hole.0.clamp(at, end));
            if at < until {
                n_bytes += until - at;
                visit(at, until - at);
            }
            at = hole.map_or(end, |hole| hole.1);
        }
        n_bytes <= BYTES_MAX
    };
    snapshot::each_range(state, &mut |start, end| OWN_MAPS.contains(&start) || part(start, end))
}

/// What a thread has in its registers and on its stack when it is at a place, to compare with when it comes there again.
pub(super) struct Local {
    /// Program counter and stack pointer.
    pub(super) place: u64,
    registers: [u64; 7],
    stack: Vec<u64>,
}

impl Local {
    /// What a thread has whose frames end at `end`.
    pub(super) fn of(thread: &Thread, place: u64, end: u64) -> Local {
        let registers = thread.entry.get();
        Local { place, registers, stack: words(registers[6], end).collect() }
    }

    /// What it has in common with later, word by word, and what is at addresses that were only read in between.
    pub(super) fn common(
        &self,
        thread: &Thread,
        end: u64,
        read: impl Iterator<Item = (u64, u64)>,
    ) -> u128 {
        let mut hash = Hash::new();
        hash.write_u64(self.place);
        let registers = thread.entry.get();
        let now = registers.into_iter().chain(words(registers[6], end));
        let before = self.registers.iter().chain(&self.stack).copied();
        for (before, now) in before.zip(now) {
            hash.block(
                [now, u64::from(before == now), 0, 0].map(|it| if before == now { it } else { 0 }),
            );
        }
        for (start, end) in read {
            const LARGEST: u64 = 64;
            hash.write_u64(start);
            let len = (end - start).min(LARGEST) as usize;
            let mut bytes = [0; LARGEST as usize];
            if sys::read_own(start as usize, &mut bytes[..len]) {
                hash.write(&bytes[..len]);
            }
        }
        hash.value()
    }
}

/// The innermost words of a stack that ends at `end`.
fn words(start: u64, end: u64) -> impl Iterator<Item = u64> {
    const DEPTH: u64 = 4096;
    let end = end.min(start.saturating_add(DEPTH));
    // SAFETY: the stack of a thread that is in a call.
    (start..end.saturating_sub(7)).step_by(8).map(|at| unsafe { *(at as *const u64) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_place_and_content_of_memory_matter() {
        let hash = |parts: &[&[u8]]| {
            let mut hash = Hash::new();
            // SAFETY: the memory is there.
            parts.iter().for_each(|part| unsafe {
                hash.memory(part.as_ptr() as usize, part.len());
            });
            hash.value()
        };
        let mut one = [1u8; 100];
        let two = [2u8; 100];
        let before = hash(&[&one, &two]);
        assert_eq!(before, hash(&[&one, &two]));
        assert_ne!(before, hash(&[&two, &one]));
        assert_ne!(before, hash(&[&one[..99], &two]));
        for at in [0, 31, 32, 96, 99] {
            one[at] ^= 1;
            assert_ne!(before, hash(&[&one, &two]), "byte {at}");
            one[at] ^= 1;
        }
    }
}
