//! Memory: a flat address space of objects.
//!
//! In: requests for objects, and addresses. Out: places in one arena of bytes, or what is wrong
//! with the address.
//!
//! - A1: with 8-byte pointers the high half of an address says which object it belongs to: its
//!   number and a constant. Locating it is a shift, a subtraction and a comparison.
//! - A2: the low half of the first address of an object, its *base*, comes from a pointer that
//!   moves through a window as an allocator's does. So what is left of an address when it is cut
//!   to 32 or 16 bits, shifted or divided differs from object to object and is not zero.
//! - A3: with 4-byte pointers each object has pages of its own, with a gap behind them, and a table
//!   leads from pages to objects. The base is somewhere in the first page.
//! - A4: bases are multiples of 16, and of the alignment that was asked for if that is more.
//!
//! Numbers of heap objects are never used twice in a run, so that an access to what was freed is
//! always found; those of locals are, as a stack reuses its memory.
//!
//! All bytes live in one vector and the free blocks are chained through themselves, so that
//! copying the memory is copying a few vectors.

mod arena;
mod bad;
mod object;
mod value;

use raddle_cfront::ir::{DataModel, Kind};

use crate::site::Site;
use crate::state::copy;
use arena::Arena;
pub(crate) use bad::Bad;
pub(crate) use object::flag;
pub use object::{Life, Object, ObjectKind};

/// The byte that memory is filled with before anything is stored there.
pub(crate) const UNINITIALISED: u8 = 0xA5;

const PAGE_BITS: u32 = 12;
/// A1: the high half of the addresses of the first object. It is large enough for small numbers
/// in the high half of a word not to look like addresses.
const FIRST_HIGH: u64 = 0x1000;

/// By the width of addresses and by kind: what is less is no part of an address. Half of one is a large number, and most
/// others are small.
const LEAST_PARTS: [[u64; N_KINDS]; 2] = [least_parts(4), least_parts(8)];

const N_KINDS: usize = Kind::P64 as usize + 1;

const fn least_parts(pointer_size: u32) -> [u64; N_KINDS] {
    let mut least = [u64::MAX; N_KINDS];
    let kinds = [Kind::I8, Kind::U8, Kind::I16, Kind::U16, Kind::I32, Kind::U32, Kind::F32];
    let mut at = 0;
    while at < kinds.len() {
        let kind = kinds[at];
        if kind.size() < pointer_size {
            least[kind as usize] = if kind.size() == 4 { FIRST_HIGH } else { 0 };
        }
        at += 1;
    }
    least
}
/// A2: where bases lie. The distance to zero lets an address before an object still name it.
const FIRST_BASE: u32 = 0x0100_0000;
const LAST_BASE: u32 = 0x3FFF_FFFF;
/// What an allocator keeps in front of a block.
const HEADER: u32 = 16;
/// A4: the least alignment of an object.
const NATURAL: u32 = 16;
/// Addresses start high, so that small numbers do not look like them.
const FIRST_PAGE: u32 = 0x8048;
const N_PAGES_MAX: usize = (1 << (32 - PAGE_BITS)) - FIRST_PAGE as usize;

/// All objects of a run and their bytes.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    wide: bool,
    pub(crate) objects: Vec<Object>,
    pub(crate) arena: Arena,
    /// Per page, the number of its object plus one; only for 4-byte addresses.
    pages: Vec<u32>,
    /// A2: where the last object ends in the window of bases.
    frontier: u32,
    /// How many objects were made or revived.
    n_births: u32,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        let mut copy = Memory::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, from: &Self) {
        self.wide = from.wide;
        copy(&mut self.objects, &from.objects);
        self.arena.clone_from(&from.arena);
        copy(&mut self.pages, &from.pages);
        self.frontier = from.frontier;
        self.n_births = from.n_births;
    }
}

/// The longest text that is read from the program's memory for people.
const TEXT_MAX: usize = 4096;

