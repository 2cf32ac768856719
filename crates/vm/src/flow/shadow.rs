//! Shadows: what the values in registers and memory depend on.

use super::set::{Set, Sets};

/// What a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Cell {
    /// The sources it was computed from.
    pub(super) data: Set,
    /// Those of the branches that decided that it was computed, or which value was.
    pub(super) control: Set,
}

impl Cell {
    pub(super) const EMPTY: Cell = Cell { data: Set::EMPTY, control: Set::EMPTY };

    /// What a value made of both depends on.
    pub(super) fn with(self, other: Cell, sets: &mut Sets) -> Cell {
        Cell {
            data: sets.union(self.data, other.data),
            control: sets.union(self.control, other.control),
        }
    }

    /// The same value, known only because of these branches.
    pub(super) fn under(self, control: Set, sets: &mut Sets) -> Cell {
        Cell { control: sets.union(self.control, control), ..self }
    }

    /// Everything it depends on, however.
    pub(super) fn all(self, sets: &mut Sets) -> Set {
        sets.union(self.data, self.control)
    }
}

/// A piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) object: u32,
    /// Distinguishes the objects that had this number one after the other.
    pub(super) birth: u32,
    pub(super) offset: u32,
    pub(super) size: u32,
}

/// The shadow of memory, byte by byte. Objects without an entry depend on nothing.
#[derive(Default)]
pub(super) struct Memory {
    objects: Vec<Shadow>,
}

#[derive(Default)]
struct Shadow {
    birth: u32,
    cells: Vec<Cell>,
}

impl Memory {
    /// What the bytes of a piece depend on, one by one.
    pub(super) fn cells(&self, piece: Piece) -> impl Iterator<Item = Cell> {
        let shadow = self.objects.get(piece.object as usize);
        let shadow = shadow.filter(|shadow| shadow.birth == piece.birth);
        let cells = shadow.map_or(&[][..], |shadow| &shadow.cells);
        let bytes = piece.offset as usize..piece.offset as usize + piece.size as usize;
        bytes.map(|at| cells.get(at).copied().unwrap_or_default())
    }

    /// What a piece as a whole depends on.
    pub(super) fn get(&self, piece: Piece, sets: &mut Sets) -> Cell {
        let mut last = Cell::EMPTY;
        self.cells(piece).fold(Cell::EMPTY, |all, cell| {
            if std::mem::replace(&mut last, cell) == cell { all } else { all.with(cell, sets) }
        })
    }

    /// Sets what each byte of a piece depends on.
    pub(super) fn set(&mut self, piece: Piece, cells: impl Iterator<Item = Cell>) {
        for (at, cell) in (piece.offset as usize..).zip(cells.take(piece.size as usize)) {
            match self.cell(piece, at, cell != Cell::EMPTY) {
                Some(old) => *old = cell,
                None => continue,
            }
        }
    }

    /// Adds to what each byte of a piece depends on.
    pub(super) fn add(&mut self, piece: Piece, more: Cell, sets: &mut Sets) {
        if more == Cell::EMPTY {
            return;
        }
        for at in piece.offset as usize..piece.offset as usize + piece.size as usize {
            if let Some(cell) = self.cell(piece, at, true) {
                *cell = cell.with(more, sets);
            }
        }
    }

    fn cell(&mut self, piece: Piece, at: usize, make: bool) -> Option<&mut Cell> {
        let object = piece.object as usize;
        if make && self.objects.len() <= object {
            self.objects.resize_with(object + 1, Shadow::default);
        }
        let shadow = self.objects.get_mut(object)?;
        if shadow.birth != piece.birth {
            shadow.cells.clear();
            shadow.birth = piece.birth;
        }
        if make && shadow.cells.len() <= at {
            shadow.cells.resize(at + 1, Cell::EMPTY);
        }
        shadow.cells.get_mut(at)
    }
}
