//! What a thread is about to do, as far as another thread can tell.
//!
//! Memory is told apart by objects: whole variables and heap objects, so nothing that overlaps is
//! taken apart. Locks and the like are told apart by their addresses, threads by their numbers. An
//! operation that cannot fail to be what it is may say less than its kind:
//!
//! - F1: what a thread does with a lock that it holds and keeps concerns nobody.
//! - F2: giving back a lock that others block for excludes their operations. What can fail instead
//!   of blocking (to try, to wait for some time) sees whether it was given back.
//! - F3: readers of a lock do not see each other, and those who leave a barrier or a wait that was
//!   signalled change nothing that others can see.
//! - F4: nobody knows what is in an atomic section, or in the rest of one, before it has run.
//! - F5: the end of a program is no operation on anything; that others stop with it is for those
//!   who order runs to know.
//! - F6: a thread may return from a function whenever it goes on, and some of the locals that end with it are accessed by
//!   others: those that a race has named.

use raddle_cfront::ir::{AccessKind, Primitive};
use raddle_explore::{Access, Defect, Operation, Run};

use super::VmEngine;
use crate::question::{Doing, Pending};
use crate::races;
use crate::sync::{self, once};
use crate::thread::{NEVER, NONE, Stage};

/// Which kind of thing has a number.
const SYNC: u64 = 1 << 62;
const THREAD: u64 = 1 << 63;

impl VmEngine {
    /// Notes what a thread is about to do.
    pub(super) fn note(&self, thread: u32, run: &mut Run) {
        let mut note = |access, object| run.pending(Operation { thread, access, object });
        let Some(pending) = self.machine.pending(thread) else { return };
        let address = pending.address | SYNC;
        if self.machine.state.threads[thread as usize].core.atomic > 0 {
            note(Access::Any, 0); // F4
        }
        self.ends(thread, &mut note); // F6
        match pending.doing {
            Doing::Begin | Doing::Continue => note(Access::Local, 0),
            Doing::Access(kind, ..) => {
                let whole = self.machine.resolve(pending.address);
                let object = whole.map_or(address, |(object, _)| object.into());
                let reads = kind == AccessKind::Read;
                note(if reads { Access::Read } else { Access::Write }, object);
            }
            Doing::Wake => note(self.wakes(thread), address),
            Doing::Reacquire => note(Access::Block, address),
            Doing::Leave => note(Access::Read, address),
            Doing::Primitive(Primitive::ThreadExit) => {
                note(Access::Release, THREAD | u64::from(thread))
            }
            Doing::Primitive(call) => self.calls(thread, call, &pending, &mut note),
        }
    }

    /// Locals of a thread that others access, and that may end with what it does (F6).
    fn ends(&self, thread: u32, note: &mut impl FnMut(Access, u64)) {
        let settings = self.machine.settings();
        if !settings.promoted.iter().any(|&site| races::is_local(site)) {
            return;
        }
        let thread = &self.machine.state.threads[thread as usize];
        for &object in thread.slots.iter().chain(&thread.locals).filter(|&&object| object != NONE) {
            let made = self.machine.state.memory.object(object).made;
            if settings.promoted.contains(&races::local(made)) {
                note(Access::Write, object.into());
            }
        }
    }

    fn calls(
        &self,
        thread: u32,
        call: Primitive,
        pending: &Pending,
        note: &mut impl FnMut(Access, u64),
    ) {
        use Primitive as P;
        let other = THREAD | pending.address.wrapping_sub(1);
        match call {
            P::Yield | P::Sleep | P::Exit => note(Access::Local, 0), // F5
            P::AtomicBegin => note(Access::Any, 0),                  // F4
            P::Free => self.frees(pending.address, note),
            P::ThreadJoin => note(Access::Block, other),
            P::ThreadStart | P::ThreadTimedJoin | P::ThreadTryJoin | P::ThreadDetach => {
                note(Access::Sync, other)
            }
            P::CondWait | P::CondTimedWait => {
                let mutex = self.machine.primitive_of(thread).map_or(0, |(_, a)| a[1]);
                note(Access::Sync, pending.address | SYNC);
                note(self.of_lock(thread, P::MutexUnlock, mutex), mutex | SYNC);
            }
            _ => note(self.of_lock(thread, call, pending.address), pending.address | SYNC),
        }
    }

    /// The memory goes, and the locks in it.
    fn frees(&self, address: u64, note: &mut impl FnMut(Access, u64)) {
        let Some((object, _)) = self.machine.resolve(address) else {
            return note(Access::Local, 0);
        };
        note(Access::Write, object.into());
        let start = self.machine.state.memory.address(object, 0);
        let size = self.machine.object(object).map_or(0, |object| object.size);
        for (lock, _) in self.machine.state.syncs.within(start, start + u64::from(size)) {
            note(Access::Sync, lock | SYNC);
        }
    }

    /// What a call does to the lock or the like at an address.
    fn of_lock(&self, thread: u32, call: Primitive, address: u64) -> Access {
        use Primitive as P;
        let syncs = &self.machine.state.syncs;
        let index = syncs.find(address);
        let sync = index.map(|index| syncs.get(index));
        let owner = sync.is_some_and(|sync| sync.owner == thread);
        let reader = index.is_some_and(|index| syncs.n_reads(index, thread) > 0);
        let count = sync.map_or(0, |sync| sync.count);
        let stage = self.machine.state.threads[thread as usize].core.stage;
        let lines_up = sync.is_some_and(sync::Sync::lets_writers_first) && stage == Stage::Start;
        match call {
            P::MutexLock | P::MutexTimedLock | P::MutexTryLock if owner => Access::Local, // F1
            P::MutexUnlock if owner && count > 1 => Access::Local,                        // F1
            P::MutexUnlock | P::SpinUnlock | P::RwlockUnlock | P::OnceEnd if owner => {
                Access::Release // F2
            }
            P::RwlockUnlock if reader => Access::Read, // F3
            P::RwlockRead | P::RwlockTryRead | P::RwlockTimedRead => Access::Read, // F3
            // It does not block before it has lined up, which readers see.
            P::RwlockWrite if lines_up => Access::Sync,
            P::MutexTryLock | P::SemTryWait if Defect::TryBlocks.is_there() => Access::Block,
            P::SemValue => Access::Read,
            P::OnceBegin if count == once::DONE => Access::Read,
            P::MutexLock | P::SpinLock | P::RwlockWrite | P::SemWait | P::OnceBegin => {
                Access::Block // F2
            }
            _ => Access::Sync,
        }
    }

    /// What the end of a wait does to the condition (F3).
    fn wakes(&self, thread: u32) -> Access {
        let core = &self.machine.state.threads[thread as usize].core;
        let spurious = self.machine.settings().spurious;
        match core.signalled {
            true => Access::Read,
            false if core.deadline != NEVER || spurious => Access::Sync,
            false => Access::Block,
        }
    }
}
