//! Symbols: the functions and globals of all units, and how they are linked.
//!
//! Names with external linkage are one symbol in all units. The program's definition wins over
//! the library's, so that a program may have its own `getline`. A symbol gets its number in the
//! program when it is used first, and is defined when its turn comes in the queue.

use super::ctype::{Length, Qualified, Type};
use super::scope::{Entity, Scope, Scopes, SymbolId};
use super::{Lowered, Lowering, Unit, invalid};
use crate::ast::{self, Declaration, Initializer, Item, Name, Specifiers, Storage};
use crate::diagnostic::{Diagnostic, Kind};
use crate::ir::{FunctionId, Global, GlobalId};
use crate::source::Span;

/// A function or a global.
#[derive(Debug)]
pub(super) struct Symbol<'a> {
    pub(super) name: Name,
    pub(super) ty: Qualified,
    pub(super) span: Span,
    pub(super) thread_local: bool,
    pub(super) align: Option<u32>,
    pub(super) definition: Definition<'a>,
    /// Whether the definition is the library's.
    pub(super) library: bool,
    /// Whether it is state of the library that calls of different threads share.
    pub(super) shared: bool,
    pub(super) function: Option<FunctionId>,
    pub(super) global: Option<GlobalId>,
    /// Where it was used first, for the error if there is no definition.
    pub(super) used: Option<Span>,
    /// Run before or after `main`.
    pub(super) constructor: bool,
    pub(super) destructor: bool,
}

/// What is known of a symbol's contents.
#[derive(Clone, Debug)]
pub(super) enum Definition<'a> {
    /// It is only declared.
    None,
    /// A global without initialiser: zero, unless another declaration says more.
    Tentative { unit: usize },
    /// A global with its initialiser.
    Object { unit: usize, initializer: &'a Initializer },
    /// A function with its body.
    Function { unit: usize, tree: &'a ast::Function },
}

impl Symbol<'_> {
    pub(super) fn unit(&self) -> Option<usize> {
        match self.definition {
            Definition::None => None,
            Definition::Tentative { unit }
            | Definition::Object { unit, .. }
            | Definition::Function { unit, .. } => Some(unit),
        }
    }

    pub(super) fn has_body(&self) -> bool {
        matches!(self.definition, Definition::Function { .. })
    }
}

impl<'a> Lowering<'a> {
    /// Declares everything at the file scope of a unit.
    pub(super) fn declare_unit(&mut self, unit: &'a Unit) {
        self.unit = self.files.len();
        self.library = unit.library;
        self.scopes = Scopes::new(Scope::default());
        for item in &unit.tree.items {
            let done = match item {
                Item::Function(tree) => self.declare_function(tree),
                Item::Declaration(declaration) => self.declaration(declaration),
                Item::Asm(asm) if asm.template.is_empty() => Ok(()),
                Item::Asm(asm) => super::unsupported(asm.span, "inline assembly"),
            };
            self.recover_declaration(done);
        }
        let empty = Scopes::new(Scope::default());
        let mut scopes = std::mem::replace(&mut self.scopes, empty);
        self.files.push(scopes.leave());
    }

    /// Declarations that are not supported matter only to those who use them.
    fn recover_declaration(&mut self, done: Lowered<()>) {
        match done {
            Err(found) if found.kind == Kind::Unsupported => {}
            other => {
                self.recover(other);
            }
        }
    }

    fn declare_function(&mut self, tree: &'a ast::Function) -> Lowered<()> {
        let base = self.specified(&tree.specifiers)?;
        let ty = self.declared(base, &tree.declarator)?;
        let Some(name) = &tree.declarator.name else {
            return invalid(tree.span, "a function needs a name");
        };
        if !ty.ty.is_function() {
            return invalid(
                tree.declarator.span,
                format!("`{}` has a body but is not a function", name.name),
            );
        }
        let internal = tree.specifiers.storage == Some(Storage::Static);
        let symbol = self.symbol(name, &ty, internal)?;
        self.note_attributes(symbol, &tree.specifiers.attributes);
        self.scopes.declare(&name.name, Entity::Symbol { symbol, ty: ty.clone() }, name.span);
        let inline = tree.specifiers.inline;
        let definition = Definition::Function { unit: self.unit, tree };
        self.set_definition(symbol, definition, ty, name.span, inline)
    }

