//! `raddle predict --confirm` on a recording of a binary: refused before it comes here.

use std::ffi::OsString;

use super::confirm::{Confirmation, Confirming};
use crate::command::trace::input::Input;
use crate::diagnostic::Diagnostic;
use crate::program::binary::recording::Guide;

/// There is no recording to start from.
pub(super) fn confirm(
    _: &mut Confirming<'_, '_>,
    guide: &Guide,
    _: &Input,
    _: &[OsString],
) -> Result<Confirmation, Diagnostic> {
    match guide.0 {}
}
