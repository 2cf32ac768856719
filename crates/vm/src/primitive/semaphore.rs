//! Counting semaphores.

use super::{Done, OK, Result, errno, fail};
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::sync::SyncKind;

/// `SEM_VALUE_MAX`.
const VALUE_MAX: u32 = i32::MAX as u32;

impl Machine {
    pub(super) fn sem_init<O: Observer>(&mut self, address: u64, value: u64, o: &mut O) -> Result {
        let value = value as u32;
        if value > VALUE_MAX {
            return fail(errno::EINVAL);
        }
        let index = self.init(address, SyncKind::Semaphore)?;
        self.state.syncs.get_mut(index).count = value;
        self.emit(o, What::SemaphoreInit { address, value });
        OK
    }

    /// Lowers a semaphore, or fails: a try, or a timed wait that runs out.
    pub(super) fn sem_wait<O: Observer>(&mut self, address: u64, error: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Semaphore)?;
        let entry = self.state.syncs.get_mut(index);
        if entry.count > 0 {
            entry.count -= 1;
            self.busy();
            self.emit(o, What::Take { address });
            return OK;
        }
        self.emit(o, What::TakeFail { address });
        if error == errno::ETIMEDOUT {
            return self.run_out();
        }
        self.idle();
        fail(error)
    }

    pub(super) fn sem_post<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Semaphore)?;
        let entry = self.state.syncs.get_mut(index);
        if entry.count >= VALUE_MAX {
            return fail(errno::EOVERFLOW);
        }
        entry.count += 1;
        self.busy();
        self.emit(o, What::Post { address });
        OK
    }

    pub(super) fn sem_value(&mut self, address: u64) -> Result {
        let index = self.sync(address, SyncKind::Semaphore)?;
        self.idle();
        Ok(Done::Value(self.state.syncs.get(index).count.into()))
    }
}
