//! Semaphores, barriers, failed tries and `pthread_once`.

use raddle_vm::{Event, What};
use rustc_hash::FxHashMap;

use super::events::Follower;
use crate::ctp::{Action, Barrier, BarrierId, LockId, Object, Semaphore, SemaphoreId};
use crate::origin::outside;

/// How many steps about one semaphore or barrier are followed: what is asked of their number grows
/// with its third power.
const N_STEPS_MAX: usize = 96;

/// The semaphores and barriers that are there, by address.
#[derive(Default)]
pub(super) struct Syncs {
    semaphores: FxHashMap<u64, SemaphoreId>,
    barriers: FxHashMap<u64, BarrierId>,
}

impl Follower {
    pub(super) fn sync_event(&mut self, event: &Event<'_>) {
        let semaphore = |follower: &Self, address| follower.syncs.semaphores.get(&address).copied();
        let barrier = |follower: &Self, address| follower.syncs.barriers.get(&address).copied();
        let action = match event.what {
            What::SemaphoreInit { address, value } => {
                return self.new_semaphore(event, address, value);
            }
            What::BarrierInit { address, count } => return self.new_barrier(event, address, count),
            What::TryFail { address, shared } => {
                Some(Action::TryFails { lock: self.lock(event, address), shared })
            }
            What::OncePassed { address } => {
                Some(Action::Passes { lock: self.once(event, address) })
            }
            What::Post { address } => {
                semaphore(self, address).map(|semaphore| Action::Post { semaphore })
            }
            What::Take { address } => {
                semaphore(self, address).map(|semaphore| Action::Take { semaphore })
            }
            What::TakeFail { address } => {
                semaphore(self, address).map(|semaphore| Action::TakeFails { semaphore })
            }
            What::Arrive { address } => {
                let last = self.thread(event.thread).last.take();
                let last = last.unwrap_or_else(|| self.ctp.exprs.unknown());
                barrier(self, address).map(|barrier| Action::Arrive { barrier, last })
            }
            What::Leave { address } => {
                barrier(self, address).map(|barrier| Action::Leave { barrier })
            }
            _ => None,
        };
        if let Some(action) = action {
            let line = super::line(event.view.program(), outside(event));
            self.push(event.thread, action, line);
        }
    }

    /// The lock that stands for a call that happens once.
    pub(super) fn once(&mut self, event: &Event<'_>, address: u64) -> LockId {
        let lock = self.lock(event, address);
        if !self.ctp.onces.contains(&lock) {
            self.ctp.onces.push(lock);
        }
        lock
    }

    /// What is initialised again is another one from then on.
    fn new_semaphore(&mut self, event: &Event<'_>, address: u64, initial: u32) {
        let known = self.ctp.semaphores.iter().map(|semaphore| semaphore.name.as_str());
        let name = fresh(event.view.name_at(address), known);
        self.ctp.semaphores.push(Semaphore { name, initial });
        let id = SemaphoreId(self.ctp.semaphores.len() as u32 - 1);
        self.syncs.semaphores.insert(address, id);
    }

    fn new_barrier(&mut self, event: &Event<'_>, address: u64, n_parties: u32) {
        let known = self.ctp.barriers.iter().map(|barrier| barrier.name.as_str());
        let name = fresh(event.view.name_at(address), known);
        self.ctp.barriers.push(Barrier { name, n_parties });
        let id = BarrierId(self.ctp.barriers.len() as u32 - 1);
        self.syncs.barriers.insert(address, id);
    }

    /// Semaphores and barriers with too many steps: only more interleavings become possible by
    /// leaving them out.
    pub(super) fn leave_out_many(&mut self) {
        let mut n_steps: FxHashMap<Object, usize> = FxHashMap::default();
        let counted = |action: Action| {
            let object = action.accesses().next().map(|(object, _)| object);
            object.filter(|o| matches!(o, Object::Semaphore(_) | Object::Barrier(_)))
        };
        for state in &self.ctp.states {
            if let Some(object) = counted(state.step.action) {
                *n_steps.entry(object).or_default() += 1;
            }
        }
        for index in 0..self.ctp.states.len() {
            let Some(object) = counted(self.ctp.states[index].step.action) else { continue };
            if n_steps[&object] > N_STEPS_MAX {
                let name = match object {
                    Object::Semaphore(id) => &self.ctp.semaphores[id.0 as usize].name,
                    Object::Barrier(id) => &self.ctp.barriers[id.0 as usize].name,
                    _ => continue,
                };
                let text = format!(
                    "{name} is ignored because it is used too often: more interleavings are \
                     allowed than there are"
                );
                let line = self.ctp.states[index].step.line.clone();
                self.notice(text, line);
                self.ctp.states[index].step.action = Action::Nothing;
            }
        }
    }
}

/// A name that is not known yet.
fn fresh<'a>(name: String, known: impl Iterator<Item = &'a str> + Clone) -> String {
    let mut unused = name.clone();
    for n in 2.. {
        if !known.clone().any(|known| known == unused) {
            break;
        }
        unused = format!("{name}#{n}");
    }
    unused
}
