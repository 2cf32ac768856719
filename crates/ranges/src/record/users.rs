//! Who uses which memory: what is shared, and in which pieces.

use std::collections::BTreeMap;

use raddle_vm::{Event, Observer, What};
use rustc_hash::FxHashMap;

/// An object; numbers of objects that live on stacks are used again.
pub(super) type Place = (u32, u32);

/// How a byte range was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Use {
    size: u32,
    thread: u32,
    several: bool,
    written: bool,
    /// Whether it counts as shared in any case.
    wanted: bool,
}

/// Shared memory: pieces that are accessed as one, and ranges whose pieces overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) offset: u32,
    pub(super) size: u32,
    /// Whether it is accessed in pieces of different sizes.
    pub(super) mixed: bool,
}

/// The shared pieces of each object, ascending.
pub(super) type Shared = FxHashMap<Place, Vec<Piece>>;

/// Sees who uses which memory.
#[derive(Default)]
pub(super) struct Users {
    /// The names of what counts as shared in any case.
    wanted: Vec<String>,
    /// Uses by offset and size.
    uses: FxHashMap<Place, BTreeMap<(u32, u32), Use>>,
}

impl Users {
    /// One for which what is named counts as shared in any case.
    pub(super) fn with(named: &[String]) -> Users {
        Users { wanted: named.to_vec(), ..Users::default() }
    }

    /// The pieces that several threads use and at least one writes, and those that are wanted.
    pub(super) fn shared(self) -> Shared {
        let mut shared = Shared::default();
        for (place, uses) in self.uses {
            let mut group: Option<(Piece, Use)> = None;
            let mut found = Vec::new();
            let mut settle = |group: Option<(Piece, Use)>| {
                let is_shared = |all: &Use| all.wanted || (all.several && all.written);
                found.extend(group.filter(|(_, all)| is_shared(all)).map(|(p, _)| p));
            };
            for ((offset, size), one) in uses {
                group = Some(match group {
                    Some((piece, all)) if offset < piece.offset + piece.size => {
                        let end = (piece.offset + piece.size).max(offset + size);
                        let size = end - piece.offset;
                        (Piece { size, mixed: true, ..piece }, both(all, one))
                    }
                    before => {
                        settle(before);
                        (Piece { offset, size, mixed: false }, one)
                    }
                });
            }
            settle(group);
            if !found.is_empty() {
                shared.insert(place, found);
            }
        }
        shared
    }
}

fn both(a: Use, b: Use) -> Use {
    Use {
        several: a.several || b.several || a.thread != b.thread,
        written: a.written || b.written,
        wanted: a.wanted || b.wanted,
        ..a
    }
}

impl Observer for Users {
    fn event(&mut self, event: &Event<'_>) {
        let (object, offset, size, written) = match event.what {
            What::Read { object, offset, size, .. } => (object, offset, size, false),
            What::Write { object, offset, size, .. } => (object, offset, size, true),
            What::Rmw { object, offset, size, .. } => (object, offset, size, true),
            _ => return,
        };
        let place = (object, event.view.birth(object));
        let one = Use { size, thread: event.thread, several: false, written, wanted: false };
        let uses = self.uses.entry(place).or_default();
        let known = uses.entry((offset, size)).and_modify(|all| *all = both(*all, one));
        known.or_insert_with(|| {
            let is_named = |name: &String| *name == event.view.name(object, offset, size);
            Use { wanted: self.wanted.iter().any(is_named), ..one }
        });
    }
}
