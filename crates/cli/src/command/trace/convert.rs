//! `raddle trace convert`: the same trace in another format.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use raddle_trace::format::{Loaded, std as std_text};
use serde::Serialize;

use super::encode::{self, NotHeldDocument, OutputDocument};
use super::explain::{self, LossDocument};
use super::input::{Input, InputArgs};
use super::repairs::{self, RepairDocument};
use super::target::{Target, TargetArgs};
use crate::context::Context;
use crate::destination::{Destination, Outcome};
use crate::diagnostic::{Diagnostic, Place};
use crate::exit::Exit;
use crate::output;

/// Write a trace in another format or compression
///
/// File names determine the format: .std (text) or .rdl (native), alone or with .gz or .zst. The
/// output file appears when it is complete and replaces any earlier one. What the format cannot
/// represent is reported on stderr.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle trace convert trace.std -o trace.rdl              text to native
  raddle trace convert trace.rdl -o trace.std.gz           native to compressed text
  raddle trace convert trace.rdl --to std -o - | head      to the standard output
  raddle trace convert --normalise bad.std -o good.std     with every repair listed")]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write; `-` is the standard output
    #[arg(short, long, value_name = "OUT", required = true, help_heading = "Writing")]
    output: PathBuf,

    #[command(flatten)]
    target: TargetArgs,
}

/// Runs `raddle trace convert`.
pub(crate) fn run(args: ConvertArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let input = args.input.settle(context);
    let target = args.target.settle(args.output, None)?;
    if is_same_file(&input.path, &target.path) {
        return Err(Diagnostic::error(format!("`{}` is both input and output", input.name))
            .help("-o must name another file"));
    }
    let destination = Destination::prepare(&target.path, &context.interrupt)?;
    let loaded = input.open(context).map_err(|error| explain::diagnostic(&input, &error))?;
    let written = encode::write(&loaded.trace, &target, destination, context)?;
    if let Outcome::Written(unsaid, n_bytes) = written {
        report(&input, &loaded, &target, &unsaid, n_bytes, context)?;
    }
    Ok(match &loaded.loss {
        Some(loss) => {
            context.show(&explain::loss(&input, loss));
            Exit::Incomplete
        }
        None => Exit::Done,
    })
}

/// True if both are the same file, through links too.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path| fs::canonicalize(path).ok().filter(|path| path.is_file());
    real(a).is_some_and(|a| Some(a) == real(b))
}

fn report(
    input: &Input,
    loaded: &Loaded,
    target: &Target,
    unsaid: &std_text::Loss,
    n_bytes: u64,
    context: &Context,
) -> Result<(), Diagnostic> {
    // The standard output is the trace itself; a report would spoil it.
    if context.is_json() && target.path != Path::new("-") {
        return output::print_json(&Document::new(input, loaded, target, unsaid, n_bytes));
    }
    if !loaded.trace.repairs().is_empty() {
        context.show(&repaired(input, loaded));
    }
    encode::announce(target, &loaded.trace, unsaid, n_bytes, context);
    Ok(())
}

fn repaired(input: &Input, loaded: &Loaded) -> Diagnostic {
    let repairs = loaded.trace.repairs();
    let title = format!("the trace is well-formed after {}", repairs::total(repairs));
    let warning = Diagnostic::warning(title).at(Place::file(&input.name));
    repairs::lines(repairs, input.all).into_iter().fold(warning, Diagnostic::remark)
}

/// The schema `raddle.trace-convert/1`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    output: OutputDocument,
    events: usize,
    repairs: Vec<RepairDocument<'a>>,
    not_held: NotHeldDocument,
    loss: Option<LossDocument>,
}

impl<'a> Document<'a> {
    fn new(
        input: &'a Input,
        loaded: &'a Loaded,
        target: &Target,
        unsaid: &std_text::Loss,
        n_bytes: u64,
    ) -> Document<'a> {
        Document {
            schema: "raddle.trace-convert/1",
            file: &input.name,
            output: OutputDocument::new(target, n_bytes),
            events: loaded.trace.len(),
            repairs: repairs::documents(loaded.trace.repairs()),
            not_held: (*unsaid).into(),
            loss: loaded.loss.as_ref().map(LossDocument::from),
        }
    }
}
