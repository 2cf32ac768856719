//! What all synchronisation objects have in common: they are initialised, by a call or by their
//! bytes, used, destroyed, and forgotten when their memory goes.

use super::{OK, errno, fail};
use crate::fault::{FaultKind, Misuse};
use crate::interpret::Trap;
use crate::machine::Machine;
use crate::memory::{ObjectKind, flag};
use crate::observe::{Observer, What};
use crate::sync::SyncKind;
use crate::thread::{Gate, NEVER, NONE};

impl Machine {
    /// A fault that is a misuse of the object at an address.
    pub(crate) fn misuse(&self, make: fn(String) -> Misuse, address: u64) -> Trap {
        FaultKind::Misuse(make(self.name_at(address))).into()
    }

    /// The entry at an address, as something that was initialised and not destroyed.
    pub(crate) fn sync(&mut self, address: u64, kind: SyncKind) -> Result<u32, Trap> {
        self.state.memory.locate(address, 4)?;
        let index = self.sync_at(address).expect("it was located");
        let entry = *self.state.syncs.get(index);
        let is_unused = entry.is_fresh() && !self.is_waited_for(index);
        if entry.kind == SyncKind::Unknown || entry.kind != kind && is_unused {
            self.adopt(index, address, kind)?;
        } else if entry.kind != kind {
            return Err(self.misuse(|object| Misuse::WrongKind { object }, address));
        } else if entry.destroyed {
            return Err(self.misuse(|object| Misuse::Destroyed { object }, address));
        }
        Ok(index)
    }

    /// Makes an entry of what was initialised by its bytes alone.
    fn adopt(&mut self, index: u32, address: u64, kind: SyncKind) -> Result<(), Trap> {
        let flavour_at = if self.state.memory.pointer_size() == 8 { 16 } else { 12 };
        let size = if kind == SyncKind::Mutex { flavour_at + 4 } else { 4 };
        let (object, offset) = self.state.memory.locate(address, size.into())?;
        let bytes = self.state.memory.bytes(object, offset, size);
        let flavour = match kind {
            SyncKind::Mutex => bytes[flavour_at as usize],
            SyncKind::Rwlock => self.rwlock_kind(address),
            _ => 0,
        };
        let rest = if kind == SyncKind::Mutex { &bytes[..flavour_at as usize] } else { bytes };
        let needs_call = matches!(kind, SyncKind::Semaphore | SyncKind::Barrier);
        if needs_call || flavour > 2 || rest.iter().any(|&byte| byte != 0) {
            return Err(self.misuse(|object| Misuse::Uninitialised { object }, address));
        }
        let entry = self.state.syncs.get_mut(index);
        entry.reset(kind);
        entry.flavour = flavour;
        entry.is_adopted = true;
        Ok(())
    }

    /// Initialises an entry by a call.
    pub(crate) fn init(&mut self, address: u64, kind: SyncKind) -> Result<u32, Trap> {
        self.state.memory.locate_mut(address, 4)?;
        let index = self.sync_at(address).expect("it was located");
        if self.state.syncs.get(index).is_held() || self.is_waited_for(index) {
            return Err(self.misuse(|object| Misuse::InitUsed { object }, address));
        }
        self.state.syncs.get_mut(index).reset(kind);
        self.busy();
        Ok(index)
    }

    pub(super) fn destroy(&mut self, address: u64, kind: SyncKind) -> super::Result {
        let index = self.sync(address, kind)?;
        if self.state.syncs.get(index).is_held() {
            return Err(self.misuse(|object| Misuse::DestroyHeld { object }, address));
        }
        if self.is_waited_for(index) {
            return Err(self.misuse(|object| Misuse::DestroyWaited { object }, address));
        }
        self.state.syncs.get_mut(index).destroyed = true;
        self.busy();
        OK
    }

    /// Whether a thread is blocked on the entry, in a wait, at a barrier, before a semaphore.
    fn is_waited_for(&self, index: u32) -> bool {
        let current = self.state.counters.current;
        let waits = |thread: u32| {
            let core = &self.state.threads[thread as usize].core;
            let on = match core.gate {
                Gate::Exclusive(i) | Gate::Shared(i) | Gate::Positive(i) | Gate::Settled(i) => {
                    i == index && !self.is_gate_open(thread)
                }
                Gate::Signalled => core.cond == index && !core.signalled,
                Gate::Passed(i, _) => i == index && !self.is_gate_open(thread),
                Gate::Open | Gate::Ended(_) => false,
            };
            on && thread != current
        };
        let running = |&thread: &u32| self.state.threads[thread as usize].is_running();
        (0..self.n_threads()).filter(running).any(waits)
    }

    /// Forgets the locks and the like in an object whose life ends.
    pub(crate) fn forget_syncs(&mut self, object: u32) -> Result<(), Trap> {
        let about = *self.state.memory.object(object);
        if about.flags & flag::SYNC == 0 {
            return Ok(());
        }
        let start = self.state.memory.address(object, 0);
        let end = start + u64::from(about.size);
        for &(address, index) in self.state.syncs.within(start, end) {
            let entry = self.state.syncs.get(index);
            // A lock may end with its function while it is held: nobody else can know of it.
            if about.kind == ObjectKind::Heap && !entry.destroyed && entry.is_held() {
                return Err(self.misuse(|object| Misuse::FreeHeld { object }, address));
            }
            if entry.kind != SyncKind::Unknown && self.is_waited_for(index) {
                return Err(self.misuse(|object| Misuse::FreeWaited { object }, address));
            }
        }
        self.state.syncs.forget(start, end);
        self.state.memory.objects[object as usize].flags &= !flag::SYNC;
        Ok(())
    }

    /// Whether the current thread would wait for ever for what it asks for. One that gives up after a
    /// while is not said to ask.
    pub(crate) fn waits_for_good(&self) -> bool {
        self.current_thread().core.deadline == NEVER
    }

    /// The current thread takes a lock.
    pub(crate) fn took<O: Observer>(&mut self, index: u32, asked: bool, o: &mut O) {
        let current = self.state.counters.current;
        let entry = self.state.syncs.get_mut(index);
        (entry.owner, entry.count) = (current, if entry.kind == SyncKind::Rwlock { 0 } else { 1 });
        let address = entry.address;
        self.busy();
        if asked {
            self.emit(o, What::Request { address, shared: false });
        }
        self.emit(o, What::Acquire { address, shared: false });
    }

    /// The current thread gives an exclusive lock back.
    pub(crate) fn gave_back<O: Observer>(&mut self, index: u32, o: &mut O) {
        let entry = self.state.syncs.get_mut(index);
        (entry.owner, entry.count) = (NONE, 0);
        let address = entry.address;
        self.busy();
        self.emit(o, What::Release { address, shared: false });
    }

    /// A timed operation of the current thread runs out.
    pub(crate) fn run_out(&mut self) -> super::Result {
        let deadline = self.current_thread().core.deadline;
        if deadline != NEVER {
            self.state.counters.clock = self.state.counters.clock.max(deadline);
        }
        self.idle();
        fail(errno::ETIMEDOUT)
    }
}
