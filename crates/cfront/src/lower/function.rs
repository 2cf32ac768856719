//! Function bodies.

use super::builder::Builder;
use super::ctype::{Float, Qualified, Signature, Type};
use super::scope::{Entity, SymbolId};
use super::value::{Base, Operand, Value};
use super::{CONSTRUCTORS, Lowered, Lowering, address_taken, invalid};
use crate::ast::{self, Declaration, Derived, Identifier, Parameters, Prefix};
use crate::ir::{self, Op, Primitive, Reg};
use crate::source::Span;

/// What the whole of a function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Section {
    /// Nothing in particular.
    #[default]
    None,
    /// No other thread runs while it does.
    Atomic,
    /// It is meant to be atomic, and the analyses look whether it is.
    Transaction,
}

/// A parameter: its name, its type, and the type that callers pass.
struct Parameter<'a> {
    name: Option<&'a Identifier>,
    ty: Qualified,
    passed: Type,
}

impl<'a> Lowering<'a> {
    /// Lowers a function's body.
    pub(super) fn function(
        &mut self,
        id: SymbolId,
        tree: &'a ast::Function,
    ) -> Lowered<ir::Function> {
        let symbol = &self.symbols[id.0 as usize];
        let (name, span) = (symbol.name.clone(), symbol.span);
        let Type::Function(signature) = symbol.ty.ty.clone() else {
            return invalid(span, "a body without a function");
        };
        self.builder = Builder::new(&name, signature.result.clone(), span);
        self.builder.function.library = self.library;
        self.builder.function.variadic = signature.variadic;
        self.address_taken = address_taken::Names::of(tree);
        self.known = super::known::Known::default();
        self.variable_lengths.clear();
        self.cleanups.clear();
        self.scopes.enter();
        self.parameters(tree, &signature)?;
        self.section = self.section_of(&name);
        self.begin_section(&name)?;
        self.block(&tree.body);
        self.finish_body(&name, tree)?;
        self.scopes.leave_to(1);
        self.fill_in_labels();
        let builder =
            std::mem::replace(&mut self.builder, Builder::new("", Type::Void, Span::default()));
        Ok(builder.finish())
    }

    /// Static tables of labels get their numbers now that the labels have places.
    fn fill_in_labels(&mut self) {
        let size = self.model.pointer().size() as usize;
        for (global, at, number) in self.builder.labels_in_globals() {
            let bytes = &mut self.globals[global.0 as usize].bytes;
            let end = at as usize + size;
            if bytes.len() < end {
                bytes.resize(end, 0);
            }
            bytes[at as usize..at as usize + size]
                .copy_from_slice(&u64::from(number).to_le_bytes()[..size]);
        }
    }

    /// The function that runs constructors and has destructors run at the end of the program.
    pub(super) fn constructors(&mut self) -> Lowered<ir::Function> {
        self.builder = Builder::new(CONSTRUCTORS, Type::Void, Span::default());
        self.builder.function.library = true;
        for index in 0..self.symbols.len() as u32 {
            let symbol = &self.symbols[index as usize];
            let (constructor, destructor) = (symbol.constructor, symbol.destructor);
            if !symbol.has_body() || !(constructor || destructor) {
                continue;
            }
            let function = self.function_id(SymbolId(index));
            if constructor {
                let arguments = self.builder.operands(&[]);
                self.builder.emit(Op::Call { function, arguments, result: None });
            }
            if destructor {
                let address = Operand::Address(Base::Function(function), 0);
                let pointer = Value::new(Type::pointer_to(Type::Void), address);
                self.call_library("atexit", &[pointer], Span::default())?;
            }
        }
        self.builder.emit(Op::Return { value: None });
        let empty = Builder::new("", Type::Void, Span::default());
        Ok(std::mem::replace(&mut self.builder, empty).finish())
    }

    /// What is there when the end of the body is reached.
    fn finish_body(&mut self, name: &str, tree: &'a ast::Function) -> Lowered<()> {
        let end = Span { start: tree.span.end.saturating_sub(1), end: tree.span.end };
        self.builder.span = end;
        let value = if name == "main" && !self.builder.result.is_void() {
            Some(self.in_register(Operand::Const(0)))
        } else {
            None
        };
        self.emit_return(value);
        let missing = self.builder.named.iter().find(|label| !label.placed);
        match missing {
            Some(label) => {
                let message = format!("the label `{}` is used but not defined", label.name);
                invalid(label.used, message)
            }
            None => Ok(()),
        }
    }

    pub(super) fn emit_return(&mut self, value: Option<Reg>) {
        if let Err(found) = self.clean_up(0) {
            self.diagnostics.push(*found);
        }
        match self.section {
            Section::None => {}
            Section::Atomic => self.emit_primitive(Primitive::AtomicEnd, &[]),
            Section::Transaction => self.emit_primitive(Primitive::TransactionEnd, &[]),
        }
        self.builder.emit(Op::Return { value });
    }

