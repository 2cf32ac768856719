//! `pthread_once`, and sections in which no other thread moves.

use super::{Done, OK, Result};
use crate::fault::{FaultKind, Misuse};
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::sync::{SyncKind, once};
use crate::thread::NONE;

impl Machine {
    pub(super) fn once_begin<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Once)?;
        let current = self.state.counters.current;
        let entry = self.state.syncs.get_mut(index);
        if entry.count == once::DONE {
            self.busy();
            self.emit(o, What::OncePassed { address });
            return Ok(Done::Value(0));
        }
        (entry.count, entry.owner) = (once::RUNNING, current);
        self.busy();
        self.emit(o, What::OnceBegin { address });
        Ok(Done::Value(1))
    }

    pub(super) fn once_end<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Once)?;
        let entry = self.state.syncs.get_mut(index);
        (entry.count, entry.owner) = (once::DONE, NONE);
        self.busy();
        self.emit(o, What::OnceEnd { address });
        OK
    }

    pub(super) fn atomic_begin<O: Observer>(&mut self, o: &mut O) -> Result {
        let core = &mut self.current_thread_mut().core;
        core.atomic += 1;
        if core.atomic == 1 {
            self.emit(o, What::AtomicBegin);
        }
        self.busy();
        OK
    }

    pub(super) fn atomic_end<O: Observer>(&mut self, o: &mut O) -> Result {
        let core = &mut self.current_thread_mut().core;
        if core.atomic == 0 {
            return Err(FaultKind::Misuse(Misuse::AtomicEnd).into());
        }
        core.atomic -= 1;
        if core.atomic == 0 {
            self.emit(o, What::AtomicEnd);
        }
        OK
    }
}
