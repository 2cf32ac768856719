//! Constant expressions.

use super::ctype::{Qualified, Type};
use super::value::{Operand, Value};
use super::{Lowered, Lowering, invalid};
use crate::ast::Expr;

impl<'a> Lowering<'a> {
    /// The value of an integer constant expression.
    pub(super) fn constant(&mut self, expr: &'a Expr, what: &str) -> Lowered<i64> {
        match self.try_constant(expr)? {
            Some(value) => Ok(value),
            None => invalid(expr.span, format!("{what} must be an integer constant")),
        }
    }

    /// The value of an expression if it is an integer constant.
    pub(super) fn try_constant(&mut self, expr: &'a Expr) -> Lowered<Option<i64>> {
        let value = self.unevaluated(|this| this.expr(expr))?;
        Ok(match (&value.ty, value.operand) {
            (Type::Int(_), Operand::Const(bits)) => Some(bits as i64),
            _ => None,
        })
    }

    /// The value of an initialiser of an object that lives as long as the program: a constant, or
    /// an address.
    pub(super) fn static_value(&mut self, expr: &'a Expr, ty: &Type) -> Lowered<Value> {
        let checkpoint = self.builder.checkpoint();
        let value = self.expr(expr).and_then(|value| self.assigned(value, ty, expr.span));
        self.builder.forget(&checkpoint);
        let value = value?;
        match value.operand {
            Operand::Reg(_) => {
                invalid(expr.span, "the initialiser of a static object must be a constant")
            }
            _ => Ok(value),
        }
    }

    /// The type of an expression that is not evaluated; arrays stay arrays.
    pub(super) fn type_of(&mut self, expr: &'a Expr) -> Lowered<Qualified> {
        let key = std::ptr::from_ref(expr);
        if let Some(known) = self.known.types.get(&key) {
            return Ok(known.clone());
        }
        let ty = self.unevaluated(|this| match this.try_lvalue(expr)? {
            Some(place) => Ok(place.ty),
            None => Ok(this.expr(expr)?.ty.into()),
        })?;
        if !ty.ty.is_variable() {
            self.known.types.insert(key, ty.clone());
        }
        Ok(ty)
    }

    /// The type of an expression's value that is not evaluated.
    pub(super) fn value_type(&mut self, expr: &'a Expr) -> Lowered<Type> {
        Ok(match self.type_of(expr)?.ty {
            Type::Array(element, _) => Type::Pointer(element),
            function @ Type::Function(_) => Type::pointer_to(function),
            other => other,
        })
    }
}
