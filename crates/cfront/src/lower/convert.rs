//! Conversions between types.

use super::ctype::{Float, Int, Type};
use super::value::{Operand, Value};
use super::{Lowered, Lowering, invalid};
use crate::ir::{Kind, Op, Unary, arithmetic};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// The value converted as by assignment or a cast.
    pub(super) fn converted(&mut self, value: Value, to: &Type, span: Span) -> Lowered<Value> {
        if value.ty == *to {
            return Ok(value);
        }
        if to.is_void() {
            return Ok(Value::void());
        }
        if !value.ty.is_scalar() || !to.is_scalar() {
            return invalid(
                span,
                format!(
                    "{} cannot be converted to {}",
                    self.describe(&value.ty),
                    self.describe(to)
                ),
            );
        }
        let (from_kind, to_kind) = (self.kind(&value.ty, span)?, self.kind(to, span)?);
        if *to == Type::Int(Int::Bool) {
            return Ok(self.truth_value(value, from_kind, to.clone()));
        }
        let operand = self.convert_operand(value.operand, from_kind, to_kind);
        Ok(Value { ty: to.clone(), operand, slot: value.slot })
    }

    fn convert_operand(&mut self, operand: Operand, from_kind: Kind, to_kind: Kind) -> Operand {
        match operand {
            _ if is_free(from_kind, to_kind) => operand,
            Operand::Const(value) => Operand::Const(arithmetic::convert(from_kind, to_kind, value)),
            other => {
                let from = self.in_register(other);
                let to = self.builder.register();
                self.builder.emit(Op::Convert { from_kind, to_kind, to, from });
                Operand::Reg(to)
            }
        }
    }

    /// 0 or 1.
    pub(super) fn truth_value(&mut self, value: Value, kind: Kind, ty: Type) -> Value {
        let operand = match value.operand {
            Operand::Const(bits) => Operand::Const(arithmetic::unary(Unary::IsNonZero, kind, bits)),
            Operand::Address(..) | Operand::Label(_) => Operand::Const(1),
            Operand::Reg(from) => {
                let to = self.builder.register();
                self.builder.emit(Op::Unary { op: Unary::IsNonZero, kind, to, from });
                Operand::Reg(to)
            }
        };
        Value::new(ty, operand)
    }

    /// As for an argument without a parameter: small integers and `float` grow.
    pub(super) fn promoted_argument(&mut self, value: Value, span: Span) -> Lowered<Value> {
        let to = match value.ty {
            Type::Int(int) => Type::Int(int.promoted()),
            Type::Float(Float::Single) => Type::DOUBLE,
            _ => return Ok(value),
        };
        self.converted(value, &to, span)
    }

    /// The type that both sides of an arithmetic operator are converted to.
    pub(super) fn common_type(&self, left: &Type, right: &Type) -> Option<Type> {
        match (left, right) {
            (Type::Float(a), Type::Float(b)) => Some(Type::Float(wider(*a, *b))),
            (Type::Float(a), Type::Int(_)) | (Type::Int(_), Type::Float(a)) => {
                Some(Type::Float(*a))
            }
            (Type::Int(a), Type::Int(b)) => Some(Type::Int(a.common(*b, self.model))),
            _ => None,
        }
    }

    /// Checks an assignment as compilers do, then converts.
    pub(super) fn assigned(&mut self, value: Value, to: &Type, span: Span) -> Lowered<Value> {
        let fits = match (to, &value.ty) {
            (Type::Record(a), Type::Record(b)) => a == b,
            (Type::Record(_), _) | (_, Type::Record(_)) => false,
            (_, Type::Void) => to.is_void(),
            (Type::Float(_), Type::Pointer(_)) | (Type::Pointer(_), Type::Float(_)) => false,
            _ => true,
        };
        if !fits {
            let message =
                format!("{} cannot be assigned to {}", self.describe(&value.ty), self.describe(to));
            return invalid(span, message);
        }
        self.converted(value, to, span)
    }
}

fn wider(a: Float, b: Float) -> Float {
    let rank = |float| match float {
        Float::Single => 0,
        Float::Double => 1,
        Float::Long => 2,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// Whether a register's bits mean the same value of the other kind.
pub(super) fn is_free(from: Kind, to: Kind) -> bool {
    if from == to {
        return true;
    }
    if from.is_float() || to.is_float() {
        return false;
    }
    let (narrow, wide) = (from.size(), to.size());
    let same_sign = from.is_signed() == to.is_signed();
    wide == 8 || (wide > narrow && !from.is_signed()) || (wide >= narrow && same_sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_conversions_leave_every_value_as_it_is() {
        use Kind::*;
        let kinds = [I8, U8, I16, U16, I32, U32, I64, U64, P32, P64];
        let values =
            [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x8000_0000, u64::MAX, 1 << 63];
        for from in kinds {
            for to in kinds {
                let same = values.iter().all(|&bits| {
                    let value = from.extend(bits);
                    arithmetic::convert(from, to, value) == value
                });
                assert_eq!(is_free(from, to), same, "{from:?} to {to:?}");
            }
        }
    }
}
