//! The runtime's own memory: it must not call the `malloc` that it stands in for.
//!
//! Blocks of powers of two, each size with a list of those that were given back. Memory comes from
//! the system in large pieces and is never returned; the tables of the runtime only grow to what
//! a program needs at the same time.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::sys;

const PIECE: usize = 4 << 20;
const N_CLASSES: usize = 40;
const SMALLEST: usize = 16;

/// An allocator on memory of its own.
pub struct Arena {
    /// Threads of the system that end may still give memory back, so this one thing is locked.
    locked: AtomicBool,
    pool: UnsafeCell<Pool>,
}

struct Pool {
    next: usize,
    end: usize,
    free: [*mut u8; N_CLASSES],
}

// SAFETY: the pool is only touched by who has set `locked`.
unsafe impl Sync for Arena {}

impl Arena {
    /// One without memory yet.
    pub const fn new() -> Arena {
        let pool = Pool { next: 0, end: 0, free: [ptr::null_mut(); N_CLASSES] };
        Arena { locked: AtomicBool::new(false), pool: UnsafeCell::new(pool) }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Pool) -> T) -> T {
        while self.locked.swap(true, Ordering::Acquire) {
            sys::give_way();
        }
        // SAFETY: this is the only one that has seen `locked` false.
        let result = act(unsafe { &mut *self.pool.get() });
        self.locked.store(false, Ordering::Release);
        result
    }
}

impl Default for Arena {
    fn default() -> Self {
        Arena::new()
    }
}

fn class_of(layout: Layout) -> usize {
    let size = layout.size().max(layout.align()).max(SMALLEST).next_power_of_two();
    size.trailing_zeros() as usize
}

impl Pool {
    fn take(&mut self, class: usize) -> *mut u8 {
        let Some(head) = self.free.get_mut(class) else { return ptr::null_mut() };
        if !head.is_null() {
            let block = *head;
            // SAFETY: a block that was given back begins with the address of the next one.
            *head = unsafe { block.cast::<*mut u8>().read() };
            return block;
        }
        let size = 1 << class;
        if size >= PIECE / 4 {
            return sys::map(size);
        }
        let start = self.next.next_multiple_of(size);
        if start + size > self.end || self.end == 0 {
            let piece = sys::map(PIECE) as usize;
            if piece == 0 {
                return ptr::null_mut();
            }
            (self.next, self.end) = (piece, piece + PIECE);
            return self.take(class);
        }
        self.next = start + size;
        start as *mut u8
    }
}

// SAFETY: blocks have the size and alignment asked for (a power of two that is at least both), and
// none is handed out twice before it was given back.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.with(|pool| pool.take(class_of(layout)))
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let class = class_of(layout);
        self.with(|pool| {
            // SAFETY: a block has room for a pointer at least, is aligned to that, and is not used any more.
            unsafe { block.cast::<*mut u8>().write(pool.free[class]) };
            pool.free[class] = block;
        });
    }
}

#[cfg(raddle_inside)]
#[global_allocator]
static ARENA: Arena = Arena::new();

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::vec::Vec;

    /// A block that was given out, and the byte that fills it.
    struct Held {
        block: *mut u8,
        layout: Layout,
        byte: u8,
    }

    impl Held {
        fn new(arena: &Arena, (size, align, byte): (usize, u32, u8)) -> Held {
            let layout = Layout::from_size_align(size, 1 << align).unwrap();
            // SAFETY: the size is not zero.
            let block = unsafe { arena.alloc(layout) };
            assert!(!block.is_null() && (block as usize).is_multiple_of(1 << align));
            // SAFETY: the block has so many bytes.
            unsafe { block.write_bytes(byte, size) };
            Held { block, layout, byte }
        }

        fn is_whole(&self) -> bool {
            // SAFETY: the block has so many bytes, which were written.
            let bytes = unsafe { core::slice::from_raw_parts(self.block, self.layout.size()) };
            bytes.iter().all(|&byte| byte == self.byte)
        }

        fn give_back(self, arena: &Arena) {
            assert!(self.is_whole(), "another block has the same memory");
            // SAFETY: it was given out for this layout, and is given back once.
            unsafe { arena.dealloc(self.block, self.layout) };
        }
    }

    proptest! {
        #[test]
        fn no_block_changes_while_others_come_and_go(
            steps in vec((1..70_000usize, 0..8u32, any::<u8>(), any::<proptest::sample::Index>()), 1..200),
        ) {
            let arena = Arena::new();
            let mut held: Vec<Held> = Vec::new();
            for (size, align, byte, index) in steps {
                if byte % 3 == 0 && !held.is_empty() {
                    held.swap_remove(index.index(held.len())).give_back(&arena);
                } else {
                    // Mostly small ones, of which some have the memory of others before.
                    let size = if byte % 4 == 0 { size } else { size % 300 + 1 };
                    held.push(Held::new(&arena, (size, align, byte)));
                }
            }
            held.into_iter().for_each(|block| block.give_back(&arena));
        }
    }

    #[test]
    fn threads_do_not_get_the_same_block() {
        static ARENA: Arena = Arena::new();
        let work = |number: u8| {
            move || {
                for round in 0..200usize {
                    let sizes = (0..8).map(|n| (1 + (round * 7 + n * 31) % 500, 4, number));
                    let held: Vec<_> = sizes.map(|size| Held::new(&ARENA, size)).collect();
                    held.into_iter().for_each(|block| block.give_back(&ARENA));
                }
            }
        };
        std::thread::scope(|scope| (1..=4).for_each(|number| drop(scope.spawn(work(number)))));
    }

    #[test]
    fn blocks_are_aligned_apart_and_used_again() {
        let arena = Arena::new();
        let layouts = [(1, 1), (24, 8), (100, 64), (5000, 4096), (3 << 20, 16)];
        let mut blocks: Vec<(usize, usize)> = Vec::new();
        for (size, align) in layouts {
            let layout = Layout::from_size_align(size, align).unwrap();
            for _ in 0..3 {
                // SAFETY: the size is not zero.
                let block = unsafe { arena.alloc(layout) } as usize;
                assert!(block != 0 && block.is_multiple_of(align));
                assert!(blocks.iter().all(|&(b, n)| block + size <= b || b + n <= block));
                blocks.push((block, size));
            }
        }
        let layout = Layout::from_size_align(24, 8).unwrap();
        // SAFETY: allocated and given back once.
        unsafe {
            let block = arena.alloc(layout);
            arena.dealloc(block, layout);
            assert_eq!(arena.alloc(layout), block);
        }
    }
}
