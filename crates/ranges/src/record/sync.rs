//! What events become: steps, or notes about those that come.

use raddle_trace::WakeReason;
use raddle_vm::{Event, What};
use rustc_hash::FxHashMap;

use super::events::Follower;
use crate::ctp::{Action, Barrier, BarrierId, LockId, Object, Semaphore, SemaphoreId};

/// How many steps about one semaphore or barrier are followed: what is asked of their number grows
/// with its third power.
const N_STEPS_MAX: usize = 96;

impl Follower {
    /// The step that an event is, if it is one.
    pub(super) fn action(&mut self, event: &Event<'_>) -> Option<Action> {
        let number = event.thread;
        Some(match event.what {
            What::Read { .. } | What::Write { .. } | What::Rmw { .. } => {
                return self.thread(number).action.take();
            }
            What::Acquire { address, shared } => {
                Action::Acquire { lock: self.lock(event, address), shared, woken: None }
            }
            What::Release { address, shared } => {
                let waits = self.thread(number).waits.take();
                Action::Release { lock: self.lock(event, address), shared, waits }
            }
            What::TryFail { address, shared } => {
                Action::TryFails { lock: self.lock(event, address), shared }
            }
            What::OnceBegin { address } => {
                Action::Acquire { lock: self.once(event, address), shared: false, woken: None }
            }
            What::OnceEnd { address } => {
                Action::Release { lock: self.lock(event, address), shared: false, waits: None }
            }
            What::OncePassed { address } => Action::Passes { lock: self.once(event, address) },
            What::AtomicBegin => {
                Action::Acquire { lock: self.atomic(), shared: false, woken: None }
            }
            What::AtomicEnd => Action::Release { lock: self.atomic(), shared: false, waits: None },
            What::Signal { cond, .. } => {
                Action::Notify { cond: self.cond(event, cond), all: false }
            }
            What::Broadcast { cond } => Action::Notify { cond: self.cond(event, cond), all: true },
            What::Post { address } => Action::Post { semaphore: *self.semaphores.get(&address)? },
            What::Take { address } => Action::Take { semaphore: *self.semaphores.get(&address)? },
            What::TakeFail { address } => {
                Action::TakeFails { semaphore: *self.semaphores.get(&address)? }
            }
            What::Arrive { address } => {
                let last = self.thread(number).last.take();
                let last = last.unwrap_or_else(|| self.ctp.exprs.unknown());
                Action::Arrive { barrier: *self.barriers.get(&address)?, last }
            }
            What::Leave { address } => Action::Leave { barrier: *self.barriers.get(&address)? },
            // Taken note of, or no matter for which interleavings there are.
            What::Fork { .. } | What::Join { .. } | What::Begin { .. } | What::End => return None,
            What::Wait { .. } | What::Wake { .. } | What::Request { .. } => return None,
            What::SemaphoreInit { .. } | What::BarrierInit { .. } => return None,
            What::Alloc { .. } | What::Free { .. } | What::Gone { .. } => return None,
            What::Branch { .. } | What::AssertFailed | What::Output { .. } => return None,
            What::TransactionBegin { .. } | What::TransactionEnd => return None,
            What::Fence { .. } => return None,
        })
    }

    /// Takes note of what is no step.
    pub(super) fn note(&mut self, event: &Event<'_>) {
        match event.what {
            What::Fork { child } => self.fork(event, child),
            What::Join { child } => self.join(event.thread, child),
            What::Begin { function } => {
                let name = event.view.program().function(function).name.to_string();
                let id = self.thread(event.thread).id;
                self.ctp.threads[id.0 as usize].name = name;
            }
            What::End => self.ends(event.thread),
            What::Wait { cond, .. } => {
                let cond = self.cond(event, cond);
                self.thread(event.thread).waits = Some(cond);
            }
            What::Wake { cond, reason: WakeReason::Notified } => {
                let cond = self.cond(event, cond);
                let state = self.thread(event.thread).state;
                let action = &mut self.ctp.states[state.0 as usize].step.action;
                if let Action::Acquire { woken, .. } = action {
                    *woken = Some(cond);
                }
            }
            What::SemaphoreInit { address, value } => self.new_semaphore(event, address, value),
            What::BarrierInit { address, count } => self.new_barrier(event, address, count),
            _ => {}
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
        self.semaphores.insert(address, id);
    }

    fn new_barrier(&mut self, event: &Event<'_>, address: u64, n_parties: u32) {
        let known = self.ctp.barriers.iter().map(|barrier| barrier.name.as_str());
        let name = fresh(event.view.name_at(address), known);
        self.ctp.barriers.push(Barrier { name, n_parties });
        let id = BarrierId(self.ctp.barriers.len() as u32 - 1);
        self.barriers.insert(address, id);
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
