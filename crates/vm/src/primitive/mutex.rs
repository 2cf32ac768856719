//! Mutexes and spin locks.

use super::{OK, Result, errno, fail};
use crate::fault::Misuse;
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::outcome::RemarkKind;
use crate::sync::{SyncKind, mutex};
use crate::thread::NONE;

impl Machine {
    pub(super) fn mutex_init(&mut self, address: u64, kind: u64) -> Result {
        if kind > 2 {
            return fail(errno::EINVAL);
        }
        let index = self.init(address, SyncKind::Mutex)?;
        self.state.syncs.get_mut(index).flavour = kind as u8;
        OK
    }

    pub(super) fn mutex_lock<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Mutex)?;
        let current = self.state.counters.current;
        let for_good = self.waits_for_good();
        let entry = self.state.syncs.get_mut(index);
        match (entry.owner, entry.flavour) {
            (NONE, _) => self.took(index, for_good, o),
            (owner, mutex::RECURSIVE) if owner == current => {
                entry.count += 1;
                self.busy();
            }
            (owner, mutex::CHECKED) if owner == current => return fail(errno::EDEADLK),
            _ => {
                self.emit(o, What::Request { address, shared: false });
                self.emit(o, What::TryFail { address, shared: false });
                return self.run_out();
            }
        }
        OK
    }

    pub(super) fn mutex_try_lock<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Mutex)?;
        let current = self.state.counters.current;
        let entry = self.state.syncs.get_mut(index);
        if entry.owner == NONE {
            self.took(index, false, o);
            return OK;
        }
        if entry.owner == current && entry.flavour == mutex::RECURSIVE {
            entry.count += 1;
            self.busy();
            return OK;
        }
        self.idle();
        self.emit(o, What::TryFail { address, shared: false });
        fail(errno::EBUSY)
    }

    pub(super) fn mutex_unlock<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Mutex)?;
        let current = self.state.counters.current;
        let entry = self.state.syncs.get_mut(index);
        if entry.owner != current {
            return match entry.flavour {
                mutex::NORMAL => self.unlock_foreign(index, o),
                _ => fail(errno::EPERM),
            };
        }
        entry.count -= 1;
        if entry.count == 0 {
            self.gave_back(index, o);
        }
        OK
    }

    pub(super) fn spin_lock<O: Observer>(
        &mut self,
        address: u64,
        blocks: bool,
        o: &mut O,
    ) -> Result {
        let index = self.sync(address, SyncKind::Spin)?;
        if self.state.syncs.get(index).owner == NONE {
            self.took(index, blocks, o);
            return OK;
        }
        self.idle();
        self.emit(o, What::TryFail { address, shared: false });
        fail(errno::EBUSY)
    }

    pub(super) fn spin_unlock<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Spin)?;
        match self.state.syncs.get(index).owner {
            owner if owner == self.state.counters.current => {
                self.gave_back(index, o);
                OK
            }
            _ => self.unlock_foreign(index, o),
        }
    }

    /// The current thread unlocks what it does not hold: the lock is free then, whichever thread held it.
    fn unlock_foreign<O: Observer>(&mut self, index: u32, o: &mut O) -> Result {
        let entry = self.state.syncs.get_mut(index);
        let (address, held) = (entry.address, entry.owner != NONE);
        if self.image.settings.strict_locks {
            return Err(match held {
                false => self.misuse(|object| Misuse::UnlockFree { object }, address),
                true => self.misuse(|object| Misuse::UnlockOther { object }, address),
            });
        }
        // What comes of it later follows from this.
        if !std::mem::replace(&mut entry.is_broken, true) {
            self.remark(RemarkKind::Unlocked { address, held });
        }
        self.gave_back(index, o);
        OK
    }
}
