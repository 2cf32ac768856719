//! What a character constant or a string means.
//!
//! In: the bytes of a token, with prefix and quotes. Out: its value as gcc computes it, or its
//! code units: bytes for narrow strings, UTF-16 for `u`, code points for `U` and `L`.

use crate::ast::Prefix;

/// The prefix of a constant and what stands between its quotes.
pub fn split(token: &[u8]) -> (Prefix, &[u8]) {
    let quote = token.iter().position(|byte| matches!(byte, b'"' | b'\'')).unwrap_or(0);
    let prefix = match &token[..quote] {
        b"L" => Prefix::Wide,
        b"u" => Prefix::Utf16,
        b"U" => Prefix::Utf32,
        b"u8" => Prefix::Utf8,
        _ => Prefix::None,
    };
    let end = token.len().saturating_sub(1).max(quote + 1);
    (prefix, token.get(quote + 1..end).unwrap_or(&[]))
}

/// Appends the units of a string to `units`; an error says what is wrong with it.
pub fn units(mut inside: &[u8], prefix: Prefix, units: &mut Vec<u32>) -> Result<(), String> {
    while let Some(first) = inside.first() {
        let (unit, length) = match first {
            b'\\' => escape(inside)?,
            0x80.. if !is_narrow(prefix) => code_point(inside),
            byte => (Unit::Raw(u32::from(*byte)), 1),
        };
        push(unit, prefix, units);
        inside = &inside[length..];
    }
    Ok(())
}

/// The value of a character constant: the last four bytes of a narrow one, the last character of
/// a wide one.
pub fn character(inside: &[u8], prefix: Prefix) -> Result<i64, String> {
    let mut list = Vec::new();
    units(inside, prefix, &mut list)?;
    match (list.as_slice(), prefix) {
        ([], _) => Err("empty character constant".to_owned()),
        ([byte], Prefix::None) => Ok(i64::from(*byte as u8 as i8)),
        (bytes, Prefix::None) => {
            let join = |value: i32, byte: &u32| value << 8 | (*byte & 0xff) as i32;
            Ok(i64::from(bytes.iter().fold(0, join)))
        }
        ([.., last], Prefix::Wide) => Ok(i64::from(*last as i32)),
        ([.., last], _) => Ok(i64::from(*last)),
    }
}

/// A character, which is encoded as the string is, or a number, which is not.
enum Unit {
    Character(u32),
    Raw(u32),
}

fn is_narrow(prefix: Prefix) -> bool {
    matches!(prefix, Prefix::None | Prefix::Utf8)
}

fn push(unit: Unit, prefix: Prefix, units: &mut Vec<u32>) {
    match (unit, prefix) {
        (Unit::Raw(value), Prefix::None | Prefix::Utf8) => units.push(value & 0xff),
        (Unit::Raw(value), Prefix::Utf16) => units.push(value & 0xffff),
        (Unit::Raw(value), _) => units.push(value),
        (Unit::Character(value), _) => {
            let character = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
            match prefix {
                Prefix::None | Prefix::Utf8 => {
                    let mut buffer = [0; 4];
                    units.extend(character.encode_utf8(&mut buffer).bytes().map(u32::from));
                }
                Prefix::Utf16 => {
                    let mut buffer = [0; 2];
                    units.extend(character.encode_utf16(&mut buffer).iter().map(|u| u32::from(*u)));
                }
                Prefix::Wide | Prefix::Utf32 => units.push(value),
            }
        }
    }
}

/// The character at the start and its length; a byte that is not UTF-8 stands for itself.
fn code_point(text: &[u8]) -> (Unit, usize) {
    let chunk = text.utf8_chunks().next();
    match chunk.and_then(|chunk| chunk.valid().chars().next()) {
        Some(character) => (Unit::Character(character.into()), character.len_utf8()),
        None => (Unit::Raw(u32::from(text[0])), 1),
    }
}

