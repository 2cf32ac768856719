//! Many bytes, as people would write them.
//!
//! - T1: printable characters, up to a zero behind which nothing but zeros comes, are text.
//! - T2: bytes that are all the same are one number.
//! - T3: others are shown one by one, the first of them.
//!
//! Of a long block only the first bytes are known: it is text if these are, and never all the same.

/// How many characters of a text are shown.
const TEXT_MAX: usize = 24;

/// How many bytes are shown.
const BYTES_MAX: usize = 8;

/// A block of `size` bytes that begins with these.
pub(super) fn text(bytes: &[u8], size: u32) -> String {
    let is_whole = bytes.len() >= size as usize;
    if let Some(text) = characters(bytes, is_whole) {
        return text;
    }
    match bytes {
        [first, others @ ..] if is_whole && others.iter().all(|byte| byte == first) => {
            format!("all {first}") // T2
        }
        _ => {
            let shown = bytes.iter().take(BYTES_MAX).map(|byte| format!("{byte:02x}"));
            let more = (size as usize > BYTES_MAX).then(|| "…".to_owned());
            shown.chain(more).collect::<Vec<_>>().join(" ") // T3
        }
    }
}

/// Bytes as a text, if they are one (T1); whether they are all there are.
pub(super) fn characters(bytes: &[u8], is_whole: bool) -> Option<String> {
    let (text, rest) = match bytes.iter().position(|&byte| byte == 0) {
        Some(end) => bytes.split_at(end),
        None => (bytes, &[][..]),
    };
    let is_text = !text.is_empty()
        && text.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
        && rest.iter().all(|&byte| byte == 0);
    is_text.then(|| quoted(text, is_whole || !rest.is_empty()))
}

fn quoted(text: &[u8], is_all: bool) -> String {
    let shown = &text[..text.len().min(TEXT_MAX)];
    let more = if is_all && shown.len() == text.len() { "" } else { "…" };
    format!("\"{}{more}\"", shown.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn text_is_quoted_up_to_its_end() {
        assert_eq!(text(b"hello\0", 6), "\"hello\"");
        assert_eq!(text(b"hel", 3), "\"hel\"");
        assert_eq!(text(b"a\n\"b\0\0\0\0", 8), r#""a\n\"b""#);
        assert_eq!(text(&[b'x'; 64], 70), format!("\"{}…\"", "x".repeat(24)));
    }

    #[test]
    fn what_is_all_the_same_is_one_number_if_all_is_known() {
        assert_eq!(text(&[0; 40], 40), "all 0");
        assert_eq!(text(&[0; 64], 100), "00 00 00 00 00 00 00 00 …");
        assert_eq!(text(&[255; 3], 3), "all 255");
    }

    #[test]
    fn other_bytes_are_shown_one_by_one() {
        assert_eq!(text(&[1, 0, 2], 3), "01 00 02");
        assert_eq!(text(b"ab\0c", 4), "61 62 00 63");
        assert_eq!(text(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 9), "01 02 03 04 05 06 07 08 …");
    }
}
