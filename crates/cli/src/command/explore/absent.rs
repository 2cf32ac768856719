//! How a binary is explored: not at all.

use clap::Args;

use crate::program::binary::launch::NativeArgs;

/// How a binary is explored; there are no options for that.
#[derive(Debug, Args)]
pub(crate) struct BinaryArgs {
    #[command(flatten)]
    _native: NativeArgs,
}

impl BinaryArgs {
    /// The first option that was given.
    pub(super) fn given(&self) -> Option<&'static str> {
        None
    }
}
