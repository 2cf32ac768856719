//! What threads are about to do: one table for reduction, for stories and for spin detection.

use raddle_explore::{Access, Operation};

use super::{Guard, Kind, NONE, Site, World};

/// What a thread is about to do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) what: What,
    /// What must hold for it.
    pub(crate) guard: Guard,
    /// The object, or the thread, that it concerns.
    pub(crate) object: u32,
    /// The mutex of a wait.
    pub(crate) mutex: u32,
    /// Whether it can run out of time instead, or end for no reason.
    pub(crate) is_timed: bool,
    pub(crate) site: Site,
}

impl Pending {
    /// What can always happen.
    #[inline]
    pub(crate) fn open(what: What, object: u32, site: Site) -> Pending {
        Pending { what, guard: Guard::Open, object, mutex: NONE, is_timed: false, site }
    }

    /// What must wait.
    #[inline]
    pub(crate) fn guarded(what: What, guard: Guard, object: u32, site: Site) -> Pending {
        Pending { what, guard, object, mutex: NONE, is_timed: false, site }
    }
}

macro_rules! whats {
    ($($name:ident $access:ident $words:literal,)*) => {
        /// What kind of thing a thread is about to do.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum What {
            $(#[doc = $words] $name,)*
        }

        impl What {
            /// What others can notice of it.
            fn access(self) -> Access {
                match self {
                    $(What::$name => Access::$access,)*
                }
            }

            /// In words, before the object.
            pub(crate) fn words(self) -> &'static str {
                match self {
                    $(What::$name => $words,)*
                }
            }
        }
    };
}

whats! {
    Begin Local "begins",
    Exit Release "ends",
    Spawn Sync "spawns",
    Join Block "joins",
    ScopeEnd Block "waits at the end of a scope for",
    IsFinished Read "asks for the end of",
    Yield Local "yields",
    SpinHint Local "spins",
    Sleep Local "sleeps",
    Park Block "parks",
    Unpark Sync "unparks",
    Lock Block "locks",
    TryLock Sync "tries to lock",
    Unlock Release "unlocks",
    ReadLock Read "locks for reading",
    TryReadLock Read "tries to lock for reading",
    ReadUnlock Read "unlocks for reading",
    Wait Sync "waits on",
    Wake Block "wakes from",
    NotifyOne Sync "notifies one on",
    NotifyAll Sync "notifies all on",
    Arrive Sync "arrives at",
    Leave Read "leaves",
    OnceBegin Block "begins to initialise",
    OnceEnd Release "has initialised",
    OnceLook Sync "looks at",
    Send Sync "sends to",
    Receive Sync "receives from",
    TryReceive Sync "tries to receive from",
    CloseSend Sync "drops a sender of",
    CloseReceive Sync "drops the receiver of",
    Load Read "loads",
    Store Write "stores",
    Modify Write "changes",
    CellRead Read "reads",
    CellWrite Write "writes",
    Poll Block "polls",
    WakeTask Sync "wakes the task of",
    ArcDrop Write "drops a reference to",
    ArcUse Read "uses",
    ArcCount Write "takes a reference to",
}

impl What {
    /// Whether a thread may have to wait before it can do it.
    pub(crate) fn can_wait(self) -> bool {
        use What::{
            Join, Leave, Lock, OnceBegin, Park, Poll, ReadLock, Receive, ScopeEnd, Send, Wake,
        };
        matches!(
            self,
            Join | ScopeEnd
                | Park
                | Lock
                | ReadLock
                | Wake
                | Leave
                | OnceBegin
                | Receive
                | Send
                | Poll
        )
    }

    /// Whether it concerns a thread, not an object.
    pub(crate) fn is_about_thread(self) -> bool {
        use What::{Exit, IsFinished, Join, Park, Poll, ScopeEnd, Spawn, Unpark, WakeTask};
        matches!(
            self,
            Spawn | Join | ScopeEnd | IsFinished | Exit | Park | Unpark | Poll | WakeTask
        )
    }

