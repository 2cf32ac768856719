//! What a step of Rust code is in the words that stories of all programs share.

use raddle_finding::{Action, ObjectKind};

use super::Names;
use crate::world::{Came, NONE, Told, What};

/// An action, what it is about, and a value.
type Said = (Action, Option<(ObjectKind, String)>, Option<String>);

/// What a step does; none if it is not worth a word. The next thread that is spawned is `next`.
pub(super) fn action(names: &Names, step: &Told, next: u32) -> Option<Said> {
    let failed = step.came == Came::Failed;
    let about = |kind: ObjectKind| Some((kind, names.object(step.object).to_owned()));
    let thread = |number: u32| Some((ObjectKind::Thread, names.thread(number).to_owned()));
    let value = step.value.clone();
    Some(match step.what {
        What::Begin => return None,
        What::Exit => (Action::End, None, None),
        What::Spawn => (Action::Fork, thread(next), None),
        What::Join | What::ScopeEnd => (Action::Join, thread(step.object), None),
        What::TryLock | What::TryReadLock if failed => {
            (Action::TryFail, about(ObjectKind::Lock), None)
        }
        What::Lock => (Action::Lock, about(ObjectKind::Lock), value),
        What::ReadLock => (Action::LockShared, about(ObjectKind::Lock), value),
        What::TryLock => (Action::Lock, about(ObjectKind::Lock), known(value)),
        What::TryReadLock => (Action::LockShared, about(ObjectKind::Lock), known(value)),
        What::Unlock | What::ReadUnlock => (Action::Unlock, about(ObjectKind::Lock), value),
        What::NotifyOne => (Action::Signal, about(ObjectKind::Condition), None),
        What::NotifyAll => (Action::Broadcast, about(ObjectKind::Condition), None),
        What::Arrive => (Action::Arrive, about(ObjectKind::Barrier), None),
        What::Leave => (Action::Leave, about(ObjectKind::Barrier), None),
        What::Modify if failed => (Action::Read, about(ObjectKind::Variable), value),
        What::Load | What::CellRead => (Action::Read, about(ObjectKind::Variable), value),
        What::Store | What::CellWrite => (Action::Write, about(ObjectKind::Variable), value),
        What::Modify => (Action::Change, about(ObjectKind::Variable), value),
        _ => other(names, step),
    })
}

/// What C programs do not do, in the words of Rust.
fn other(names: &Names, step: &Told) -> Said {
    let object = match step.what {
        What::Unpark => Some(names.thread(step.object).to_owned()),
        what if what.is_about_thread() || step.object == NONE => None,
        _ => Some(names.object(step.object).to_owned()),
    };
    let mut text = step.what.words().to_owned();
    if let Some(object) = &object {
        text += &format!(" {object}");
    }
    if let Some(value) = step.value.as_ref().filter(|_| step.what != What::Unpark) {
        text += &format!(": {value}");
    }
    let kind = match step.what {
        What::Unpark => ObjectKind::Thread,
        _ => ObjectKind::Variable,
    };
    (Action::Other, object.map(|name| (kind, name)), Some(text))
}

/// What `try_lock` says of itself is no value of the lock.
fn known(value: Option<String>) -> Option<String> {
    value.filter(|value| value != "has it")
}
