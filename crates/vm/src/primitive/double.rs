//! The text of floating-point numbers, as C prints and reads it.
//!
//! Rust formats and parses decimal numbers exactly; what is added here is C's choice between
//! forms, exponents of at least two digits, the alternative form and hexadecimal numbers.

/// Keeps the decimal point and trailing zeroes: `#`.
const ALTERNATIVE: u32 = 1;
/// A sign for positive numbers, too: `+`.
const PLUS: u32 = 2;
/// A space in place of a plus sign.
const SPACE: u32 = 4;

/// The text of a number by one of the conversions `e f g a` or their capitals; a negative
/// precision is the default one.
pub(super) fn format(number: f64, conversion: u8, precision: i32, flags: u32) -> String {
    let sign = match (number.is_sign_negative(), flags & PLUS != 0, flags & SPACE != 0) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    };
    let size = number.abs();
    let alternative = flags & ALTERNATIVE != 0;
    let given = usize::try_from(precision).ok();
    let digits = match conversion.to_ascii_lowercase() {
        _ if size.is_nan() => "nan".to_owned(),
        _ if size.is_infinite() => "inf".to_owned(),
        b'e' => exponential(size, given.unwrap_or(6), alternative),
        b'g' => general(size, given.unwrap_or(6).max(1), alternative),
        b'a' => hexadecimal(size, given, alternative),
        _ => fixed(size, given.unwrap_or(6), alternative),
    };
    let text = format!("{sign}{digits}");
    if conversion.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
}

fn fixed(size: f64, precision: usize, alternative: bool) -> String {
    let point = if alternative && precision == 0 { "." } else { "" };
    format!("{size:.precision$}{point}")
}

/// The digits and the exponent of a number with so many digits after the point.
fn scientific(size: f64, precision: usize) -> (String, i32) {
    let text = format!("{size:.precision$e}");
    let (digits, exponent) = text.split_once('e').expect("the format has an exponent");
    (digits.to_owned(), exponent.parse().expect("the exponent is a number"))
}