impl Memory {
    /// The string at an address; empty for null.
    pub(crate) fn text(&self, address: u64) -> Result<String, Bad> {
        if address == 0 {
            return Ok(String::new());
        }
        let (object, offset) = self.locate(address, 1)?;
        let size = self.object(object).size;
        let bytes = self.bytes(object, offset, size - offset);
        let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end.min(TEXT_MAX)]).into_owned())
    }

    pub(crate) fn new(model: DataModel, limit: u64) -> Memory {
        let wide = model == DataModel::Lp64;
        Memory { wide, arena: Arena::new(limit), frontier: FIRST_BASE, ..Memory::default() }
    }

    /// How many bytes a pointer has.
    pub(crate) fn pointer_size(&self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    /// A new object, filled as uninitialised memory is; none if there is no room.
    pub(crate) fn add(&mut self, kind: ObjectKind, size: u64, align: u32) -> Option<u32> {
        let number = self.objects.len() as u32;
        let object = self.place(number, Object::new(kind), size, align)?;
        self.objects.push(object);
        Some(number)
    }

    /// A new object that has an address and no bytes: functions, patterns of thread-local globals.
    pub(crate) fn add_bare(&mut self, kind: ObjectKind) -> Option<u32> {
        let number = self.objects.len() as u32;
        let mut object = Object::new(kind);
        let mapped = self.map(number, &mut object, NATURAL);
        self.objects.push(object);
        mapped.then_some(number)
    }

    /// Gives a dead object a new life, with its old number.
    pub(crate) fn revive(
        &mut self,
        number: u32,
        kind: ObjectKind,
        size: u64,
        align: u32,
    ) -> Option<()> {
        let Object { base, room, .. } = self.objects[number as usize];
        let object = Object { base, room, ..Object::new(kind) };
        self.objects[number as usize] = self.place(number, object, size, align)?;
        Some(())
    }

    /// Finds bytes and an address for an object.
    fn place(&mut self, number: u32, object: Object, size: u64, align: u32) -> Option<Object> {
        let size = u32::try_from(size).ok()?;
        let start = self.arena.take(size)?;
        self.n_births = self.n_births.wrapping_add(1);
        let birth = self.n_births;
        let mut object = Object { start, bound: size, size, birth, ..object };
        if !self.map(number, &mut object, align.max(NATURAL)) {
            self.arena.give_back(start, size);
            return None;
        }
        self.arena.fill(start, size, UNINITIALISED);
        Some(object)
    }

    /// A thread accesses an object, of which others may have to hear when it ends.
    #[inline]
    pub(crate) fn note_access(&mut self, number: u32, thread: u32) {
        let object = &mut self.objects[number as usize];
        if object.thread != thread && object.is_shared() {
            object.flags |= flag::FOREIGN;
        }
    }

    /// Ends the life of an object.
    pub(crate) fn end(&mut self, number: u32, life: Life, site: Site) {
        let object = &mut self.objects[number as usize];
        let (start, size) = (object.start, object.size);
        object.bound = 0;
        object.life = life;
        object.freed = site;
        self.arena.give_back(start, size);
    }

    /// Finds a base for an object, unless the one that it has will do.
    fn map(&mut self, number: u32, object: &mut Object, align: u32) -> bool {
        if object.base != 0 && object.size <= object.room && object.base.is_multiple_of(align) {
            return true;
        }
        object.room = object.size;
        match self.wide {
            true => self.map_wide(object, align),
            false => self.map_pages(number, object, align),
        }
    }

    /// A2: the next base in the window.
    fn map_wide(&mut self, object: &mut Object, align: u32) -> bool {
        let next = |from: u32| (from + HEADER).checked_next_multiple_of(align);
        let base = match next(self.frontier) {
            Some(base) if base <= LAST_BASE => base,
            _ => next(FIRST_BASE).unwrap_or(align),
        };
        let Some(end) = base.checked_add(object.size) else { return false };
        object.base = base;
        self.frontier = end.min(LAST_BASE);
        true
    }

    /// A3: pages behind all others, and a place in the first of them.
    fn map_pages(&mut self, number: u32, object: &mut Object, align: u32) -> bool {
        let page = FIRST_PAGE + self.pages.len() as u32;
        let first = (page << PAGE_BITS) + (number.wrapping_mul(5 * NATURAL) & 0xFF0) + HEADER;
        let Some(base) = first.checked_next_multiple_of(align) else { return false };
        let n_bytes = u64::from(base - (page << PAGE_BITS)) + u64::from(object.size);
        let n_pages = n_bytes.div_ceil(1 << PAGE_BITS).max(1);
        if self.pages.len() as u64 + n_pages + 1 > N_PAGES_MAX as u64 {
            return false;
        }
        object.base = base;
        object.room = ((n_pages << PAGE_BITS) - u64::from(base - (page << PAGE_BITS))) as u32;
        self.pages.extend(std::iter::repeat_n(number + 1, n_pages as usize));
        self.pages.push(0);
        true
    }

    /// The address of a place in an object.
    #[inline]
    pub(crate) fn address(&self, object: u32, offset: u64) -> u64 {
        let base = u64::from(self.objects[object as usize].base).wrapping_add(offset);
        if self.wide {
            ((u64::from(object) + FIRST_HIGH) << 32).wrapping_add(base)
        } else {
            base & 0xFFFF_FFFF
        }
    }

    /// The object that an address points into or near, and the offset; whether it is alive or
    /// long enough is not looked at. The offset of what lies before an object wraps around.
    #[inline]
    pub(crate) fn resolve(&self, address: u64) -> Option<(u32, u32)> {
        let number = if self.wide {
            (address >> 32).wrapping_sub(FIRST_HIGH)
        } else {
            let index = (address as u32 >> PAGE_BITS).checked_sub(FIRST_PAGE)?;
            u64::from(self.pages.get(index as usize)?.checked_sub(1)?)
        };
        let object = self.objects.get(number as usize)?;
        Some((number as u32, (address as u32).wrapping_sub(object.base)))
    }

    /// No address is less.
    #[inline]
    pub(crate) fn least_address(&self) -> u64 {
        if self.wide { FIRST_HIGH << 32 } else { u64::from(FIRST_PAGE) << PAGE_BITS }
    }

    /// Whether a word may point to an object with this number or a higher one.
    #[inline]
    pub(crate) fn is_near(&self, word: u64, first: u32) -> bool {
        if self.wide {
            let number = (word >> 32).wrapping_sub(FIRST_HIGH);
            number >= u64::from(first) && number < self.objects.len() as u64
        } else {
            self.resolve(word).is_some_and(|(number, _)| number >= first)
        }
    }

    /// Whether a value that was read can be a part of an address. Not all that can be are.
    #[inline(always)]
    pub(crate) fn can_be_part(&self, kind: Kind, value: u64) -> bool {
        value >= LEAST_PARTS[usize::from(self.wide)][kind as usize]
    }

    /// Whether the word around a place in a live object can be an address. Not all that can be are.
    #[inline(always)]
    pub(crate) fn is_near_address(&self, object: u32, offset: u32) -> bool {
        if !self.wide {
            return true;
        }
        let end = (offset | 7).saturating_add(1);
        if end > self.objects[object as usize].bound {
            return false;
        }
        let number = self.read(object, end - 4, Kind::U32).wrapping_sub(FIRST_HIGH);
        number < self.objects.len() as u64
    }

    /// The word of a pointer's size and alignment that a place in a live object belongs to.
    #[inline]
    pub(crate) fn word_around(&self, object: u32, offset: u32) -> Option<u64> {
        let size = self.pointer_size();
        let start = offset & !(size - 1);
        if u64::from(start) + u64::from(size) > u64::from(self.objects[object as usize].bound) {
            return None;
        }
        Some(self.read(object, start, if self.wide { Kind::P64 } else { Kind::P32 }))
    }

    /// What decides which address the next object gets, beside the dead locals of threads.
    pub(crate) fn next_address(&self) -> [u64; 3] {
        [self.objects.len() as u64, self.pages.len() as u64, self.frontier.into()]
    }

    /// The object and the offset of `size` bytes that can be read.
    #[inline]
    pub(crate) fn locate(&self, address: u64, size: u64) -> Result<(u32, u32), Bad> {
        if let Some((number, offset)) = self.resolve(address)
            && u64::from(offset) + size <= u64::from(self.objects[number as usize].bound)
            && size <= u64::from(u32::MAX)
        {
            return Ok((number, offset));
        }
        Err(self.diagnose(address, size))
    }

    /// The same for a place in a known object.
    #[inline]
    pub(crate) fn within(&self, object: u32, offset: u32, size: u32) -> Result<(u32, u32), Bad> {
        if u64::from(offset) + u64::from(size) <= u64::from(self.objects[object as usize].bound) {
            return Ok((object, offset));
        }
        Err(Bad::OutOfBounds { object, offset: offset.into(), size: size.into() })
    }

    /// An address, cut to the size that addresses have.
    #[inline]
    pub(crate) fn wrap(&self, address: u64) -> u64 {
        if self.wide { address } else { address & 0xFFFF_FFFF }
    }

    /// As [`Memory::locate`], for bytes that can be written.
    #[inline]
    pub(crate) fn locate_mut(&self, address: u64, size: u64) -> Result<(u32, u32), Bad> {
        let (number, offset) = self.locate(address, size)?;
        if self.objects[number as usize].flags & flag::CONSTANT != 0 {
            return Err(Bad::Constant(number));
        }
        Ok((number, offset))
    }

    /// The object with this number.
    #[inline]
    pub(crate) fn object(&self, number: u32) -> &Object {
        &self.objects[number as usize]
    }

    /// The bytes of a place that was located.
    pub(crate) fn bytes(&self, number: u32, offset: u32, size: u32) -> &[u8] {
        let start = self.objects[number as usize].start as usize + offset as usize;
        &self.arena.bytes[start..start + size as usize]
    }

    /// As [`Memory::bytes`], to write them.
    pub(crate) fn bytes_mut(&mut self, number: u32, offset: u32, size: u32) -> &mut [u8] {
        let start = self.objects[number as usize].start as usize + offset as usize;
        &mut self.arena.bytes[start..start + size as usize]
    }
}