/// The escape sequence at the start and its length.
fn escape(text: &[u8]) -> Result<(Unit, usize), String> {
    let Some(letter) = text.get(1) else { return Err("a backslash before nothing".to_owned()) };
    let simple = |value: u32| Ok((Unit::Raw(value), 2));
    match letter {
        b'a' => simple(7),
        b'b' => simple(8),
        b'e' | b'E' => simple(27),
        b'f' => simple(12),
        b'n' => simple(10),
        b'r' => simple(13),
        b't' => simple(9),
        b'v' => simple(11),
        b'0'..=b'7' => {
            let (value, length) = digits(&text[1..], 8, 3);
            Ok((Unit::Raw(value), 1 + length))
        }
        b'x' => match digits(&text[2..], 16, usize::MAX) {
            (_, 0) => Err("\\x used with no following hex digits".to_owned()),
            (value, length) => Ok((Unit::Raw(value), 2 + length)),
        },
        b'u' => universal(&text[2..], 4),
        b'U' => universal(&text[2..], 8),
        b'\n' => Ok((Unit::Raw(u32::from(b'\n')), 2)),
        other => simple(u32::from(*other)),
    }
}

/// `\u` and `\U`: the digits after the letter.
fn universal(text: &[u8], wanted: usize) -> Result<(Unit, usize), String> {
    match digits(text, 16, wanted) {
        (value, length) if length == wanted && char::from_u32(value).is_some() => {
            Ok((Unit::Character(value), 2 + length))
        }
        (_, length) if length == wanted => Err("not a valid universal character".to_owned()),
        _ => Err("incomplete universal character name".to_owned()),
    }
}

/// The number at the start, cut off to 32 bits, and how many digits it has.
fn digits(text: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let numbers = text.iter().map_while(|byte| char::from(*byte).to_digit(radix)).take(most);
    numbers.fold((0, 0), |(value, length): (u32, usize), digit| {
        (value.wrapping_mul(radix).wrapping_add(digit), length + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(token: &[u8], expected: &[u32]) {
        let (prefix, inside) = split(token);
        let mut list = Vec::new();
        units(inside, prefix, &mut list).unwrap();
        assert_eq!(list, expected);
    }

    #[track_caller]
    fn check_character(token: &str, expected: Result<i64, &str>) {
        let (prefix, inside) = split(token.as_bytes());
        assert_eq!(character(inside, prefix), expected.map_err(str::to_owned));
    }

    #[test]
    fn escapes() {
        check(br#""\n\t\0\177\x41\e\"\\""#, &[10, 9, 0, 127, 0x41, 27, 34, 92]);
        check(br#""\1234\q""#, &[0o123, 52, 113]);
        check(br#""\xfff""#, &[255]);
    }

    #[test]
    fn narrow_strings_are_bytes() {
        check("\"é\"".as_bytes(), &[0xc3, 0xa9]);
        check(br#""\u00e9""#, &[0xc3, 0xa9]);
        check(b"\"\xff\"", &[0xff]);
    }

    #[test]
    fn wide_strings_are_characters() {
        check("L\"é\\x1234\"".as_bytes(), &[0xe9, 0x1234]);
        check("u\"😀\"".as_bytes(), &[0xd83d, 0xde00]);
        check(br#"U"\U0001f600""#, &[0x1f600]);
        check(b"L\"\xff\"", &[0xff]);
    }

    #[test]
    fn characters_are_computed_as_gcc_does() {
        check_character("'a'", Ok(97));
        check_character(r"'\377'", Ok(-1));
        check_character("'ab'", Ok(0x6162));
        check_character("'abcde'", Ok(0x6263_6465));
        check_character(r"'\xff\xff\xff\xff'", Ok(-1));
        check_character("'é'", Ok(0xc3a9));
        check_character("L'é'", Ok(0xe9));
        check_character("u'x'", Ok(120));
    }

    #[test]
    fn characters_that_are_none() {
        check_character("''", Err("empty character constant"));
        check_character(r"'\x'", Err("\\x used with no following hex digits"));
        check_character(r"'\u12'", Err("incomplete universal character name"));
        check_character(r"'\ud800'", Err("not a valid universal character"));
    }
}
