//! What a thread is about to do, as far as another thread can tell.
//!
//! - O1: giving back a lock that others block for excludes their operations; what can fail instead
//!   of blocking (to try, to wait for some time) sees whether it was given back.
//! - O2: readers of a lock do not see each other.
//! - O3: of what goes outside nobody knows what it does.
//! - O4: nor what code that is not instrumented does with words after an atomic operation or a
//!   futex call ([`unseen`](crate::unseen)), nor what depends on whether an object is there that is made or destroyed.
//! - O5: that something is done once is also in memory, where compiled code looks for it.
//! - O6: who gives back what it does not hold excludes nobody: others may be able to take it.

use alloc::vec::Vec;
use raddle_wire::{Access, Code, Defect, Flags, Operation};

use crate::guard::Guard;
use crate::host;
use crate::sched::Want;
use crate::state::State;
use crate::thread::Thread;

/// Which kind of thing has a number.
const SYNC: u64 = 1 << 62;
const THREAD: u64 = 1 << 63;
/// Memory is told apart by words.
const WORD: u64 = 7;

/// Notes what a thread is about to do.
pub(super) fn note(state: &State, thread: &Thread, operations: &mut Vec<Operation>) {
    let want = thread.want.get();
    let number = thread.number;
    let mut note = |access, object| {
        operations.push(Operation { thread: number, access, object });
    };
    let Some(code) = want.code else { return note(Access::Local, 0) };
    let object = want.object;
    let is_atomic = matches!(
        code,
        Code::AtomicLoad | Code::AtomicStore | Code::AtomicUpdate | Code::AtomicMiss
    );
    if code == Code::Order || is_atomic && host::has(Flags::HALF_SEEN) {
        return note(Access::Any, 0); // O4
    }
    let words = |len: u64| (object & !WORD..object + len.max(1)).step_by(WORD as usize + 1);
    let reach = thread.reach.get();
    match code {
        Code::Read | Code::AtomicLoad => words(reach).for_each(|word| note(Access::Read, word)),
        Code::Write | Code::AtomicStore | Code::AtomicUpdate | Code::AtomicMiss => {
            words(reach).for_each(|word| note(Access::Write, word))
        }
        Code::OnceDone => {
            note(Access::Sync, SYNC | object);
            note(Access::Write, object & !WORD); // O5
        }
        Code::ReadRange | Code::WriteRange | Code::Free | Code::Fence => note(Access::Any, 0),
        Code::Fork => note(Access::Sync, THREAD | object),
        Code::Join => note(blocks(want), THREAD | object),
        Code::End => {
            note(Access::Release, THREAD | object);
            let abandoned = state.objects.with(|objects| objects.robust_of(number));
            abandoned.into_iter().for_each(|lock| note(Access::Release, SYNC | lock));
        }
        Code::Lock if matches!(want.guard, Guard::Readable(_)) => note(Access::Read, SYNC | object),
        Code::Lock => note(blocks(want), SYNC | object),
        Code::Unlock if state.objects.with(|objects| objects.is_read(object)) => {
            note(Access::Read, SYNC | object) // O2
        }
        Code::Unlock if state.objects.with(|objects| objects.is_held_by(object, number)) => {
            note(Access::Release, SYNC | object)
        }
        Code::Unlock => note(Access::Sync, SYNC | object), // O6
        Code::Wait => {
            note(Access::Sync, SYNC | object);
            let lock = thread.waits_with.get();
            if lock != 0 {
                note(Access::Release, SYNC | lock);
            }
        }
        Code::Wake => {
            note(Access::Read, SYNC | object);
            if let Guard::WokenAndFree(lock) = want.guard {
                note(Access::Block, SYNC | lock);
            }
        }
        Code::Take => note(blocks(want), SYNC | object),
        Code::Pass if matches!(want.guard, Guard::External(_)) => note(Access::Any, 0), // O3
        Code::Pass | Code::Begin => note(Access::Local, 0),
        _ => note(Access::Sync, SYNC | object),
    }
}

/// What waits for as long as it takes blocks; what does not sees (O1).
fn blocks(want: Want) -> Access {
    match (want.guard, want.deadline) {
        _ if Defect::TryBlocks.is_there() => Access::Block,
        (Guard::Always, _) => Access::Sync,
        (_, 0) => Access::Block,
        _ => Access::Sync,
    }
}
