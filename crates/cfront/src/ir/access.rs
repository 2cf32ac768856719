//! Data flow of operations: registers read and written, memory accessed.

use super::{Function, Kind, Op, Order, Place, Reg, Size};

/// How an operation touches memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// Both, in one indivisible step.
    ReadModifyWrite,
}

/// The memory access of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// How it touches memory.
    pub kind: AccessKind,
    /// Where.
    pub place: Place,
    /// How many bytes.
    pub size: Size,
    /// With which memory order.
    pub order: Order,
}

impl Op {
    /// The memory access of this operation, those of primitives aside.
    pub fn access(&self) -> Option<Access> {
        let scalar = |kind, place, value: Kind, order| {
            Some(Access { kind, place, size: Size::Const(value.size()), order })
        };
        match *self {
            Op::Load { place, kind, order, .. } => scalar(AccessKind::Read, place, kind, order),
            Op::Store { place, kind, order, .. } => scalar(AccessKind::Write, place, kind, order),
            Op::ReadModifyWrite { place, kind, order, .. }
            | Op::CompareExchange { place, kind, order, .. } => {
                scalar(AccessKind::ReadModifyWrite, place, kind, order)
            }
            Op::ReadBlock { place, size, order } => {
                Some(Access { kind: AccessKind::Read, place, size, order })
            }
            Op::WriteBlock { place, size, order } => {
                Some(Access { kind: AccessKind::Write, place, size, order })
            }
            Op::Fill { place, size, .. } => {
                Some(Access { kind: AccessKind::Write, place, size, order: Order::Plain })
            }
            _ => None,
        }
    }

    /// Calls `use_of` with each register that this operation reads.
    pub fn reads(&self, function: &Function, mut use_of: impl FnMut(Reg)) {
        if let Some(access) = self.access() {
            if let Place::At(base, _) = access.place {
                use_of(base);
            }
            if let Size::Reg(size) = access.size {
                use_of(size);
            }
        }
        match *self {
            Op::Copy { from, .. }
            | Op::Unary { from, .. }
            | Op::Convert { from, .. }
            | Op::Extract { from, .. }
            | Op::Store { from, .. }
            | Op::ReadModifyWrite { from, .. } => use_of(from),
            Op::BinaryConst { left, .. } => use_of(left),
            Op::Binary { left, right, .. } | Op::Distance { left, right, .. } => {
                use_of(left);
                use_of(right);
            }
            Op::Insert { unit, value, .. } => {
                use_of(unit);
                use_of(value);
            }
            Op::Index { base, index, .. } => {
                use_of(base);
                use_of(index);
            }
            Op::Address { place: Place::At(base, _), .. } => use_of(base),
            Op::CompareExchange { expected, desired, .. } => {
                use_of(expected);
                use_of(desired);
            }
            Op::Fill { byte: Some(byte), .. } => use_of(byte),
            Op::Branch { condition: value, .. }
            | Op::Switch { value, .. }
            | Op::JumpTo { target: value }
            | Op::Return { value: Some(value) }
            | Op::Allocate { size: value, .. }
            | Op::Release { address: value } => use_of(value),
            Op::Call { arguments, .. } | Op::Primitive { arguments, .. } => {
                function.operands(arguments).iter().copied().for_each(use_of);
            }
            Op::CallIndirect { target, arguments, .. } => {
                use_of(target);
                function.operands(arguments).iter().copied().for_each(use_of);
            }
            _ => {}
        }
    }

    /// Calls `definition_of` with each register that this operation writes.
    pub fn writes(&self, mut definition_of: impl FnMut(Reg)) {
        match *self {
            Op::Const { to, .. }
            | Op::Copy { to, .. }
            | Op::Unary { to, .. }
            | Op::Binary { to, .. }
            | Op::BinaryConst { to, .. }
            | Op::Convert { to, .. }
            | Op::Extract { to, .. }
            | Op::Insert { to, .. }
            | Op::Index { to, .. }
            | Op::Distance { to, .. }
            | Op::Address { to, .. }
            | Op::FunctionAddress { to, .. }
            | Op::ThreadLocal { to, .. }
            | Op::Load { to, .. }
            | Op::ReadModifyWrite { to, .. }
            | Op::Allocate { to, .. }
            | Op::VariadicStart { to } => definition_of(to),
            Op::CompareExchange { to, expected, .. } => {
                definition_of(to);
                definition_of(expected);
            }
            Op::Call { result, .. }
            | Op::CallIndirect { result, .. }
            | Op::Primitive { result, .. } => result.into_iter().for_each(definition_of),
            _ => {}
        }
    }
}
