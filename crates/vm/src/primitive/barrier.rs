//! Barriers. The last thread to arrive goes on at once, the others when they are chosen.

use super::{Done, OK, Result, errno, fail};
use crate::interpret::{Flow, Trap};
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::sync::SyncKind;
use crate::thread::{Gate, NEVER, Stage};

/// What the last thread to arrive gets: `PTHREAD_BARRIER_SERIAL_THREAD`.
const SERIAL: u64 = -1_i64 as u64;

impl Machine {
    pub(super) fn barrier_init<O: Observer>(
        &mut self,
        address: u64,
        count: u64,
        o: &mut O,
    ) -> Result {
        let count = count as u32;
        if count == 0 {
            return fail(errno::EINVAL);
        }
        let index = self.init(address, SyncKind::Barrier)?;
        self.state.syncs.get_mut(index).parties = count;
        self.emit(o, What::BarrierInit { address, count });
        OK
    }

    pub(super) fn barrier_wait<O: Observer>(&mut self, address: u64, o: &mut O) -> Result {
        let index = self.sync(address, SyncKind::Barrier)?;
        self.busy();
        self.emit(o, What::Arrive { address });
        let entry = self.state.syncs.get_mut(index);
        entry.count += 1;
        if entry.count < entry.parties {
            let gate = Gate::Passed(index, entry.generation);
            let core = &mut self.current_thread_mut().core;
            (core.stage, core.gate, core.deadline) = (Stage::Arrived, gate, NEVER);
            return Ok(Done::Stop);
        }
        entry.count = 0;
        entry.generation = entry.generation.wrapping_add(1);
        self.emit(o, What::Leave { address });
        Ok(Done::Value(SERIAL))
    }

    /// All have arrived, and the current thread goes on.
    pub(crate) fn leave_barrier<O: Observer>(
        &mut self,
        o: &mut O,
    ) -> std::result::Result<Flow, Trap> {
        let current = self.state.counters.current;
        let (_, arguments) = self.primitive_of(current).expect("it is at a barrier");
        self.emit(o, What::Leave { address: arguments[0] });
        Ok(self.complete(0))
    }
}
