//! The `raddle` command.
//!
//! ```text
//! arguments ─► args ──┐
//! environment ────────┼─► settings ─► command ─► stdout: results
//! raddle.toml ► config┘                  │
//!                                        └─────► stderr: diagnostics, progress, log
//! ```
//!
//! Arguments, environment and `raddle.toml` become validated settings before any work starts.
//! A command answers with an [`Exit`](exit::Exit) or the [`Diagnostic`](diagnostic::Diagnostic) that says
//! why it could not do its job. Text from outside (names, lines, file names) passes through
//! [`sanitise`](raddle_report::sanitise) before it reaches a terminal.

mod args;
mod command;
mod config;
mod console;
mod context;
mod destination;
mod diagnostic;
mod exit;
mod interrupt;
mod logging;
mod output;
mod program;
mod progress;
mod publish;
mod quantity;
mod settings;
mod strategy;
mod table;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(feature = "native")]
    raddle_native::system::make_file_limit_an_error();
    match args::parse() {
        Ok(cli) => command::run(cli).into(),
        Err(exit) => exit.into(),
    }
}
