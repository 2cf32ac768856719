//! Fingerprints: the same finding has the same one in every run, so that baselines can name it.
//!
//! In: the property, the locations and the objects of a finding.
//! Out: 64 bits, written as 16 hexadecimal digits (XXH3 of a length-prefixed encoding).
//!
//! - F1: per location the file name without directories, the function and the line count; a
//!   location of which no file is known counts by its name. Columns do not count, since compilers
//!   disagree on them.
//! - F2: objects count by name. Bare addresses (`0x…`) do not, since they change from run to run.
//! - F3: locations and objects are sorted first, so that the order of the two accesses of a race
//!   makes no difference; equal ones are kept.
//! - F4: event positions, threads, roles, message, verdict and witness do not count.
//!
//! Lines count on purpose. Without them, a new race beside an old one in the same function would
//! hide behind the old one's baseline entry; with them, moving code reports an old finding anew.
//! The first is silence, the second only noise.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::address::is_address;
use crate::location::Location;
use crate::object::Object;
use crate::property::Property;

/// Identifies a finding across runs, machines and directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u64);

/// The text is not 16 lowercase hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{found}` is not a fingerprint (16 hexadecimal digits, lowercase)")]
pub struct FingerprintError {
    /// The text that was given.
    pub found: String,
}

impl Fingerprint {
    /// Goes into every fingerprint, so that those of other rules can never be taken for these.
    const VERSION: &'static str = "1";

    /// The fingerprint of a finding with this property, these locations and these objects.
    pub fn of<'a>(
        property: Property,
        locations: impl IntoIterator<Item = &'a Location>,
        objects: impl IntoIterator<Item = &'a Object>,
    ) -> Self {
        let mut places: Vec<_> = locations.into_iter().map(place).collect();
        let mut names: Vec<_> =
            objects.into_iter().map(|o| o.name.as_str()).filter(|name| !is_address(name)).collect();
        places.sort_unstable();
        names.sort_unstable();

        let mut text = Encoding::default();
        text.field(Fingerprint::VERSION);
        text.field(property.name());
        text.count(places.len());
        for (file, function, line) in places {
            text.field(file);
            text.field(function);
            text.count(line as usize);
        }
        text.count(names.len());
        names.into_iter().for_each(|name| text.field(name));
        Fingerprint(xxh3_64(text.0.as_bytes()))
    }
}

/// What counts of a location (F1); line 0 stands for none.
fn place(location: &Location) -> (&str, &str, u32) {
    let function = location.function.as_deref().unwrap_or("");
    match location.file_name() {
        Some(file) => (file, function, location.line.unwrap_or(0)),
        None if is_address(&location.name) => ("", function, 0),
        None => (&location.name, function, 0),
    }
}

/// Text in which each field carries its length, so that no two lists of fields look the same.
#[derive(Default)]
struct Encoding(String);

impl Encoding {
    fn field(&mut self, text: &str) {
        self.count(text.len());
        self.0.push_str(text);
    }

    fn count(&mut self, number: usize) {
        self.0.push_str(&number.to_string());
        self.0.push(':');
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let is_digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        let well_formed = text.len() == 16 && text.bytes().all(is_digit);
        let number = if well_formed { u64::from_str_radix(text, 16).ok() } else { None };
        number.map(Fingerprint).ok_or_else(|| FingerprintError { found: text.to_owned() })
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::ObjectKind;

    fn race(locations: &[&str], object: &str) -> Fingerprint {
        let locations: Vec<_> = locations.iter().map(|name| Location::parse(name)).collect();
        let object = Object::new(ObjectKind::Variable, object);
        Fingerprint::of(Property::Race, &locations, [&object])
    }

    const PUSH: &str = "push (src/queue.c:12:3)";
    const POP: &str = "pop (src/queue.c:30:7)";

    #[track_caller]
    fn check_same(locations: &[&str], object: &str) {
        assert_eq!(race(locations, object), race(&[PUSH, POP], "head"));
    }

    #[track_caller]
    fn check_other(locations: &[&str], object: &str) {
        assert_ne!(race(locations, object), race(&[PUSH, POP], "head"));
    }

    /// If this fails, every baseline in use breaks: raise the version instead.
    #[test]
    fn values_never_change() {
        assert_eq!(race(&[PUSH, POP], "head").to_string(), "531e5145b19cf8df");
        assert_eq!(race(&["347", "1021"], "V17").to_string(), "0862f6c29ec7002c");
        let deadlock = Fingerprint::of(Property::Deadlock, [], []);
        assert_eq!(deadlock.to_string(), "c9e62fd075dcdfc5");
    }

    #[test]
    fn the_order_of_locations_does_not_count() {
        check_same(&[POP, PUSH], "head");
    }

    #[test]
    fn directories_and_columns_do_not_count() {
        check_same(&["push (/home/me/queue.c:12)", "pop (queue.c:30:1)"], "head");
    }

    #[test]
    fn file_function_line_and_object_count() {
        check_other(&["push (stack.c:12)", POP], "head");
        check_other(&["push_all (queue.c:12)", POP], "head");
        check_other(&["push (queue.c:13)", POP], "head");
        check_other(&[PUSH, POP], "tail");
    }

    #[test]
    fn the_property_counts() {
        let location = Location::parse(PUSH);
        let of = |property| Fingerprint::of(property, [&location], []);
        assert_ne!(of(Property::Race), of(Property::Atomicity));
    }

    #[test]
    fn equal_locations_are_kept() {
        check_other(&[PUSH], "head");
        assert_ne!(race(&[PUSH, PUSH], "head"), race(&[PUSH], "head"));
    }

    #[test]
    fn addresses_do_not_count() {
        assert_eq!(race(&["0x5555aa", POP], "0x7ffd10"), race(&["0x5555bb", POP], "0x7ffd20"));
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        assert_ne!(race(&["ab", "c"], "x"), race(&["a", "bc"], "x"));
    }

    #[test]
    fn text_is_read_back() {
        let fingerprint = race(&[PUSH, POP], "head");
        assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint));
        for text in ["", "12", "00000000000000G0", "+000000000000001", "00000000000000AB"] {
            assert!(text.parse::<Fingerprint>().is_err(), "{text}");
        }
    }
}
