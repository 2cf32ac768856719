//! What says how a binary is explored.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use raddle_native::target::Output;
use raddle_session::native::Binary;
use raddle_wire::Threading;
use raddle_wire::board::Model;

use super::args::{PointsArg, SearchArgs};
use crate::diagnostic::Diagnostic;
use crate::program::binary::launch::NativeArgs;
use crate::program::source::ProgramArgs;

/// How a binary is explored.
#[derive(Debug, Args)]
#[command(next_help_heading = "Binaries")]
pub(crate) struct BinaryArgs {
    #[command(flatten)]
    native: NativeArgs,

    /// How a process is reused between runs [default: the fastest that works for the program]
    #[arg(long, value_enum)]
    model: Option<ModelArg>,

    /// The exit status that every run must have
    #[arg(long, value_name = "N")]
    expect_exit: Option<i32>,

    /// Every run must write the same output
    #[arg(long)]
    expect_same_output: bool,
}

/// How a process is reused between runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ModelArg {
    /// One process restores its memory after every run
    Snapshot,
    /// One process forks a child for every run
    Fork,
    /// Every run is a new process
    Spawn,
}

impl BinaryArgs {
    /// The first option that was given: none of them means anything for C files.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.model.is_some(), "--model"),
            (self.expect_exit.is_some(), "--expect-exit"),
            (self.expect_same_output, "--expect-same-output"),
        ];
        let own = given.into_iter().find_map(|(is_given, name)| is_given.then_some(name));
        own.or_else(|| self.native.given())
    }

    /// Settles what to explore, and how.
    pub(super) fn settle(
        &self,
        files: &[PathBuf],
        program: &ProgramArgs,
        search: &SearchArgs,
    ) -> Result<Binary, Diagnostic> {
        if let Some(option) = program.only_for_sources() {
            return Err(Diagnostic::error(format!("{option} cannot be used with a binary"))
                .help("it is for C files, which run on Raddle's virtual machine"));
        }
        if program.stdin() == Some(Path::new("-")) {
            return Err(Diagnostic::error("many runs cannot share one standard input")
                .help("put the input into a file: --stdin FILE"));
        }
        let mut launch = self.native.settle(files, program)?;
        launch.target.output = Output::Discard;
        let mut setup = launch.setup();
        setup.model = self.model.map(|model| match model {
            ModelArg::Snapshot => Model::Snapshot,
            ModelArg::Fork => Model::Fork,
            ModelArg::Spawn => Model::Once,
        });
        setup.points_all = search.points == PointsArg::All;
        setup.expect_exit = self.expect_exit;
        setup.same_output = self.expect_same_output;
        if setup.model == Some(Model::Snapshot) && setup.threading == Threading::Threads {
            return Err(Diagnostic::error("--model snapshot cannot be used with --own-threads")
                .help("threads of the operating system cannot be restored; use --model fork"));
        }
        Ok(Binary::new(launch, setup, program.atomic().to_vec()))
    }
}
