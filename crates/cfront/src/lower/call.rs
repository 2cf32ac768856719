//! Calls.
//!
//! A record is passed as the address of a copy that the caller makes, and returned through an
//! address that the caller passes first. Primitives are recognised by their names.

use super::ctype::{Int, Signature, Type};
use super::scope::{Entity, SymbolId};
use super::value::{Base, Operand, Value};
use super::{Lowered, Lowering, invalid, rc};
use crate::ast::{Expr, ExprKind, Name};
use crate::diagnostic::Diagnostic;
use crate::ir::{FunctionId, Nondet, Op, Primitive, Reg};
use crate::library;
use crate::source::Span;

/// A function that is called without a declaration, and the header that has one.
fn undeclared(name: &str, span: Span) -> Diagnostic {
    let message = format!("the function `{name}` is called without a declaration");
    let found = Diagnostic::warning(span, message);
    match library::header_of(name) {
        Some(header) => found.note(None, format!("`#include <{header}>` declares it")),
        None => found,
    }
}

/// What is called.
enum Callee {
    Function(FunctionId),
    Pointer(Reg),
    Primitive(Primitive),
}

impl<'a> Lowering<'a> {
    pub(super) fn call(
        &mut self,
        callee: &'a Expr,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Value> {
        if let ExprKind::Identifier(name) = &callee.kind {
            if let Some(value) = self.builtin(name, arguments, span)? {
                return Ok(value);
            }
            self.declare_implicitly(name, callee.span);
        }
        let (target, signature) = self.callee(callee)?;
        let registers = self
            .arguments(&signature, arguments, span)
            .map_err(|found| self.with_declaration(found, callee))?;
        self.builder.span = span;
        self.emit_call(target, &signature, registers, span)
    }

    /// A complaint about the number of arguments, with the place that says how many there are.
    fn with_declaration(&self, found: Box<Diagnostic>, callee: &Expr) -> Box<Diagnostic> {
        if let ExprKind::Identifier(name) = &callee.kind
            && found.message.starts_with("too ")
            && let Some(Entity::Symbol { symbol, .. }) = self.scopes.name(name)
        {
            let declared = self.symbols[symbol.0 as usize].span;
            return Box::new(found.note(Some(declared), format!("`{name}` is declared here")));
        }
        found
    }

    /// Before C99, calling an unknown function declared it.
    fn declare_implicitly(&mut self, name: &Name, span: Span) {
        if self.scopes.name(name).is_some() {
            return;
        }
        let signature =
            Signature { result: Type::INT, parameters: Vec::new(), variadic: false, unknown: true };
        let known = self.externals.get(name).copied();
        let ty = match known {
            Some(symbol) => self.symbols[symbol.0 as usize].ty.clone(),
            None => Type::Function(rc(signature)).into(),
        };
        let symbol = known.unwrap_or_else(|| {
            let symbol = self.new_symbol(name, &ty, span);
            self.externals.insert(name.clone(), symbol);
            symbol
        });
        let verification = name.starts_with("__VERIFIER_") || name.starts_with("__builtin_");
        if !verification {
            self.warn(undeclared(name, span));
        }
        self.scopes.declare_in_file(name, Entity::Symbol { symbol, ty }, span);
    }

    /// Calls a function with one argument that is a value already.
    pub(super) fn call_value(&mut self, callee: &'a Expr, argument: Value) -> Lowered<()> {
        let (target, signature) = self.callee(callee)?;
        let register = self.in_register(argument.operand);
        self.emit_call(target, &signature, vec![register], callee.span)?;
        Ok(())
    }

    fn callee(&mut self, callee: &'a Expr) -> Lowered<(Callee, Signature)> {
        if let ExprKind::Identifier(name) = &callee.kind
            && let Some(Entity::Symbol { symbol, ty }) = self.scopes.name(name)
            && let Type::Function(signature) = &ty.ty
        {
            let (symbol, signature) = (*symbol, (**signature).clone());
            let target = match self.primitive(symbol, &signature) {
                Some(primitive) => Callee::Primitive(primitive),
                None => Callee::Function(self.function_id(symbol)),
            };
            return Ok((target, signature));
        }
        let value = self.expr(callee)?;
        let signature = match &value.ty {
            Type::Pointer(to) => match &to.ty {
                Type::Function(signature) => (**signature).clone(),
                other => {
                    return invalid(
                        callee.span,
                        format!("{} cannot be called", self.describe(other)),
                    );
                }
            },
            other => {
                return invalid(callee.span, format!("{} cannot be called", self.describe(other)));
            }
        };
        Ok(match value.operand {
            Operand::Address(Base::Function(function), 0) => {
                (Callee::Function(function), signature)
            }
            operand => (Callee::Pointer(self.in_register(operand)), signature),
        })
    }

