//! Memory as variables: which bytes are accessed as one, and who uses them.
//!
//! In: all accesses of a run. Out: *cells*, pieces that no access touches in part, and for each
//! whether it is a global (several threads use it and at least one writes it, or the result is in it).
//! What belongs to the embedded library is one cell per object: what its functions do with their
//! own data is only known as a whole.

use raddle_vm::shadow::Piece;
use rustc_hash::FxHashMap;

/// An access of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) event: u32,
    pub(super) thread: u32,
    pub(super) piece: Piece,
    pub(super) write: bool,
}

/// How a cell is used.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    thread: Option<u32>,
    several: bool,
    written: bool,
    focus: bool,
}

/// The cells of a run.
pub(super) struct Cells {
    /// Per object: where its cells begin, and the offsets at which they do.
    objects: FxHashMap<(u32, u32), (u32, Vec<u32>)>,
    /// Per cell, the number of its global.
    globals: Vec<Option<u32>>,
    /// Per global, its object, offset, and whether the result is in it.
    pub(super) known: Vec<(u32, u32, bool)>,
}

impl Cells {
    /// `whole` says which objects are one cell, `focus` which pieces hold the result.
    pub(super) fn new(
        accesses: &[Access],
        whole: impl Fn(u32) -> bool,
        focus: impl Fn(&Piece) -> bool,
    ) -> Cells {
        let mut objects: FxHashMap<(u32, u32), (u32, Vec<u32>)> = FxHashMap::default();
        // In the order of first accesses: numbers must not depend on hashing.
        let mut order = Vec::new();
        for Access { piece, .. } in accesses {
            let key = (piece.object, piece.birth);
            let (_, cuts) = objects.entry(key).or_insert_with(|| {
                order.push(key);
                (0, vec![0])
            });
            if !whole(piece.object) {
                cuts.extend([piece.offset, piece.offset + piece.size]);
                if cuts.len() > 4096 && cuts.len().is_power_of_two() {
                    cuts.sort_unstable();
                    cuts.dedup();
                }
            }
        }
        let mut n_cells = 0;
        let mut places = Vec::new();
        for key in order {
            let (start, cuts) = objects.get_mut(&key).expect("it was put there");
            cuts.sort_unstable();
            cuts.dedup();
            *start = n_cells;
            n_cells += cuts.len() as u32;
            places.extend(cuts.iter().map(|&offset| (key.0, offset)));
        }
        let mut cells = Cells { objects, globals: Vec::new(), known: Vec::new() };
        let mut uses = vec![Use::default(); n_cells as usize];
        for access in accesses {
            for cell in cells.of(&access.piece) {
                let of = &mut uses[cell as usize];
                of.several |= of.thread.is_some_and(|thread| thread != access.thread);
                of.thread = Some(access.thread);
                of.written |= access.write;
                of.focus |= focus(&access.piece);
            }
        }
        for (of, (object, offset)) in uses.iter().zip(places) {
            let global = of.focus || of.several && of.written;
            cells.globals.push(global.then_some(cells.known.len() as u32));
            cells.known.extend(global.then_some((object, offset, of.focus)));
        }
        cells
    }

    /// The cells of a piece.
    pub(super) fn of(&self, piece: &Piece) -> std::ops::Range<u32> {
        let Some((start, cuts)) = self.objects.get(&(piece.object, piece.birth)) else {
            return 0..0;
        };
        let first = cuts.partition_point(|&cut| cut <= piece.offset) - 1;
        let last = cuts.partition_point(|&cut| cut < piece.offset + piece.size);
        start + first as u32..start + (last as u32).max(first as u32 + 1)
    }

    /// The global that a cell is.
    pub(super) fn global(&self, cell: u32) -> Option<u32> {
        self.globals[cell as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.globals.len()
    }
}
