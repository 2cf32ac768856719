//! The arithmetic types of LP64 and C's conversions between them.

/// An arithmetic type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    Bool,
    Char,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Float,
    Double,
}

use Scalar::*;

pub const ALL: [Scalar; 14] =
    [Bool, Char, I8, U8, I16, U16, I32, U32, Long, ULong, LongLong, ULongLong, Float, Double];

/// What bit-fields can have.
pub const FIELDS: [Scalar; 9] = [Bool, I8, U8, I16, U16, I32, U32, Long, ULong];

impl Scalar {
    pub fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            Char => "char",
            I8 => "signed char",
            U8 => "unsigned char",
            I16 => "short",
            U16 => "unsigned short",
            I32 => "int",
            U32 => "unsigned",
            Long => "long",
            ULong => "unsigned long",
            LongLong => "long long",
            ULongLong => "unsigned long long",
            Float => "float",
            Double => "double",
        }
    }

    /// The function of the prelude that converts a double in range to this type.
    pub fn converter(self) -> String {
        format!("to_{}", self.name().replace(' ', "_"))
    }

    pub fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    pub fn is_unsigned(self) -> bool {
        matches!(self, Bool | U8 | U16 | U32 | ULong | ULongLong)
    }

    pub fn bits(self) -> u32 {
        match self {
            Bool => 1,
            Char | I8 | U8 => 8,
            I16 | U16 => 16,
            I32 | U32 | Float => 32,
            _ => 64,
        }
    }

    /// After the integer promotions.
    pub fn promoted(self) -> Scalar {
        if self.bits() < 32 { I32 } else { self }
    }

    /// After the usual arithmetic conversions with another type.
    pub fn common(self, other: Scalar) -> Scalar {
        let (a, b) = (self.promoted(), other.promoted());
        if a == Double || b == Double {
            return Double;
        }
        if a == Float || b == Float {
            return Float;
        }
        let rank = |t: Scalar| match t {
            I32 | U32 => 0,
            Long | ULong => 1,
            _ => 2,
        };
        let (high, low) = if rank(a) >= rank(b) { (a, b) } else { (b, a) };
        match (high.is_unsigned(), low.is_unsigned()) {
            (false, true) if high.bits() == low.bits() => high.unsigned(),
            _ => high,
        }
    }

    fn unsigned(self) -> Scalar {
        match self {
            I32 => U32,
            Long => ULong,
            LongLong => ULongLong,
            other => other,
        }
    }

    /// How printf shows it after the default promotions.
    pub fn conversion(self) -> &'static str {
        match self {
            Bool | Char | I8 | I16 | I32 | U8 | U16 => "%d",
            U32 => "%u",
            Long => "%ld",
            ULong => "%lu",
            LongLong => "%lld",
            ULongLong => "%llu",
            Float | Double => "%.17g",
        }
    }
}

/// The type of an object.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    Scalar(Scalar),
    Array(Box<Type>, usize),
    /// A structure by its number.
    Struct(usize),
    Pointer(Box<Type>),
}

/// A member of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: String,
    pub of: Type,
    /// The width of a bit-field.
    pub width: Option<u32>,
}

/// A structure.
#[derive(Clone, Debug)]
pub struct Struct {
    pub fields: Vec<Field>,
}

impl Type {
    /// A declaration of a name with this type.
    pub fn declare(&self, name: &str) -> String {
        match self {
            Type::Scalar(scalar) => format!("{} {name}", scalar.name()),
            Type::Array(of, n) => of.declare(&format!("{name}[{n}]")),
            Type::Struct(id) => format!("struct s{id} {name}"),
            Type::Pointer(of) if matches!(**of, Type::Array(..)) => {
                of.declare(&format!("(*{name})"))
            }
            Type::Pointer(of) => of.declare(&format!("*{name}")),
        }
    }
}
