//! What commands share that run binaries.

pub(crate) mod ending;
pub(crate) mod launch;
pub(crate) mod recording;