    fn note_attributes(&mut self, symbol: SymbolId, attributes: &[ast::Attribute]) {
        let has = |name: &str| attributes.iter().any(|found| &*found.name == name);
        let symbol = &mut self.symbols[symbol.0 as usize];
        symbol.constructor |= has("constructor");
        symbol.destructor |= has("destructor");
        symbol.shared |= self.library && has("raddle_shared");
    }

    fn set_definition(
        &mut self,
        id: SymbolId,
        definition: Definition<'a>,
        ty: Qualified,
        span: Span,
        inline: bool,
    ) -> Lowered<()> {
        let library = self.library;
        let symbol = &mut self.symbols[id.0 as usize];
        match symbol.definition {
            Definition::None => {}
            Definition::Tentative { .. } if !library || symbol.library => {}
            _ if inline || (library && !symbol.library) => return Ok(()),
            _ => {
                let message = format!("`{}` is defined twice", symbol.name);
                let first = symbol.span;
                return Err(Box::new(
                    Diagnostic::invalid(span, message).note(Some(first), "the first definition"),
                ));
            }
        }
        (symbol.definition, symbol.ty, symbol.span, symbol.library) =
            (definition, ty, span, library);
        Ok(())
    }

    /// The symbol of a name: a new one for internal linkage, the common one for external linkage.
    fn symbol(
        &mut self,
        name: &ast::Identifier,
        ty: &Qualified,
        internal: bool,
    ) -> Lowered<SymbolId> {
        if let Some((Entity::Symbol { symbol, ty: known }, first)) =
            self.scopes.own_name(&name.name)
        {
            let (symbol, first) = (*symbol, *first);
            if !known.ty.is_compatible(&ty.ty) && !self.library {
                let message = format!("`{}` is declared with a different type", name.name);
                let found = Diagnostic::invalid(name.span, message)
                    .note(Some(first), "the first declaration");
                return Err(Box::new(found));
            }
            return Ok(symbol);
        }
        if internal {
            return Ok(self.new_symbol(&name.name, ty, name.span));
        }
        if let Some(&symbol) = self.externals.get(&name.name) {
            let known = &self.symbols[symbol.0 as usize];
            if known.ty.ty.is_function() == ty.ty.is_function() {
                return Ok(symbol);
            }
            if self.library {
                // The program has a variable where the library has a function: both are meant.
                return Ok(self.new_symbol(&name.name, ty, name.span));
            }
            let message = format!("`{}` is a function here and a variable elsewhere", name.name);
            let note = (Some(known.span), "the other declaration");
            return Err(Box::new(Diagnostic::invalid(name.span, message).note(note.0, note.1)));
        }
        let symbol = self.new_symbol(&name.name, ty, name.span);
        self.externals.insert(name.name.clone(), symbol);
        Ok(symbol)
    }

