//! `raddle trace validate`: whether a trace is well-formed.

use clap::Args;
use raddle_trace::check::Mode;
use raddle_trace::format::{Loaded, ReadError};
use serde::Serialize;

use super::explain::{self, Problem};
use super::input::{self, Input, InputArgs};
use super::repairs::{self, RepairDocument};
use crate::args::BeginEnd;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::quantity::counted;
use raddle_report::sanitise::visible;

/// Check that a trace is well-formed
///
/// Locks exclude each other, threads act between their fork and their join, waits are matched,
/// and so on. A trace that breaks a rule is rejected with the event, its line, the rule, and exit
/// code 2. With --normalise it is repaired in memory, and every repair is listed; the file stays
/// as it is.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle trace validate trace.std               reject it if it breaks a rule
  raddle trace validate --normalise trace.std   list what would have to be repaired
  raddle trace validate --nested trace.std      check also that locks are nested")]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    input: InputArgs,
}

/// Runs `raddle trace validate`.
pub(crate) fn run(args: ValidateArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let input = args.input.settle(context);
    match input.open(context) {
        Ok(loaded) => accepted(&input, &loaded, context),
        Err(error) => Err(rejected(&input, &error, context)?),
    }
}

fn accepted(input: &Input, loaded: &Loaded, context: &Context) -> Result<Exit, Diagnostic> {
    if context.is_json() {
        output::print_json(&Document::accepted(input, loaded))?;
    } else {
        output::print_text(&text(input, loaded, context))?;
    }
    match &loaded.loss {
        Some(loss) => Err(explain::loss(input, loss)),
        None => Ok(Exit::Done),
    }
}

fn rejected(input: &Input, error: &ReadError, context: &Context) -> Result<Diagnostic, Diagnostic> {
    if let Some(problem) = Problem::of(error).filter(|_| context.is_json()) {
        output::print_json(&Document::rejected(input, problem))?;
    }
    Ok(explain::diagnostic(input, error))
}

fn text(input: &Input, loaded: &Loaded, context: &Context) -> String {
    let styles = context.styles();
    let (good, caution) = (styles.good, styles.caution);
    let name = visible(&input.name);
    let counts = Counts::of(loaded).text();
    let list = repairs::lines(loaded.trace.repairs(), input.all);
    let total = repairs::total(loaded.trace.repairs());
    let first = match (&loaded.loss, list.is_empty()) {
        (Some(_), true) => format!("{caution}damaged{caution:#}: {name}: {counts} could be read"),
        (Some(_), false) => {
            format!("{caution}damaged{caution:#}: {name}: {counts} could be read, with {total}")
        }
        (None, true) => format!("{good}ok{good:#}: {name} is well-formed: {counts}"),
        (None, false) => {
            format!("{caution}repaired{caution:#}: {name} is well-formed after {total}: {counts}")
        }
    };
    let mut text = format!("{first}\n");
    list.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    text
}

/// The schema `raddle.trace-validate/1`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    mode: &'static str,
    result: Judgement,
    format: Option<&'static str>,
    compression: Option<&'static str>,
    begin_end: Option<BeginEnd>,
    counts: Option<Counts>,
    repairs: Vec<RepairDocument<'a>>,
    problem: Option<Problem>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Judgement {
    WellFormed,
    Repaired,
    Rejected,
    Damaged,
}

#[derive(Debug, Serialize)]
struct Counts {
    events: usize,
    threads: usize,
    locks: usize,
    variables: usize,
}

impl Counts {
    fn of(loaded: &Loaded) -> Counts {
        let tables = &loaded.trace.tables;
        Counts {
            events: loaded.trace.len(),
            threads: tables.threads.len(),
            locks: tables.locks.len(),
            variables: tables.variables.len(),
        }
    }

    fn text(&self) -> String {
        let counts = [
            counted(self.events, "event"),
            counted(self.threads, "thread"),
            counted(self.locks, "lock"),
            counted(self.variables, "variable"),
        ];
        counts.join(", ")
    }
}

impl<'a> Document<'a> {
    fn accepted(input: &'a Input, loaded: &'a Loaded) -> Document<'a> {
        Document {
            schema: SCHEMA,
            file: &input.name,
            mode: mode(input),
            result: match (&loaded.loss, loaded.trace.repairs()) {
                (Some(_), _) => Judgement::Damaged,
                (None, []) => Judgement::WellFormed,
                (None, _) => Judgement::Repaired,
            },
            format: Some(input::format_name(loaded.format)),
            compression: Some(input::compression_name(loaded.compression)),
            begin_end: input::meaning(loaded.begin_end),
            counts: Some(Counts::of(loaded)),
            repairs: repairs::documents(loaded.trace.repairs()),
            problem: loaded.loss.as_ref().map(Problem::damage),
        }
    }

    fn rejected(input: &'a Input, problem: Problem) -> Document<'a> {
        Document {
            schema: SCHEMA,
            file: &input.name,
            mode: mode(input),
            result: Judgement::Rejected,
            format: None,
            compression: None,
            begin_end: None,
            counts: None,
            repairs: Vec::new(),
            problem: Some(problem),
        }
    }
}

const SCHEMA: &str = "raddle.trace-validate/1";

fn mode(input: &Input) -> &'static str {
    match input.options.mode {
        Mode::Strict => "strict",
        Mode::Normalise => "normalise",
    }
}
