//! Declarations, and definitions of functions, which start alike.

use super::declarator::Mode;
use super::{Parsed, Parser};
use crate::ast::{
    Attribute, Declaration, Declarator, Derived, Function, InitDeclarator, Item, Parameters,
    Specifiers, Storage,
};
use crate::lex::TokenKind;
use crate::source::Span;

impl Parser<'_> {
    /// A declaration in a block, where functions cannot be defined.
    pub(super) fn declaration(&mut self) -> Parsed<Declaration> {
        match self.declaration_or_function()? {
            Item::Declaration(declaration) => Ok(declaration),
            Item::Function(Function { span, .. }) | Item::Asm(crate::ast::Asm { span, .. }) => {
                Err(self.unsupported(span, "nested functions are not supported"))
            }
        }
    }

    /// A declaration or, at file scope, the definition of a function.
    pub(super) fn declaration_or_function(&mut self) -> Parsed<Item> {
        let start = self.here();
        while self.eat(TokenKind::Extension) {}
        if self.is_at(TokenKind::StaticAssert) {
            return Ok(Item::Declaration(self.static_assert()?));
        }
        let specifiers = self.specifiers()?;
        let mut declarators = Vec::new();
        if !self.is_at(TokenKind::Semicolon) {
            let mut attributes = Vec::new();
            let declarator = self.declarator(Mode::Named, &mut attributes)?;
            self.asm_and_attributes(&mut attributes)?;
            if self.at_function_body(&declarator) {
                return self.function(specifiers, declarator, attributes, start);
            }
            declarators = self.init_declarators(&specifiers, declarator, attributes)?;
        }
        self.expect(TokenKind::Semicolon, "';' after declaration")?;
        Ok(Item::Declaration(Declaration::Of { specifiers, declarators, span: self.since(start) }))
    }

    /// `_Static_assert(condition, "message");`
    pub(super) fn static_assert(&mut self) -> Parsed<Declaration> {
        let keyword = self.bump();
        let open = self.expect(TokenKind::LeftParen, "'(' after '_Static_assert'")?;
        let condition = Box::new(self.constant()?);
        let message = match self.eat(TokenKind::Comma) {
            true => Some(self.string_bytes()?),
            false => None,
        };
        self.close(open, TokenKind::RightParen)?;
        self.expect(TokenKind::Semicolon, "';' after '_Static_assert'")?;
        Ok(Declaration::StaticAssert { condition, message, span: self.since(keyword.span) })
    }

    /// The declarators of a declaration, of which the first is read already.
    fn init_declarators(
        &mut self,
        specifiers: &Specifiers,
        first: Declarator,
        attributes: Vec<Attribute>,
    ) -> Parsed<Vec<InitDeclarator>> {
        let is_type = specifiers.storage == Some(Storage::Typedef);
        let mut list = vec![self.init_declarator(first, attributes, is_type)?];
        while self.eat(TokenKind::Comma) {
            let mut attributes = Vec::new();
            self.attributes_into(&mut attributes)?;
            let declarator = self.declarator(Mode::Named, &mut attributes)?;
            self.asm_and_attributes(&mut attributes)?;
            list.push(self.init_declarator(declarator, attributes, is_type)?);
        }
        Ok(list)
    }

    /// The rest of a declarator; its name is known to its own initialiser.
    fn init_declarator(
        &mut self,
        declarator: Declarator,
        attributes: Vec<Attribute>,
        is_type: bool,
    ) -> Parsed<InitDeclarator> {
        if let Some(name) = &declarator.name {
            self.declare(name, is_type);
        }
        let initializer = match self.eat(TokenKind::Assign) {
            true => Some(self.initializer()?),
            false => None,
        };
        let span = self.since(declarator.span);
        Ok(InitDeclarator { declarator, initializer, attributes, span })
    }

    /// Whether the body of a function follows, or the declarations of its old-style parameters.
    fn at_function_body(&self, declarator: &Declarator) -> bool {
        match declarator.derived.first() {
            Some(Derived::Function(Parameters::OldStyle(names))) if !names.is_empty() => {
                self.is_at(TokenKind::LeftBrace) || self.starts_specifiers(self.token())
            }
            Some(Derived::Function(_)) => self.is_at(TokenKind::LeftBrace),
            _ => false,
        }
    }

    fn function(
        &mut self,
        mut specifiers: Specifiers,
        declarator: Declarator,
        mut attributes: Vec<Attribute>,
        start: Span,
    ) -> Parsed<Item> {
        if self.scopes.depth() > 0 {
            let name = declarator.name.as_ref().map_or(declarator.span, |name| name.span);
            return Err(self.unsupported(name, "nested functions are not supported"));
        }
        specifiers.attributes.append(&mut attributes);
        if let Some(name) = &declarator.name {
            self.declare(name, false);
        }
        self.scopes.enter();
        self.declare_parameters(declarator.derived.first());
        let mut old_style = Vec::new();
        while !self.is_at(TokenKind::LeftBrace) {
            old_style.push(self.declaration()?);
        }
        let body = self.nested(Self::block_in_scope)?;
        self.scopes.leave();
        let span = self.since(start);
        Ok(Item::Function(Function { specifiers, declarator, old_style, body, span }))
    }
}