    pub(super) fn new_symbol(&mut self, name: &Name, ty: &Qualified, span: Span) -> SymbolId {
        self.symbols.push(Symbol {
            name: name.clone(),
            ty: ty.clone(),
            span,
            thread_local: false,
            align: None,
            definition: Definition::None,
            library: self.library,
            shared: false,
            function: None,
            global: None,
            used: None,
            constructor: false,
            destructor: false,
        });
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// Declares a global, or a function without a body; also `extern` in a block.
    pub(super) fn declare_symbol(
        &mut self,
        specifiers: &'a Specifiers,
        declarator: &'a ast::InitDeclarator,
        ty: Qualified,
    ) -> Lowered<()> {
        let Some(name) = &declarator.declarator.name else { return Ok(()) };
        let internal = specifiers.storage == Some(Storage::Static);
        let ty = self.completed(ty, declarator.initializer.as_ref())?;
        let id = self.symbol(name, &ty, internal)?;
        self.note_attributes(id, &specifiers.attributes);
        self.note_attributes(id, &declarator.attributes);
        let align = self.alignment(&specifiers.attributes, &specifiers.alignments)?;
        let align = align.max(self.alignment(&declarator.attributes, &[])?);
        let symbol = &mut self.symbols[id.0 as usize];
        symbol.thread_local |= specifiers.thread_local;
        symbol.align = symbol.align.max(align);
        if let (Type::Array(_, Length::Unknown), Type::Array(_, Length::Known(_))) =
            (&symbol.ty.ty, &ty.ty)
        {
            symbol.ty = ty.clone();
        }
        let known = symbol.ty.clone();
        let shown =
            if matches!(ty.ty, Type::Array(_, Length::Unknown)) && known.ty.is_compatible(&ty.ty) {
                known
            } else {
                ty.clone()
            };
        self.scopes.declare(&name.name, Entity::Symbol { symbol: id, ty: shown }, name.span);
        self.define_object(id, specifiers, declarator, ty, name.span)
    }

    fn define_object(
        &mut self,
        id: SymbolId,
        specifiers: &Specifiers,
        declarator: &'a ast::InitDeclarator,
        ty: Qualified,
        span: Span,
    ) -> Lowered<()> {
        if ty.ty.is_function() {
            return match &declarator.initializer {
                Some(_) => invalid(span, "a function cannot be initialised"),
                None => Ok(()),
            };
        }
        let unit = self.unit;
        if let Some(initializer) = &declarator.initializer {
            let definition = Definition::Object { unit, initializer };
            return self.set_definition(id, definition, ty, span, false);
        }
        let symbol = &mut self.symbols[id.0 as usize];
        if specifiers.storage != Some(Storage::Extern)
            && matches!(symbol.definition, Definition::None)
        {
            symbol.definition = Definition::Tentative { unit };
            (symbol.span, symbol.library) = (span, self.library);
            if !matches!(ty.ty, Type::Array(_, Length::Unknown)) {
                symbol.ty = ty;
            }
        }
        Ok(())
    }

    /// A static local: a symbol that only its block knows.
    pub(super) fn declare_static_local(
        &mut self,
        name: &ast::Identifier,
        initializer: Option<&'a Initializer>,
        ty: Qualified,
        thread_local: bool,
        align: Option<u32>,
    ) -> Lowered<()> {
        let ty = self.completed(ty, initializer)?;
        let shown = format!("{}.{}", self.builder.name(), name.name);
        let id = self.new_symbol(&shown.into(), &ty, name.span);
        self.scopes.declare(&name.name, Entity::Symbol { symbol: id, ty }, name.span);
        let definition = Definition::Tentative { unit: self.unit };
        let symbol = &mut self.symbols[id.0 as usize];
        (symbol.definition, symbol.thread_local, symbol.align) = (definition, thread_local, align);
        match initializer {
            Some(initializer) if self.unevaluated == 0 => {
                self.global_id(id);
                self.global_initializer(id, initializer)
            }
            _ => Ok(()),
        }
    }

    /// The number of a function that is used.
    pub(super) fn function_id(&mut self, id: SymbolId) -> FunctionId {
        let next = FunctionId(self.functions.len() as u32);
        let span = self.builder.span;
        let symbol = &mut self.symbols[id.0 as usize];
        symbol.used.get_or_insert(span);
        if let Some(known) = symbol.function {
            return known;
        }
        if self.unevaluated > 0 {
            return FunctionId(0);
        }
        symbol.function = Some(next);
        self.functions.push(None);
        self.queue.push_back(id);
        next
    }

    /// The number of a global that is used.
    pub(super) fn global_id(&mut self, id: SymbolId) -> GlobalId {
        let span = self.builder.span;
        let symbol = &mut self.symbols[id.0 as usize];
        symbol.used.get_or_insert(span);
        if let Some(known) = symbol.global {
            return known;
        }
        if self.unevaluated > 0 {
            return GlobalId(0);
        }
        let (ty, name) = (symbol.ty.clone(), symbol.name.clone());
        let (thread_local, span) = (symbol.thread_local, symbol.span);
        let library = symbol.library && !symbol.shared;
        let least = symbol.align.unwrap_or(1);
        let global = Global {
            name: (*name).into(),
            size: self.records.size(&ty.ty).unwrap_or(0),
            align: self.records.align(&ty.ty).max(least),
            bytes: Vec::new(),
            relocations: Vec::new(),
            ty: self.show(&ty.ty),
            constant: ty.is_constant(),
            thread_local,
            library,
            span,
        };
        let made = self.add_global(global);
        self.symbols[id.0 as usize].global = Some(made);
        self.queue.push_back(id);
        made
    }

    pub(super) fn add_global(&mut self, global: Global) -> GlobalId {
        self.globals.push(global);
        GlobalId(self.globals.len() as u32 - 1)
    }

    /// A function with external linkage that must have a definition.
    pub(super) fn external_function(&mut self, name: &str) -> Option<FunctionId> {
        let symbol = *self.externals.get(name)?;
        self.symbols[symbol.0 as usize].has_body().then(|| self.function_id(symbol))
    }

    /// Makes the code or the bytes of a symbol that is used.
    pub(super) fn define(&mut self, id: SymbolId) {
        let symbol = &self.symbols[id.0 as usize];
        let definition = symbol.definition.clone();
        match definition {
            Definition::None if &*symbol.name == super::CONSTRUCTORS => {
                let slot = symbol.function;
                let made = self.constructors();
                let function = self.recover(made);
                if let Some(slot) = slot {
                    self.functions[slot.0 as usize] = function;
                }
            }
            Definition::None => self.undefined(id),
            Definition::Tentative { .. } => self.define_tentative(id),
            Definition::Object { unit, initializer } => {
                self.begin_unit(unit);
                let done = self.global_initializer(id, initializer);
                self.recover(done);
                self.end_unit();
            }
            Definition::Function { unit, tree } => {
                self.begin_unit(unit);
                let made = self.function(id, tree);
                let function = self.recover(made);
                self.end_unit();
                if let Some(slot) = self.symbols[id.0 as usize].function {
                    self.functions[slot.0 as usize] = function;
                }
            }
        }
    }

    fn undefined(&mut self, id: SymbolId) {
        let symbol = &self.symbols[id.0 as usize];
        let what = if symbol.ty.ty.is_function() { "the function" } else { "the variable" };
        let message = format!(
            "{what} `{}` has no definition and is not part of the supported library",
            symbol.name
        );
        let span = symbol.used.unwrap_or(symbol.span);
        self.diagnostics.push(Diagnostic::unsupported(span, message));
    }

    fn define_tentative(&mut self, id: SymbolId) {
        let symbol = &self.symbols[id.0 as usize];
        let ty = match &symbol.ty.ty {
            // `int a[];` alone is an array of one element.
            Type::Array(element, Length::Unknown) => Type::Array(element.clone(), Length::Known(1)),
            other => other.clone(),
        };
        let (span, name) = (symbol.span, symbol.name.clone());
        let Some(size) = self.records.size(&ty) else {
            self.diagnostics
                .push(Diagnostic::invalid(span, format!("`{name}` has an incomplete type")));
            return;
        };
        if let Some(global) = symbol.global {
            let shown = self.show(&ty);
            let global = &mut self.globals[global.0 as usize];
            (global.size, global.ty) = (size, shown);
        }
    }

    /// Goes to the file scope of a unit.
    fn begin_unit(&mut self, unit: usize) {
        self.unit = unit;
        self.library = unit >= self.n_program_units;
        self.scopes = Scopes::new(std::mem::take(&mut self.files[unit]));
    }

    fn end_unit(&mut self) {
        let mut scopes = std::mem::replace(&mut self.scopes, Scopes::new(Scope::default()));
        self.files[self.unit] = scopes.leave_all();
    }

    /// An initialised `[]` has the length of its initialiser.
    pub(super) fn completed(
        &mut self,
        ty: Qualified,
        initializer: Option<&'a Initializer>,
    ) -> Lowered<Qualified> {
        let (Type::Array(element, Length::Unknown), Some(initializer)) = (&ty.ty, initializer)
        else {
            return Ok(ty);
        };
        let n = self.initialized_length(element, initializer)?;
        let array = Type::Array(element.clone(), Length::Known(n));
        Ok(Qualified { ty: array, ..ty })
    }

    /// Looks at a declaration at file scope or in a block.
    pub(super) fn declaration(&mut self, declaration: &'a Declaration) -> Lowered<()> {
        match declaration {
            Declaration::StaticAssert { condition, message, span } => {
                let holds = self.constant(condition, "the condition of a static assertion")? != 0;
                if holds {
                    return Ok(());
                }
                let text =
                    message.as_ref().map(|text| format!(": {}", String::from_utf8_lossy(text)));
                invalid(*span, format!("static assertion failed{}", text.unwrap_or_default()))
            }
            Declaration::Of { specifiers, declarators, .. } => {
                self.declare(specifiers, declarators)
            }
        }
    }
}
