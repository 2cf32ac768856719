//! `raddle man`: manual pages, made of what `--help` says.

use std::fs;
use std::path::Path;

use clap::CommandFactory;

use crate::args::Cli;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Writes one page for each command.
pub(crate) fn run(folder: &Path) -> Result<Exit, Diagnostic> {
    let written = fs::create_dir_all(folder);
    let written = written.and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    written.map(|()| Exit::Done).map_err(|error| {
        Diagnostic::error(format!("cannot write to `{}`", folder.display())).because(&error)
    })
}
