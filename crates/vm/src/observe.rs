//! Observers: those who see what a run does.

use raddle_cfront::ir::{FunctionId, Order, Place, Program};
use raddle_trace::WakeReason;

use crate::image::Image;
use crate::memory::{Memory, ObjectKind};
use crate::name;
use crate::site::{FrameSite, Site};
use crate::thread::{Frame, Thread};

/// Sees what a run does. What it does not want costs nothing.
pub trait Observer {
    /// Whether it wants events.
    const EVENTS: bool = true;
    /// Whether it wants every transition.
    const FLOW: bool = false;

    /// Something visible happened.
    fn event(&mut self, event: &Event<'_>) {
        let _ = event;
    }

    /// A transition is about to happen.
    fn transition(&mut self, transition: &Transition<'_>) {
        let _ = transition;
    }
}

/// Sees nothing.
impl Observer for () {
    const EVENTS: bool = false;
}

/// A transition that is about to happen.
#[derive(Clone, Copy)]
pub struct Transition<'a> {
    /// Who takes it.
    pub thread: u32,
    /// Which one it is.
    pub site: Site,
    /// How many calls are around it; equal depths of a thread between call and return are one
    /// frame.
    pub depth: u32,
    /// The registers of its frame, before it.
    pub registers: &'a [u64],
    /// The objects of its frame's slots.
    pub slots: &'a [u32],
    /// Where objects can be looked up.
    pub view: View<'a>,
}

impl Transition<'_> {
    /// The object and the offset of a place; none if the address is no object's.
    pub fn locate(&self, place: Place) -> Option<(u32, u32)> {
        match place {
            Place::At(base, offset) => {
                let address = self.registers[base.0 as usize].wrapping_add(offset as i64 as u64);
                self.view.memory.resolve(self.view.memory.wrap(address))
            }
            Place::Global(global, offset) => Some((global.0, offset)),
            Place::Slot(slot, offset) => Some((self.slots[slot.0 as usize], offset)),
        }
    }
}

/// Something visible that happened.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    /// Who did it.
    pub thread: u32,
    /// The transition that did it.
    pub site: Site,
    /// What it was.
    pub what: What,
    /// Where names and stacks can be looked up.
    pub view: View<'a>,
}

/// What happened. Objects of accesses are numbers, those of synchronisation addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names and the kinds of trace events say it")]
pub enum What {
    Read {
        object: u32,
        offset: u32,
        size: u32,
        value: Option<u64>,
        order: Order,
    },
    Write {
        object: u32,
        offset: u32,
        size: u32,
        value: Option<u64>,
        order: Order,
    },
    /// `value` is what was stored, if anything was.
    Rmw {
        object: u32,
        offset: u32,
        size: u32,
        old: u64,
        value: Option<u64>,
        order: Order,
    },
    Fence {
        order: Order,
    },
    /// The thread stopped before a lock that it asks for.
    Request {
        address: u64,
        shared: bool,
    },
    Acquire {
        address: u64,
        shared: bool,
    },
    Release {
        address: u64,
        shared: bool,
    },
    TryFail {
        address: u64,
        shared: bool,
    },
    Fork {
        child: u32,
    },
    Join {
        child: u32,
    },
    Begin {
        function: FunctionId,
    },
    End,
    /// It starts to wait; the release of the mutex follows.
    Wait {
        cond: u64,
        mutex: u64,
    },
    /// It goes on, after the acquire of the mutex.
    Wake {
        cond: u64,
        reason: WakeReason,
    },
    Signal {
        cond: u64,
        woken: Option<u32>,
    },
    Broadcast {
        cond: u64,
    },
    SemaphoreInit {
        address: u64,
        value: u32,
    },
    Post {
        address: u64,
    },
    Take {
        address: u64,
    },
    BarrierInit {
        address: u64,
        count: u32,
    },
    Arrive {
        address: u64,
    },
    Leave {
        address: u64,
    },
    /// The function of a `pthread_once` starts, or has run, or is known to have run.
    OnceBegin {
        address: u64,
    },
    OnceEnd {
        address: u64,
    },
    OncePassed {
        address: u64,
    },
    Alloc {
        object: u32,
    },
    Free {
        object: u32,
    },
    /// The life of a local ends that another thread has accessed.
    Gone {
        object: u32,
    },
    /// A branch was decided.
    Branch {
        taken: bool,
    },
    /// An assertion failed.
    AssertFailed,
    AtomicBegin,
    AtomicEnd,
    /// What follows is meant to be atomic; the address is that of its name.
    TransactionBegin {
        name: u64,
    },
    TransactionEnd,
    Output {
        fd: u8,
        len: u32,
    },
    // New ones come last: the hash of events knows them by their positions.
    /// A semaphore was found at zero by a thread that does not wait for it, or no longer.
    TakeFail {
        address: u64,
    },
}

