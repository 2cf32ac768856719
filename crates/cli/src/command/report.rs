//! `raddle report`: a saved report, in any form.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use raddle_finding::Report;
use raddle_report::Form;
use raddle_report::csv::Table;

use crate::args::Format;
use crate::context::Context;
use crate::destination;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::publish::{self, PublishArgs};

/// Show a saved report in any format
///
/// The report is the output of check, explore or predict with --format json. It contains everything
/// that any format shows: neither the program nor the trace is needed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle report bank.json                       as text
  raddle report bank.json -o bank.html          an HTML page
  raddle report bank.json --format sarif
  raddle report bank.json --format csv --table steps
  raddle report new.json --baseline old.json    what is new
  raddle check bank.c --format json | raddle report - -o bank.html

Exit codes:
  0  done; with --baseline, nothing is new     2  incorrect usage, or an error
  1  with --baseline, something is new")]
pub(crate) struct ReportArgs {
    /// The report; - is the standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Which table --format csv writes
    #[arg(long, value_enum, value_name = "NAME", default_value_t = TableArg::Findings)]
    table: TableArg,

    #[command(flatten)]
    publish: PublishArgs,
}

/// A table of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum TableArg {
    /// A row for each finding
    Findings,
    /// A row for each step of each interleaving
    Steps,
    /// A row for each bound of the search
    Bounds,
    /// How the number of states grew
    Growth,
    /// What was left after each step of the analyses
    Funnel,
}

impl From<TableArg> for Table {
    fn from(table: TableArg) -> Table {
        match table {
            TableArg::Findings => Table::Findings,
            TableArg::Steps => Table::Steps,
            TableArg::Bounds => Table::Bounds,
            TableArg::Growth => Table::Growth,
            TableArg::Funnel => Table::Funnel,
        }
    }
}

/// Runs `raddle report`.
pub(crate) fn run(args: ReportArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let cannot = || Diagnostic::error(format!("cannot read the report `{}`", name(&args.file)));
    let (publisher, known) = args.publish.prepare(context)?;
    let text = read(&args.file).map_err(|error| cannot().because(&error))?;
    let mut report = Report::from_json(&text).map_err(|error| {
        cannot().because(&error).help("check, explore and predict write one with `--format json`")
    })?;
    let n_new = known.sift(&mut report, context);
    let form = match context.settings.format {
        Format::Csv => Form::Csv(args.table.into()),
        format => format.form(),
    };
    // With files to write, text is for those who ask.
    if context.settings.is_format_given || !args.publish.needs_document() {
        publish::print(&report, form, context)?;
    }
    publisher.write(&report, context)?;
    Ok(if args.publish.judges() && n_new > 0 { Exit::Findings } else { Exit::Done })
}

fn read(path: &Path) -> io::Result<String> {
    if path == Path::new("-") {
        let mut text = String::new();
        io::stdin().read_to_string(&mut text)?;
        return Ok(text);
    }
    fs::read_to_string(path)
}

fn name(path: &Path) -> String {
    if path == Path::new("-") { "<stdin>".to_owned() } else { destination::name(path) }
}