    fn primitive(&self, symbol: SymbolId, signature: &Signature) -> Option<Primitive> {
        let symbol = &self.symbols[symbol.0 as usize];
        if !self.library || symbol.has_body() {
            return None;
        }
        let result = match &signature.result {
            Type::Int(Int::Bool) => Some(Nondet::Bool),
            other => other.kind(self.model).map(Nondet::Scalar),
        };
        Primitive::named(&symbol.name, result)
    }

    fn arguments(
        &mut self,
        signature: &Signature,
        arguments: &'a [Expr],
        span: Span,
    ) -> Lowered<Vec<Reg>> {
        let n = signature.parameters.len();
        let few = !signature.unknown && arguments.len() < n;
        let many = !signature.unknown && !signature.variadic && arguments.len() > n;
        if few || many {
            let wrong = if few { "few" } else { "many" };
            return invalid(
                span,
                format!("too {wrong} arguments: {} instead of {n}", arguments.len()),
            );
        }
        let mut registers = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let parameter = if signature.unknown { None } else { signature.parameters.get(index) };
            let register = self.argument(argument, parameter)?;
            registers.push(register);
        }
        Ok(registers)
    }

    fn argument(&mut self, argument: &'a Expr, parameter: Option<&Type>) -> Lowered<Reg> {
        let value = self.expr(argument)?;
        let value = match parameter {
            Some(ty) => self.assigned(value, ty, argument.span)?,
            None => self.promoted_argument(value, argument.span)?,
        };
        if value.ty.is_record() {
            return self.record_argument(value, argument.span);
        }
        if value.ty.is_void() {
            return invalid(argument.span, "an argument without a value");
        }
        Ok(self.in_register(value.operand))
    }

    fn record_argument(&mut self, value: Value, span: Span) -> Lowered<Reg> {
        let slot = self.temporary(&value.ty, span)?;
        self.builder.expose(slot);
        let copy = self.slot_lvalue(slot, value.ty.clone().into());
        self.store(&copy, value, span)?;
        Ok(self.in_register(Operand::Address(Base::Slot(slot), 0)))
    }

    fn emit_call(
        &mut self,
        target: Callee,
        signature: &Signature,
        mut registers: Vec<Reg>,
        span: Span,
    ) -> Lowered<Value> {
        let ty = signature.result.clone();
        let mut place = None;
        if ty.is_record() {
            let slot = self.temporary(&ty, span)?;
            self.builder.expose(slot);
            let address = Operand::Address(Base::Slot(slot), 0);
            registers.insert(0, self.in_register(address));
            place = Some(address);
        }
        let arguments = self.builder.operands(&registers);
        let result = ty.kind(self.model).map(|_| self.builder.register());
        self.builder.emit(match target {
            Callee::Function(function) => Op::Call { function, arguments, result },
            Callee::Pointer(target) => Op::CallIndirect { target, arguments, result },
            Callee::Primitive(call) => Op::Primitive { call, arguments, result },
        });
        Ok(match (place, result) {
            (Some(address), _) => Value::new(ty, address),
            (None, Some(reg)) => Value::new(ty, Operand::Reg(reg)),
            (None, None) => Value::void(),
        })
    }

    /// Calls a function of the library by name; the language's builtins use it.
    pub(super) fn call_library(
        &mut self,
        name: &str,
        arguments: &[Value],
        span: Span,
    ) -> Lowered<Value> {
        let Some(&symbol) = self.externals.get(name) else {
            return super::unsupported(span, format!("`{name}`"));
        };
        let Type::Function(signature) = self.symbols[symbol.0 as usize].ty.ty.clone() else {
            return super::unsupported(span, format!("`{name}`"));
        };
        let function = self.function_id(symbol);
        let mut registers = Vec::with_capacity(arguments.len());
        for (index, value) in arguments.iter().enumerate() {
            let value = match signature.parameters.get(index) {
                Some(ty) => self.converted(value.clone(), ty, span)?,
                None => self.promoted_argument(value.clone(), span)?,
            };
            registers.push(self.in_register(value.operand));
        }
        self.emit_call(Callee::Function(function), &signature, registers, span)
    }
}
