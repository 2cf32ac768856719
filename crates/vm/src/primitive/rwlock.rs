//! Reader-writer locks.
//!
//! Readers are let in whenever no writer has the lock, also while one waits, as the C library does by default. Of the kind
//! `PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP` they wait while a writer waits: a writer that does not get the lock
//! *lines up*, which is a step of its own, and waits from then on.

use super::{Done, OK, Result, errno, fail};
use crate::fault::Misuse;
use crate::interpret::{Flow, Trap};
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::sync::SyncKind;
use crate::thread::{Gate, NONE, Stage};

impl Machine {
    pub(super) fn rwlock_init(&mut self, address: u64, kind: u64) -> Result {
        let index = self.init(address, SyncKind::Rwlock)?;
        self.state.syncs.get_mut(index).flavour = kind as u8;
        OK
    }

    /// The kind that the bytes of a lock say, where the C library has it.
    pub(super) fn rwlock_kind(&self, address: u64) -> u8 {
        let at = address + if self.state.memory.pointer_size() == 8 { 48 } else { 24 };
        let located = self.state.memory.locate(at, 1);
        located.map_or(0, |(object, offset)| self.state.memory.bytes(object, offset, 1)[0])
    }

    pub(super) fn rwlock_read<O: Observer>(
        &mut self,
        address: u64,
        blocks: bool,
        o: &mut O,
    ) -> Result {
        let index = self.sync(address, SyncKind::Rwlock)?;
        let current = self.state.counters.current;
        match self.state.syncs.get(index).owner {
            NONE if !self.has_queue(index) => {
                let first = self.state.syncs.add_reader(index, current);
                self.busy();
                if first && blocks && self.waits_for_good() {
                    self.emit(o, What::Request { address, shared: true });
                }
                if first {
                    self.emit(o, What::Acquire { address, shared: true });
                }
                OK
            }
            owner if owner == current && blocks => fail(errno::EDEADLK),
            _ => self.not_got(address, true, blocks, o),
        }
    }

    pub(super) fn rwlock_write<O: Observer>(
        &mut self,
        address: u64,
        blocks: bool,
        o: &mut O,
    ) -> Result {
        let index = self.sync(address, SyncKind::Rwlock)?;
        let current = self.state.counters.current;
        let entry = self.state.syncs.get(index);
        match (entry.owner, entry.count) {
            (NONE, 0) => {
                self.took(index, blocks && self.waits_for_good(), o);
                OK
            }
            (owner, _) if owner == current && blocks => fail(errno::EDEADLK),
            _ if blocks
                && entry.lets_writers_first()
                && self.current_thread().core.stage != Stage::Queued =>
            {
                self.line_up(index)
            }
            _ => self.not_got(address, false, blocks, o),
        }
    }

    /// The current thread waits for a lock to write, and readers wait for it.
    fn line_up(&mut self, index: u32) -> Result {
        self.busy();
        let core = &mut self.current_thread_mut().core;
        (core.stage, core.gate) = (Stage::Queued, Gate::Exclusive(index));
        Ok(Done::Stop)
    }

    /// A thread that lined up gets the lock, or its time has run out.
    pub(crate) fn leave_queue<O: Observer>(
        &mut self,
        o: &mut O,
    ) -> std::result::Result<Flow, Trap> {
        let (_, arguments) =
            self.primitive_of(self.state.counters.current).expect("it is in the middle of a call");
        match self.rwlock_write(arguments[0], true, o)? {
            Done::Value(value) => Ok(self.complete(value)),
            Done::Stop | Done::Ask(_) => unreachable!("it has lined up already"),
        }
    }

    /// The lock is held against the current thread, whose time has run out or which only tries.
    fn not_got<O: Observer>(
        &mut self,
        address: u64,
        shared: bool,
        blocks: bool,
        o: &mut O,
    ) -> Result {
        if blocks {
            self.emit(o, What::Request { address, shared });
        }
        self.emit(o, What::TryFail { address, shared });
        if blocks {
            return self.run_out();
        }
        self.idle();
        fail(errno::EBUSY)
    }

    pub(super) fn rwlock_unlock<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Rwlock)?;
        let current = self.state.counters.current;
        if self.state.syncs.get(index).owner == current {
            self.gave_back(index, o);
            return OK;
        }
        if self.state.syncs.n_reads(index, current) == 0 {
            let free = !self.state.syncs.get(index).is_held();
            return Err(match free {
                true => self.misuse(|object| Misuse::UnlockFree { object }, address),
                false => self.misuse(|object| Misuse::UnlockOther { object }, address),
            });
        }
        self.busy();
        if self.state.syncs.remove_reader(index, current) {
            self.emit(o, What::Release { address, shared: true });
        }
        OK
    }
}
