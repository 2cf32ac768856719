//! `raddle trace info`: what a trace consists of.

use clap::Args;
use raddle_trace::format::Loaded;
use raddle_trace::summary::Summary;
use serde::Serialize;

use super::explain::{self, LossDocument};
use super::input::{self, Input, InputArgs};
use super::kinds::ByKind;
use super::repairs::{self, RepairDocument};
use crate::args::BeginEnd;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::quantity::{bytes, count, counted, share};
use crate::table::Table;
use raddle_report::sanitise::visible;

/// Show what a trace consists of
///
/// Events by kind, threads, locks, variables, waits, transactions, memory, and what had to be
/// repaired.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle trace info trace.std                 a table
  raddle trace info --format json trace.rdl   the same numbers, for programs
  zcat trace.std.gz | raddle trace info -     from the standard input")]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    input: InputArgs,
}

/// Runs `raddle trace info`.
pub(crate) fn run(args: InfoArgs, context: &Context) -> Result<Exit, Diagnostic> {
    let input = args.input.settle(context);
    let loaded = input.open(context).map_err(|error| explain::diagnostic(&input, &error))?;
    let summary = Summary::new(&loaded.trace);
    if context.is_json() {
        output::print_json(&Document::new(&input, &loaded, &summary))?;
    } else {
        output::print_text(&text(&input, &loaded, &summary, context))?;
    }
    Ok(match &loaded.loss {
        Some(loss) => {
            context.show(&explain::loss(&input, loss));
            Exit::Incomplete
        }
        None => Exit::Done,
    })
}

fn text(input: &Input, loaded: &Loaded, summary: &Summary, context: &Context) -> String {
    let styles = context.styles();
    let heading = styles.heading;
    let description = input::description(loaded.format, loaded.compression);
    let name = visible(&input.name);
    let mut text = format!("{heading}{name}{heading:#} ({description})\n\n");
    text.push_str(&table(loaded, summary).render(&styles));
    let list = repairs::lines(loaded.trace.repairs(), input.all);
    if !list.is_empty() {
        text.push_str(&format!("\n{heading}Repairs{heading:#}\n"));
        list.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    }
    text
}

fn table(loaded: &Loaded, s: &Summary) -> Table {
    let mut table = Table::default();
    table.row("events", count(s.n_events as u64), "");
    for &(kind, n) in &s.by_kind {
        let label = format!("  {}", kind.name().replace('_', " "));
        table.row(label, count(n as u64), share(n, s.n_events));
    }
    let number = |n: usize| count(n as u64);
    table.row("threads", number(s.n_threads), format!("{} never forked", number(s.n_roots)));
    table.row("locks", number(s.n_locks), claim(loaded));
    table.row("  scopes", number(s.n_scopes), nesting(s));
    let shared = format!("{} shared between threads and written", number(s.n_shared));
    table.row("variables", number(s.n_variables), shared);
    table.row("locations", number(s.n_locations), "");
    table.row("waits", number(s.n_waits), waits(s));
    table.row("transactions", number(s.n_transactions), meaning(loaded));
    table.row("switches", number(s.n_switches), "from one thread to another");
    let per_event = format!("{:.1} bytes per event", bytes_per_event(s));
    table.row("memory", bytes(s.memory as u64), per_event);
    table.row("repairs", number(loaded.trace.repairs().len()), "");
    table
}

fn claim(loaded: &Loaded) -> &'static str {
    if loaded.trace.claims.nested_locks { "the lock taken last is released first" } else { "" }
}

fn nesting(s: &Summary) -> String {
    match s.max_nesting {
        0 => String::new(),
        n => format!("a thread holds at most {} at once", counted(n, "lock")),
    }
}

fn waits(s: &Summary) -> String {
    match (s.n_waits, s.n_waits - s.n_notified) {
        (0, _) => String::new(),
        (_, unmatched) => {
            format!("{} matched with a notify, {} not", count(s.n_notified as u64), unmatched)
        }
    }
}

fn meaning(loaded: &Loaded) -> &'static str {
    match input::meaning(loaded.begin_end) {
        Some(BeginEnd::Thread) => "begin and end were read as start and end of threads",
        Some(_) => "begin and end were read as transactions",
        None => "",
    }
}

fn bytes_per_event(s: &Summary) -> f64 {
    let exact = s.memory as f64 / s.n_events.max(1) as f64;
    (exact * 10.0).round() / 10.0
}

/// The schema `raddle.trace-info/1`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    format: &'static str,
    compression: &'static str,
    begin_end: Option<BeginEnd>,
    nested_locks: bool,
    events: Events<'a>,
    threads: Threads,
    locks: Locks,
    variables: Variables,
    locations: usize,
    waits: Waits,
    transactions: usize,
    switches: usize,
    memory: Memory,
    repairs: Vec<RepairDocument<'a>>,
    loss: Option<LossDocument>,
}

#[derive(Debug, Serialize)]
struct Events<'a> {
    total: usize,
    by_kind: ByKind<'a>,
}

#[derive(Debug, Serialize)]
struct Threads {
    total: usize,
    never_forked: usize,
}

#[derive(Debug, Serialize)]
struct Locks {
    total: usize,
    scopes: usize,
    max_nesting: usize,
}

#[derive(Debug, Serialize)]
struct Variables {
    total: usize,
    shared: usize,
}

#[derive(Debug, Serialize)]
struct Waits {
    total: usize,
    matched: usize,
    unmatched: usize,
}

#[derive(Debug, Serialize)]
struct Memory {
    bytes: usize,
    bytes_per_event: f64,
}

impl<'a> Document<'a> {
    fn new(input: &'a Input, loaded: &'a Loaded, s: &'a Summary) -> Document<'a> {
        Document {
            schema: "raddle.trace-info/1",
            file: &input.name,
            format: input::format_name(loaded.format),
            compression: input::compression_name(loaded.compression),
            begin_end: input::meaning(loaded.begin_end),
            nested_locks: loaded.trace.claims.nested_locks,
            events: Events { total: s.n_events, by_kind: ByKind(&s.by_kind) },
            threads: Threads { total: s.n_threads, never_forked: s.n_roots },
            locks: Locks { total: s.n_locks, scopes: s.n_scopes, max_nesting: s.max_nesting },
            variables: Variables { total: s.n_variables, shared: s.n_shared },
            locations: s.n_locations,
            waits: Waits {
                total: s.n_waits,
                matched: s.n_notified,
                unmatched: s.n_waits - s.n_notified,
            },
            transactions: s.n_transactions,
            switches: s.n_switches,
            memory: Memory { bytes: s.memory, bytes_per_event: bytes_per_event(s) },
            repairs: repairs::documents(loaded.trace.repairs()),
            loss: loaded.loss.as_ref().map(LossDocument::from),
        }
    }
}
