//! Program identity: which build of which program a schedule belongs to.

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;

/// Stands between an identity and its points. These are in hexadecimal, each as its distance from the one before.
const POINTS: &str = ".at";

/// A build-id or a source hash, as short text that a shell leaves alone. Clones share the text: every
/// schedule has one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId(Arc<str>);

/// The text cannot identify a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProgramIdError {
    /// There is no text at all.
    #[error("the program identity is empty")]
    Empty,
    /// A character that is not a letter, a digit, `.`, `_` or `-`.
    #[error("`{found}` at offset {offset} of the program identity (allowed: A-Z a-z 0-9 . _ -)")]
    Character {
        /// Where it stands, in bytes from the start of the identity.
        offset: usize,
        /// The character.
        found: char,
    },
    /// More text than an identity needs.
    #[error("the program identity has {length} characters (at most {})", ProgramId::MAX_LENGTH)]
    TooLong {
        /// How many characters it has.
        length: usize,
    },
}

impl ProgramId {
    /// The longest identity; some hundred points fit.
    pub const MAX_LENGTH: usize = 4096;

    /// The identity of what has this hash: sixteen hexadecimal digits.
    pub fn of_hash(hash: u64) -> ProgramId {
        let digit = |place: usize| b"0123456789abcdef"[(hash >> (60 - 4 * place) & 15) as usize];
        let digits: [u8; 16] = std::array::from_fn(digit);
        ProgramId(str::from_utf8(&digits).expect("digits are text").into())
    }

    /// The identity with the accesses that are points, for choices that were made there; none if that is too long.
    pub fn with_points(&self, points: &BTreeSet<u64>) -> Option<ProgramId> {
        let mut text = format!("{}{POINTS}", self.0);
        let mut before = 0;
        for &point in points {
            let _ = write!(text, ".{:x}", point - before);
            before = point;
        }
        text.parse().ok()
    }

    /// The identity alone, and the points that it names, if it names any.
    pub fn points(&self) -> Option<(ProgramId, BTreeSet<u64>)> {
        let (alone, points) = self.0.split_once(POINTS)?;
        let mut set = BTreeSet::new();
        let mut last = 0_u64;
        for distance in points.split('.').skip(1) {
            last = last.checked_add(u64::from_str_radix(distance, 16).ok()?)?;
            set.insert(last);
        }
        let is_whole = points.is_empty() || points.starts_with('.');
        is_whole.then_some((ProgramId(alone.into()), set))
    }

    /// The identity as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ProgramId {
    type Err = ProgramIdError;

    fn from_str(text: &str) -> Result<Self, ProgramIdError> {
        if text.is_empty() {
            return Err(ProgramIdError::Empty);
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if let Some((offset, found)) = text.char_indices().find(|&(_, c)| !allowed(c)) {
            return Err(ProgramIdError::Character { offset, found });
        }
        if text.len() > ProgramId::MAX_LENGTH {
            return Err(ProgramIdError::TooLong { length: text.len() });
        }
        Ok(ProgramId(text.into()))
    }
}

impl fmt::Display for ProgramId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(), ProgramIdError>) {
        let parsed = text.parse::<ProgramId>();
        assert_eq!(parsed.as_ref().map(|_| ()), expected.as_ref().map(|_| ()));
        match parsed {
            Ok(id) => assert_eq!(id.to_string(), text),
            Err(error) => assert_eq!(Err(error), expected),
        }
    }

    #[test]
    fn hashes_and_file_names_identify_a_program() {
        check("9f3ac2", Ok(()));
        check("queue-1.2_rc.c", Ok(()));
        check(&"a".repeat(4096), Ok(()));
    }

    #[test]
    fn a_hash_has_all_its_digits() {
        assert_eq!(ProgramId::of_hash(0x0123_4567_89ab_cdef).as_str(), "0123456789abcdef");
        assert_eq!(ProgramId::of_hash(10).as_str(), format!("{:016x}", 10));
    }

    #[test]
    fn what_a_shell_might_touch_does_not() {
        check("", Err(ProgramIdError::Empty));
        check("a b", Err(ProgramIdError::Character { offset: 1, found: ' ' }));
        check("ab:c", Err(ProgramIdError::Character { offset: 2, found: ':' }));
        check("é", Err(ProgramIdError::Character { offset: 0, found: 'é' }));
        check(&"a".repeat(4097), Err(ProgramIdError::TooLong { length: 4097 }));
    }

    #[test]
    fn points_are_read_back() {
        let id: ProgramId = "9f3ac2".parse().unwrap();
        assert_eq!(id.points(), None);
        for points in [&[][..], &[0x40_1a2c], &[1, 2, 0x40_1a2c, u64::MAX]] {
            let points = BTreeSet::from_iter(points.iter().copied());
            let with = id.with_points(&points).unwrap();
            assert_eq!(with.points(), Some((id.clone(), points)));
            assert_eq!(with.to_string().parse(), Ok(with));
        }
    }

    #[test]
    fn what_is_no_list_of_points_is_a_name() {
        for text in ["a.attic", "a.at.xyz", "a.at.ffffffffffffffff.1", "a.at.1."] {
            assert_eq!(text.parse::<ProgramId>().unwrap().points(), None, "{text}");
        }
    }

    #[test]
    fn too_many_points_have_no_identity() {
        let id: ProgramId = "9f3ac2".parse().unwrap();
        assert_eq!(id.with_points(&(0..10_000).map(|n| n * 0x1000).collect()), None);
    }
}
