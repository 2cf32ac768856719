//! Commands around binaries: building them, whether that works here, and what `record` and `replay`
//! do when the program is not C source.
//!
//! ```text
//! arguments ─► launch ─► raddle_native ─► Answer ─► ending (for people)
//!                             │ recording
//!                             └─► recording: a trace, for `predict` and `trace`
//! ```

pub(crate) mod cargo;
pub(crate) mod cc;
pub(crate) mod confirm;
pub(crate) mod doctor;
mod ending;
pub(crate) mod launch;
pub(crate) mod record;
pub(crate) mod recording;
pub(crate) mod replay;

use std::ffi::OsString;

use clap::Args;

/// Arguments for another program.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Passed {
    /// Arguments that are passed on unchanged
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}
