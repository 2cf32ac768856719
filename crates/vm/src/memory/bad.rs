//! What is wrong with an address.

use super::{FIRST_PAGE, Life, Memory, ObjectKind, PAGE_BITS};

/// Why an address cannot be accessed; numbers are those of objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bad {
    /// Not within the object.
    OutOfBounds { object: u32, offset: i64, size: u64 },
    /// The object was freed.
    Freed(u32),
    /// The local's call is over.
    Dead(u32),
    /// Null, or close to it.
    Null(u64),
    /// Made of memory that nothing was stored in.
    Uninitialised(u64),
    /// Anything else that is no object's.
    Wild(u64),
    /// Written, but constant.
    Constant(u32),
    /// A function's.
    Function(u32),
    /// Beyond the variadic arguments.
    Variadic,
}

impl Memory {
    /// Why `size` bytes at this address cannot be accessed.
    #[cold]
    pub(super) fn diagnose(&self, address: u64, size: u64) -> Bad {
        let zone = 1 << (if self.wide { 16 } else { PAGE_BITS });
        if address < zone || address > (if self.wide { u64::MAX } else { 0xFFFF_FFFF }) - zone {
            return Bad::Null(address);
        }
        let Some((number, offset)) = self.nearest(address) else {
            return self.stray(address);
        };
        let object = self.object(number);
        match (object.life, object.kind) {
            (_, ObjectKind::Function) => Bad::Function(number),
            (_, ObjectKind::Variadic) => Bad::Variadic,
            (Life::Freed, _) => Bad::Freed(number),
            (Life::Dead, _) => Bad::Dead(number),
            (Life::Live, _) => Bad::OutOfBounds { object: number, offset, size },
        }
    }

    /// The object that an address was probably meant for.
    fn nearest(&self, address: u64) -> Option<(u32, i64)> {
        let distance = |number: u32| address.wrapping_sub(self.address(number, 0)) as i64;
        if let Some((number, _)) = self.resolve(address) {
            return Some((number, distance(number)));
        }
        let page = ((address >> PAGE_BITS) as usize).checked_sub(FIRST_PAGE as usize)?;
        [1, 2, 3, 4].into_iter().find_map(|back| {
            let number = self.pages.get(page.checked_sub(back)?)?.checked_sub(1)?;
            Some((number, distance(number)))
        })
    }

    fn stray(&self, address: u64) -> Bad {
        let shown = if self.wide { address >> 32 } else { address };
        let filler = 0xA5A5_A5A5_u64;
        match shown.abs_diff(filler) <= (if self.wide { 1 } else { 1 << 16 }) {
            true => Bad::Uninitialised(address),
            false if self.wide && address >> 32 == 0 => Bad::Null(address),
            false => Bad::Wild(address),
        }
    }
}
