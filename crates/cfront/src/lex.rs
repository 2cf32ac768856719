//! The lexer: bytes of preprocessed C to tokens.
//!
//! In: any bytes. Out: [`Tokens`], which end with one of kind `End`. Line markers, `#pragma` and
//! other directives that the preprocessor left are skipped, as are comments; `#pragma pack` is
//! kept beside the tokens. A token is its kind,
//! its place and, for names, its symbol; what a constant means is computed when the parser asks
//! ([`number`], [`text`]). The lexer never fails: what is no token has a kind of its own, which
//! the parser reports when it gets there.

mod keyword;
mod name;
pub mod number;
mod pack;
mod punctuator;
pub mod text;
mod token;

use crate::source::Span;

pub use name::{Names, Symbol};
pub use pack::Packing;
pub use token::{Token, TokenKind};

/// The tokens of a text.
#[derive(Debug)]
pub struct Tokens<'t> {
    /// The text.
    pub text: &'t [u8],
    /// The position of its first byte.
    pub base: u32,
    /// The tokens; the last is `End`.
    pub list: Vec<Token>,
    /// The names in them.
    pub names: Names,
    /// What `#pragma pack` says; its positions are those of the text, without `base`.
    pub packing: Packing,
}

impl<'t> Tokens<'t> {
    /// The bytes of a token.
    pub fn bytes(&self, token: Token) -> &'t [u8] {
        let start = (token.span.start - self.base) as usize;
        let end = (token.span.end - self.base) as usize;
        &self.text[start..end]
    }
}

/// Splits a text into tokens; `base` is the position of its first byte, and the position of its
/// last must fit.
pub fn lex(text: &[u8], base: u32) -> Tokens<'_> {
    assert!(text.len() as u64 + u64::from(base) <= u64::from(u32::MAX), "positions are 32 bits");
    let byte_order_mark = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut lexer = Lexer {
        text,
        at: byte_order_mark,
        line_start: true,
        names: Names::new(),
        packing: Packing::default(),
    };
    let mut list = Vec::with_capacity(text.len() / 5 + 1);
    loop {
        let token = lexer.token(base);
        list.push(token);
        if token.kind == TokenKind::End {
            let Lexer { names, packing, .. } = lexer;
            return Tokens { text, base, list, names, packing };
        }
    }
}

struct Lexer<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether only blanks stand before `at` in its line: then `#` starts a directive.
    line_start: bool,
    names: Names,
    packing: Packing,
}

