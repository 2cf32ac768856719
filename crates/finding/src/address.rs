//! Addresses: names such as `0x7ffd91c04a10` that change from run to run.

/// Whether a name is nothing but a hexadecimal address, and so means nothing in another run.
pub(crate) fn is_address(name: &str) -> bool {
    name.strip_prefix("0x")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: bool) {
        assert_eq!(is_address(name), expected, "{name}");
    }

    #[test]
    fn a_hexadecimal_number_is_an_address() {
        check("0x7ffd91c04a10", true);
    }

    #[test]
    fn names_and_plain_numbers_are_not() {
        check("347", false);
        check("0x", false);
        check("0xbuffer", false);
        check("queue->head", false);
    }
}
