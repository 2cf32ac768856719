//! Parts: one search carried by several machines that know nothing of each other.
//!
//! Every execution that costs something has one prefix with which it begins to cost: it ends with
//! the first choice that is not free. What goes on from that prefix is found in the run of its plan
//! and in no other, so one part explores all of it. What costs nothing is explored by every part,
//! in the same order; so all number these prefixes in the same way, and take turns. Neighbours have
//! about as much behind them, which makes turns fairer than hashes.

use serde::{Deserialize, Serialize};

/// One of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    number: u32,
    n_parts: u32,
    /// How many turns pass until it is that of this part.
    n_others: u32,
}

impl Part {
    /// A part, from 0; none if there are not so many.
    pub(crate) fn new(number: u32, n_parts: u32) -> Option<Part> {
        (number < n_parts).then_some(Part { number, n_parts, n_others: number })
    }

    /// Whether it can be the turn of this part some day.
    pub(crate) fn is_sound(self) -> bool {
        self.number < self.n_parts && self.n_others < self.n_parts
    }

    /// Which part it is, and of how many.
    pub(crate) fn of(self) -> (u32, u32) {
        (self.number, self.n_parts)
    }

    /// Whether the prefix that is next to begin to cost belongs to it.
    pub(crate) fn has_next(&mut self) -> bool {
        let mine = self.n_others == 0;
        self.n_others = if mine { self.n_parts - 1 } else { self.n_others - 1 };
        mine
    }

    /// Begins again.
    pub(crate) fn restart(&mut self) {
        self.n_others = self.number;
    }
}
