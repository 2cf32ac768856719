//! Line markers: `# 12 "file" flags`, as preprocessors write them, and `#line 12 "file"`.

/// The line number and, if it is given, the file that a marker names; nothing for other lines.
pub(super) fn parse(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").map_or(rest, str::trim_start);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let name = rest.trim_start().strip_prefix('"').map(unquote);
    Some((number, name))
}

/// The text up to the closing quote, without escapes: `\\`, `\"` and octal numbers.
fn unquote(quoted: &str) -> String {
    let mut bytes = quoted.bytes();
    let mut name = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'7') => name.push(octal(digit, &mut bytes)),
                Some(escaped) => name.push(escaped),
                None => break,
            },
            plain => name.push(plain),
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// An octal escape has three digits in markers.
fn octal(first: u8, rest: &mut std::str::Bytes<'_>) -> u8 {
    let digits = std::iter::once(first).chain(rest.take(2));
    digits.fold(0, |value: u8, digit| value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0')))
}
