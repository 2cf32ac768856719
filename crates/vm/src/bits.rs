//! Bits of addresses: whether an operation computes with the number that an address is.
//!
//! In: an operation and its operands. Out: whether the result depends on *which* address an object
//! that was made in the run has. Such objects have no names in fingerprints but the order in which
//! they are reached; that is right as long as the program copies, compares and follows addresses
//! and moves within objects. Once it looks at their bits, states in which the same object has two
//! addresses are two states, and fingerprints have to say so.
//!
//! - B1: `==` and `!=`, and moving an address by a number that is none, look at nothing.
//! - B2: the lowest four bits are those of the offset, since bases are multiples of 16: tags and
//!   tests of alignment that go no further look at nothing.
//! - B3: the order or the distance of two addresses of one object is that of the offsets. An
//!   address of the run and a number that is none compare alike whichever object it is.
//! - B4: everything else looks at the bits: what is cut off, shifted, multiplied, divided, hashed,
//!   read byte by byte, or compared with the address of another object.

use std::sync::atomic::{AtomicU64, Ordering};

use raddle_cfront::ir::{Binary, FunctionId, Kind, Op, Rmw, Unary};

use crate::memory::Memory;
use crate::site::Site;

/// B2: what the lowest bits can hold.
const LOW: u64 = 15;

/// Where addresses were first computed with, in any run of an image.
#[derive(Debug)]
pub(crate) struct Looked(AtomicU64);

impl Default for Looked {
    fn default() -> Self {
        Looked(AtomicU64::new(u64::MAX))
    }
}

impl Looked {
    /// A place that does.
    #[cold]
    pub(crate) fn note(&self, site: Site) {
        let place = u64::from(site.function.0) << 32 | u64::from(site.op);
        // Whichever place comes first will do, and nothing else depends on it.
        let _ = self.0.compare_exchange(u64::MAX, place, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The first place that did.
    pub(crate) fn site(&self) -> Option<Site> {
        let place = self.0.load(Ordering::Relaxed);
        let site = Site { function: FunctionId((place >> 32) as u32), op: place as u32 };
        (place != u64::MAX).then_some(site)
    }
}

/// The addresses of a run: those of objects from a number on.
#[derive(Clone, Copy)]
pub(crate) struct Bits<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) first: u32,
}

impl Bits<'_> {
    fn is_address(self, word: u64) -> bool {
        self.memory.is_near(word, self.first)
    }

    /// Whether a binary operator looks at the bits of an address.
    #[inline]
    pub(crate) fn binary(self, op: Binary, left: u64, right: u64) -> bool {
        match (self.is_address(left), self.is_address(right)) {
            (false, false) => false,
            (true, true) => self.of_two(op, left, right),
            (true, false) => of_one(op, right),
            (false, true) => match op {
                Binary::Subtract => true,
                Binary::Add | Binary::And | Binary::Or | Binary::Xor => of_one(op, left),
                _ => !op.is_comparison(),
            },
        }
    }

    /// B3.
    fn of_two(self, op: Binary, left: u64, right: u64) -> bool {
        match op {
            Binary::Equal | Binary::NotEqual => false,
            _ if op.is_comparison() || op == Binary::Subtract => self.are_apart(left, right),
            _ => true,
        }
    }

    /// Whether two addresses belong to different objects, and one of them was made in the run.
    pub(crate) fn are_apart(self, left: u64, right: u64) -> bool {
        let object = |word| self.memory.resolve(word).map(|(object, _)| object);
        let run = self.is_address(left) || self.is_address(right);
        run && object(left) != object(right)
    }

    /// Whether an operation on one word does that leaves none of it as it is.
    #[inline]
    pub(crate) fn whole(self, value: u64) -> bool {
        self.is_address(value)
    }

    /// Whether a read-modify-write does.
    pub(crate) fn modify(self, op: Rmw, old: u64, operand: u64) -> bool {
        match op {
            Rmw::Exchange => false,
            Rmw::Nand => self.is_address(old) || self.is_address(operand),
            Rmw::Binary(op) => self.binary(op, old, operand),
        }
    }

    /// Whether what was read is a part of an address.
    pub(crate) fn part(self, object: u32, offset: u32, kind: Kind) -> bool {
        let is_part = kind.size() < self.memory.pointer_size();
        let word = self.memory.word_around(object, offset).filter(|_| is_part);
        word.is_some_and(|word| self.is_address(word))
    }
}

/// Whether an operator looks at the bits of an address if the other operand is none.
fn of_one(op: Binary, other: u64) -> bool {
    match op {
        Binary::Add | Binary::Subtract => false,
        Binary::And => other > LOW && !other > LOW,
        Binary::Or | Binary::Xor => other > LOW,
        Binary::Remainder => !(other <= LOW + 1 && other.is_power_of_two()),
        _ => !op.is_comparison(),
    }
}

/// Whether an operation on registers can look at the bits of an address at all.
pub(crate) fn can_look(op: &Op, pointer_size: u32) -> bool {
    let is_wide = |kind: Kind| kind.size() >= pointer_size && !kind.is_float();
    match *op {
        Op::Unary { op, kind, .. } => {
            matches!(op, Unary::Negate | Unary::Complement) && is_wide(kind)
        }
        Op::Binary { op, kind, .. } | Op::BinaryConst { op, kind, .. } => {
            is_wide(kind) && !matches!(op, Binary::Equal | Binary::NotEqual)
        }
        Op::Convert { from_kind, to_kind, .. } => {
            is_wide(from_kind) && (to_kind.size() < from_kind.size() || to_kind.is_float())
        }
        Op::Extract { .. } | Op::Distance { .. } | Op::Switch { .. } => true,
        _ => false,
    }
}