impl What {
    /// The address of the lock or the like that it is about.
    pub fn address(&self) -> Option<u64> {
        match *self {
            What::Request { address, .. }
            | What::Acquire { address, .. }
            | What::Release { address, .. }
            | What::TryFail { address, .. }
            | What::SemaphoreInit { address, .. }
            | What::Post { address }
            | What::Take { address }
            | What::TakeFail { address }
            | What::BarrierInit { address, .. }
            | What::Arrive { address }
            | What::Leave { address }
            | What::OnceBegin { address }
            | What::OnceEnd { address }
            | What::OncePassed { address } => Some(address),
            What::Wait { cond, .. }
            | What::Wake { cond, .. }
            | What::Signal { cond, .. }
            | What::Broadcast { cond } => Some(cond),
            _ => None,
        }
    }
}

/// The state behind an event, to look up names and stacks.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) image: &'a Image,
    pub(crate) memory: &'a Memory,
    pub(crate) frames: &'a [Frame],
    /// All threads; only where they are at hand.
    pub(crate) threads: &'a [Thread],
}

impl<'a> View<'a> {
    /// The name of a thread: that of its start function. Known from synchronisation on.
    pub fn thread_name(&self, thread: u32) -> String {
        name::thread(self.image, self.threads, thread)
    }

    /// Whether an object is a local of a function.
    pub fn is_local(&self, object: u32) -> bool {
        matches!(self.memory.object(object).kind, ObjectKind::Slot | ObjectKind::Dynamic)
    }

    /// Whether accesses to an object are events.
    pub fn is_shared(&self, object: u32) -> bool {
        self.memory.object(object).is_shared()
    }

    /// Tells apart the objects that had the same number one after the other.
    pub fn birth(&self, object: u32) -> u32 {
        self.memory.object(object).birth
    }

    /// The program that runs.
    pub fn program(&self) -> &'a Program {
        &self.image.program
    }

    /// The name of a place in an object, for people.
    pub fn name(&self, object: u32, offset: u32, size: u32) -> String {
        name::place(self.image, self.memory, object, offset, size)
    }

    /// The bytes of a place in an object.
    pub fn bytes(&self, object: u32, offset: u32, size: u32) -> &'a [u8] {
        self.memory.bytes(object, offset, size)
    }

    /// The name of a lock or the like, and its size is not known.
    pub fn name_at(&self, address: u64) -> String {
        name::sync(self.image, self.memory, address)
    }

    /// The object and the offset that an address points to.
    pub fn resolve(&self, address: u64) -> Option<(u32, u32)> {
        self.memory.resolve(address)
    }

    /// The string at an address.
    pub fn text(&self, address: u64) -> Option<String> {
        self.memory.text(address).ok()
    }

    /// The object with the variadic arguments of the innermost frame, if it has any.
    pub fn variadic(&self) -> Option<u32> {
        let frame = self.frames.last()?;
        (frame.variadic != crate::thread::NONE).then_some(frame.variadic)
    }

    /// How many bytes an object has.
    pub fn size(&self, object: u32) -> u32 {
        self.memory.object(object).size
    }

    /// The bytes of a place as a number, if they are few and the object is alive.
    pub fn bits(&self, object: u32, offset: u32, size: u32) -> Option<u64> {
        let end = offset.checked_add(size)?;
        if size > 8 || end > self.memory.object(object).bound {
            return None;
        }
        let mut word = [0; 8];
        word[..size as usize].copy_from_slice(self.memory.bytes(object, offset, size));
        Some(u64::from_le_bytes(word))
    }

    /// The frames of the thread, innermost first.
    pub fn stack(&self) -> impl Iterator<Item = FrameSite> + 'a {
        let image = self.image;
        self.frames.iter().rev().map(move |frame| frame.site(image))
    }
}
