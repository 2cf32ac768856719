//! Punctuators, with the digraphs.

use super::token::TokenKind::{self, *};

/// Longer ones before those that they start with.
const PUNCTUATORS: &[(&[u8], TokenKind)] = &[
    (b"%:%:", HashHash),
    (b"...", Ellipsis),
    (b"<<=", ShiftLeftAssign),
    (b">>=", ShiftRightAssign),
    (b"->", Arrow),
    (b"++", PlusPlus),
    (b"--", MinusMinus),
    (b"<<", ShiftLeft),
    (b">>", ShiftRight),
    (b"<=", LessEqual),
    (b">=", GreaterEqual),
    (b"==", EqualEqual),
    (b"!=", NotEqual),
    (b"&&", AndAnd),
    (b"||", OrOr),
    (b"+=", PlusAssign),
    (b"-=", MinusAssign),
    (b"*=", StarAssign),
    (b"/=", SlashAssign),
    (b"%=", PercentAssign),
    (b"&=", AndAssign),
    (b"|=", OrAssign),
    (b"^=", XorAssign),
    (b"##", HashHash),
    (b"<:", LeftBracket),
    (b":>", RightBracket),
    (b"<%", LeftBrace),
    (b"%>", RightBrace),
    (b"%:", Hash),
];

/// The punctuator at the start of the text, which is not empty, and how many bytes it has.
pub(super) fn at(text: &[u8]) -> (TokenKind, usize) {
    let single = single(text[0]);
    let may_go_on = text.get(1).is_some_and(u8::is_ascii_punctuation);
    if may_go_on && !matches!(single, LeftParen | RightParen | Semicolon | Comma) {
        let long = PUNCTUATORS.iter().find(|(spelling, _)| text.starts_with(spelling));
        if let Some((spelling, kind)) = long {
            return (*kind, spelling.len());
        }
    }
    (single, 1)
}

fn single(byte: u8) -> TokenKind {
    match byte {
        b'(' => LeftParen,
        b')' => RightParen,
        b'[' => LeftBracket,
        b']' => RightBracket,
        b'{' => LeftBrace,
        b'}' => RightBrace,
        b';' => Semicolon,
        b',' => Comma,
        b':' => Colon,
        b'?' => Question,
        b'.' => Dot,
        b'+' => Plus,
        b'-' => Minus,
        b'*' => Star,
        b'/' => Slash,
        b'%' => Percent,
        b'&' => And,
        b'|' => Or,
        b'^' => Xor,
        b'~' => Tilde,
        b'!' => Not,
        b'<' => Less,
        b'>' => Greater,
        b'=' => Assign,
        b'#' => Hash,
        _ => Stray,
    }
}
