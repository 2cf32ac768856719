//! Loops that are taken for endless.

use serde::{Deserialize, Serialize};

/// A loop that is taken for endless: a thread was in it alone for very long, and its states cannot be compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Endless {
    /// Where the thread was.
    pub place: String,
    /// How many operations it did there alone.
    pub operations: u64,
}
