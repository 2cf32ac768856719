//! Commands around real programs: building them, and whether that works here.

pub(crate) mod cargo;
pub(crate) mod cc;
pub(crate) mod clean;
pub(crate) mod doctor;

use std::ffi::OsString;

use clap::Args;

/// Arguments for another program.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Passed {
    /// What is passed on, untouched
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}
