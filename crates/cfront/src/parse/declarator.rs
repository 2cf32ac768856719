//! Declarators: a name with pointers before it and arrays and parameters after it.

use super::{Parsed, Parser};
use crate::ast::{ArraySize, Attribute, Declarator, Derived, TypeName};
use crate::lex::TokenKind;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// It must.
    Named,
    /// It must not: types in casts.
    Abstract,
    /// It may: parameters.
    Either,
}

impl Parser<'_> {
    /// A type as in a cast.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let start = self.here();
        let mut specifiers = self.nested(Self::specifiers)?;
        if specifiers.storage.is_some() {
            return Err(self.invalid(specifiers.span, "storage class in a type name"));
        }
        let mut attributes = Vec::new();
        let declarator = self.declarator(Mode::Abstract, &mut attributes)?;
        specifiers.attributes.append(&mut attributes);
        Ok(TypeName { specifiers, declarator, span: self.since(start) })
    }

    /// A declarator; attributes inside it go to `attributes`.
    pub(super) fn declarator(
        &mut self,
        mode: Mode,
        attributes: &mut Vec<Attribute>,
    ) -> Parsed<Declarator> {
        let start = self.here();
        let mut pointers = Vec::new();
        while self.eat(TokenKind::Star) {
            pointers.push(Derived::Pointer(self.qualifiers()?));
        }
        self.attributes_into(attributes)?;
        let mut declarator = self.direct(mode, attributes)?;
        while self.suffix(&mut declarator.derived)? {}
        declarator.derived.extend(pointers.into_iter().rev());
        declarator.span = self.since(start);
        Ok(declarator)
    }

    /// The name, or a declarator in parentheses, or nothing.
    fn direct(&mut self, mode: Mode, attributes: &mut Vec<Attribute>) -> Parsed<Declarator> {
        if self.is_at(TokenKind::Identifier) && mode != Mode::Abstract {
            let name = Some(self.identifier("a name")?);
            return Ok(Declarator { name, derived: Vec::new(), span: self.here() });
        }
        if self.is_at(TokenKind::LeftParen) && self.is_grouping(mode) {
            let open = self.bump();
            let inner = self.nested(|parser| {
                parser.attributes_into(attributes)?;
                parser.declarator(mode, attributes)
            })?;
            self.close(open, TokenKind::RightParen)?;
            return Ok(inner);
        }
        if mode == Mode::Named {
            return Err(self.unexpected("a name or '('"));
        }
        Ok(Declarator { name: None, derived: Vec::new(), span: self.here() })
    }

    /// Whether `(` groups: without a name, it may start parameters instead.
    fn is_grouping(&self, mode: Mode) -> bool {
        if mode == Mode::Named {
            return true;
        }
        let next = self.after_attributes(1);
        let is_end = matches!(next.kind, TokenKind::RightParen | TokenKind::Ellipsis);
        !is_end && !self.starts_specifiers(next)
    }

    /// Takes `[…]` or `(…)`; `false` if there is none.
    fn suffix(&mut self, derived: &mut Vec<Derived>) -> Parsed<bool> {
        match self.kind() {
            TokenKind::LeftBracket if !self.at_bracket_attribute() => {
                let size = self.array_size()?;
                derived.push(Derived::Array(size));
            }
            TokenKind::LeftParen => {
                let parameters = self.nested(Self::parameters)?;
                derived.push(Derived::Function(parameters));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `[…]`, also `[static const n]`.
    fn array_size(&mut self) -> Parsed<ArraySize> {
        let open = self.bump();
        self.qualifiers()?;
        if self.eat(TokenKind::Static) {
            self.qualifiers()?;
        }
        let size = match self.kind() {
            TokenKind::RightBracket => ArraySize::Unknown,
            TokenKind::Star if self.ahead(1).kind == TokenKind::RightBracket => {
                self.bump();
                ArraySize::Star
            }
            _ => ArraySize::Expr(Box::new(self.assignment()?)),
        };
        self.close(open, TokenKind::RightBracket)?;
        Ok(size)
    }
}
