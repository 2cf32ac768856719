//! `struct` and `union`.

use super::{Parsed, Parser};
use crate::ast::{
    Attribute, Expr, ExprKind, Field, Identifier, Integer, Member, Name, Record, TypeSpecifier,
};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// `struct` or `union` with its tag, its members, or both.
    pub(super) fn record(&mut self) -> Parsed<Record> {
        let keyword = self.bump();
        let mut attributes = Vec::new();
        self.attributes_into(&mut attributes)?;
        let tag = self.tag();
        if self.is_at(TokenKind::LeftBrace) {
            let members = self.nested(Self::members)?;
            attributes.extend(self.packing());
            self.attributes_into(&mut attributes)?;
            return Ok(Record {
                union: keyword.kind == TokenKind::Union,
                tag,
                members: Some(members),
                attributes,
                span: self.since(keyword.span),
            });
        }
        if tag.is_none() {
            return Err(self.unexpected("a tag or '{'"));
        }
        let span = self.since(keyword.span);
        Ok(Record { union: keyword.kind == TokenKind::Union, tag, members: None, attributes, span })
    }

    /// `#pragma pack(n)` at the brace that was just taken, as the attribute `pack(n)`.
    fn packing(&self) -> Option<Attribute> {
        let span = self.tokens.list[self.at.checked_sub(1)?].span;
        let limit = self.tokens.packing.at(span.start - self.tokens.base)?;
        let value = Integer { value: limit.into(), decimal: true, unsigned: false, long: 0 };
        let arguments = vec![Expr { kind: ExprKind::Integer(value), span }];
        Some(Attribute { name: Name::from("pack"), arguments, span })
    }

    /// The tag of a record or enumeration; typedef names may be tags, too.
    pub(super) fn tag(&mut self) -> Option<Identifier> {
        if !self.is_at(TokenKind::Identifier) {
            return None;
        }
        let token = self.bump();
        Some(Identifier { name: self.name(token), span: token.span })
    }

    fn members(&mut self) -> Parsed<Vec<Member>> {
        let open = self.bump();
        let mut members = Vec::new();
        while !self.is_at(TokenKind::RightBrace) {
            if self.eat(TokenKind::Semicolon) || self.eat(TokenKind::Extension) {
                continue;
            }
            if self.is_at(TokenKind::StaticAssert) {
                members.push(Member::StaticAssert(self.static_assert()?));
                continue;
            }
            if self.is_at(TokenKind::End) {
                break;
            }
            members.push(self.member()?);
        }
        self.close(open, TokenKind::RightBrace)?;
        Ok(members)
    }

    fn member(&mut self) -> Parsed<Member> {
        let start = self.here();
        let specifiers = self.specifiers()?;
        if specifiers.storage.is_some() {
            return Err(self.invalid(specifiers.span, "storage class in a member declaration"));
        }
        let mut fields = Vec::new();
        if !self.is_at(TokenKind::Semicolon) {
            fields.push(self.field()?);
            while self.eat(TokenKind::Comma) {
                fields.push(self.field()?);
            }
        } else if !matches!(
            specifiers.base,
            TypeSpecifier::Record(_) | TypeSpecifier::Enum(_) | TypeSpecifier::Typedef(_)
        ) {
            return Err(self.unexpected("a member name"));
        }
        if !self.is_at(TokenKind::RightBrace) {
            self.expect(TokenKind::Semicolon, "';' after member declaration")?;
        }
        Ok(Member::Fields { specifiers, fields, span: self.since(start) })
    }

    fn field(&mut self) -> Parsed<Field> {
        let start = self.here();
        let mut attributes = Vec::new();
        self.attributes_into(&mut attributes)?;
        let declarator = match self.kind() {
            TokenKind::Colon => None,
            _ => Some(self.declarator(super::declarator::Mode::Named, &mut attributes)?),
        };
        let width = match self.eat(TokenKind::Colon) {
            true => Some(self.constant()?),
            false => None,
        };
        self.attributes_into(&mut attributes)?;
        Ok(Field { declarator, width, attributes, span: self.since(start) })
    }
}
