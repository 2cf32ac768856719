//! The expressions in memory that one thread alone uses.

use std::collections::BTreeMap;

use raddle_cfront::ir::Kind;
use rustc_hash::FxHashMap;

use super::users::Place;
use crate::expr::ExprId;

/// An expression that lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kept {
    pub(super) offset: u32,
    pub(super) kind: Kind,
    pub(super) value: ExprId,
}

impl Kept {
    fn end(self) -> u32 {
        self.offset + self.kind.size()
    }
}

/// Expressions by object and offset; everything else is what it was in the run.
#[derive(Default)]
pub(super) struct Memory {
    objects: FxHashMap<Place, BTreeMap<u32, Kept>>,
}

impl Memory {
    /// The expressions that overlap a range.
    pub(super) fn overlapping(&self, place: Place, offset: u32, size: u32) -> Vec<Kept> {
        let Some(kept) = self.objects.get(&place) else { return Vec::new() };
        // None is longer than eight bytes.
        let near = kept.range(offset.saturating_sub(8)..offset.saturating_add(size));
        near.map(|(_, &kept)| kept).filter(|kept| kept.end() > offset).collect()
    }

    /// Forgets what overlaps a range.
    pub(super) fn clear(&mut self, place: Place, offset: u32, size: u32) {
        let over = self.overlapping(place, offset, size);
        if let Some(kept) = self.objects.get_mut(&place) {
            over.iter().for_each(|one| {
                kept.remove(&one.offset);
            });
        }
    }

    /// Puts an expression into memory where nothing overlaps.
    pub(super) fn put(&mut self, place: Place, kept: Kept) {
        self.objects.entry(place).or_default().insert(kept.offset, kept);
    }
}
