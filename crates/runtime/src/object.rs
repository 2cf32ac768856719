//! Models of locks and the like, found by their address.
//!
//! The real object is never locked; its memory is only looked at for what the program set up
//! there. An object that was never seen begins as a static initialiser leaves it.

use core::hash::{Hash, Hasher};

use alloc::vec::Vec;

use crate::guard::Guard;
use crate::table::Table;

/// A mutex or spin lock.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Mutex {
    /// The number of the thread that has it, plus one; 0: nobody.
    pub owner: u32,
    /// How often that thread has taken it.
    pub depth: u32,
    /// Whether somebody has unlocked it who did not hold it: from then on it does not exclude anybody from anything, and
    /// is recorded only as what orders threads.
    pub is_broken: bool,
    /// What there is beyond that if it is robust: it outlives its owner.
    pub robust: Option<Robust>,
}

/// What became of the data under a robust mutex.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Robust {
    /// It is consistent.
    Consistent,
    /// A thread ended while it had the mutex; whoever takes it learns that.
    OwnerDied,
    /// It was given back like that: it cannot be taken any more.
    Lost,
}

/// A lock for readers and writers.
#[derive(Clone, Debug, Default, Hash)]
pub struct RwLock {
    /// The number of the thread that writes, plus one; 0: nobody.
    pub writer: u32,
    /// The numbers of those that read, as often as each has taken it.
    pub readers: Vec<u32>,
    /// How many writers wait before which readers wait.
    pub n_queued: u32,
}

/// A semaphore.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Semaphore {
    /// What it stands at.
    pub count: u32,
}

/// A barrier.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Barrier {
    /// How many it waits for; 0 if it was never initialised.
    pub n_parties: u32,
    /// How many have arrived in this round.
    pub n_arrived: u32,
}

/// A `pthread_once`, or the guard of a local static variable. Whether it has run is in its own
/// memory, where compiled code looks for it.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub struct Once {
    /// The number of the thread that runs the function, plus one.
    pub runner: u32,
    /// Whether a function was left by an exception, so that the next one comes after it.
    pub was_left: bool,
}

#[derive(Clone, Debug, Hash)]
enum Object {
    Mutex(Mutex),
    RwLock(RwLock),
    Semaphore(Semaphore),
    Barrier(Barrier),
    Once(Once),
}

/// All objects of a process.
#[derive(Debug)]
pub struct Objects {
    by_address: Table<u32>,
    objects: Vec<Object>,
    /// Whether there was a robust mutex.
    any_robust: bool,
}

/// Which of them are where does not change without a change of one of them.
impl Hash for Objects {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.objects.hash(hasher);
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $kind:ident;)*) => { $(
        $(#[$doc])*
        pub fn $name(&mut self, address: u64) -> &mut $kind {
            let index = self.index(address, Object::$kind($kind::default()));
            if !matches!(self.objects[index], Object::$kind(_)) {
                self.objects[index] = Object::$kind($kind::default());
            }
            match &mut self.objects[index] {
                Object::$kind(object) => object,
                _ => unreachable!("it was made so above"),
            }
        }
    )* };
}

impl Objects {
    /// None yet.
    pub const fn new() -> Objects {
        Objects { by_address: Table::new(), objects: Vec::new(), any_robust: false }
    }

    kinds! {
        /// The mutex at an address; memory that held something else begins anew.
        mutex: Mutex;
        /// The lock for readers and writers at an address.
        rwlock: RwLock;
        /// The semaphore at an address.
        semaphore: Semaphore;
        /// The barrier at an address.
        barrier: Barrier;
        /// The `pthread_once` at an address.
        once: Once;
    }

    /// Whether there is a model for an address.
    pub fn knows(&self, address: u64) -> bool {
        self.by_address.get(address).is_some()
    }

    /// Whether a thread has the lock at an address for itself.
    pub fn is_held_by(&self, address: u64, thread: u32) -> bool {
        let object = self.by_address.get(address).map(|index| &self.objects[index as usize]);
        match object {
            Some(Object::Mutex(mutex)) => mutex.owner == thread + 1,
            Some(Object::RwLock(lock)) => lock.writer == thread + 1,
            _ => false,
        }
    }

    /// What there is to a mutex that is robust.
    pub fn robust(&mut self, address: u64) -> &mut Robust {
        self.any_robust = true;
        self.mutex(address).robust.get_or_insert(Robust::Consistent)
    }

    /// The robust mutexes that a thread has, by address.
    pub fn robust_of(&self, thread: u32) -> Vec<u64> {
        if !self.any_robust {
            return Vec::new();
        }
        let is_its = |&(_, index): &(u64, u32)| match &self.objects[index as usize] {
            Object::Mutex(mutex) => mutex.owner == thread + 1 && mutex.robust.is_some(),
            _ => false,
        };
        let mut all: Vec<_> = self.by_address.entries().filter(is_its).map(|it| it.0).collect();
        all.sort_unstable();
        all
    }

    /// Whether readers have the lock at an address.
    pub fn is_read(&self, address: u64) -> bool {
        let object = self.by_address.get(address).map(|index| &self.objects[index as usize]);
        matches!(object, Some(Object::RwLock(lock)) if !lock.readers.is_empty())
    }

    /// Forgets an object: it was destroyed, or its memory was freed.
    pub fn forget(&mut self, address: u64) {
        if let Some(index) = self.by_address.remove(address) {
            self.objects[index as usize] = Object::Mutex(Mutex::default());
        }
    }

    /// Forgets all objects in `start..end`: the memory was freed.
    pub fn forget_within(&mut self, start: u64, end: u64) {
        /// No object is aligned to less.
        const STEP: u64 = 4;
        for address in self.by_address.keys_within(start, end, STEP) {
            self.forget(address);
        }
    }

    /// Who has what a guard waits for, plus one; 0: nobody, or several.
    pub fn holder(&mut self, guard: Guard) -> u32 {
        match guard {
            Guard::Free(lock) | Guard::WokenAndFree(lock) => self.mutex(lock).owner,
            Guard::Readable(lock) | Guard::Writable(lock) => self.rwlock(lock).writer,
            Guard::Ended(thread) => thread + 1,
            Guard::OnceIdle(once) => self.once(once).runner,
            _ => 0,
        }
    }

    fn index(&mut self, address: u64, new: Object) -> usize {
        if let Some(index) = self.by_address.get(address) {
            return index as usize;
        }
        let index = self.objects.len();
        self.objects.push(new);
        self.by_address.insert(address, index as u32);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_found_by_its_address_and_forgotten() {
        let mut objects = Objects::new();
        objects.mutex(0x10).owner = 3;
        objects.semaphore(0x20).count = 7;
        assert_eq!(objects.mutex(0x10).owner, 3);
        assert_eq!(objects.holder(Guard::Free(0x10)), 3);
        assert_eq!(objects.semaphore(0x20).count, 7);
        objects.forget(0x10);
        assert!(!objects.knows(0x10));
        assert_eq!(objects.mutex(0x10).owner, 0);
        assert_eq!(objects.rwlock(0x20).writer, 0, "memory may become another kind of object");
    }

    #[test]
    fn memory_that_is_freed_takes_its_objects_along() {
        for end in [0x1040, 0x100_0000] {
            let mut objects = Objects::new();
            for address in [0xff8, 0x1000, 0x1014, 0x1038, 0x100_0000] {
                objects.mutex(address).owner = 1;
            }
            objects.forget_within(0x1000, end);
            assert!([0x1000, 0x1014, 0x1038].iter().all(|&address| !objects.knows(address)));
            assert!(objects.knows(0xff8) && objects.knows(0x100_0000));
        }
    }
}
