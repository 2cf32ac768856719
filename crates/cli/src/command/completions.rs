//! `raddle completions`: what a shell needs to complete our commands.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;

/// Prints the script.
pub(crate) fn run(shell: Shell) -> Result<Exit, Diagnostic> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "raddle", &mut script);
    output::print_text(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
