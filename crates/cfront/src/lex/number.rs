//! What a number means.
//!
//! In: a preprocessing number. Out: an integer or floating constant, or why it is none.

use crate::ast::{Basic, Integer};
use crate::diagnostic::Kind;

/// A constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// An integer.
    Integer(Integer),
    /// A floating constant: its value, rounded to its type, and its type.
    Float(f64, Basic),
}

/// Why a number is none, or none that is supported.
pub type Refusal = (Kind, String);

/// The constant that a number is.
pub fn parse(text: &[u8]) -> Result<Number, Refusal> {
    let text = str::from_utf8(text).map_err(|_| invalid("invalid number"))?;
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, text),
        _ => (10, text),
    };
    let is_float = match radix {
        16 => digits.contains(['.', 'p', 'P']),
        2 => false,
        _ => digits.contains(['.', 'e', 'E']),
    };
    match (is_float, radix) {
        (true, 16) => hexadecimal_float(digits),
        (true, _) => decimal_float(text),
        (false, _) => integer(digits, radix),
    }
}

fn invalid(message: impl Into<String>) -> Refusal {
    (Kind::Invalid, message.into())
}

fn unsupported(message: impl Into<String>) -> Refusal {
    (Kind::Unsupported, message.into())
}

fn integer(text: &str, radix: u32) -> Result<Number, Refusal> {
    let is_digit = |c: char| c.is_digit(radix.max(10));
    let (digits, suffix) = text.split_at(text.find(|c| !is_digit(c)).unwrap_or(text.len()));
    let (unsigned, long) = integer_suffix(suffix)?;
    if digits.is_empty() {
        return Err(invalid("a number without digits"));
    }
    let mut value = 0_u64;
    for digit in digits.chars() {
        let Some(number) = digit.to_digit(radix) else {
            let name = if radix == 8 { "an octal" } else { "a binary" };
            return Err(invalid(format!("invalid digit '{digit}' in {name} constant")));
        };
        let next = value.checked_mul(u64::from(radix));
        let next = next.and_then(|next| next.checked_add(u64::from(number)));
        value = next.ok_or_else(|| invalid("integer constant is too large for its type"))?;
    }
    Ok(Number::Integer(Integer { value, decimal: radix == 10, unsigned, long }))
}

/// Whether `u` and how many `l` a suffix has.
fn integer_suffix(suffix: &str) -> Result<(bool, u8), Refusal> {
    let without_u = suffix.trim_start_matches(['u', 'U']).trim_end_matches(['u', 'U']);
    let long = match without_u {
        "" => 0,
        "l" | "L" => 1,
        "ll" | "LL" => 2,
        _ if suffix.contains(['i', 'j', 'I', 'J']) => {
            return Err(unsupported("complex constants are not supported"));
        }
        _ => return Err(invalid(format!("invalid suffix '{suffix}' on integer constant"))),
    };
    match suffix.len() - without_u.len() {
        0 => Ok((false, long)),
        1 => Ok((true, long)),
        _ => Err(invalid(format!("invalid suffix '{suffix}' on integer constant"))),
    }
}

/// The type that the suffix of a floating constant names.
fn float_suffix(suffix: &str) -> Result<Basic, Refusal> {
    match suffix {
        "" => Ok(Basic::Double),
        "f" | "F" => Ok(Basic::Float),
        "l" | "L" => Ok(Basic::LongDouble),
        "f16" | "F16" | "f32" | "F32" | "f64" | "F64" | "f128" | "F128" | "f32x" | "F32x"
        | "f64x" | "F64x" | "d" | "D" | "df" | "DF" | "dd" | "DD" | "dl" | "DL" | "q" | "Q"
        | "w" | "W" | "i" | "I" | "j" | "J" => Err(unsupported(format!(
            "floating constants with the suffix '{suffix}' are not supported"
        ))),
        _ => Err(invalid(format!("invalid suffix '{suffix}' on floating constant"))),
    }
}

fn decimal_float(text: &str) -> Result<Number, Refusal> {
    let mut length = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    if text[length..].starts_with(['e', 'E']) {
        length += exponent_length(&text[length..])?;
    }
    let kind = float_suffix(&text[length..])?;
    let malformed = || invalid(format!("invalid floating constant '{text}'"));
    let value = match kind {
        Basic::Float => text[..length].parse::<f32>().map(f64::from),
        _ => text[..length].parse::<f64>(),
    };
    Ok(Number::Float(value.map_err(|_| malformed())?, kind))
}

/// How long the exponent at the start of the text is, with its letter.
fn exponent_length(text: &str) -> Result<usize, Refusal> {
    let sign = usize::from(text[1..].starts_with(['+', '-']));
    let digits = text[1 + sign..].bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err(invalid("exponent has no digits"));
    }
    Ok(1 + sign + digits)
}

