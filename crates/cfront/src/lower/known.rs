//! What is remembered about expressions.
//!
//! Some expressions are lowered for their type or their constant before they are lowered for
//! good. Without a memory, the time would double with each level of nesting.

use rustc_hash::FxHashMap;

use super::ctype::{Length, Qualified, Type};
use crate::ast::Expr;

/// What was found out about the expressions of a function, by their addresses in the tree.
#[derive(Debug, Default)]
pub(super) struct Known<'a> {
    /// The types of conditional expressions, by their last operand.
    pub(super) conditionals: FxHashMap<*const Expr, Type>,
    /// Types of expressions that were asked for without their values.
    pub(super) types: FxHashMap<*const Expr, Qualified>,
    /// Whether conditions are known beforehand.
    pub(super) conditions: FxHashMap<*const Expr, Option<bool>>,
    /// What `_Generic` and `__builtin_choose_expr` chose.
    pub(super) chosen: FxHashMap<*const Expr, &'a Expr>,
}

impl Type {
    /// Whether a part of it has a variable length: a register then says how long.
    pub(super) fn is_variable(&self) -> bool {
        match self {
            Type::Array(_, Length::Variable(_)) => true,
            Type::Array(of, _) | Type::Pointer(of) => of.ty.is_variable(),
            Type::Function(signature) => {
                signature.result.is_variable() || signature.parameters.iter().any(Type::is_variable)
            }
            _ => false,
        }
    }
}
