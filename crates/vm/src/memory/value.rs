//! Values: what bytes in memory mean, little-endian.

use raddle_cfront::ir::Kind;

use super::Memory;

macro_rules! word {
    ($bytes:expr, $at:expr, $t:ty) => {
        <$t>::from_le_bytes($bytes[$at..$at + size_of::<$t>()].try_into().expect("as long"))
    };
}

impl Memory {
    /// The value at a place that was located.
    #[inline]
    pub(crate) fn read(&self, object: u32, offset: u32, kind: Kind) -> u64 {
        let at = self.objects[object as usize].start as usize + offset as usize;
        let bytes = &self.arena.bytes[..];
        match kind {
            Kind::I8 => bytes[at] as i8 as i64 as u64,
            Kind::U8 => u64::from(bytes[at]),
            Kind::I16 => word!(bytes, at, i16) as i64 as u64,
            Kind::U16 => u64::from(word!(bytes, at, u16)),
            Kind::I32 => word!(bytes, at, i32) as i64 as u64,
            Kind::U32 | Kind::F32 | Kind::P32 => u64::from(word!(bytes, at, u32)),
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::P64 => word!(bytes, at, u64),
        }
    }

    /// Stores a value at a place that was located.
    #[inline]
    pub(crate) fn write(&mut self, object: u32, offset: u32, kind: Kind, value: u64) {
        let at = self.objects[object as usize].start as usize + offset as usize;
        let bytes = &mut self.arena.bytes[..];
        match kind.size() {
            1 => bytes[at] = value as u8,
            2 => bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes()),
            4 => bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes()),
            _ => bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()),
        }
    }
}
