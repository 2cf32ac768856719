//! Where the parser stands: looking at tokens, taking them, and saying that others were expected.

use super::{MAX_DEPTH, MAX_HEIGHT, Parsed, Parser};
use crate::ast::{Identifier, Name};
use crate::diagnostic::Diagnostic;
use crate::lex::{Token, TokenKind};
use crate::source::Span;

/// Longer tokens are not repeated in messages.
const LONGEST_SHOWN: usize = 40;

impl Parser<'_> {
    /// The next token.
    pub(super) fn token(&self) -> Token {
        self.tokens.list[self.at]
    }

    /// The token so many after the next; the end is followed by ends.
    pub(super) fn ahead(&self, distance: usize) -> Token {
        let last = self.tokens.list.len() - 1;
        self.tokens.list[(self.at + distance).min(last)]
    }

    /// The kind of the next token.
    pub(super) fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// Whether the next token is of this kind.
    pub(super) fn is_at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// The place of the next token.
    pub(super) fn here(&self) -> Span {
        self.token().span
    }

    /// Takes the next token; the end stays.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.is_at(kind);
        if found {
            self.at += 1;
        }
        found
    }

    /// From `start` to the last token taken.
    pub(super) fn since(&self, start: Span) -> Span {
        let last = self.at.checked_sub(1).map_or(start, |last| self.tokens.list[last].span);
        if last.end <= start.start { Span { end: start.start, ..start } } else { start.to(last) }
    }

    /// Takes a token of this kind; `wanted` describes it: "';' after expression".
    pub(super) fn expect(&mut self, kind: TokenKind, wanted: &str) -> Parsed<Token> {
        if self.is_at(kind) { Ok(self.bump()) } else { Err(self.unexpected(wanted)) }
    }

    /// Takes the token that closes what `open` opened.
    pub(super) fn close(&mut self, open: Token, kind: TokenKind) -> Parsed<Token> {
        let (opening, closing) = match kind {
            TokenKind::RightParen => ("'('", "')'"),
            TokenKind::RightBracket => ("'['", "']'"),
            _ => ("'{'", "'}'"),
        };
        if self.is_at(kind) {
            return Ok(self.bump());
        }
        let error = *self.unexpected(closing);
        Err(Box::new(error.note(Some(open.span), format!("to match this {opening}"))))
    }

    /// Takes a name; `wanted` describes it.
    pub(super) fn identifier(&mut self, wanted: &str) -> Parsed<Identifier> {
        let token = self.expect(TokenKind::Identifier, wanted)?;
        Ok(Identifier { name: self.name(token), span: token.span })
    }

    /// The text of an identifier or keyword.
    pub(super) fn name(&self, token: Token) -> Name {
        self.tokens.names.text(token.symbol).clone()
    }

    /// Something that does not belong here.
    pub(super) fn invalid(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::invalid(span, message))
    }

    /// Something that is valid, but not for us.
    pub(super) fn unsupported(&self, span: Span, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::unsupported(span, message))
    }

    /// The next token is not what was wanted.
    pub(super) fn unexpected(&self, wanted: &str) -> Box<Diagnostic> {
        let token = self.token();
        let text = String::from_utf8_lossy(self.tokens.bytes(token));
        let message = match token.kind {
            TokenKind::End => format!("expected {wanted}, found the end of the file"),
            TokenKind::Stray => format!("stray '{}' in program", text.escape_debug()),
            TokenKind::Unterminated if text.ends_with('"') || text.contains('"') => {
                "missing terminating '\"' character".to_owned()
            }
            TokenKind::Unterminated => "missing terminating ' character".to_owned(),
            TokenKind::UnterminatedComment => "unterminated comment".to_owned(),
            _ if text.chars().count() <= LONGEST_SHOWN => {
                format!("expected {wanted}, found '{text}'")
            }
            _ => {
                let start: String = text.chars().take(LONGEST_SHOWN).collect();
                format!("expected {wanted}, found '{start}…'")
            }
        };
        self.invalid(token.span, message)
    }

    /// Parses something one level deeper, and one node higher than what it contains.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("nesting is deeper than {MAX_DEPTH} levels");
            return Err(self.unsupported(self.here(), message));
        }
        let outside = std::mem::take(&mut self.height);
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        let result = result.and_then(|node| self.grow(1).map(|()| node));
        self.height = self.height.max(outside);
        result
    }

    /// Says that nodes were put on top of what was parsed.
    pub(super) fn grow(&mut self, nodes: usize) -> Parsed<()> {
        self.height = self.height.saturating_add(u32::try_from(nodes).unwrap_or(u32::MAX));
        if self.height > MAX_HEIGHT {
            let message = format!("a chain of more than {MAX_HEIGHT} operators or statements");
            return Err(self.unsupported(self.here(), message));
        }
        Ok(())
    }
}