/// The text after `0x`.
fn hexadecimal_float(text: &str) -> Result<Number, Refusal> {
    let Some(at) = text.find(['p', 'P']) else {
        return Err(invalid("hexadecimal floating constants require an exponent"));
    };
    let length = exponent_length(&text[at..])?;
    let exponent = &text[at + 1..at + length];
    let kind = float_suffix(&text[at + length..])?;
    let negative = exponent.starts_with('-');
    let exponent = exponent.trim_start_matches(['+', '-']).parse::<i64>().unwrap_or(i64::MAX);
    let exponent = exponent.min(1 << 40) * if negative { -1 } else { 1 };
    let (mantissa, shift) = mantissa(&text[..at])?;
    let value = scale(mantissa as f64, exponent.saturating_add(shift));
    let value = if kind == Basic::Float { f64::from(value as f32) } else { value };
    Ok(Number::Float(value, kind))
}

/// The digits as a number of at most 60 bits, whose last stands for all that do not fit, and the
/// power of two that it is to be multiplied with.
fn mantissa(text: &str) -> Result<(u64, i64), Refusal> {
    let (mut mantissa, mut shift, mut after_dot, mut digits) = (0_u64, 0, false, 0);
    for character in text.chars() {
        if character == '.' && !after_dot {
            after_dot = true;
            continue;
        }
        let Some(digit) = character.to_digit(16) else {
            return Err(invalid(format!("invalid digit '{character}' in floating constant")));
        };
        digits += 1;
        if mantissa >> 56 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            shift -= if after_dot { 4 } else { 0 };
        } else {
            mantissa |= u64::from(digit != 0);
            shift += if after_dot { 0 } else { 4 };
        }
    }
    if digits == 0 { Err(invalid("a number without digits")) } else { Ok((mantissa, shift)) }
}

/// `value` times two to the power of `exponent`, in steps that can be said.
fn scale(mut value: f64, exponent: i64) -> f64 {
    let mut rest = exponent.clamp(-3000, 3000);
    while rest != 0 {
        let step = rest.clamp(-1000, 1000);
        value *= 2_f64.powi(step as i32);
        rest -= step;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let shown = match parse(text.as_bytes()) {
            Ok(Number::Integer(integer)) => {
                let u = if integer.unsigned { "u" } else { "" };
                let kind = if integer.decimal { "decimal" } else { "other" };
                format!("{}{u}{} {kind}", integer.value, "l".repeat(integer.long.into()))
            }
            Ok(Number::Float(value, kind)) => format!("{value:?} {kind:?}"),
            Err((_, message)) => message,
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn integers() {
        check("0", "0 decimal");
        check("017", "15 other");
        check("0xFfuL", "255ul other");
        check("0b101", "5 other");
        check("10LLU", "10ull decimal");
        check("18446744073709551615", "18446744073709551615 decimal");
    }

    #[test]
    fn integers_that_are_none() {
        check("18446744073709551616", "integer constant is too large for its type");
        check("089", "invalid digit '8' in an octal constant");
        check("0b12", "invalid digit '2' in a binary constant");
        check("0x", "a number without digits");
        check("1lL", "invalid suffix 'lL' on integer constant");
        check("1ulu", "invalid suffix 'ulu' on integer constant");
        check("12abc", "invalid suffix 'abc' on integer constant");
        check("1i", "complex constants are not supported");
    }

    #[test]
    fn floats() {
        check("1.5", "1.5 Double");
        check("1e3f", "1000.0 Float");
        check("0.1f", "0.10000000149011612 Float");
        check(".5L", "0.5 LongDouble");
        check("5.", "5.0 Double");
        check("09.5", "9.5 Double");
        check("1e999", "inf Double");
    }

    #[test]
    fn hexadecimal_floats() {
        check("0x1.8p1", "3.0 Double");
        check("0x.8p0", "0.5 Double");
        check("0x1p-1074", "5e-324 Double");
        check("0x1.fffffffffffffp1023", "1.7976931348623157e308 Double");
        check("0x10000000000000000000p-76", "1.0 Double");
        check("0x1.00000000000008000000000001p0", "1.0000000000000002 Double");
        check("0x1.8", "hexadecimal floating constants require an exponent");
    }

    #[test]
    fn floats_that_are_none() {
        check("1.2.3", "invalid floating constant '1.2.3'");
        check("1e", "exponent has no digits");
        check("1e+", "exponent has no digits");
        check("1.0F64", "floating constants with the suffix 'F64' are not supported");
        check("1.0g", "invalid suffix 'g' on floating constant");
    }
}
