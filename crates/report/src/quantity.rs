//! Quantities for people: counts and bytes.

const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/// A number with its thousands set apart: `10,000,000`.
pub fn count(n: impl TryInto<u64>) -> String {
    let digits = n.try_into().unwrap_or(u64::MAX).to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number and the noun it counts: `1 event`, `2 events`.
pub fn counted(n: usize, noun: &str) -> String {
    plural(n, noun, &format!("{noun}s"))
}

/// A number and the noun it counts, which has a plural of its own: `1 switch`, `2 switches`.
pub fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(n as u64), if n == 1 { one } else { many })
}

/// A number of bytes: `34.1 MiB`.
pub fn bytes(n: u64) -> String {
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 if n == 1 => "1 byte".to_owned(),
        0 => format!("{n} bytes"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (10_000_000, "10,000,000")];
        for (n, text) in cases {
            assert_eq!(count(n as u64), text);
        }
    }

    #[test]
    fn nouns_agree_with_their_number() {
        assert_eq!(counted(1, "event"), "1 event");
        assert_eq!(counted(2000, "event"), "2,000 events");
    }

    #[test]
    fn bytes_have_the_largest_unit_that_fits() {
        let cases = [(1, "1 byte"), (1023, "1023 bytes"), (1 << 20, "1.0 MiB")];
        for (n, text) in cases {
            assert_eq!(bytes(n), text);
        }
    }
}
