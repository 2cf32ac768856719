//! C's types, as far as a program that compiles needs them.
//!
//! Enumerations are their integer types, as gcc chooses them (`unsigned int` unless a constant is
//! negative). `long double` has the size and the alignment of gcc's, and the precision of
//! `double`; the documentation says so.

use std::rc::Rc;

use crate::ir::{DataModel, Kind};

/// A record of the [`Records`](super::layout::Records) table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RecordId(pub(crate) u32);

/// The integer types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(clippy::enum_variant_names, reason = "the names are C's")]
pub(crate) enum Int {
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

/// The floating types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Float {
    Single,
    Double,
    Long,
}

/// A type without its qualifiers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Type {
    Void,
    Int(Int),
    Float(Float),
    Pointer(Rc<Qualified>),
    Array(Rc<Qualified>, Length),
    Function(Rc<Signature>),
    Record(RecordId),
    VaList,
}

/// The length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    Known(u64),
    Unknown,
    /// A variable length: the register that holds the size of the whole array in bytes.
    Variable(crate::ir::Reg),
}

/// A type with its qualifiers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Qualified {
    pub(crate) ty: Type,
    pub(crate) constant: bool,
    pub(crate) volatile: bool,
    pub(crate) atomic: bool,
}

/// The type of a function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Signature {
    pub(crate) result: Type,
    pub(crate) parameters: Vec<Type>,
    pub(crate) variadic: bool,
    /// Whether the parameters are unknown: `()`.
    pub(crate) unknown: bool,
}

impl From<Type> for Qualified {
    fn from(ty: Type) -> Qualified {
        Qualified { ty, constant: false, volatile: false, atomic: false }
    }
}

impl Int {
    /// Its kind.
    pub(crate) fn kind(self, model: DataModel) -> Kind {
        let wide = model == DataModel::Lp64;
        match self {
            Int::Bool | Int::UnsignedChar => Kind::U8,
            Int::Char | Int::SignedChar => Kind::I8,
            Int::Short => Kind::I16,
            Int::UnsignedShort => Kind::U16,
            Int::Int => Kind::I32,
            Int::UnsignedInt => Kind::U32,
            Int::Long if wide => Kind::I64,
            Int::UnsignedLong if wide => Kind::U64,
            Int::Long => Kind::I32,
            Int::UnsignedLong => Kind::U32,
            Int::LongLong => Kind::I64,
            Int::UnsignedLongLong => Kind::U64,
        }
    }

    /// The conversion rank; types of equal rank differ in sign alone.
    pub(crate) fn rank(self) -> u8 {
        match self {
            Int::Bool => 0,
            Int::Char | Int::SignedChar | Int::UnsignedChar => 1,
            Int::Short | Int::UnsignedShort => 2,
            Int::Int | Int::UnsignedInt => 3,
            Int::Long | Int::UnsignedLong => 4,
            Int::LongLong | Int::UnsignedLongLong => 5,
        }
    }

    /// The unsigned type of the same rank.
    pub(crate) fn to_unsigned(self) -> Int {
        match self {
            Int::Char | Int::SignedChar => Int::UnsignedChar,
            Int::Short => Int::UnsignedShort,
            Int::Int => Int::UnsignedInt,
            Int::Long => Int::UnsignedLong,
            Int::LongLong => Int::UnsignedLongLong,
            other => other,
        }
    }

    /// Integer promotion.
    pub(crate) fn promoted(self) -> Int {
        if self.rank() < Int::Int.rank() { Int::Int } else { self }
    }

    /// The type that both sides of an operator are converted to; both are promoted already.
    pub(crate) fn common(self, other: Int, model: DataModel) -> Int {
        let (left, right) = (self.promoted(), other.promoted());
        let signed = |int: Int| int.kind(model).is_signed();
        if left == right {
            return left;
        }
        if signed(left) == signed(right) {
            return if left.rank() >= right.rank() { left } else { right };
        }
        let (unsigned, signed) = if signed(left) { (right, left) } else { (left, right) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.kind(model).size() > unsigned.kind(model).size() {
            signed
        } else {
            signed.to_unsigned()
        }
    }
}

impl Type {
    pub(crate) const INT: Type = Type::Int(Int::Int);
    pub(crate) const DOUBLE: Type = Type::Float(Float::Double);

    /// A pointer to a type without qualifiers.
    pub(crate) fn pointer_to(ty: Type) -> Type {
        Type::Pointer(Rc::new(ty.into()))
    }

    /// `size_t`.
    pub(crate) fn size(model: DataModel) -> Type {
        Type::Int(match model {
            DataModel::Lp64 => Int::UnsignedLong,
            DataModel::Ilp32 => Int::UnsignedInt,
        })
    }

    /// `ptrdiff_t`.
    pub(crate) fn difference(model: DataModel) -> Type {
        Type::Int(match model {
            DataModel::Lp64 => Int::Long,
            DataModel::Ilp32 => Int::Int,
        })
    }

    /// The kind of a scalar type.
    pub(crate) fn kind(&self, model: DataModel) -> Option<Kind> {
        match self {
            Type::Int(int) => Some(int.kind(model)),
            Type::Float(Float::Single) => Some(Kind::F32),
            Type::Float(_) => Some(Kind::F64),
            Type::Pointer(_) | Type::VaList => Some(model.pointer()),
            _ => None,
        }
    }

    pub(crate) fn is_void(&self) -> bool {
        *self == Type::Void
    }

    pub(crate) fn is_arithmetic(&self) -> bool {
        matches!(self, Type::Int(_) | Type::Float(_))
    }

    pub(crate) fn is_scalar(&self) -> bool {
        self.is_arithmetic() || matches!(self, Type::Pointer(_) | Type::VaList)
    }

    pub(crate) fn is_record(&self) -> bool {
        matches!(self, Type::Record(_))
    }

    pub(crate) fn is_function(&self) -> bool {
        matches!(self, Type::Function(_))
    }

    /// What a pointer points to, or the element of an array.
    pub(crate) fn pointee(&self) -> Option<&Rc<Qualified>> {
        match self {
            Type::Pointer(to) | Type::Array(to, _) => Some(to),
            _ => None,
        }
    }

    /// Whether values of both types can stand for each other, qualifiers of pointees aside.
    pub(crate) fn is_compatible(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Pointer(left), Type::Pointer(right)) => left.ty.is_compatible(&right.ty),
            (Type::Array(left, n), Type::Array(right, m)) => {
                let lengths = match (n, m) {
                    (Length::Known(n), Length::Known(m)) => n == m,
                    _ => true,
                };
                lengths && left.ty.is_compatible(&right.ty)
            }
            (Type::Function(left), Type::Function(right)) => left.is_compatible(right),
            _ => self == other,
        }
    }
}

impl Signature {
    fn is_compatible(&self, other: &Signature) -> bool {
        if !self.result.is_compatible(&other.result) {
            return false;
        }
        if self.unknown || other.unknown {
            return true;
        }
        let mut pairs = self.parameters.iter().zip(&other.parameters);
        self.variadic == other.variadic
            && self.parameters.len() == other.parameters.len()
            && pairs.all(|(left, right)| left.is_compatible(right))
    }
}
