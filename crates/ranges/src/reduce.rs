//! Where transactions must be cut so that they are atomic among any number of threads.
//!
//! In: the paths through all threads and where transactions begin. Out: more such places, so that
//! each transaction is reducible (Lipton, CACM 1975): steps that commute with what others do right
//! after them (R), at most one that does not (N), then steps that commute with what others do
//! right before them (L). Then every execution has the same values as one in which transactions
//! happen in one piece.
//!
//! - R: taking a lock; waiting for a thread to end.
//! - L: giving a lock back; forking a thread.
//! - both: an access or release that no conflicting step of another thread can be next to: the states before
//!   the two cannot be reached together.
//! - N: everything else: semaphores, barriers, failed tries, and locks that some thread fails to get, since
//!   that depends on who holds them.
//!
//! A thread may stop before a step, for good: at a guard, a lock or a join. Among R no thread can have
//! noticed it, so the whole transaction can be moved to the end. Behind N or L nothing of this kind
//! may come, or a cut is made: so what is left of a transaction can always happen.

use rustc_hash::FxHashMap;

use crate::ctp::{Action, Ctp, LockId, Object, StateId};
use crate::pairs::Pairs;
use crate::together::Path;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Both,
    Right,
    Left,
    None,
}

/// Marks the states before which a transaction must end.
pub fn cut(ctp: &Ctp, paths: &[Vec<Path>], pairs: &Pairs, boundary: &mut [bool]) {
    let movers = movers(ctp, pairs);
    for path in paths.iter().flatten() {
        let mut committed = false;
        for step in path.states.windows(2) {
            let (before, after) = (step[0], step[1]);
            committed &= !boundary[before.0 as usize];
            let mover = movers[after.0 as usize];
            let waits = !ctp.step(after).guards.is_empty() || !ctp.step(after).joins.is_empty();
            if committed && (waits || matches!(mover, Mover::Right | Mover::None)) {
                boundary[before.0 as usize] = true;
                committed = false;
            }
            committed |= matches!(mover, Mover::Left | Mover::None);
            committed |= !ctp.step(after).forks.is_empty();
        }
    }
}

/// How the step into each state commutes.
fn movers(ctp: &Ctp, pairs: &Pairs) -> Vec<Mover> {
    let mut users: FxHashMap<Object, Vec<(StateId, bool)>> = FxHashMap::default();
    for id in ctp.state_ids() {
        for (object, writes) in ctp.step(id).action.accesses() {
            users.entry(object).or_default().push((id, writes));
        }
    }
    ctp.state_ids().map(|id| mover(ctp, pairs, &users, id)).collect()
}

fn mover(
    ctp: &Ctp,
    pairs: &Pairs,
    users: &FxHashMap<Object, Vec<(StateId, bool)>>,
    id: StateId,
) -> Mover {
    let Some(before) = ctp.state(id).parent else { return Mover::Both };
    let disturbed = |object: Object, writes: bool| {
        users[&object].iter().any(|&(other, too)| {
            let elsewhere = ctp.state(other).thread != ctp.state(id).thread;
            let behind = ctp.state(other).parent;
            elsewhere && (writes || too) && behind.is_some_and(|p| pairs.are_reachable(before, p))
        })
    };
    let action = ctp.step(id).action;
    let is_free = !action.accesses().any(|(object, writes)| disturbed(object, writes));
    let is_tried = |lock: LockId| {
        let tries =
            |&(id, _): &(StateId, bool)| matches!(ctp.step(id).action, Action::TryFails { .. });
        users[&Object::Lock(lock)].iter().any(tries)
    };
    match action {
        // A thread that keeps a lock for good keeps others from taking it, without a step next to theirs.
        Action::Acquire { woken: None, lock, .. } if is_free || !is_tried(lock) => Mover::Right,
        Action::Post { .. } | Action::Arrive { .. } => Mover::None,
        _ if action.waits() => Mover::None,
        _ if is_free => Mover::Both,
        Action::Release { waits: None, lock, .. } if is_tried(lock) => Mover::None,
        Action::Release { waits: None, .. } => Mover::Left,
        _ => Mover::None,
    }
}