    fn section_of(&self, name: &str) -> Section {
        match self.library {
            true => Section::None,
            false if name.starts_with("__VERIFIER_atomic_") => Section::Atomic,
            false if self.transactions.iter().any(|wanted| wanted == name) => Section::Transaction,
            false => Section::None,
        }
    }

    fn begin_section(&mut self, name: &str) -> Lowered<()> {
        match self.section {
            Section::None => {}
            Section::Atomic => self.emit_primitive(Primitive::AtomicBegin, &[]),
            Section::Transaction => {
                let units: Vec<u32> = name.bytes().map(u32::from).collect();
                let place = self.string_place(&units, Prefix::None, self.builder.span)?;
                let text = self.load(&place, self.builder.span)?;
                let text = self.in_register(text.operand);
                self.emit_primitive(Primitive::TransactionBegin, &[text]);
            }
        }
        Ok(())
    }

    fn emit_primitive(&mut self, call: Primitive, arguments: &[Reg]) {
        let arguments = self.builder.operands(arguments);
        self.builder.emit(Op::Primitive { call, arguments, result: None });
    }

    fn parameters(&mut self, tree: &'a ast::Function, signature: &Signature) -> Lowered<()> {
        if signature.result.is_record() {
            let reg = self.builder.register();
            self.builder.result_place = Some(reg);
            let kind = self.model.pointer();
            self.builder.function.parameters.push(kind);
        }
        let Some(Derived::Function(parameters)) = tree.declarator.derived.first() else {
            return super::unsupported(
                tree.declarator.span,
                "a function defined through a typedef",
            );
        };
        match parameters {
            Parameters::OldStyle(names) => {
                let first = self.arriving(names.len());
                for (index, name) in names.iter().enumerate() {
                    let parameter = self.old_parameter(tree, name)?;
                    self.declare_parameter(parameter, Reg(first + index as u32))?;
                }
            }
            Parameters::Typed { list, .. } => {
                let first = self.arriving(list.len());
                for (index, parameter) in list.iter().enumerate() {
                    // The sizes of rows may use the parameters before.
                    let ty = self.parameter(parameter)?;
                    let (name, passed) = (parameter.declarator.name.as_ref(), ty.ty.clone());
                    self.declare_parameter(
                        Parameter { name, ty, passed },
                        Reg(first + index as u32),
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Registers for the parameters, in a row.
    fn arriving(&mut self, n: usize) -> u32 {
        let first = self.builder.mark();
        (0..n).for_each(|_| {
            self.builder.register();
        });
        first
    }

    fn old_parameter(
        &mut self,
        tree: &'a ast::Function,
        name: &'a Identifier,
    ) -> Lowered<Parameter<'a>> {
        for declaration in &tree.old_style {
            let Declaration::Of { specifiers, declarators, .. } = declaration else { continue };
            for declarator in declarators {
                if declarator.declarator.name.as_ref().is_some_and(|found| found.name == name.name)
                {
                    let base = self.specified(specifiers)?;
                    let ty =
                        super::declarator::adjusted(self.declared(base, &declarator.declarator)?);
                    let passed = promoted(&ty.ty);
                    return Ok(Parameter { name: Some(name), ty, passed });
                }
            }
        }
        Ok(Parameter { name: Some(name), ty: Type::INT.into(), passed: Type::INT })
    }

    fn declare_parameter(&mut self, parameter: Parameter<'a>, reg: Reg) -> Lowered<()> {
        let kind = parameter.passed.kind(self.model).unwrap_or(self.model.pointer());
        self.builder.function.parameters.push(kind);
        self.temporaries = self.builder.mark();
        let Some(name) = parameter.name else { return Ok(()) };
        if self.records.size(&parameter.ty.ty).is_none() || parameter.ty.ty.is_void() {
            return invalid(
                name.span,
                format!("the parameter `{}` has an incomplete type", name.name),
            );
        }
        if parameter.ty.ty.is_record() {
            let entity = Entity::Pointed { address: reg, ty: parameter.ty };
            self.scopes.declare(&name.name, entity, name.span);
            return Ok(());
        }
        let given = Value::new(parameter.passed, Operand::Reg(reg));
        let narrowed = self.converted(given, &parameter.ty.ty, name.span)?;
        if !self.address_taken.has(&name.name) {
            let reg = self.in_register(narrowed.operand);
            let shown = self.show(&parameter.ty.ty);
            self.builder.local(&name.name, reg, shown, name.span);
            let entity = Entity::Register { reg, ty: parameter.ty };
            self.scopes.declare(&name.name, entity, name.span);
            return Ok(());
        }
        let place = self.local_place(name, &parameter.ty, None)?;
        self.store(&place, narrowed, name.span)?;
        Ok(())
    }
}

/// What callers without a prototype pass for a parameter of this type.
fn promoted(ty: &Type) -> Type {
    match ty {
        Type::Int(int) => Type::Int(int.promoted()),
        Type::Float(Float::Single) => Type::DOUBLE,
        other => other.clone(),
    }
}
