//! What earlier runs have found out about loops: kept from run to run, and shared with children.

use core::mem::size_of;

use crate::sys;

const N_LEAVING: usize = 1 << 14;
const N_ENDLESS: usize = 1 << 12;
const N_PLACES: usize = 64;

/// What is known about loops. All zero: nothing.
pub(super) struct Lore {
    /// Where threads were tried alone and left: hashes of the choices before that.
    leaving: [u64; N_LEAVING],
    n_leaving: usize,
    /// What threads in loops that are taken for endless have in common from round to round.
    endless: [u128; N_ENDLESS],
    n_endless: usize,
    /// Where these loops are.
    places: [u64; N_PLACES],
    n_places: usize,
    /// How often the run under way was begun again.
    n_again: u32,
}

impl Lore {
    /// An empty one; null if there is no room.
    pub(super) fn make() -> *mut Lore {
        sys::map_kept(size_of::<Lore>()).cast()
    }

    /// The run has to be made once more, or not.
    pub(super) fn makes_again(&mut self, again: bool) {
        self.n_again = if again { self.n_again + 1 } else { 0 };
    }

    /// Whether a thread that was tried alone after these choices left its loop.
    pub(super) fn leaves(&self, path: u64) -> bool {
        const N_AGAIN_MAX: u32 = 16;
        self.n_again >= N_AGAIN_MAX || self.leaving[..self.n_leaving.min(N_LEAVING)].contains(&path)
    }

    /// A thread has left its loop. Of the oldest that is forgotten, so that it would be tried again.
    pub(super) fn add_leaving(&mut self, path: u64) {
        self.leaving[self.n_leaving % N_LEAVING] = path;
        self.n_leaving += 1;
    }

    /// Whether a loop that is taken for endless has a place.
    pub(super) fn has_place(&self, pc: u64) -> bool {
        self.places[..self.n_places].contains(&pc)
    }

    /// Whether a loop is taken for endless.
    pub(super) fn is_endless(&self, common: u128) -> bool {
        self.endless[..self.n_endless].contains(&common)
    }

    /// A loop is taken for endless from here on.
    pub(super) fn add_endless(&mut self, pc: u64, common: u128) {
        if self.n_endless < N_ENDLESS && !self.is_endless(common) {
            self.endless[self.n_endless] = common;
            self.n_endless += 1;
        }
        if self.n_places < N_PLACES && !self.has_place(pc) {
            self.places[self.n_places] = pc;
            self.n_places += 1;
        }
    }
}
