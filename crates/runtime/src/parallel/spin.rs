//! Locks of the runtime's own, for a few instructions each, while threads run at once.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::sys;

/// Something that one thread at a time touches.
pub struct Spin<T> {
    word: Word,
    value: UnsafeCell<T>,
}

// SAFETY: who has the lock is the only one to touch the value.
unsafe impl<T: Send> Sync for Spin<T> {}

impl<T> Spin<T> {
    /// Wraps it.
    pub const fn new(value: T) -> Spin<T> {
        Spin { word: Word(AtomicBool::new(false)), value: UnsafeCell::new(value) }
    }

    /// Lends it to the caller alone.
    pub fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        self.word.lock();
        // SAFETY: the lock is held.
        let result = act(unsafe { &mut *self.value.get() });
        self.word.unlock();
        result
    }
}

/// A lock alone, with a cache line to itself.
#[repr(align(64))]
pub struct Word(AtomicBool);

impl Word {
    /// After so many looks the holder has probably been interrupted.
    const N_LOOKS: u32 = 100;

    fn lock(&self) {
        while self.0.swap(true, Ordering::Acquire) {
            let mut n_looks = 0;
            while self.0.load(Ordering::Relaxed) {
                n_looks += 1;
                if n_looks < Word::N_LOOKS {
                    core::hint::spin_loop();
                } else {
                    sys::give_way();
                }
            }
        }
    }

    fn unlock(&self) {
        self.0.store(false, Ordering::Release);
    }
}

const N_STRIPES: usize = 512;
static STRIPES: [Word; N_STRIPES] = [const { Word(AtomicBool::new(false)) }; N_STRIPES];

/// The lock of the 16 bytes around an address, which no atomic operation reaches across. Others
/// may have the same one.
fn stripe(address: u64) -> &'static Word {
    let hash = (address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55;
    &STRIPES[hash as usize % N_STRIPES]
}

/// Takes the lock of an address.
pub fn lock_address(address: u64) {
    stripe(address).lock();
}

/// Gives it back.
pub fn unlock_address(address: u64) {
    stripe(address).unlock();
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn nothing_is_lost_that_threads_at_once_do() {
        static NUMBERS: Spin<Vec<(usize, usize)>> = Spin::new(Vec::new());
        let work = |number: usize| {
            move || {
                for round in 0..500 {
                    NUMBERS.with(|numbers| numbers.push((number, round)));
                }
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|number| drop(scope.spawn(work(number)))));
        let mut numbers = NUMBERS.with(core::mem::take);
        let of = |thread| numbers.iter().filter(move |it| it.0 == thread).map(|it| it.1);
        assert!((0..4).all(|thread| of(thread).eq(0..500)), "each in its order");
        numbers.dedup();
        assert_eq!(numbers.len(), 2000);
    }
}
