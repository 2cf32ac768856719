//! How programs end.

use raddle_cfront::ir::Primitive;

use super::{OK, Result};
use crate::fault::{FaultKind, Misuse};
use crate::interpret::Trap;
use crate::machine::Machine;
use crate::observe::{Observer, What};
use crate::outcome::Outcome;

impl Machine {
    pub(super) fn process<O: Observer>(
        &mut self,
        call: Primitive,
        a: [u64; 6],
        o: &mut O,
    ) -> Result {
        Err(match call {
            Primitive::Exit => Outcome::Exited(a[0] as i32).into(),
            Primitive::Abort if self.image.settings.assume_abort => Outcome::Assumption.into(),
            Primitive::Abort => FaultKind::Abort.into(),
            Primitive::ReachError => FaultKind::ReachError.into(),
            Primitive::Misuse => FaultKind::Misuse(Misuse::Library(self.text(a[0])?)).into(),
            Primitive::Unsupported => {
                let site = self.current_thread().site_outside(&self.image);
                Outcome::Unsupported { what: self.text(a[0])?, site }.into()
            }
            Primitive::AssertFail => {
                self.emit(o, What::AssertFailed);
                let (expression, file) = (self.text(a[0])?, self.text(a[1])?);
                let (line, function) = (a[2] as u32, self.text(a[3])?);
                FaultKind::AssertFailed { expression, file, line, function }.into()
            }
            _ if a[0] != 0 => return OK,
            _ => Outcome::Assumption.into(),
        })
    }

    /// The string at an address; empty for null.
    pub(super) fn text(&self, address: u64) -> std::result::Result<String, Trap> {
        Ok(self.state.memory.text(address)?)
    }
}
