//! Values and places while a function is lowered.

use super::builder::Label;
use super::ctype::{Qualified, Type};
use super::layout::Bits;
use crate::ir::{FunctionId, GlobalId, Reg, SlotId};

/// What an address is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Global(GlobalId),
    Slot(SlotId),
    Function(FunctionId),
}

/// A scalar, where it is known best: nothing is emitted before it is needed in a register.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Operand {
    /// A constant, as a register of its kind would hold it.
    Const(u64),
    /// In a register.
    Reg(Reg),
    /// An address that is known up to where its base lies.
    Address(Base, i64),
    /// The number of the operation at a label.
    Label(Label),
}

/// A value of a type that is no array and no function.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) ty: Type,
    /// The scalar; the address of a record.
    pub(crate) operand: Operand,
    /// The slot whose address this is, as long as the address has been used for access alone.
    pub(crate) slot: Option<SlotId>,
}

impl Value {
    pub(crate) fn new(ty: Type, operand: Operand) -> Value {
        Value { ty, operand, slot: None }
    }

    pub(crate) fn constant(ty: Type, value: u64) -> Value {
        Value::new(ty, Operand::Const(value))
    }

    pub(crate) fn int(value: i64) -> Value {
        Value::constant(Type::INT, value as u64)
    }

    /// What `void` expressions give.
    pub(crate) fn void() -> Value {
        Value::constant(Type::Void, 0)
    }
}

/// Something that has a place: a register, or memory.
#[derive(Clone, Debug)]
pub(crate) struct Lvalue {
    pub(crate) ty: Qualified,
    pub(crate) at: Where,
    /// For a bit-field, where it lies in the unit at this place.
    pub(crate) bits: Option<Bits>,
}

/// Where an lvalue lies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    Register(Reg),
    /// So many bytes from an address, which belongs to the slot if there is one.
    Memory {
        address: Operand,
        offset: i64,
        slot: Option<SlotId>,
    },
}

impl Lvalue {
    pub(crate) fn memory(ty: Qualified, address: Operand) -> Lvalue {
        Lvalue { ty, at: Where::Memory { address, offset: 0, slot: None }, bits: None }
    }

    pub(crate) fn register(ty: Qualified, reg: Reg) -> Lvalue {
        Lvalue { ty, at: Where::Register(reg), bits: None }
    }
}
