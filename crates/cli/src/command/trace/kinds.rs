//! Counts of events by kind.

use raddle_trace::Kind;
use serde::ser::{Serialize, SerializeMap, Serializer};

/// How many events there are of each kind; JSON has every kind, in the order of their codes.
#[derive(Debug)]
pub(crate) struct ByKind<'a>(pub(crate) &'a [(Kind, usize)]);

impl Serialize for ByKind<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(Kind::ALL.len()))?;
        for kind in Kind::ALL {
            let n = self.0.iter().find(|(k, _)| *k == kind).map_or(0, |&(_, n)| n);
            map.serialize_entry(kind.name(), &n)?;
        }
        map.end()
    }
}
