//! `raddle trace generate`: a trace of a program that was made up.

use std::path::{Path, PathBuf};

use clap::Args;
use raddle_generate::{Config, ConfigError, Preset, generate};
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_trace::format::{Format, ensure_fits, std as std_text};
use serde::Serialize;

use super::encode::{self, NotHeldDocument, OutputDocument};
use super::knobs::Knobs;
use super::target::{Target, TargetArgs};
use crate::context::Context;
use crate::destination::{Destination, Outcome};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::progress::Progress;

/// Generate a synthetic trace, for tests and measurements
///
/// The trace is that of a synthetic program and passes the strict check. The same seed and options
/// give the same trace. Options override the preset; the default preset is `small`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle trace generate --preset tiny                          30 events, as text
  raddle trace generate --events 1000000 --threads 8 -o t.rdl
  raddle trace generate --preset 10k-full --seed 7 -o t.std.gz
  raddle trace generate --preset tiny --locking 0.5 --depth 2 --wait 0.2")]
pub(crate) struct GenerateArgs {
    /// Size and shape: tiny, small, 10k, 100k, 1m or 10m, alone or with -local or -full
    #[arg(long, value_name = "NAME", default_value = "small")]
    preset: Preset,

    #[command(flatten)]
    knobs: Knobs,

    /// The file to write; `-` is the standard output, as STD text unless --to says otherwise
    #[arg(short, long, value_name = "OUT", default_value = "-", help_heading = "Writing")]
    output: PathBuf,

    #[command(flatten)]
    target: TargetArgs,
}

/// Runs `raddle trace generate`.
pub(crate) fn run(args: GenerateArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let mut config = args.preset.config();
    args.knobs.apply(&mut config);
    config.validate().map_err(|error| invalid(&error))?;
    ensure_fits(config.events as u64, None)
        .map_err(|error| Diagnostic::error("the trace is too large").because(&error))?;
    let target = args.target.settle(args.output, Some(Format::Std))?;
    let destination = Destination::prepare(&target.path, &context.interrupt)?;
    let trace = make(&config, context)?;
    let written = encode::write(&trace, &target, destination, context)?;
    if let Outcome::Written(unsaid, n_bytes) = written {
        report(&trace, &config, &target, &unsaid, n_bytes, context)?;
    }
    Ok(Exit::Done)
}

fn make(config: &Config, context: &Context) -> Result<Trace, Diagnostic> {
    let _progress = Progress::generating(context.shows_progress(), &context.interrupt);
    let events = generate(config).map_err(|error| invalid(&error))?;
    Trace::new(events, Mode::Strict).map_err(|violation| {
        Diagnostic::error("the generator made a trace that is not well-formed")
            .because(&violation)
            .help(format!("this is a bug in Raddle; please report it with {config:?}"))
    })
}

/// A knob that makes no sense, by the name of its flag.
fn invalid(error: &ConfigError) -> Diagnostic {
    let text = error.to_string();
    Diagnostic::error(match error {
        ConfigError::Zero { knob }
        | ConfigError::TooMany { knob, .. }
        | ConfigError::Probability { knob, .. } => {
            text.replace(&format!("`{knob}`"), &format!("`--{}`", knob.replace('_', "-")))
        }
        _ => text,
    })
}

fn report(
    trace: &Trace,
    config: &Config,
    target: &Target,
    unsaid: &std_text::Loss,
    n_bytes: u64,
    context: &Context,
) -> Result<(), Diagnostic> {
    // The standard output is the trace itself; a report would spoil it.
    if context.is_json() && target.path != Path::new("-") {
        return output::print_json(&Document {
            schema: "raddle.trace-generate/1",
            seed: config.seed,
            events: trace.len(),
            output: OutputDocument::new(target, n_bytes),
            not_held: (*unsaid).into(),
        });
    }
    encode::announce(target, trace, unsaid, n_bytes, context);
    context.show(&Diagnostic::note(format!("the seed is {}", config.seed)));
    Ok(())
}

/// The schema `raddle.trace-generate/1`.
#[derive(Debug, Serialize)]
struct Document {
    schema: &'static str,
    seed: u64,
    events: usize,
    output: OutputDocument,
    not_held: NotHeldDocument,
}
