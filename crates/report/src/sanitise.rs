//! Makes text from outside safe to show.
//!
//! A trace, a file name or a configuration can hold escape sequences that would recolour,
//! rewrite or rename the terminal, and invisible characters that make two names look the same.
//! Each such character is replaced by one visible character, so that columns stay what they are.

/// Text in which every character can be seen; a control character becomes its picture: `␛`.
pub fn visible(text: &str) -> String {
    text.chars().map(picture).collect()
}

/// JSON in which characters that `serde_json` writes as they are, and a terminal might act on,
/// are escaped.
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_hidden(c) {
            escaped.push(c);
        } else {
            let mut units = [0; 2];
            escaped.extend(c.encode_utf16(&mut units).iter().map(|u| format!("\\u{u:04x}")));
        }
    }
    escaped
}

/// True if some character would not be shown as itself.
pub fn has_hidden(text: &str) -> bool {
    text.chars().any(is_hidden)
}

fn picture(c: char) -> char {
    match c {
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '␡',
        c if is_hidden(c) => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

/// Control characters, and the format characters that are invisible or turn text around.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_pictures_one_for_one() {
        assert_eq!(visible("a\x1b[31mb\tc\r\n\x7f"), "a␛[31mb␉c␍␊␡");
    }

    #[test]
    fn characters_that_turn_text_around_are_replaced() {
        assert_eq!(visible("a\u{202e}b\u{9b}c"), "a\u{fffd}b\u{fffd}c");
    }

    #[test]
    fn letters_of_any_script_stay() {
        assert_eq!(visible("zähler e\u{301} 変数 𝛼"), "zähler e\u{301} 変数 𝛼");
    }

    #[test]
    fn json_stays_json() {
        let value = "x\u{9b}\u{7f}\u{e0001}\u{1b}y";
        let json = escape_json(&serde_json::to_string(value).unwrap());
        assert!(json.is_ascii(), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), value);
    }
}
