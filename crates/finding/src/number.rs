//! Numbers as text, without format strings: finding a bug can take as long as those do.

/// Writes a number behind a text.
pub fn push_number(text: &mut String, number: u64) {
    if number > 9 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_formatted() {
        for number in [0, 9, 10, 99, 100, 1_234_567_890, u64::MAX] {
            let mut text = "a".to_owned();
            push_number(&mut text, number);
            assert_eq!(text, format!("a{number}"));
        }
    }
}
