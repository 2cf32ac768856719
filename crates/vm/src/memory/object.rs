//! Objects: what is known of each piece of memory beside its bytes.

use crate::site::Site;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum ObjectKind {
    /// A global; its number is the global's.
    Global,
    /// A function: it has an address and no bytes.
    Function,
    /// A thread's instance of a thread-local global.
    ThreadLocal,
    /// A local in memory.
    Slot,
    /// A local of variable size.
    Dynamic,
    /// The variadic arguments of a call.
    Variadic,
    /// Made by `malloc`.
    Heap,
    /// Made for the arguments of `main`.
    Argument,
}

impl ObjectKind {
    /// All kinds, in the order of their numbers.
    const ALL: [ObjectKind; 8] = [
        ObjectKind::Global,
        ObjectKind::Function,
        ObjectKind::ThreadLocal,
        ObjectKind::Slot,
        ObjectKind::Dynamic,
        ObjectKind::Variadic,
        ObjectKind::Heap,
        ObjectKind::Argument,
    ];

    /// The kind with this number.
    pub(crate) fn from_number(number: u32) -> ObjectKind {
        *ObjectKind::ALL.get(number as usize).expect("races carry the numbers of kinds")
    }
}

/// Whether an object can be used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Life {
    /// It can.
    Live,
    /// It was freed.
    Freed,
    /// The call that it belonged to, or its thread, is over.
    Dead,
}

/// What else is true of an object.
pub(crate) mod flag {
    /// Writing it is an error.
    pub(crate) const CONSTANT: u8 = 1;
    /// Other threads cannot know it.
    pub(crate) const PRIVATE: u8 = 2;
    /// It belongs to the embedded library.
    pub(crate) const LIBRARY: u8 = 4;
    /// Locks and the like have lived in it.
    pub(crate) const SYNC: u8 = 8;
    /// Another thread than that which made it has accessed it, as far as somebody wants to know of accesses.
    pub(crate) const FOREIGN: u8 = 16;
    /// Accesses are neither events nor scheduling points.
    pub(crate) const SILENT: u8 = CONSTANT | PRIVATE | LIBRARY;
}

/// A piece of memory with a life of its own.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    /// Where its bytes start in the arena.
    pub(crate) start: u32,
    /// How many bytes can be accessed: all while it lives, none after.
    pub(crate) bound: u32,
    /// How many bytes it has or had.
    pub size: u32,
    /// The low half of its first address.
    pub(crate) base: u32,
    /// How many bytes there are from there on that no other object has.
    pub(crate) room: u32,
    /// Tells apart the objects that had the same number one after the other.
    pub birth: u32,
    /// What it is.
    pub kind: ObjectKind,
    /// Whether it can be used.
    pub life: Life,
    pub(crate) flags: u8,
    /// The thread that made it.
    pub thread: u32,
    /// Heap: the call outside the library that made it. Slots: the function, and the slot in
    /// place of the operation. Thread-local: the global in place of the function.
    pub(crate) made: Site,
    /// The call outside the library that freed it.
    pub(crate) freed: Site,
}

impl Object {
    pub(super) fn new(kind: ObjectKind) -> Object {
        Object {
            start: 0,
            bound: 0,
            size: 0,
            base: 0,
            room: 0,
            birth: 0,
            kind,
            life: Life::Live,
            flags: 0,
            thread: 0,
            made: Site::NONE,
            freed: Site::NONE,
        }
    }

    /// Whether its accesses are events and can be scheduling points.
    pub fn is_shared(&self) -> bool {
        self.flags & flag::SILENT == 0
    }

    /// Where a heap object was made, outside the library.
    pub fn allocated_at(&self) -> Option<Site> {
        if self.kind == ObjectKind::Heap { self.made.known() } else { None }
    }

    /// Where a heap object was freed, outside the library.
    pub fn freed_at(&self) -> Option<Site> {
        if self.kind == ObjectKind::Heap { self.freed.known() } else { None }
    }
}
