//! Worlds that no engine uses: the next one takes one, with the memory and the stacks in it.
//!
//! A check of a small closure takes as long as making a world does, so they go from engine to engine in a
//! process.

use std::sync::{Mutex, PoisonError};

use crate::world::{Rules, World};

/// A world without an execution.
struct Spare(Box<World>);

// SAFETY: no thread of a program is on its fibers, says who keeps it; it holds nothing of a program, and
// the yielders in it are not used before they are set again.
unsafe impl Send for Spare {}

/// With the sizes of their stacks; the last one was used last.
static SPARE: Mutex<Vec<(usize, Spare)>> = Mutex::new(Vec::new());

/// The most worlds that are kept.
const N_SPARE_MAX: usize = 16;

/// The most threads that a world may have had which is kept: each has a stack.
const N_THREADS_MAX: u32 = 8;

/// A world for executions by these rules, on stacks of this size.
pub(super) fn take(rules: Rules, stack_size: usize) -> Box<World> {
    let taken = spare(|all| {
        let place = all.iter().rposition(|it| it.0 == stack_size)?;
        Some(all.swap_remove(place).1.0)
    });
    match taken {
        Some(mut world) => {
            world.rules = rules;
            world
        }
        None => Box::new(World::new(rules)),
    }
}

/// Keeps a world for another engine, or at least its stacks.
///
/// # Safety
///
/// No thread may be on its fibers.
pub(super) unsafe fn keep(mut world: Box<World>, stack_size: usize) {
    if world.fibers.len() <= N_THREADS_MAX {
        world.renew();
        let spare = spare(|all| match all.len() < N_SPARE_MAX {
            true => {
                all.push((stack_size, Spare(world)));
                None
            }
            false => Some(world),
        });
        let Some(left) = spare else { return };
        world = left;
    }
    for fiber in world.fibers.take() {
        // SAFETY: no thread is on it, says the caller.
        unsafe { fiber.keep() };
    }
}

fn spare<R>(act: impl FnOnce(&mut Vec<(usize, Spare)>) -> R) -> R {
    act(&mut SPARE.lock().unwrap_or_else(PoisonError::into_inner))
}
