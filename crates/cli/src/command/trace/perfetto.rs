//! `raddle trace perfetto`: a trace for the viewers of Perfetto and Chrome.

use std::io::BufWriter;
use std::path::PathBuf;

use clap::Args;
use raddle_report::perfetto;

use super::explain;
use super::input::InputArgs;
use crate::context::Context;
use crate::destination::{self, Destination, Outcome};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::quantity::{bytes, counted};

/// Write a trace as Chrome's trace events, which Perfetto shows
///
/// Each thread is a track, each event takes a microsecond, and locks are spans. Open the file at
/// ui.perfetto.dev or in chrome://tracing; neither sends it anywhere.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle trace perfetto trace.rdl -o trace.perfetto.json
  raddle predict --witness out trace.std && raddle trace perfetto out/race-1.std -o race.perfetto.json")]
pub(crate) struct PerfettoArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write; `-` is the standard output
    #[arg(short, long, value_name = "OUT", required = true, help_heading = "Writing")]
    output: PathBuf,
}

/// Runs `raddle trace perfetto`.
pub(crate) fn run(args: PerfettoArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let input = args.input.settle(context);
    let destination = Destination::prepare(&args.output, &context.interrupt)?;
    let loaded = input.open(context).map_err(|error| explain::diagnostic(&input, &error))?;
    let written = destination.write(|out| {
        let mut out = BufWriter::new(out);
        perfetto::trace(&loaded.trace, &mut out)?;
        std::io::Write::flush(&mut out)
    })?;
    if let Outcome::Written((), n) = written {
        let name = destination::name(&args.output);
        let events = counted(loaded.trace.len(), "event");
        context.show(&Diagnostic::note(format!("wrote {name}: {events} in {}", bytes(n))));
    }
    Ok(match &loaded.loss {
        Some(loss) => {
            context.show(&explain::loss(&input, loss));
            Exit::Incomplete
        }
        None => Exit::Done,
    })
}
