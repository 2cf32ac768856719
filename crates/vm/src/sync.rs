//! Locks, conditions, semaphores and the like, by their addresses.
//!
//! Their state lies outside the program's bytes, so that stray writes do not touch it and their
//! misuse is seen. An entry keeps its index for the whole run: threads that wait refer to it.

use crate::state::copy;
use crate::thread::NONE;

/// What an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub(crate) enum SyncKind {
    /// Nothing yet, or nothing any more.
    #[default]
    Unknown,
    Mutex,
    Cond,
    Rwlock,
    Spin,
    Barrier,
    Semaphore,
    Once,
}

/// The kinds of mutexes, as the library numbers them.
pub(crate) mod mutex {
    pub(crate) const NORMAL: u8 = 0;
    pub(crate) const RECURSIVE: u8 = 1;
    pub(crate) const CHECKED: u8 = 2;
}

/// The kinds of reader-writer locks, as the C library numbers them.
pub(crate) mod rwlock {
    /// Readers wait while a writer waits. The others let readers in.
    pub(crate) const WRITERS_FIRST: u8 = 2;
}

/// The states of a `pthread_once`.
pub(crate) mod once {
    pub(crate) const RUNNING: u32 = 1;
    pub(crate) const DONE: u32 = 2;
}

/// One lock, condition, semaphore, …
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sync {
    pub(crate) address: u64,
    pub(crate) kind: SyncKind,
    pub(crate) destroyed: bool,
    /// Whether a thread has unlocked it that did not hold it: it may be held twice since then, and is told only as what
    /// orders threads.
    pub(crate) is_broken: bool,
    /// Whether it was initialised by its bytes alone.
    pub(crate) is_adopted: bool,
    /// The kind of a mutex or reader-writer lock.
    pub(crate) flavour: u8,
    /// Who holds it exclusively.
    pub(crate) owner: u32,
    /// How many times its owner holds it; how many threads read, have arrived; the value of a
    /// semaphore; the state of a `pthread_once`.
    pub(crate) count: u32,
    /// How many threads a barrier waits for.
    pub(crate) parties: u32,
    /// How many times a barrier was passed.
    pub(crate) generation: u32,
}

impl Sync {
    fn new(address: u64) -> Sync {
        Sync {
            address,
            kind: SyncKind::Unknown,
            destroyed: false,
            is_broken: false,
            is_adopted: false,
            flavour: mutex::NORMAL,
            owner: NONE,
            count: 0,
            parties: 0,
            generation: 0,
        }
    }

    /// Whether somebody holds it.
    pub(crate) fn is_held(&self) -> bool {
        match self.kind {
            SyncKind::Mutex | SyncKind::Spin => self.owner != NONE,
            SyncKind::Rwlock => self.owner != NONE || self.count > 0,
            _ => false,
        }
    }

    /// Whether readers wait while a writer waits.
    pub(crate) fn lets_writers_first(&self) -> bool {
        self.kind == SyncKind::Rwlock && self.flavour == rwlock::WRITERS_FIRST
    }

    /// Whether it is as it was before it was used, and its bytes alone say what it is.
    pub(crate) fn is_fresh(&self) -> bool {
        let is_free = self.owner == NONE && self.count == 0;
        self.is_adopted && is_free && !self.destroyed && !self.is_broken
    }

    /// Forgets everything but the address.
    pub(crate) fn reset(&mut self, kind: SyncKind) {
        *self = Sync { kind, ..Sync::new(self.address) };
    }
}

/// A thread that holds a lock for reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reader {
    pub(crate) sync: u32,
    pub(crate) thread: u32,
    pub(crate) count: u32,
}

/// All entries, and who reads.
#[derive(Debug, Default)]
pub(crate) struct Syncs {
    entries: Vec<Sync>,
    /// Addresses and indices, by address.
    index: Vec<(u64, u32)>,
    pub(crate) readers: Vec<Reader>,
}

impl Clone for Syncs {
    fn clone(&self) -> Self {
        let mut copy = Syncs::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        copy(&mut self.entries, &from.entries);
        copy(&mut self.index, &from.index);
        copy(&mut self.readers, &from.readers);
    }
}

impl Syncs {
    /// The entry for an address, which is new if there was none.
    pub(crate) fn at(&mut self, address: u64) -> u32 {
        match self.index.binary_search_by_key(&address, |row| row.0) {
            Ok(position) => self.index[position].1,
            Err(position) => {
                let new = self.entries.len() as u32;
                self.entries.push(Sync::new(address));
                self.index.insert(position, (address, new));
                new
            }
        }
    }

    /// The entry for an address, if there is one.
    pub(crate) fn find(&self, address: u64) -> Option<u32> {
        let position = self.index.binary_search_by_key(&address, |row| row.0).ok()?;
        Some(self.index[position].1)
    }

    pub(crate) fn get(&self, index: u32) -> &Sync {
        &self.entries[index as usize]
    }

    pub(crate) fn get_mut(&mut self, index: u32) -> &mut Sync {
        &mut self.entries[index as usize]
    }

    /// The entries in a range of addresses, ascending.
    pub(crate) fn within(&self, from: u64, to: u64) -> &[(u64, u32)] {
        let start = self.index.partition_point(|row| row.0 < from);
        let end = self.index.partition_point(|row| row.0 < to);
        &self.index[start..end]
    }

    /// Forgets the entries in a range of addresses, whose memory is gone.
    pub(crate) fn forget(&mut self, from: u64, to: u64) {
        let start = self.index.partition_point(|row| row.0 < from);
        let end = self.index.partition_point(|row| row.0 < to);
        for (_, index) in self.index.drain(start..end) {
            self.entries[index as usize].reset(SyncKind::Unknown);
        }
    }

    /// All entries that have an address.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Sync)> {
        self.index.iter().map(|&(_, index)| (index, &self.entries[index as usize]))
    }

    /// How many times a thread reads.
    pub(crate) fn n_reads(&self, sync: u32, thread: u32) -> u32 {
        self.reader(sync, thread).map_or(0, |at| self.readers[at].count)
    }

    /// A thread reads once more; true if it did not before.
    pub(crate) fn add_reader(&mut self, sync: u32, thread: u32) -> bool {
        match self.reader(sync, thread) {
            Some(at) => self.readers[at].count += 1,
            None => {
                let reader = Reader { sync, thread, count: 1 };
                let at = self.readers.partition_point(|r| (r.sync, r.thread) < (sync, thread));
                self.readers.insert(at, reader);
                self.entries[sync as usize].count += 1;
                return true;
            }
        }
        false
    }

    /// A reader reads once less; true if that was the last time.
    pub(crate) fn remove_reader(&mut self, sync: u32, thread: u32) -> bool {
        let Some(at) = self.reader(sync, thread) else { return false };
        self.readers[at].count -= 1;
        if self.readers[at].count == 0 {
            self.readers.remove(at);
            self.entries[sync as usize].count -= 1;
            return true;
        }
        false
    }

    fn reader(&self, sync: u32, thread: u32) -> Option<usize> {
        self.readers.binary_search_by_key(&(sync, thread), |r| (r.sync, r.thread)).ok()
    }
}
