//! What steps do to shared objects, and when the order of two matters.

use super::{BarrierId, CondId, GlobalId, LockId, SemaphoreId};
use crate::expr::{ExprId, LocalId};

/// What a step does to shared objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs, reason = "each variant says what its fields are for")]
pub enum Action {
    /// Nothing: the step is there for its guards.
    #[default]
    Nothing,
    /// Reads a global into a local.
    Read { global: GlobalId, to: LocalId },
    /// Writes a value into a global.
    Write { global: GlobalId, value: ExprId },
    /// Reads a global and writes it, indivisibly; the value may name the local.
    Update { global: GlobalId, to: LocalId, value: ExprId },
    /// Takes a lock; `woken` after a wait on a condition that another thread ended.
    Acquire { lock: LockId, shared: bool, woken: Option<CondId> },
    /// Gives a lock back; `waits` if a wait on a condition starts here.
    Release { lock: LockId, shared: bool, waits: Option<CondId> },
    /// Ends waits on a condition: all, or one.
    Notify { cond: CondId, all: bool },
    /// Finds a lock held against it.
    TryFails { lock: LockId, shared: bool },
    /// Finds that a section that happens once has happened.
    Passes { lock: LockId },
    /// Raises a semaphore.
    Post { semaphore: SemaphoreId },
    /// Lowers a semaphore, which must be above zero.
    Take { semaphore: SemaphoreId },
    /// Finds a semaphore at zero.
    TakeFails { semaphore: SemaphoreId },
    /// Arrives at a barrier; `last` is -1 for the arrival that completes a group there, else 0.
    Arrive { barrier: BarrierId, last: ExprId },
    /// Goes on behind a barrier, when the group that it arrived with is complete.
    Leave { barrier: BarrierId },
}

/// Something that accesses can be in conflict about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    /// A piece of memory.
    Global(GlobalId),
    /// A lock.
    Lock(LockId),
    /// A condition variable.
    Cond(CondId),
    /// A semaphore.
    Semaphore(SemaphoreId),
    /// A barrier.
    Barrier(BarrierId),
}

impl Action {
    /// The objects it touches, and whether readers notice it.
    pub fn accesses(self) -> impl Iterator<Item = (Object, bool)> {
        let (first, second) = match self {
            Action::Nothing => (None, None),
            Action::Read { global, .. } => (Some((Object::Global(global), false)), None),
            Action::Write { global, .. } | Action::Update { global, .. } => {
                (Some((Object::Global(global), true)), None)
            }
            Action::Acquire { lock, shared, woken: cond }
            | Action::Release { lock, shared, waits: cond } => {
                let cond = cond.map(|cond| (Object::Cond(cond), true));
                (Some((Object::Lock(lock), !shared)), cond)
            }
            Action::Notify { cond, .. } => (Some((Object::Cond(cond), true)), None),
            Action::TryFails { lock, .. } => (Some((Object::Lock(lock), true)), None),
            Action::Passes { lock } => (Some((Object::Lock(lock), false)), None),
            Action::Post { semaphore }
            | Action::Take { semaphore }
            | Action::TakeFails { semaphore } => (Some((Object::Semaphore(semaphore), true)), None),
            Action::Arrive { barrier, .. } | Action::Leave { barrier } => {
                (Some((Object::Barrier(barrier), true)), None)
            }
        };
        first.into_iter().chain(second)
    }

    /// Whether it needs something of others besides a lock: a thread may be stopped before it.
    pub fn waits(self) -> bool {
        match self {
            Action::Acquire { woken, .. } => woken.is_some(),
            Action::TryFails { .. }
            | Action::Passes { .. }
            | Action::Take { .. }
            | Action::TakeFails { .. }
            | Action::Leave { .. } => true,
            _ => false,
        }
    }

    /// Whether the order of two actions can matter.
    pub fn conflicts(self, other: Action) -> bool {
        self.accesses().any(|(object, writes)| {
            let with = |(other, too): (Object, bool)| other == object && (writes || too);
            other.accesses().any(with)
        })
    }

    /// The global it writes and the value.
    pub fn written(self) -> Option<(GlobalId, ExprId)> {
        match self {
            Action::Write { global, value } | Action::Update { global, value, .. } => {
                Some((global, value))
            }
            _ => None,
        }
    }

    /// The global it reads and where to.
    pub fn read(self) -> Option<(GlobalId, LocalId)> {
        match self {
            Action::Read { global, to } | Action::Update { global, to, .. } => Some((global, to)),
            _ => None,
        }
    }
}