impl Lexer<'_> {
    fn token(&mut self, base: u32) -> Token {
        let (start, mut kind) = match self.skip_blanks() {
            Ok(()) => (self.at, TokenKind::End),
            Err(start) => (start, TokenKind::UnterminatedComment),
        };
        self.line_start = false;
        let mut symbol = Symbol::NONE;
        if kind == TokenKind::End && start < self.text.len() {
            (kind, symbol) = self.visible();
        }
        let span = Span { start: base + start as u32, end: base + self.at as u32 };
        Token { kind, symbol, span }
    }

    /// The token that starts with the byte at `at`, which is no blank.
    fn visible(&mut self) -> (TokenKind, Symbol) {
        match self.text[self.at] {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(),
            b'0'..=b'9' => (self.number(), Symbol::NONE),
            b'.' if self.peek(1).is_ascii_digit() => (self.number(), Symbol::NONE),
            quote @ (b'"' | b'\'') => (self.quoted(quote), Symbol::NONE),
            _ => {
                let (kind, length) = punctuator::at(&self.text[self.at..]);
                self.at += length;
                (kind, Symbol::NONE)
            }
        }
    }

    /// The byte this far ahead; zero after the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.text.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips blanks, comments and directives; fails with the start of a comment without an end.
    fn skip_blanks(&mut self) -> Result<(), usize> {
        while self.at < self.text.len() {
            match self.text[self.at] {
                b'\n' => {
                    self.at += 1;
                    self.line_start = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => self.at += 2,
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => self.at += 3,
                b'#' if self.line_start => self.skip_directive(),
                b'/' if self.peek(1) == b'/' => self.skip_line(),
                b'/' if self.peek(1) == b'*' => self.skip_comment()?,
                _ => break,
            }
        }
        Ok(())
    }

    /// Skips a directive; one of them is remembered.
    fn skip_directive(&mut self) {
        let start = self.at;
        self.skip_line();
        self.packing.directive(&self.text[start..self.at], start as u32);
    }

    /// To the end of the line; a backslash at the end joins the next.
    fn skip_line(&mut self) {
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            let joined = self.text[self.at] == b'\\' && self.peek(1) == b'\n';
            self.at += 1 + usize::from(joined);
        }
        self.at = self.at.min(self.text.len());
    }

    fn skip_comment(&mut self) -> Result<(), usize> {
        let start = self.at;
        let inside = &self.text[start + 2..];
        match inside.windows(2).position(|pair| pair == b"*/") {
            Some(length) => {
                self.at = start + 2 + length + 2;
                Ok(())
            }
            None => {
                self.at = self.text.len();
                Err(start)
            }
        }
    }

    /// A name, a keyword, or a constant with a prefix.
    fn word(&mut self) -> (TokenKind, Symbol) {
        let rest = &self.text[self.at..];
        let is_part =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'$' | 0x80..);
        let word = &rest[..rest.iter().take_while(is_part).count()];
        self.at += word.len();
        let next = self.peek(0);
        if (next == b'"' || next == b'\'') && matches!(word, b"L" | b"u" | b"U" | b"u8") {
            return (self.quoted(next), Symbol::NONE);
        }
        let symbol = self.names.intern(word);
        (keyword::kind(symbol), symbol)
    }

    /// A preprocessing number, which may turn out to be no number.
    fn number(&mut self) -> TokenKind {
        loop {
            match self.peek(0) {
                b'e' | b'E' | b'p' | b'P' if matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.at += 1,
                _ => return TokenKind::Number,
            }
        }
    }

    /// A string or a character constant up to its closing quote, or to the end of the line.
    fn quoted(&mut self, quote: u8) -> TokenKind {
        self.at += 1;
        while self.at < self.text.len() && self.text[self.at] != b'\n' {
            let byte = self.text[self.at];
            self.at += 1;
            if byte == quote {
                return if quote == b'"' { TokenKind::String } else { TokenKind::Character };
            }
            if byte == b'\\' && self.at < self.text.len() {
                self.at += 1;
            }
        }
        TokenKind::Unterminated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the tokens, without the end.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let tokens = lex(text.as_bytes(), 7);
        let (end, list) = tokens.list.split_last().unwrap();
        assert_eq!(end.kind, TokenKind::End);
        let texts = list.iter().map(|token| String::from_utf8_lossy(tokens.bytes(*token)));
        assert_eq!(texts.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn the_longest_token_is_taken() {
        check("a+++++b", "a ++ ++ + b");
        check("a<<=b>>c->d--", "a <<= b >> c -> d --");
        check("x...y..z", "x ... y . . z");
        check("\u{feff}a b", "a b");
        check("a<:1:>%:%:", "a <: 1 :> %:%:");
    }

    #[test]
    fn directives_and_comments_are_skipped() {
        check("# 1 \"x.c\" 3\n  #pragma pack\\\n(1)\na /* b */ c // d\ne # f", "a c e # f");
    }

    #[test]
    fn numbers_are_as_long_as_they_can_be() {
        check("0x1p+3 1e-5f .5 1.2.3 0xe+1 1...2", "0x1p+3 1e-5f .5 1.2.3 0xe+1 1...2");
        check("1+2 .x 1 ... 2", "1 + 2 . x 1 ... 2");
    }

    #[test]
    fn strings_know_escapes_and_prefixes() {
        check(r#"L"a\"b"u8"c" '\'' u'x' v"y""#, r#"L"a\"b" u8"c" '\'' u'x' v "y""#);
    }

    #[test]
    fn what_is_no_token_has_its_kind() {
        let kinds = |text: &[u8]| lex(text, 0).list.iter().map(|t| t.kind).collect::<Vec<_>>();
        assert_eq!(kinds(b"@"), [TokenKind::Stray, TokenKind::End]);
        assert_eq!(kinds(b"\"x\n"), [TokenKind::Unterminated, TokenKind::End]);
        assert_eq!(kinds(b"'\\"), [TokenKind::Unterminated, TokenKind::End]);
        assert_eq!(kinds(b"/* x"), [TokenKind::UnterminatedComment, TokenKind::End]);
        assert_eq!(kinds(b"\xff\xfe"), [TokenKind::Identifier, TokenKind::End]);
        assert_eq!(kinds(b"# x \\"), [TokenKind::End]);
        assert_eq!(kinds(b"\\"), [TokenKind::Stray, TokenKind::End]);
    }

    #[test]
    fn digraphs_are_the_tokens_that_they_stand_for() {
        let kinds = |text: &[u8]| lex(text, 0).list.iter().map(|t| t.kind).collect::<Vec<_>>();
        assert_eq!(kinds(b"<: :> <% %> %:"), kinds(b"[ ] { } #a"[..9].as_ref()));
    }
}
