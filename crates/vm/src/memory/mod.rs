//! Memory: a flat address space of objects.
//!
//! In: requests for objects, and addresses. Out: places in one arena of bytes, or what is wrong
//! with the address.
//!
//! With 8-byte pointers an address is the number of the object plus one in the high half and the
//! offset in the low half: locating it is a shift and a comparison. With 4-byte pointers each
//! object starts on a page of its own, with a gap behind it, and a table leads from pages to
//! objects. Numbers of heap objects are never used twice in a run, so that an access to what was
//! freed is always found; those of locals are, as a stack reuses its memory.
//!
//! All bytes live in one vector and the free blocks are chained through themselves, so that
//! copying the memory is copying a few vectors.

mod arena;
mod bad;
mod object;
mod value;

use raddle_cfront::ir::DataModel;

use crate::site::Site;
use crate::state::copy;
use arena::Arena;
pub(crate) use bad::Bad;
pub(crate) use object::flag;
pub use object::{Life, Object, ObjectKind};

/// The byte that memory is filled with before anything is stored there.
pub(crate) const UNINITIALISED: u8 = 0xA5;

const PAGE_BITS: u32 = 12;
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
        Memory { wide, arena: Arena::new(limit), ..Memory::default() }
    }

    /// How many bytes a pointer has.
    pub(crate) fn pointer_size(&self) -> u32 {
        if self.wide { 8 } else { 4 }
    }

    /// A new object, filled as uninitialised memory is; none if there is no room.
    pub(crate) fn add(&mut self, kind: ObjectKind, size: u64) -> Option<u32> {
        let size = u32::try_from(size).ok()?;
        let number = self.objects.len() as u32;
        let start = self.arena.take(size)?;
        self.n_births = self.n_births.wrapping_add(1);
        let birth = self.n_births;
        let mut object = Object { start, bound: size, size, birth, ..Object::new(kind) };
        if !self.map(number, &mut object) {
            self.arena.give_back(start, size);
            return None;
        }
        self.objects.push(object);
        self.arena.fill(start, size, UNINITIALISED);
        Some(number)
    }

    /// A new object that has an address and no bytes: functions, patterns of thread-local globals.
    pub(crate) fn add_bare(&mut self, kind: ObjectKind) -> Option<u32> {
        let number = self.objects.len() as u32;
        let mut object = Object::new(kind);
        let mapped = self.map(number, &mut object);
        self.objects.push(object);
        mapped.then_some(number)
    }

    /// Gives a dead object a new life, with its old number.
    pub(crate) fn revive(&mut self, number: u32, kind: ObjectKind, size: u64) -> Option<()> {
        let size = u32::try_from(size).ok()?;
        let start = self.arena.take(size)?;
        let old = self.objects[number as usize];
        self.n_births = self.n_births.wrapping_add(1);
        let birth = self.n_births;
        let mut object = Object { start, bound: size, size, birth, ..Object::new(kind) };
        (object.page, object.n_pages) = (old.page, old.n_pages);
        if !self.map(number, &mut object) {
            self.arena.give_back(start, size);
            return None;
        }
        self.objects[number as usize] = object;
        self.arena.fill(start, size, UNINITIALISED);
        Some(())
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

    /// Finds pages for an object, unless it has enough.
    fn map(&mut self, number: u32, object: &mut Object) -> bool {
        let n_pages = object.size.div_ceil(1 << PAGE_BITS).max(1);
        if self.wide || object.n_pages >= n_pages {
            return true;
        }
        if self.pages.len() + n_pages as usize + 1 > N_PAGES_MAX {
            return false;
        }
        object.page = FIRST_PAGE + self.pages.len() as u32;
        object.n_pages = n_pages;
        self.pages.extend(std::iter::repeat_n(number + 1, n_pages as usize));
        self.pages.push(0);
        true
    }

    /// The address of a place in an object.
    #[inline]
    pub(crate) fn address(&self, object: u32, offset: u64) -> u64 {
        if self.wide {
            ((u64::from(object) + 1) << 32).wrapping_add(offset)
        } else {
            let page = self.objects[object as usize].page;
            u64::from((page << PAGE_BITS).wrapping_add(offset as u32))
        }
    }

    /// The object that an address points into or near, and the offset; whether it is alive or
    /// long enough is not looked at.
    #[inline]
    pub(crate) fn resolve(&self, address: u64) -> Option<(u32, u32)> {
        if self.wide {
            let number = (address >> 32).wrapping_sub(1);
            return (number < self.objects.len() as u64).then_some((number as u32, address as u32));
        }
        let address = address as u32;
        let index = (address >> PAGE_BITS).checked_sub(FIRST_PAGE)?;
        let number = self.pages.get(index as usize)?.checked_sub(1)?;
        let page = self.objects[number as usize].page;
        Some((number, address.wrapping_sub(page << PAGE_BITS)))
    }

    /// Whether a word may point to an object with this number or a higher one.
    #[inline]
    pub(crate) fn is_near(&self, word: u64, first: u32) -> bool {
        if self.wide {
            let number = (word >> 32).wrapping_sub(1);
            number >= u64::from(first) && number < self.objects.len() as u64
        } else {
            self.resolve(word).is_some_and(|(number, _)| number >= first)
        }
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