fn exponential(size: f64, precision: usize, alternative: bool) -> String {
    let (digits, exponent) = scientific(size, precision);
    let point = if alternative && precision == 0 { "." } else { "" };
    with_exponent(&format!("{digits}{point}"), exponent)
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

fn general(size: f64, precision: usize, alternative: bool) -> String {
    let (digits, exponent) = scientific(size, precision - 1);
    let scaled = exponent < -4 || exponent >= precision as i32;
    let decimals = if scaled { 0 } else { (precision as i32 - 1 - exponent) as usize };
    let text = if scaled { digits } else { format!("{size:.decimals$}") };
    let text = match (alternative, text.contains('.')) {
        (true, false) => format!("{text}."),
        (false, true) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => text,
    };
    if scaled { with_exponent(&text, exponent) } else { text }
}

fn hexadecimal(size: f64, precision: Option<usize>, alternative: bool) -> String {
    let bits = size.to_bits();
    let (mut mantissa, mut exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let normal = exponent != 0;
    if normal {
        mantissa |= 1 << 52;
        exponent -= 1023;
    } else {
        exponent = if mantissa == 0 { 0 } else { -1022 };
    }
    if let Some(kept) = precision.filter(|&kept| kept < 13) {
        mantissa = round_to_even(mantissa, 4 * (13 - kept as u32));
    }
    let (lead, rest) = (mantissa >> 52, mantissa & ((1 << 52) - 1));
    let digits = format!("{rest:013x}");
    let digits = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(kept) if kept <= 13 => digits[..kept].to_owned(),
        Some(kept) => format!("{digits:0<kept$}"),
    };
    let point = if digits.is_empty() && !alternative { "" } else { "." };
    format!("0x{lead}{point}{digits}p{exponent:+}")
}

/// A number whose low bits are rounded away, ties to even.
fn round_to_even(number: u64, bits: u32) -> u64 {
    let (kept, half) = (number >> bits, 1 << (bits - 1));
    let rest = number & ((1 << bits) - 1);
    let up = rest > half || rest == half && kept & 1 == 1;
    (kept + u64::from(up)) << bits
}

/// The number at the start of a text, and how many bytes of the text it takes: none if there is
/// no number.
pub(super) fn parse(text: &[u8]) -> (f64, usize) {
    let space = text.iter().take_while(|b| b.is_ascii_whitespace() || **b == 0x0B).count();
    let (negative, n_sign) = match text.get(space) {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    };
    let rest = &text[space + n_sign..];
    let special = [("infinity", f64::INFINITY), ("inf", f64::INFINITY), ("nan", f64::NAN)];
    let starts = |word: &str| {
        rest.len() >= word.len() && rest[..word.len()].eq_ignore_ascii_case(word.as_bytes())
    };
    let found = match special.iter().find(|(word, _)| starts(word)) {
        Some(&("nan", value)) => Some((value, 3 + payload(&rest[3..]))),
        Some(&(word, value)) => Some((value, word.len())),
        None if starts("0x") => parse_hexadecimal(&rest[2..]).or(Some((0.0, 1))),
        None => parse_decimal(rest),
    };
    match found {
        Some((value, n)) => (if negative { -value } else { value }, space + n_sign + n),
        None => (0.0, 0),
    }
}

/// The length of `(…)` after `nan`.
fn payload(text: &[u8]) -> usize {
    if text.first() != Some(&b'(') {
        return 0;
    }
    let n = text[1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    if text.get(1 + n) == Some(&b')') { n + 2 } else { 0 }
}

fn parse_decimal(text: &[u8]) -> Option<(f64, usize)> {
    let (n, n_digits) = mantissa(text, u8::is_ascii_digit);
    if n_digits == 0 {
        return None;
    }
    let n = n + exponent(&text[n..], b'e').map_or(0, |(_, length)| length);
    let number = std::str::from_utf8(&text[..n]).ok()?.parse().ok()?;
    Some((number, n))
}

/// The length of digits with at most one point, and how many digits there are.
fn mantissa(text: &[u8], is_digit: fn(&u8) -> bool) -> (usize, usize) {
    let whole = text.iter().take_while(|b| is_digit(b)).count();
    if text.get(whole) != Some(&b'.') {
        return (whole, whole);
    }
    let part = text[whole + 1..].iter().take_while(|b| is_digit(b)).count();
    (whole + 1 + part, whole + part)
}

/// The value and the length of an exponent.
fn exponent(text: &[u8], letter: u8) -> Option<(i64, usize)> {
    if text.first()?.to_ascii_lowercase() != letter {
        return None;
    }
    let signed = matches!(text.get(1), Some(b'+' | b'-'));
    let start = if signed { 2 } else { 1 };
    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit());
    let (mut value, mut n) = (0_i64, 0);
    for digit in digits {
        value = (value * 10 + i64::from(digit - b'0')).min(1_000_000);
        n += 1;
    }
    let value = if text.get(1) == Some(&b'-') { -value } else { value };
    (n > 0).then_some((value, start + n))
}

/// A hexadecimal number after its `0x`; the length counts the `0x`, too.
fn parse_hexadecimal(text: &[u8]) -> Option<(f64, usize)> {
    let (n, n_digits) = mantissa(text, u8::is_ascii_hexdigit);
    if n_digits == 0 {
        return None;
    }
    let (mut bits, mut power, mut sticky) = (0_u64, 0_i64, false);
    let mut after_point = false;
    for &byte in &text[..n] {
        let Some(digit) = (byte as char).to_digit(16) else {
            after_point = true;
            continue;
        };
        if bits >> 60 == 0 {
            bits = bits << 4 | u64::from(digit);
            power -= if after_point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            power += if after_point { 0 } else { 4 };
        }
    }
    let (shift, length) = exponent(&text[n..], b'p').unwrap_or((0, 0));
    Some((scale(bits, power + shift, sticky), n + length + 2))
}

/// `bits` times two to the `power`, rounded once; `sticky` says that there was a bit more.
fn scale(bits: u64, power: i64, sticky: bool) -> f64 {
    if bits == 0 {
        return 0.0;
    }
    let shift = bits.leading_zeros();
    let bits = bits << shift;
    // The value is 1.… times two to this exponent.
    let exponent = power - i64::from(shift) + 63;
    if exponent > 1023 {
        return f64::INFINITY;
    }
    let dropped = if exponent >= -1022 { 11 } else { (11 - 1022 - exponent).min(64) as u32 };
    let wide = u128::from(bits) << 1 | u128::from(sticky);
    let (kept, rest) = (wide >> (dropped + 1), wide & ((1 << (dropped + 1)) - 1));
    let half = 1_u128 << dropped;
    let up = rest > half || rest == half && kept & 1 == 1;
    let mantissa = kept as u64 + u64::from(up);
    let base = if exponent >= -1022 { (exponent + 1022) as u64 } else { 0 };
    // The leading bit of a normal number and a carry both go into the exponent.
    f64::from_bits((base << 52) + mantissa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: f64, conversion: char, precision: i32, flags: u32, expected: &str) {
        assert_eq!(format(number, conversion as u8, precision, flags), expected);
    }

    #[test]
    fn fixed_numbers() {
        check(3.5, 'f', -1, 0, "3.500000");
        check(2.5, 'f', 0, 0, "2");
        check(-0.0, 'f', 1, 0, "-0.0");
        check(1e22, 'f', 0, ALTERNATIVE, "10000000000000000000000.");
        check(0.1, 'f', 20, PLUS, "+0.10000000000000000555");
    }

    #[test]
    fn exponents_have_two_digits() {
        check(0.0, 'e', -1, 0, "0.000000e+00");
        check(12345.678, 'E', 2, 0, "1.23E+04");
        check(1e-300, 'e', 0, SPACE, " 1e-300");
        check(5.0, 'e', 0, ALTERNATIVE, "5.e+00");
    }

    #[test]
    fn general_numbers_choose_their_form() {
        check(100000.0, 'g', -1, 0, "100000");
        check(1000000.0, 'g', -1, 0, "1e+06");
        check(0.0001, 'g', -1, 0, "0.0001");
        check(0.00001, 'g', -1, 0, "1e-05");
        check(9.9999999, 'g', 3, 0, "10");
        check(1.0, 'g', -1, ALTERNATIVE, "1.00000");
        check(0.0, 'g', 0, 0, "0");
        check(999999.5, 'g', -1, 0, "1e+06");
    }

    #[test]
    fn hexadecimal_numbers() {
        check(1.0, 'a', -1, 0, "0x1p+0");
        check(0.0, 'a', -1, 0, "0x0p+0");
        check(0.5, 'A', 3, 0, "0X1.000P-1");
        check(1.999, 'a', 1, 0, "0x2.0p+0");
        check(5e-324, 'a', -1, 0, "0x0.0000000000001p-1022");
        check(f64::INFINITY, 'f', -1, PLUS, "+inf");
        check(-f64::NAN, 'G', -1, 0, "-NAN");
    }

    #[track_caller]
    fn reads(text: &str, value: f64, n: usize) {
        let (found, length) = parse(text.as_bytes());
        assert!(found.to_bits() == value.to_bits() || found.is_nan() && value.is_nan(), "{found}");
        assert_eq!(length, n);
    }

    #[test]
    fn decimal_numbers_are_read() {
        reads("  -12.5e1x", -125.0, 9);
        reads("1e", 1.0, 1);
        reads(".5", 0.5, 2);
        reads("5.", 5.0, 2);
        reads(".", 0.0, 0);
        reads("1e400", f64::INFINITY, 5);
        reads("0.1\0", 0.1, 3);
    }

    #[test]
    fn special_numbers_are_read() {
        reads("inf", f64::INFINITY, 3);
        reads("-Infinityx", f64::NEG_INFINITY, 9);
        reads("nan(12)", f64::NAN, 7);
    }

    #[test]
    fn hexadecimal_numbers_are_read() {
        reads("0x1.8p1", 3.0, 7);
        reads("0x", 0.0, 1);
        reads("0xAp-1z", 5.0, 6);
        reads("0x1p-1074", 5e-324, 9);
        reads("0x1.fffffffffffff8p0", 2.0, 20);
        reads("0x1p2000", f64::INFINITY, 8);
    }
}
