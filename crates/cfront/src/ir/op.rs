//! Operations: the transitions of a function.
//!
//! A register holds 64 bits. An integer of a narrower kind is kept sign- or zero-extended, as its
//! kind says, so that comparing and widening need no work; floating kinds are kept as the bits of
//! an `f64` or an `f32` (in the low half). Signed arithmetic wraps around.

use super::{FunctionId, GlobalId, Order, Primitive, SlotId};

/// A register of a frame. Parameters are the first registers, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Reg(pub u32);

/// How bits are to be understood, and how many there are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
    /// A pointer of 4 bytes.
    P32,
    /// A pointer of 8 bytes.
    P64,
}

impl Kind {
    /// How many bytes it takes in memory.
    #[inline]
    pub const fn size(self) -> u32 {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 | Kind::P32 => 4,
            Kind::I64 | Kind::U64 | Kind::F64 | Kind::P64 => 8,
        }
    }

    /// Whether it is an integer with a sign.
    #[inline]
    pub const fn is_signed(self) -> bool {
        matches!(self, Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64)
    }

    /// Whether it is a floating kind.
    #[inline]
    pub const fn is_float(self) -> bool {
        matches!(self, Kind::F32 | Kind::F64)
    }

    /// Whether it is a pointer.
    #[inline]
    pub const fn is_pointer(self) -> bool {
        matches!(self, Kind::P32 | Kind::P64)
    }

    /// The value of an integer or pointer kind with these low bits, extended as registers hold it.
    #[inline]
    pub const fn extend(self, bits: u64) -> u64 {
        match self {
            Kind::I8 => bits as i8 as i64 as u64,
            Kind::U8 => bits as u8 as u64,
            Kind::I16 => bits as i16 as i64 as u64,
            Kind::U16 => bits as u16 as u64,
            Kind::I32 => bits as i32 as i64 as u64,
            Kind::U32 | Kind::P32 | Kind::F32 => bits as u32 as u64,
            Kind::I64 | Kind::U64 | Kind::P64 | Kind::F64 => bits,
        }
    }
}

/// Where an access goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// The address in a register, and so many bytes further.
    At(Reg, i32),
    /// So many bytes into a global that is not thread-local.
    Global(GlobalId, u32),
    /// So many bytes into a slot of the running frame.
    Slot(SlotId, u32),
}

/// How many bytes a block operation covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    /// Known beforehand.
    Const(u32),
    /// In a register.
    Reg(Reg),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Unary {
    /// Arithmetic negation.
    Negate,
    /// Bitwise complement.
    Complement,
    /// 1 if the value is zero, else 0; the result is an `I32`.
    IsZero,
    /// 0 if the value is zero, else 1; the result is an `I32`. This is the conversion to `_Bool`.
    IsNonZero,
}

/// Binary operators. Comparisons give 0 or 1 as `I32`, whatever kind they compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names say it")]
#[repr(u8)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Traps if the divisor is zero; the smallest number divided by -1 wraps around.
    Divide,
    /// Traps if the divisor is zero.
    Remainder,
    And,
    Or,
    Xor,
    /// The kind is that of the left side; the count is taken modulo the width, as x86 does.
    ShiftLeft,
    /// Arithmetic for signed kinds.
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Binary {
    /// Whether the result is 0 or 1.
    pub const fn is_comparison(self) -> bool {
        self as u8 >= Binary::Equal as u8
    }
}

/// What an indivisible read-modify-write does with the old value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rmw {
    /// Puts the operand in its place.
    Exchange,
    /// Complement of the conjunction.
    Nand,
    /// Combines it with the operand.
    Binary(Binary),
}

/// A range of a function's [`operands`](super::Function::operands).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Operands {
    /// The first one.
    pub start: u32,
    /// How many there are.
    pub len: u32,
}

