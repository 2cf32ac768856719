//! Reader-writer locks.

use super::{OK, Result, errno, fail};
use crate::fault::Misuse;
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::sync::SyncKind;
use crate::thread::NONE;

impl Machine {
    pub(super) fn rwlock_read<O: Observer>(
        &mut self,
        address: u64,
        blocks: bool,
        o: &mut O,
    ) -> Result {
        let index = self.sync(address, SyncKind::Rwlock)?;
        let current = self.state.counters.current;
        match self.state.syncs.get(index).owner {
            NONE => {
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
            _ => self.not_got(address, false, blocks, o),
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
