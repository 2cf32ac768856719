//! Predictions about a C program: its files stand where a trace would.

use std::ffi::OsString;
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess;
use raddle_finding::Schedule;
use raddle_session::quoted;
use raddle_session::vm::{Effort, Observed, observe};
use raddle_trace::format::{Compression, Format, Loaded};
use raddle_vm::{Settings, fine};

use crate::command::trace::input::Input;
use crate::context::Context;
use crate::diagnostic::Diagnostic;

/// How much work values may be.
pub(super) const EFFORT: Effort = Effort { n_updates_max: 2_000_000_000, n_conflicts_max: 100_000 };

/// Whether a file is the source of a program.
pub(super) fn is_source(input: &Input) -> bool {
    input.path.extension().is_some_and(|ending| ending == "c" || ending == "i")
}

/// Runs the program once.
pub(super) fn open(
    input: &Input,
    arguments: &[OsString],
    context: &Context,
) -> Result<(Loaded, Observed), Diagnostic> {
    let compiled = compile(std::slice::from_ref(&input.path), &preprocess::Options::default());
    let compiled = compiled.map_err(|error| {
        Diagnostic::error(format!("`{}` does not compile", input.name))
            .because(&error)
            .help("`raddle record` accepts compiler options and writes a trace")
    })?;
    let name = input.path.with_extension("").display().to_string().into_bytes();
    let given = arguments.iter().map(|word| word.as_encoded_bytes().to_vec());
    let settings = Settings {
        arguments: std::iter::once(name).chain(given).collect(),
        ..fine(&Settings::default())
    };
    let (trace, observed) = observe(&Arc::new(compiled.program), &settings)?;
    observed.notices().for_each(|text| context.show(&Diagnostic::note(text)));
    let loaded = Loaded {
        trace,
        format: Format::Rdl,
        compression: Compression::None,
        loss: None,
        begin_end: None,
    };
    Ok((loaded, observed))
}

/// The command that replays a schedule.
pub(super) fn replay_command(
    input: &Input,
    arguments: &[OsString],
) -> impl Fn(&Schedule) -> String + use<> {
    let file = quoted(input.path.as_os_str());
    let words: Vec<_> = arguments.iter().map(|word| quoted(word)).collect();
    let after = match words.as_slice() {
        [] => String::new(),
        words => format!(" -- {}", words.join(" ")),
    };
    move |schedule| format!("raddle replay {file} {schedule}{after}")
}
