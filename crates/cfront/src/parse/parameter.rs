//! The parameters of functions, with types or, as before C89, as names alone.

use super::declarator::Mode;
use super::{Parsed, Parser};
use crate::ast::{Basic, Derived, Identifier, Parameter, Parameters, TypeSpecifier};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// `(…)`
    pub(super) fn parameters(&mut self) -> Parsed<Parameters> {
        let open = self.bump();
        self.scopes.enter();
        let parameters = match self.kind() {
            TokenKind::RightParen => Parameters::OldStyle(Vec::new()),
            TokenKind::Identifier if !self.starts_type(self.token()) => {
                Parameters::OldStyle(self.parameter_names()?)
            }
            _ => self.typed_parameters()?,
        };
        self.scopes.leave();
        self.close(open, TokenKind::RightParen)?;
        Ok(parameters)
    }

    /// Declares the parameters of a function whose body follows.
    pub(super) fn declare_parameters(&mut self, function: Option<&Derived>) {
        let names: Vec<&Identifier> = match function {
            Some(Derived::Function(Parameters::OldStyle(names))) => names.iter().collect(),
            Some(Derived::Function(Parameters::Typed { list, .. })) => {
                list.iter().filter_map(|parameter| parameter.declarator.name.as_ref()).collect()
            }
            _ => Vec::new(),
        };
        for name in names {
            self.declare(name, false);
        }
    }

    fn parameter_names(&mut self) -> Parsed<Vec<Identifier>> {
        let mut names = Vec::new();
        loop {
            let token = self.token();
            names.push(self.identifier("the name of a parameter")?);
            match self.kind() {
                TokenKind::Comma => self.bump(),
                TokenKind::RightParen => return Ok(names),
                TokenKind::Identifier | TokenKind::Star => return Err(self.unknown_type(token)),
                _ => return Err(self.unexpected("',' or ')' after the name of a parameter")),
            };
        }
    }

    fn typed_parameters(&mut self) -> Parsed<Parameters> {
        let mut list = Vec::new();
        let mut variadic = false;
        loop {
            if self.eat(TokenKind::Ellipsis) {
                variadic = true;
                break;
            }
            list.push(self.parameter()?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if list.len() == 1 && !variadic && is_void(&list[0]) {
            list.clear();
        }
        Ok(Parameters::Typed { list, variadic })
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.here();
        if self.is_at(TokenKind::Identifier) && !self.starts_type(self.token()) {
            return Err(self.unknown_type(self.token()));
        }
        let mut specifiers = self.specifiers()?;
        let mut attributes = Vec::new();
        let declarator = self.declarator(Mode::Either, &mut attributes)?;
        self.asm_and_attributes(&mut attributes)?;
        specifiers.attributes.append(&mut attributes);
        if let Some(name) = &declarator.name {
            self.declare(name, false);
        }
        Ok(Parameter { specifiers, declarator, span: self.since(start) })
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &Identifier, is_type: bool) {
        if let Some(symbol) = self.tokens.names.symbol(&name.name) {
            self.scopes.declare(symbol, is_type);
        }
    }
}

/// `void` and nothing else.
fn is_void(parameter: &Parameter) -> bool {
    let Parameter { specifiers, declarator, .. } = parameter;
    specifiers.base == TypeSpecifier::Basic(Basic::Void)
        && specifiers.storage.is_none()
        && declarator.name.is_none()
        && declarator.derived.is_empty()
}
