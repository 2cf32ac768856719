//! Confirms findings: the program is run along each witness.

use std::ffi::OsString;

use raddle_finding::Schedule;
use raddle_session::predict::{Confirmed, Found, Plan};
use raddle_session::vm::Observed;
use raddle_trace::Trace;

use super::{binary, exact};
use crate::command::trace::input::Input;
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::program::binary::recording::Guide;

/// What the program did, and the command that does it again.
pub(super) struct Confirmation {
    pub(super) confirmed: Confirmed,
    pub(super) replay: Box<dyn Fn(&Schedule) -> String>,
}

/// Runs programs along witnesses.
pub(super) struct Confirming<'a, 'b> {
    pub(super) trace: &'a Trace,
    pub(super) found: &'a Found,
    pub(super) plan: &'a Plan,
    pub(super) console: &'a mut Console<'b>,
}

impl Confirming<'_, '_> {
    /// A C program.
    pub(super) fn on_machine(
        &mut self,
        observed: &Observed,
        input: &Input,
        arguments: &[OsString],
    ) -> Result<Confirmation, Diagnostic> {
        let Plan { allowance, .. } = self.plan;
        let (effort, console) = (exact::EFFORT, &mut *self.console);
        let confirmed = observed.confirm(self.trace, self.found, effort, allowance, console)?;
        let replay = exact::replay_command(input, arguments);
        Ok(Confirmation { confirmed, replay: Box::new(replay) })
    }

    /// The binary that was recorded, or the one that was named.
    pub(super) fn on_binary(
        &mut self,
        guide: &Guide,
        input: &Input,
        command: &[OsString],
    ) -> Result<Confirmation, Diagnostic> {
        binary::confirm(self, guide, input, command)
    }
}
