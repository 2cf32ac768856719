//! Words of commands that people copy.

use std::ffi::OsStr;

use raddle_report::sanitise::has_hidden;

/// A word that a shell takes as it is, and a terminal shows as it is: bytes that cannot be shown are
/// written `$'\x1b'`, as bash, zsh and ksh read them.
pub fn quoted(word: &OsStr) -> String {
    // More than what `shlex` leaves alone: no shell acts on `=`, `,` or `%` within a word.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,@%".contains(c);
    match word.to_str().filter(|text| !has_hidden(text)) {
        Some(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Some(text) => shlex::try_quote(text).expect("no byte that is 0 is visible").into_owned(),
        None => {
            let byte = |&byte: &u8| match byte {
                b'\\' | b'\'' => format!("\\{}", char::from(byte)),
                b' '..=b'~' => char::from(byte).to_string(),
                _ => format!("\\x{byte:02x}"),
            };
            format!("$'{}'", word.as_encoded_bytes().iter().map(byte).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn words_are_quoted_for_shells_and_terminals() {
        let cases = [
            ("a.c", "a.c"),
            ("", "''"),
            ("it's a.c", "\"it's a.c\""),
            ("a\x1b[31m'\\\n.c", r"$'a\x1b[31m\'\\\x0a.c'"),
            ("\u{202e}c.", r"$'\xe2\x80\xaec.'"),
        ];
        for (word, text) in cases {
            assert_eq!(quoted(OsStr::new(word)), text);
        }
        assert_eq!(quoted(OsStr::from_bytes(b"\xff.c")), r"$'\xff.c'");
    }
}
