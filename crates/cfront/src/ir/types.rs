//! Types as far as names of places need them: `queue.items[3].key` instead of `queue+56`.

use std::sync::Arc;

use super::Kind;

/// A type of the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TypeId(pub u32);

/// What values of a type look like in memory.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    /// A number or a pointer.
    Scalar(Kind),
    /// `_Bool`.
    Bool,
    /// Equal elements, one after the other.
    Array {
        /// The type of each element.
        element: TypeId,
        /// How many there are; 0 for a flexible array.
        count: u64,
        /// How many bytes lie between their starts.
        stride: u64,
    },
    /// A struct or a union.
    Record {
        /// `struct node`, `union word`.
        name: Arc<str>,
        /// Its fields; those of a union overlap.
        fields: Vec<Field>,
        /// How many bytes it takes.
        size: u64,
    },
    /// Something whose inside has no names: `void`, functions, incomplete types.
    Opaque {
        /// How many bytes it takes.
        size: u64,
    },
}

/// A field of a record.
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Its name; empty for an anonymous record, whose fields count as fields of this one.
    pub name: Arc<str>,
    /// Where it starts, in bytes; that of a bit-field's unit.
    pub offset: u64,
    /// Its type.
    pub ty: TypeId,
    /// The first bit and the number of bits of a bit-field.
    pub bits: Option<(u8, u8)>,
}

/// All types of a program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Types {
    table: Vec<Type>,
}

impl Types {
    /// Adds a type.
    pub fn add(&mut self, ty: Type) -> TypeId {
        self.table.push(ty);
        TypeId(self.table.len() as u32 - 1)
    }

    /// Replaces a type, for records that contain pointers to themselves.
    pub fn set(&mut self, id: TypeId, ty: Type) {
        self.table[id.0 as usize] = ty;
    }

    /// Whether there is a type with this number.
    pub fn has(&self, id: TypeId) -> bool {
        (id.0 as usize) < self.table.len()
    }

    /// The type with this number.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.table[id.0 as usize]
    }

    /// How many bytes a value takes.
    pub fn size(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Scalar(kind) => u64::from(kind.size()),
            Type::Bool => 1,
            Type::Array { count, stride, .. } => count.saturating_mul(*stride),
            Type::Record { size, .. } | Type::Opaque { size } => *size,
        }
    }

    /// The path to `size` bytes at `offset` in a value of this type, as it stands after its name:
    /// `.items[3].key`. Several elements of an array are `[0..6]`; other bytes that fit no field exactly are
    /// `+offset` from the last one that has them.
    pub fn path(&self, mut ty: TypeId, mut offset: u64, size: u64) -> String {
        let mut path = String::new();
        loop {
            match self.get(ty) {
                &Type::Array { element, count, stride }
                    if stride > 0 && fits(offset, size, stride) =>
                {
                    if count != 0 && offset / stride >= count {
                        break;
                    }
                    path.push_str(&format!("[{}]", offset / stride));
                    offset %= stride;
                    ty = element;
                }
                Type::Record { fields, .. } => {
                    let Some(field) = self.field(fields, offset, size) else { break };
                    if !field.name.is_empty() {
                        path.push('.');
                        path.push_str(&field.name);
                    }
                    offset -= field.offset;
                    ty = field.ty;
                }
                _ => break,
            }
        }
        match self.get(ty) {
            &Type::Array { count, stride, .. } if is_part(offset, size, stride, count) => {
                path.push_str(&format!("[{}..{}]", offset / stride, (offset + size) / stride));
            }
            _ if offset > 0 => path.push_str(&format!("+{offset}")),
            _ => {}
        }
        path
    }

    fn field<'a>(&self, fields: &'a [Field], offset: u64, size: u64) -> Option<&'a Field> {
        let has = |field: &&Field| {
            let length = self.size(field.ty);
            field.offset <= offset && (length == 0 || offset + size <= field.offset + length)
        };
        fields.iter().find(has)
    }
}

/// Whether bytes are several elements of an array, and not all of them.
fn is_part(offset: u64, size: u64, stride: u64, count: u64) -> bool {
    stride > 0
        && size > 0
        && offset.is_multiple_of(stride)
        && size.is_multiple_of(stride)
        && (offset, size / stride) != (0, count)
}

fn fits(offset: u64, size: u64, stride: u64) -> bool {
    offset % stride + size <= stride
}