    /// Whether destructors do it: it must not panic.
    pub(crate) fn gives_back(self) -> bool {
        use What::{ArcDrop, CloseReceive, CloseSend, OnceEnd, ReadUnlock, ScopeEnd, Unlock, Wait};
        matches!(
            self,
            Unlock | ReadUnlock | Wait | OnceEnd | CloseSend | CloseReceive | ArcDrop | ScopeEnd
        )
    }

    /// Whether what others can notice of it depends on what has happened since.
    #[inline]
    fn depends(self) -> bool {
        self == What::OnceBegin || self.reads_lock()
    }

    /// Whether it concerns a lock for reading.
    #[inline]
    fn reads_lock(self) -> bool {
        matches!(self, What::ReadLock | What::TryReadLock | What::ReadUnlock)
    }

    /// Whether the thread gives way by it.
    #[inline]
    pub(crate) fn gives_way(self) -> bool {
        matches!(self, What::Yield | What::SpinHint | What::Sleep)
    }
}

/// Numbers of threads among those of objects; that of their tokens.
const THREAD: u64 = 1 << 63;
const TOKEN: u64 = 1 << 62;
/// Threads are numbered in the order in which they are spawned, so that order matters.
const SPAWNS: u64 = u64::MAX;

/// What nobody can notice.
pub(super) const NOTHING: (Access, u64) = (Access::Local, 0);

impl World {
    /// Finds out what others can notice of what a thread is about to do: it may be offered at many points.
    pub(super) fn describe(&mut self, thread: u32) {
        let Pending { what, object, is_timed, .. } = self.threads[thread as usize].pending;
        let (mut access, number) = self.noticed(what, object);
        // What can give up sees whether it could have gone on.
        if access == Access::Block && is_timed {
            access = Access::Sync;
        }
        self.threads[thread as usize].noticed = (access, number);
    }

    /// What others can notice of something that is done to an object.
    pub(super) fn noticed(&self, what: What, object: u32) -> (Access, u64) {
        let mut access = what.access();
        let number = match what {
            _ if access == Access::Local => 0,
            What::Spawn => SPAWNS,
            What::Park | What::Unpark | What::Poll | What::WakeTask => {
                THREAD | TOKEN | u64::from(object)
            }
            _ if what.is_about_thread() => THREAD | u64::from(object),
            _ => self.objects[object as usize].id,
        };
        // Who waits for a lock of readers and writers decides who goes first.
        if matches!(what, What::Lock | What::Unlock)
            && self.objects[object as usize].kind == Kind::RwLock
        {
            access = Access::Sync;
        }
        (access, number)
    }

    /// Notes what a thread is about to do, for reduction.
    #[inline(always)]
    pub(super) fn note(&mut self, thread: u32) {
        let at = &self.threads[thread as usize];
        if at.pending.what.depends() || at.pending.mutex != NONE {
            return self.note_more(thread);
        }
        let (access, object) = at.noticed;
        self.run.pending(Operation { thread, access, object });
    }

    /// Whether anybody waits for a lock.
    fn is_waited_for(&self, object: u32) -> bool {
        let lock = &self.objects[object as usize];
        lock.n_writers_waiting + lock.n_readers_waiting > 0
    }

    /// The same of what concerns more, or depends on what has happened since.
    fn note_more(&mut self, thread: u32) {
        let at = &self.threads[thread as usize];
        let (Pending { what, object, mutex, .. }, (mut access, number)) = (at.pending, at.noticed);
        if what == What::OnceBegin && self.objects[object as usize].is_closed {
            access = Access::Read; // It was initialised, and stays so.
        }
        if what.reads_lock() && self.is_waited_for(object) {
            access = Access::Sync; // Who comes first matters to those who wait.
        }
        self.run.pending(Operation { thread, access, object: number });
        if mutex != NONE {
            let access = if what == What::Wait { Access::Release } else { Access::Block };
            let object = self.objects[mutex as usize].id;
            self.run.pending(Operation { thread, access, object });
        }
    }
}
