//! What stands before the declarators: storage classes, qualifiers, attributes, the base type.

use super::words::Words;
use super::{Parsed, Parser};
use crate::ast::{Alignment, Identifier, Qualifiers, Specifiers, Storage, TypeName, TypeSpecifier};
use crate::lex::{Token, TokenKind};
use crate::source::Span;

/// Specifiers while they are read.
struct Reading {
    specifiers: Specifiers,
    words: Words,
    /// A base type other than words.
    base: Option<TypeSpecifier>,
}

impl Reading {
    fn has_type(&self) -> bool {
        self.base.is_some() || self.words.any()
    }
}

impl Parser<'_> {
    /// Whether a type can start with this token.
    pub(super) fn starts_type(&self, token: Token) -> bool {
        use TokenKind::*;
        match token.kind {
            Identifier => self.scopes.is_type(token.symbol),
            Const | Volatile | Restrict | Atomic | Attribute | Void | Bool | Char | Short | Int
            | Long | Signed | Unsigned | Int128 | Int128Name | UnsignedInt128Name | Float
            | Double | Complex | UnsupportedType | Struct | Union | Enum | Typeof | AutoType
            | VaList => true,
            _ => false,
        }
    }

    /// Whether a declaration can start with this token.
    pub(super) fn starts_specifiers(&self, token: Token) -> bool {
        use TokenKind::*;
        let others = matches!(
            token.kind,
            Typedef
                | Extern
                | Static
                | AutoStorage
                | Register
                | ThreadLocal
                | Inline
                | Noreturn
                | Alignas
        );
        others || self.starts_type(token)
    }

    /// All specifiers; with none of them, the base type is `int`, as it was before C99.
    pub(super) fn specifiers(&mut self) -> Parsed<Specifiers> {
        let start = self.here();
        let mut reading =
            Reading { specifiers: no_specifiers(), words: Words::default(), base: None };
        let first = self.at;
        while self.specifier(&mut reading)? {}
        if !reading.has_type() {
            self.check_missing_type(self.at == first)?;
        }
        let mut specifiers = reading.specifiers;
        specifiers.span = self.since(start);
        let basic = reading.words.basic().expect("every word was checked when it was added");
        specifiers.base = reading.base.unwrap_or(TypeSpecifier::Basic(basic));
        Ok(specifiers)
    }

    /// Names after which another name follows were meant as types.
    fn check_missing_type(&self, nothing_at_all: bool) -> Parsed<()> {
        if !self.is_at(TokenKind::Identifier) {
            let may_declare = matches!(self.kind(), TokenKind::Star | TokenKind::LeftParen);
            let fine = !nothing_at_all || may_declare;
            return if fine { Ok(()) } else { Err(self.unexpected("a declaration")) };
        }
        let next = self.ahead(1);
        let is_type = matches!(next.kind, TokenKind::Identifier | TokenKind::Star);
        if is_type
            || (nothing_at_all && self.starts_specifiers(next) && next.kind != TokenKind::Attribute)
        {
            return Err(self.unknown_type(self.token()));
        }
        Ok(())
    }

    /// A name was used as a type, but is none.
    pub(super) fn unknown_type(&self, token: Token) -> Box<crate::diagnostic::Diagnostic> {
        self.invalid(token.span, format!("unknown type name '{}'", self.name(token)))
    }

    /// Reads one specifier; `false` if the next token is none.
    fn specifier(&mut self, reading: &mut Reading) -> Parsed<bool> {
        use TokenKind::*;
        let token = self.token();
        let into = &mut reading.specifiers;
        match token.kind {
            Typedef => return self.storage(into, Storage::Typedef),
            Extern => return self.storage(into, Storage::Extern),
            Static => return self.storage(into, Storage::Static),
            AutoStorage => return self.storage(into, Storage::Auto),
            Register => return self.storage(into, Storage::Register),
            ThreadLocal => into.thread_local = true,
            Inline => into.inline = true,
            Noreturn => into.noreturn = true,
            Extension => {}
            Atomic if self.ahead(1).kind == LeftParen => return self.base_type(token, reading),
            Const | Volatile | Restrict | Atomic => qualify(&mut into.qualifiers, token.kind),
            Attribute => return self.attributes_into(&mut into.attributes).map(|()| true),
            LeftBracket if self.at_bracket_attribute() => {
                return self.attributes_into(&mut into.attributes).map(|()| true);
            }
            Alignas => return self.alignment(reading).map(|()| true),
            Identifier if reading.has_type() => return Ok(false),
            _ if self.starts_type(token) => return self.base_type(token, reading),
            _ => return Ok(false),
        }
        self.bump();
        Ok(true)
    }

    fn storage(&mut self, into: &mut Specifiers, storage: Storage) -> Parsed<bool> {
        let token = self.bump();
        match into.storage.replace(storage) {
            Some(other) if other != storage => {
                Err(self.invalid(token.span, "multiple storage classes in declaration"))
            }
            _ => Ok(true),
        }
    }

    /// Reads a part of the base type.
    fn base_type(&mut self, token: Token, reading: &mut Reading) -> Parsed<bool> {
        use TokenKind::*;
        let is_word = !matches!(
            token.kind,
            Identifier | Struct | Union | Enum | Typeof | AutoType | VaList | Atomic
        );
        if reading.base.is_some() || (!is_word && reading.words.any()) {
            return Err(self.second_type(token, reading));
        }
        if is_word {
            self.bump();
            if !reading.words.add(token.kind, token.symbol.keyword()) {
                let word = token.symbol.keyword();
                let message = format!("'{word}' cannot be combined with the type before it");
                return Err(self.invalid(token.span, message));
            }
            return Ok(true);
        }
        reading.base = Some(self.other_base(token)?);
        Ok(true)
    }

    /// A type after a type; most often, a semicolon is missing after a definition.
    fn second_type(&self, token: Token, reading: &Reading) -> Box<crate::diagnostic::Diagnostic> {
        let what = match &reading.base {
            Some(TypeSpecifier::Record(record)) if record.members.is_some() => "definition",
            Some(TypeSpecifier::Enum(constants)) if constants.constants.is_some() => "definition",
            _ => return self.invalid(token.span, "two or more data types in declaration"),
        };
        self.unexpected(&format!("';' after {what}"))
    }

    /// A base type that is not made of words.
    fn other_base(&mut self, token: Token) -> Parsed<TypeSpecifier> {
        use TokenKind::*;
        match token.kind {
            Struct | Union => Ok(TypeSpecifier::Record(self.record()?)),
            Enum => Ok(TypeSpecifier::Enum(self.enumeration()?)),
            Typeof => self.type_of(),
            Atomic => {
                self.bump();
                Ok(TypeSpecifier::Atomic(self.type_in_parentheses()?))
            }
            _ => {
                self.bump();
                Ok(match token.kind {
                    AutoType => TypeSpecifier::Auto,
                    VaList => TypeSpecifier::VaList,
                    _ => {
                        let (name, span) = (self.name(token), token.span);
                        TypeSpecifier::Typedef(self::Identifier { name, span })
                    }
                })
            }
        }
    }

    fn type_of(&mut self) -> Parsed<TypeSpecifier> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "'(' after 'typeof'")?;
        let base = if self.starts_type(self.token()) {
            TypeSpecifier::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpecifier::TypeofExpr(Box::new(self.expression()?))
        };
        self.close(open, TokenKind::RightParen)?;
        Ok(base)
    }

    fn alignment(&mut self, reading: &mut Reading) -> Parsed<()> {
        self.bump();
        let open = self.expect(TokenKind::LeftParen, "'(' after '_Alignas'")?;
        let alignment = if self.starts_type(self.token()) {
            Alignment::Type(self.type_name()?)
        } else {
            Alignment::Value(self.constant()?)
        };
        reading.specifiers.alignments.push(alignment);
        self.close(open, TokenKind::RightParen).map(drop)
    }

    /// `(type)`
    pub(super) fn type_in_parentheses(&mut self) -> Parsed<Box<TypeName>> {
        let open = self.expect(TokenKind::LeftParen, "'('")?;
        let name = self.type_name()?;
        self.close(open, TokenKind::RightParen)?;
        Ok(Box::new(name))
    }

    /// Takes qualifiers and attributes, as they stand after `*` and in `[…]`.
    pub(super) fn qualifiers(&mut self) -> Parsed<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            match self.kind() {
                TokenKind::Attribute => self.attributes_into(&mut Vec::new())?,
                TokenKind::Const
                | TokenKind::Volatile
                | TokenKind::Restrict
                | TokenKind::Atomic => qualify(&mut qualifiers, self.bump().kind),
                _ => return Ok(qualifiers),
            }
        }
    }
}

fn qualify(qualifiers: &mut Qualifiers, kind: TokenKind) {
    match kind {
        TokenKind::Const => qualifiers.constant = true,
        TokenKind::Volatile => qualifiers.volatile = true,
        TokenKind::Atomic => qualifiers.atomic = true,
        _ => {}
    }
}

fn no_specifiers() -> Specifiers {
    Specifiers {
        storage: None,
        thread_local: false,
        inline: false,
        noreturn: false,
        qualifiers: Qualifiers::default(),
        base: TypeSpecifier::Auto,
        alignments: Vec::new(),
        attributes: Vec::new(),
        span: Span::default(),
    }
}
