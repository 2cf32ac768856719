//! What is known of values in memory, piece by piece.

use std::collections::BTreeMap;

use crate::observe::Transition;

/// A piece of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its object.
    pub object: u32,
    /// Distinguishes the objects that had this number one after the other.
    pub birth: u32,
    /// Where it begins.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
}

impl Piece {
    /// A piece of an object that is there before a transition.
    pub fn new(t: &Transition<'_>, object: u32, offset: u32, size: u32) -> Piece {
        Piece { object, birth: t.view.birth(object), offset, size }
    }

    /// Where it ends.
    pub fn end(self) -> u32 {
        self.offset.saturating_add(self.size)
    }

    /// The piece of the same object that begins and ends there.
    pub fn between(self, offset: u32, end: u32) -> Piece {
        Piece { offset, size: end - offset, ..self }
    }
}

/// A part of a piece of memory, and what it holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<V> {
    /// Where it begins, in the object or in what is copied.
    pub offset: u32,
    /// How many bytes it has.
    pub size: u32,
    /// What it holds.
    pub value: V,
}

impl<V> Part<V> {
    /// Where it ends.
    pub fn end(&self) -> u32 {
        self.offset + self.size
    }

    /// The piece that it is of one in which it lies.
    pub fn within(&self, at: Piece) -> Piece {
        Piece { offset: at.offset + self.offset, size: self.size, ..at }
    }
}

/// What memory holds; parts do not overlap.
pub struct Memory<V> {
    objects: Vec<Object<V>>,
}

/// The parts of an object, by their offsets.
struct Object<V> {
    birth: u32,
    parts: BTreeMap<u32, (u32, V)>,
}

impl<V> Default for Memory<V> {
    fn default() -> Memory<V> {
        Memory { objects: Vec::new() }
    }
}

impl<V: Copy> Memory<V> {
    /// The parts that overlap a piece, in order.
    pub fn overlapping(&self, at: Piece) -> impl Iterator<Item = Part<V>> {
        let object = self.objects.get(at.object as usize);
        let parts = object.filter(|object| object.birth == at.birth && at.size > 0);
        let parts = parts.into_iter().flat_map(move |object| {
            let first = object.parts.range(..at.offset).next_back();
            first.into_iter().chain(object.parts.range(at.offset..at.end()))
        });
        let parts = parts.map(|(&offset, &(size, value))| Part { offset, size, value });
        parts.filter(move |part| part.end() > at.offset)
    }

    /// Takes away the parts that overlap a piece, whole.
    pub fn take(&mut self, at: Piece) -> Vec<Part<V>> {
        let taken: Vec<_> = self.overlapping(at).collect();
        if let Some(object) = self.objects.get_mut(at.object as usize) {
            for part in &taken {
                object.parts.remove(&part.offset);
            }
        }
        taken
    }

    /// Puts a value where nothing overlaps.
    pub fn put(&mut self, at: Piece, value: V) {
        let index = at.object as usize;
        if self.objects.len() <= index {
            self.objects.resize_with(index + 1, || Object { birth: 0, parts: BTreeMap::new() });
        }
        let object = &mut self.objects[index];
        if object.birth != at.birth {
            *object = Object { birth: at.birth, parts: BTreeMap::new() };
        }
        object.parts.insert(at.offset, (at.size, value));
    }

    /// Puts a value over what is there; parts that lie only partly below keep their rest.
    pub fn write(&mut self, at: Piece, value: V) {
        if at.size == 0 {
            return;
        }
        if let Some(object) = self.objects.get_mut(at.object as usize)
            && object.birth == at.birth
            && let Some((size, held)) = object.parts.get_mut(&at.offset)
            && *size == at.size
        {
            *held = value; // Nothing else overlaps.
            return;
        }
        for part in self.take(at) {
            if part.offset < at.offset {
                self.put(at.between(part.offset, at.offset), part.value);
            }
            if part.end() > at.end() {
                self.put(at.between(at.end(), part.end()), part.value);
            }
        }
        self.put(at, value);
    }

    /// A piece part by part, without gaps: what lies there, or what lies where nothing does.
    pub fn parts(&self, at: Piece, nothing: V) -> Vec<Part<V>> {
        let (mut parts, mut next) = (Vec::new(), at.offset);
        for part in self.overlapping(at) {
            let (offset, end) = (part.offset.max(at.offset), part.end().min(at.end()));
            if next < offset {
                parts.push(Part { offset: next, size: offset - next, value: nothing });
            }
            parts.push(Part { offset, size: end - offset, value: part.value });
            next = end;
        }
        if next < at.end() {
            parts.push(Part { offset: next, size: at.end() - next, value: nothing });
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(offset: u32, size: u32) -> Piece {
        Piece { object: 3, birth: 1, offset, size }
    }

    /// Writes pieces, then expects the parts of another one as `offset+size=value`.
    #[track_caller]
    fn check(writes: &[(u32, u32, char)], of: (u32, u32), expected: &str) {
        let mut memory = Memory::default();
        for &(offset, size, value) in writes {
            memory.write(piece(offset, size), value);
        }
        let parts = memory.parts(piece(of.0, of.1), '-').into_iter();
        let parts = parts.map(|part| format!("{}+{}={}", part.offset, part.size, part.value));
        assert_eq!(parts.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn parts_are_what_was_written_last() {
        check(&[], (4, 8), "4+8=-");
        check(&[(4, 4, 'a'), (8, 4, 'b')], (4, 8), "4+4=a 8+4=b");
        check(&[(0, 12, 'a'), (4, 4, 'b')], (0, 12), "0+4=a 4+4=b 8+4=a");
        check(&[(0, 4, 'a'), (4, 4, 'b'), (2, 4, 'c')], (0, 8), "0+2=a 2+4=c 6+2=b");
        check(&[(0, 4, 'a'), (2, 0, 'b')], (2, 4), "2+2=a 4+2=-");
    }

    #[test]
    fn an_object_that_has_the_number_of_another_one_holds_nothing() {
        let mut memory = Memory::default();
        memory.write(piece(0, 4), 'a');
        let next = Piece { birth: 2, ..piece(0, 4) };
        assert_eq!(memory.overlapping(next).count(), 0);
        memory.write(next, 'b');
        assert_eq!(memory.overlapping(piece(0, 4)).count(), 0);
    }
}
