//! Basic types from their words: `long unsigned int` in any order.

use crate::ast::Basic;
use crate::lex::TokenKind;

/// The words that name a basic type, as far as they were read.
#[derive(Default)]
pub(super) struct Words {
    /// `void`, `char`, `int`, `float`, …: at most one.
    core: Option<TokenKind>,
    /// `signed` or `unsigned`: at most one.
    sign: Option<TokenKind>,
    short: bool,
    long: u8,
    complex: bool,
    /// A type by a name of its own.
    unsupported: Option<&'static str>,
}

impl Words {
    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        let some = self.core.is_some() || self.sign.is_some() || self.unsupported.is_some();
        some || self.short || self.long > 0 || self.complex
    }

    /// Takes one more word; `false` if it does not go with the others.
    pub(super) fn add(&mut self, word: TokenKind, spelling: &'static str) -> bool {
        use TokenKind::*;
        let fresh = match word {
            Signed | Unsigned => self.sign.replace(word).is_none(),
            Short => !std::mem::replace(&mut self.short, true),
            Long => {
                self.long += 1;
                self.long <= 2
            }
            Complex => !std::mem::replace(&mut self.complex, true),
            UnsupportedType => self.unsupported.replace(spelling).is_none(),
            _ => self.core.replace(word).is_none(),
        };
        fresh && self.basic().is_some()
    }

    /// The type that the words name; none if they do not go together. No words are `int`.
    pub(super) fn basic(&self) -> Option<Basic> {
        use TokenKind::{Bool, Char, Double, Float, Int, Int128, Void};
        if self.complex {
            return Some(Basic::Unsupported("_Complex"));
        }
        let unsigned = self.sign == Some(TokenKind::Unsigned);
        let plain = self.sign.is_none() && !self.short;
        let pick = |signed: Basic, other: Basic| Some(if unsigned { other } else { signed });
        match (self.unsupported, self.core, self.short, self.long) {
            (Some(name), None, false, 0) if plain => Some(Basic::Unsupported(name)),
            (Some(_), ..) => None,
            (_, None | Some(Int), false, 0) => pick(Basic::Int, Basic::UnsignedInt),
            (_, None | Some(Int), true, 0) => pick(Basic::Short, Basic::UnsignedShort),
            (_, None | Some(Int), false, 1) => pick(Basic::Long, Basic::UnsignedLong),
            (_, None | Some(Int), false, 2) => pick(Basic::LongLong, Basic::UnsignedLongLong),
            (_, Some(Char), false, 0) if plain => Some(Basic::Char),
            (_, Some(Char), false, 0) => pick(Basic::SignedChar, Basic::UnsignedChar),
            (_, Some(Int128), false, 0) => pick(Basic::Int128, Basic::UnsignedInt128),
            (_, Some(TokenKind::Int128Name), false, 0) if plain => Some(Basic::Int128),
            (_, Some(TokenKind::UnsignedInt128Name), false, 0) if plain => {
                Some(Basic::UnsignedInt128)
            }
            (_, Some(Double), false, 1) if plain => Some(Basic::LongDouble),
            (_, Some(Double), false, 0) if plain => Some(Basic::Double),
            (_, Some(Float), false, 0) if plain => Some(Basic::Float),
            (_, Some(Void), false, 0) if plain => Some(Basic::Void),
            (_, Some(Bool), false, 0) if plain => Some(Basic::Bool),
            _ => None,
        }
    }
}
