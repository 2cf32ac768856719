//! Declarations: typedefs, symbols and locals.

use super::ctype::{Length, Qualified, Type};
use super::scope::Entity;
use super::value::{Lvalue, Operand, Where};
use super::{Lowered, Lowering, cleanup, invalid, unsupported};
use crate::ast::{
    self, Identifier, InitDeclarator, Initializer, Specifiers, Storage, TypeSpecifier,
};
use crate::ir::{Kind, Op};

/// What memory and registers hold before anything is put there.
const UNINITIALISED: u64 = 0xa5a5_a5a5_a5a5_a5a5;

impl<'a> Lowering<'a> {
    /// Declares all declarators of one declaration.
    pub(super) fn declare(
        &mut self,
        specifiers: &'a Specifiers,
        declarators: &'a [InitDeclarator],
    ) -> Lowered<()> {
        if let (TypeSpecifier::Auto, [declarator]) = (&specifiers.base, declarators) {
            return self.declare_auto(specifiers, declarator);
        }
        let base = self.specified(specifiers)?;
        for declarator in declarators {
            self.builder.span = declarator.span;
            if let Some(vector) =
                declarator.attributes.iter().find(|found| &*found.name == "vector_size")
            {
                return unsupported(vector.span, "the attribute `vector_size`");
            }
            let ty = self.declared(base.clone(), &declarator.declarator)?;
            self.declare_one(specifiers, declarator, ty)?;
        }
        Ok(())
    }

    fn declare_auto(
        &mut self,
        specifiers: &'a Specifiers,
        declarator: &'a InitDeclarator,
    ) -> Lowered<()> {
        let Some(Initializer::Expr(expr)) = &declarator.initializer else {
            return invalid(declarator.span, "`__auto_type` needs an initialiser");
        };
        let ty = self.value_type(expr)?;
        self.declare_one(specifiers, declarator, ty.into())
    }

    fn declare_one(
        &mut self,
        specifiers: &'a Specifiers,
        declarator: &'a InitDeclarator,
        ty: Qualified,
    ) -> Lowered<()> {
        let Some(name) = &declarator.declarator.name else {
            return invalid(declarator.span, "a declaration without a name");
        };
        match specifiers.storage {
            Some(Storage::Typedef) => {
                self.scopes.declare(&name.name, Entity::Typedef(ty), name.span);
                Ok(())
            }
            _ if ty.ty.is_void() => {
                invalid(name.span, format!("the variable `{}` has the type `void`", name.name))
            }
            _ if self.scopes.is_file() || ty.ty.is_function() => {
                self.declare_symbol(specifiers, declarator, ty)
            }
            Some(Storage::Extern) => self.declare_symbol(specifiers, declarator, ty),
            storage if storage == Some(Storage::Static) || specifiers.thread_local => {
                let align = self.alignment(&specifiers.attributes, &specifiers.alignments)?;
                let initializer = declarator.initializer.as_ref();
                self.declare_static_local(name, initializer, ty, specifiers.thread_local, align)
            }
            _ => self.declare_local(specifiers, declarator, name, ty),
        }
    }

    fn declare_local(
        &mut self,
        specifiers: &'a Specifiers,
        declarator: &'a InitDeclarator,
        name: &Identifier,
        ty: Qualified,
    ) -> Lowered<()> {
        if let Some((first, at)) = self.scopes.own_name(&name.name)
            && first.ty().is_some()
        {
            let message = format!("`{}` is declared twice in this block", name.name);
            let found = crate::diagnostic::Diagnostic::invalid(name.span, message);
            return Err(Box::new(found.note(Some(*at), "the first declaration")));
        }
        let ty = self.completed(ty, declarator.initializer.as_ref())?;
        if let Type::Array(_, Length::Variable(size)) = ty.ty {
            return self.declare_variable_length(declarator, name, ty, size);
        }
        let align = self.alignment(&specifiers.attributes, &specifiers.alignments)?;
        let place = self.local_place(name, &ty, align)?;
        match &declarator.initializer {
            Some(initializer) => self.initialize(place.clone(), initializer)?,
            None => self.leave_uninitialised(&place),
        }
        let attributes = [&specifiers.attributes, &declarator.attributes];
        if let Some(function) = attributes.into_iter().find_map(|found| cleanup::function_of(found))
        {
            self.add_cleanup(place, function);
        }
        Ok(())
    }

    /// Gives a local its register or slot.
    pub(super) fn local_place(
        &mut self,
        name: &Identifier,
        ty: &Qualified,
        align: Option<u32>,
    ) -> Lowered<Lvalue> {
        let Some(size) = self.records.size(&ty.ty) else {
            return invalid(name.span, format!("`{}` has an incomplete type", name.name));
        };
        let shown = self.show(&ty.ty);
        if ty.ty.is_scalar() && !self.address_taken.has(&name.name) {
            let reg = self.builder.register();
            self.builder.local(&name.name, reg, shown, name.span);
            self.temporaries = self.builder.mark();
            let entity = Entity::Register { reg, ty: ty.clone() };
            self.scopes.declare(&name.name, entity, name.span);
            return Ok(Lvalue::register(ty.clone(), reg));
        }
        let align = self.records.align(&ty.ty).max(align.unwrap_or(1));
        let slot = self.builder.slot(&name.name, size, align, shown, name.span);
        self.scopes.declare(&name.name, Entity::Slot { slot, ty: ty.clone() }, name.span);
        Ok(self.slot_lvalue(slot, ty.clone()))
    }

    /// A variable without initialiser starts anew each time its declaration is passed.
    fn leave_uninitialised(&mut self, place: &Lvalue) {
        let Where::Register(to) = place.at else { return };
        let kind = place.ty.ty.kind(self.model).unwrap_or(Kind::U64);
        self.builder.emit(Op::Const { to, value: kind.extend(UNINITIALISED) });
    }

    fn declare_variable_length(
        &mut self,
        declarator: &'a InitDeclarator,
        name: &ast::Identifier,
        ty: Qualified,
        size: crate::ir::Reg,
    ) -> Lowered<()> {
        if let Some(Initializer::List(items, span)) = &declarator.initializer
            && !items.is_empty()
        {
            return invalid(*span, "an array of variable length cannot be initialised");
        }
        let address = self.builder.register();
        self.builder.emit(Op::Allocate { to: address, size });
        if declarator.initializer.is_some() {
            let place = self.place_of(Operand::Reg(address), 0);
            self.builder.emit(Op::Fill { place, byte: None, size: crate::ir::Size::Reg(size) });
        }
        self.scopes.declare(&name.name, Entity::Pointed { address, ty }, name.span);
        self.variable_lengths.push(address);
        Ok(())
    }
}