/// One transition. Jump targets are indices into the function's code.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs, reason = "each variant says what its fields are for")]
pub enum Op {
    /// A constant.
    Const { to: Reg, value: u64 },
    /// The value of another register.
    Copy { to: Reg, from: Reg },
    /// A unary operator; `kind` is that of the operand.
    Unary { op: Unary, kind: Kind, to: Reg, from: Reg },
    /// A binary operator; `kind` is that of the operands.
    Binary { op: Binary, kind: Kind, to: Reg, left: Reg, right: Reg },
    /// A binary operator whose right side is a constant (sign-extended; not for floating kinds).
    BinaryConst { op: Binary, kind: Kind, to: Reg, left: Reg, right: i32 },
    /// A conversion between kinds, with C's meaning; out-of-range floats saturate as x86's do.
    Convert { from_kind: Kind, to_kind: Kind, to: Reg, from: Reg },
    /// Sign- or zero-extends bits `shift .. shift + width`: a bit-field out of its unit.
    Extract { to: Reg, from: Reg, shift: u8, width: u8, signed: bool },
    /// Replaces bits `shift .. shift + width` of `unit` by `value`: a bit-field into its unit.
    Insert { to: Reg, unit: Reg, value: Reg, shift: u8, width: u8 },
    /// `base + index * scale`; the index is a signed 64-bit value, the result a pointer of `kind`.
    Index { kind: Kind, to: Reg, base: Reg, index: Reg, scale: i32 },
    /// `(left - right) / scale` of two pointers, as a signed 64-bit value.
    Distance { to: Reg, left: Reg, right: Reg, scale: u32 },
    /// The address of a place.
    Address { to: Reg, place: Place },
    /// The address of a function.
    FunctionAddress { to: Reg, function: FunctionId },
    /// The address of this thread's instance of a thread-local global.
    ThreadLocal { to: Reg, global: GlobalId },

    /// Reads memory.
    Load { to: Reg, place: Place, kind: Kind, order: Order },
    /// Writes memory.
    Store { from: Reg, place: Place, kind: Kind, order: Order },
    /// Replaces a value and gives the old one, indivisibly.
    ReadModifyWrite { op: Rmw, to: Reg, place: Place, from: Reg, kind: Kind, order: Order },
    /// If the value equals that in `expected`, replaces it by `desired`, indivisibly. Then
    /// `expected` holds the old value and `to` whether it was replaced; if it was not, this was a read with the order
    /// `failure`.
    CompareExchange {
        to: Reg,
        place: Place,
        expected: Reg,
        desired: Reg,
        kind: Kind,
        order: Order,
        failure: Order,
    },
    /// A memory fence.
    Fence { order: Order },
    /// Reads a block into the thread's buffer.
    ReadBlock { place: Place, size: Size, order: Order },
    /// Writes the thread's buffer, which holds so many bytes, and empties it.
    WriteBlock { place: Place, size: Size, order: Order },
    /// Fills a block with a byte: the low one of the register, or zero.
    Fill { place: Place, byte: Option<Reg>, size: Size },

    /// Goes on elsewhere.
    Jump { to: u32 },
    /// Goes on at `yes` if the register is not zero.
    Branch { condition: Reg, yes: u32, no: u32 },
    /// Goes on where the table says.
    Switch { value: Reg, table: u32 },
    /// Goes on at the operation whose number is in a register: a computed `goto`.
    JumpTo { target: Reg },
    /// Calls a function. Arguments beyond the parameters of a variadic function go to its list.
    Call { function: FunctionId, arguments: Operands, result: Option<Reg> },
    /// Calls the function whose address is in a register.
    CallIndirect { target: Reg, arguments: Operands, result: Option<Reg> },
    /// Returns to the caller.
    Return { value: Option<Reg> },
    /// Asks the machine for something that C cannot do by itself.
    Primitive { call: Primitive, arguments: Operands, result: Option<Reg> },
    /// Makes an object that lives until the frame ends or [`Op::Release`].
    Allocate { to: Reg, size: Reg },
    /// Ends the life of an object made by [`Op::Allocate`].
    Release { address: Reg },
    /// The address of the first variadic argument: 8 bytes each, floats as doubles, records as
    /// the address of a copy.
    VariadicStart { to: Reg },
    /// Control must not come here.
    Unreachable,
}

// Operations are read one by one in the machine's inner loop: they should stay small.
const _: () = assert!(size_of::<Op>() <= 32);
