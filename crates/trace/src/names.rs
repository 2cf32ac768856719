//! Names: strings interned to dense ids, in one arena.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::id::NONE;

/// A name could not be interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The bytes are no text.
    #[error("the name is not valid UTF-8")]
    NotText,
    /// All names of one table together exceed what 32-bit offsets can address.
    #[error("the names of one table exceed 4 GiB")]
    TooLarge,
}

/// Interned strings; the n-th distinct name has id n.
#[derive(Clone, Default)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
    table: HashTable<Entry>,
}

/// A name in the hash table. Names of up to 16 bytes, which is most of them, are compared by
/// their key alone: looking at the text would be another cache miss for each event of a trace.
#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    id: u32,
}

impl Names {
    /// The id of a name, new or known.
    #[inline]
    pub fn intern(&mut self, name: &[u8]) -> Result<u32, NameError> {
        self.intern_keyed(Key::new(name), name)
    }

    /// As [`Names::intern`], with the key of the name at hand.
    #[inline]
    pub(crate) fn intern_keyed(&mut self, key: Key, name: &[u8]) -> Result<u32, NameError> {
        match self.lookup(key, name) {
            Some(id) => Ok(id),
            None => self.insert(key, name),
        }
    }

    /// The id of a known name of up to 16 bytes, by its key alone; [`NONE`] for others.
    #[inline]
    pub(crate) fn find_short(&self, key: Key) -> u32 {
        let same = |entry: &Entry| entry.key == key && key.is_whole();
        self.table.find(key.hash(), same).map_or(NONE, |entry| entry.id)
    }

    /// Appends a name that must not be known yet; `None` if it is.
    pub(crate) fn append(&mut self, name: &[u8]) -> Result<Option<u32>, NameError> {
        let n_before = self.len() as u32;
        let id = self.intern(name)?;
        Ok((id == n_before).then_some(id))
    }

    /// The id of a known name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.lookup(Key::new(name.as_bytes()), name.as_bytes())
    }

    /// The name of an id.
    pub fn get(&self, id: u32) -> Option<&str> {
        let end = *self.ends.get(id as usize)? as usize;
        self.text.get(self.start(id)..end)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without any name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The names in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|id| &self.text[self.start(id)..self.ends[id as usize] as usize])
    }

    /// Bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.text.capacity() + 4 * self.ends.capacity() + self.table.allocation_size()
    }

    #[inline]
    fn lookup(&self, key: Key, name: &[u8]) -> Option<u32> {
        let same = |entry: &Entry| {
            entry.key == key
                && (key.is_whole() || self.get(entry.id).map(str::as_bytes) == Some(name))
        };
        self.table.find(key.hash(), same).map(|entry| entry.id)
    }

    #[cold]
    fn insert(&mut self, key: Key, name: &[u8]) -> Result<u32, NameError> {
        let name = std::str::from_utf8(name).map_err(|_| NameError::NotText)?;
        let end = u32::try_from(self.text.len() + name.len()).map_err(|_| NameError::TooLarge)?;
        let id = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(end);
        self.table.insert_unique(key.hash(), Entry { key, id }, |entry| entry.key.hash());
        Ok(id)
    }

    fn start(&self, id: u32) -> usize {
        if id == 0 { 0 } else { self.ends[id as usize - 1] as usize }
    }
}

/// The length of a name and sixteen bytes that determine it, or a hash where it is longer.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Key {
    first: u64,
    last: u64,
    length: u32,
}

impl Key {
    #[inline]
    pub(crate) fn new(name: &[u8]) -> Key {
        let word = |at: usize| u64::from_le_bytes(name[at..at + 8].try_into().expect("8 bytes"));
        let half = |at: usize| {
            u64::from(u32::from_le_bytes(name[at..at + 4].try_into().expect("4 bytes")))
        };
        let n = name.len();
        let (first, last) = match n {
            0 => (0, 0),
            1..4 => {
                (u64::from(name[0]) << 16 | u64::from(name[n / 2]) << 8 | u64::from(name[n - 1]), 0)
            }
            4..8 => (half(0), half(n - 4)),
            8..=16 => (word(0), word(n - 8)),
            _ => (hash(name), word(n - 8)),
        };
        Key { first, last, length: n as u32 }
    }

    /// True if no other name has this key.
    #[inline]
    pub(crate) fn is_whole(self) -> bool {
        self.length <= 16
    }

    #[inline]
    fn hash(self) -> u64 {
        const A: u64 = 0x9e37_79b9_7f4a_7c15;
        const B: u64 = 0xd1b5_4a32_d192_ed03;
        let product =
            u128::from(self.first ^ A) * u128::from(self.last ^ B ^ u64::from(self.length));
        (product as u64) ^ (product >> 64) as u64
    }
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Names) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

fn hash(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_first_appearance() {
        let mut names = Names::default();
        let ids: Vec<_> =
            ["b", "", "a", "b", ""].map(|n| names.intern(n.as_bytes()).unwrap()).into();
        assert_eq!(ids, [0, 1, 2, 0, 1]);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["b", "", "a"]);
        assert_eq!(names.find("a"), Some(2));
        assert_eq!(names.find("c"), None);
    }

    #[test]
    fn names_of_any_length_that_differ_in_one_byte_are_told_apart() {
        let mut names = Names::default();
        let mut expected = 0;
        for length in 0..40 {
            for changed in 0..=length {
                let mut name = vec![b'a'; length];
                if let Some(byte) = name.get_mut(changed) {
                    *byte = b'b';
                }
                assert_eq!(names.intern(&name), Ok(expected));
                expected += 1;
            }
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(Names::default().intern(b"\xff\xfe"), Err(NameError::NotText));
    }
}
