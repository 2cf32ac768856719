//! Quantities for people: counts, shares, bytes; and sizes that people write.

use std::str::FromStr;
use std::time::Duration;

pub(crate) use raddle_report::quantity::{bytes, count, counted};
use serde::{Deserialize, Deserializer, de};

/// A share in percent: `39.1 %`.
pub(crate) fn share(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// A number of bytes as people write it: `4GiB`, `500MB`, `1048576`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Size(pub(crate) u64);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let malformed = || format!("`{text}` is not a size; write it like 4GiB, 500MB or 1048576");
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(digits);
        let number: u64 = number.parse().map_err(|_| malformed())?;
        let factor = factor(unit.trim()).ok_or_else(malformed)?;
        number.checked_mul(factor).map(Size).ok_or_else(malformed)
    }
}

/// A time as people write it: `30s`, `5m`, `1h30m`, `500ms`, or a number of seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Time(pub(crate) Duration);

impl FromStr for Time {
    type Err = String;

    fn from_str(text: &str) -> Result<Time, String> {
        let seconds = text.trim().parse().map(Duration::from_secs);
        // `M` is a month, where a minute is meant.
        let is_clear = !text.contains('M');
        let time = seconds.or_else(|_| humantime::parse_duration(text)).ok().filter(|_| is_clear);
        // The longest times cannot be added to the clock.
        let time = time.filter(|time| time.as_millis() <= u128::from(u64::MAX));
        time.map(Time).ok_or_else(|| format!("`{text}` is not a time; write it like 30s, 5m or 2h"))
    }
}

fn factor(unit: &str) -> Option<u64> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return None,
    })
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Size, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_any_usual_unit() {
        let cases =
            [("7", 7), ("4GiB", 4 << 30), ("4g", 4 << 30), ("2 kB", 2000), ("1TiB", 1 << 40)];
        for (text, n) in cases {
            assert_eq!(text.parse(), Ok(Size(n)), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        let cases = [
            ("7", 7_000),
            ("500ms", 500),
            ("2 m", 120_000),
            ("1h", 3_600_000),
            ("1h 30min", 5_400_000),
            ("1.5s", 1_500),
        ];
        for (text, n) in cases {
            assert_eq!(text.parse(), Ok(Time(Duration::from_millis(n))), "{text}");
        }
        for text in [
            "",
            "s",
            "-1s",
            "5M",
            "4q",
            "99999999999999999999d",
            "9999999999999999d",
            "18446744073709551615",
        ] {
            assert!(text.parse::<Time>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "GiB", "-1", "1.5GiB", "4QiB", "99999999999TiB"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
