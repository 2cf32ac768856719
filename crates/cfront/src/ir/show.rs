//! The text of a program's transitions, for tests and for people.

use std::fmt;

use super::{Function, Op, Operands, Place, Reg, Size};

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::At(base, 0) => write!(f, "[{base}]"),
            Place::At(base, offset) => write!(f, "[{base}{offset:+}]"),
            Place::Global(global, offset) => write!(f, "g{}+{offset}", global.0),
            Place::Slot(slot, offset) => write!(f, "s{}+{offset}", slot.0),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Const(size) => write!(f, "{size}"),
            Size::Reg(size) => write!(f, "{size}"),
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}/{}", self.name, self.parameters.len())?;
        for (index, op) in self.code.iter().enumerate() {
            writeln!(f, "{index:5} {}", Shown { op, function: self })?;
        }
        Ok(())
    }
}

struct Shown<'a> {
    op: &'a Op,
    function: &'a Function,
}

impl Shown<'_> {
    fn arguments(&self, range: Operands) -> String {
        let names: Vec<_> = self.function.operands(range).iter().map(Reg::to_string).collect();
        names.join(", ")
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = |result: Option<Reg>| result.map_or(String::new(), |to| format!("{to} = "));
        match *self.op {
            Op::Const { to, value } => write!(f, "{to} = {}", value as i64),
            Op::Copy { to, from } => write!(f, "{to} = {from}"),
            Op::Unary { op, kind, to, from } => write!(f, "{to} = {op:?} {kind:?} {from}"),
            Op::Binary { op, kind, to, left, right } => {
                write!(f, "{to} = {op:?} {kind:?} {left}, {right}")
            }
            Op::BinaryConst { op, kind, to, left, right } => {
                write!(f, "{to} = {op:?} {kind:?} {left}, #{right}")
            }
            Op::Convert { from_kind, to_kind, to, from } => {
                write!(f, "{to} = {to_kind:?} of {from_kind:?} {from}")
            }
            Op::Load { to, place, kind, order } => {
                write!(f, "{to} = load {kind:?} {order:?} {place}")
            }
            Op::Store { from, place, kind, order } => {
                write!(f, "store {kind:?} {order:?} {place}, {from}")
            }
            Op::Jump { to } => write!(f, "jump {to}"),
            Op::Branch { condition, yes, no } => write!(f, "if {condition} {yes} else {no}"),
            Op::Call { function, arguments, result: to } => {
                write!(f, "{}call f{}({})", result(to), function.0, self.arguments(arguments))
            }
            Op::CallIndirect { target, arguments, result: to } => {
                write!(f, "{}call {target}({})", result(to), self.arguments(arguments))
            }
            Op::Primitive { call, arguments, result: to } => {
                write!(f, "{}{}({})", result(to), call.name(), self.arguments(arguments))
            }
            other => write!(f, "{other:?}"),
        }
    }
}
