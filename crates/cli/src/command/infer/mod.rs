//! `raddle infer`: the nondeterministic sequential specification of a parallel program.

mod document;
mod show;
mod specification;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use raddle_cfront::ir::Program;
use raddle_explore::{Sample, Sampler};
use raddle_ndseq::check::{self, check};
use raddle_ndseq::conflict::Cycle;
use raddle_ndseq::depend::Dependence;
use raddle_ndseq::infer::{Found, Inference, Inferred, Options};
use raddle_ndseq::learn::{LearnError, Lesson, Lessons, learn};
use raddle_ndseq::outline::Outline;
use raddle_ndseq::record::Recording;
use raddle_ndseq::sequential::{Functional, Sequential, same_values};
use raddle_ndseq::statement::{Candidate, Lists};
use raddle_ndseq::trace::{EventId, Trace};
use raddle_vm::fine;

use super::explore::way::Way;
use super::program::source::ProgramArgs;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use document::{AccessDocument, ConflictDocument, Document, Stats};
use specification::{Lines, Specification, lines};

/// Traces with fewer events in all are looked at without groups, too.
const UNGROUPED_MAX: usize = 500_000;

/// Infer what a parallel program may do in sequence, or check it
///
/// The program runs several times, so that threads meet in different ways. Each created thread is an
/// iteration that has to have the same effect on the result as if iterations came one after the other,
/// in some order. Statements that such an execution has to leave out stand inside `if(*)`: as few as
/// possible are found. If there are none that explain the runs, threads disturb each other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle infer cas.c --focus x                     the if(*) that cas.c needs
  raddle infer cas.c --focus x --spec cas.toml     the same, written to a file
  raddle infer cas.c --spec cas.toml --check       whether cas.c still conforms to it
  raddle infer --header > raddle.h                 the header with annotations

Exit codes:
  0  a specification was found, or holds
  1  there is none, it does not hold, or an assertion fails in sequence
  3  the solver gave up")]
pub(crate) struct InferArgs {
    /// The C files of the program (.c, or .i if they are preprocessed)
    #[arg(value_name = "FILE", required_unless_present = "header")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    program: ProgramArgs,

    /// The globals that hold the result
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    focus: Vec<String>,

    /// How many runs to learn from
    #[arg(long, value_name = "N", default_value_t = 5)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: u32,

    /// How runs are drawn: race, random, pos, pct:D or surw
    #[arg(long, value_name = "NAME", default_value = "race")]
    strategy: Way,

    /// The seed of the runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The file of the specification
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// Check the specification in the file of --spec, or the one in the source, instead of inferring
    #[arg(long)]
    check: bool,

    /// Take marked transactions for iterations, not whole threads
    #[arg(long)]
    transactions: bool,

    /// Do not take the dynamic slice for relevant from the start
    #[arg(long)]
    no_slice: bool,

    /// Do not take executions without events of the slice for one event
    #[arg(long)]
    no_groups: bool,

    /// Try so many sequential executions of the specification
    #[arg(long, value_name = "N", default_value_t = 200)]
    orders: u32,

    /// Show the columns of Table 1 of the paper
    #[arg(long)]
    stats: bool,

    /// Print the header with the annotations, and do nothing else
    #[arg(long)]
    header: bool,
}

/// Does it.
pub(crate) fn run(args: InferArgs, context: &Context) -> Result<Exit, Diagnostic> {
    if args.header {
        output::print_text(header())?;
        return Ok(Exit::Done);
    }
    let program = args.program.compile(&args.files, context)?;
    let outline = Outline::new(&program);
    let given = match (&args.spec, args.check) {
        (Some(path), true) => Some(Specification::read(path)?),
        _ => None,
    };
    let named = given.as_ref().filter(|_| args.focus.is_empty());
    let focus = named.map_or(args.focus.clone(), |given| given.focus.clone());
    let objects = focus_objects(&program, &focus)?;
    let lessons = lessons(&args, &program, &outline, &objects)?;
    report_runs(&lessons, context);
    if lessons.lessons.is_empty() {
        return Err(Diagnostic::error("no run ended well, so there is nothing to learn from")
            .help("raddle check finds out what goes wrong"));
    }
    let Lessons { lessons, races, failed } = lessons;
    check_focus(&lessons)?;
    let (traces, runs): (Vec<_>, Vec<_>) = lessons.into_iter().map(Run::new).unzip();
    let view = View { program: &program, outline: &outline, runs: &runs, traces: &traces };
    let given = match (args.check, given) {
        (true, Some(given)) => Some(given.resolve(&program, &outline)?),
        (true, None) => Some(runs[0].given.clone()),
        _ => None,
    };
    let settings = fine(&args.program.settings(&name(&args))?);
    let sequential =
        |specification: &[Candidate]| Sequential::new(&program, &outline, &settings, specification);
    let mut found = match given {
        Some(given) => view.check(&given),
        None => view.infer(&args, &sequential),
    };
    found.races = races.iter().map(|race| race.message.clone()).collect();
    found.failed_runs = failed.len();
    if matches!(found.verdict, "serializable" | "inferred") {
        let specification = view.candidates(&found.if_star);
        let sequential = sequential(&specification);
        found.replayed = view.replay(&sequential, &specification, &objects)?;
        found.functional = Some(functional(&sequential.try_all(args.orders)));
    }
    if let (Some(path), false) = (&args.spec, args.check)
        && found.verdict != "none"
    {
        Specification::new(focus, found.if_star.clone()).write(path, context)?;
    }
    if context.is_json() {
        output::print_json(&found)?;
    } else {
        output::print_text(&show::text(&found, args.check, &context.styles()))?;
    }
    Ok(match (found.verdict, &found.functional) {
        ("none", _) => Exit::Findings,
        ("unknown", _) => Exit::Incomplete,
        (_, Some(line)) if line.contains("fails") => Exit::Findings,
        _ => Exit::Done,
    })
}

fn header() -> &'static str {
    let own = raddle_cfront::library::HEADERS.iter().find(|(name, _)| *name == "raddle.h");
    own.map_or("", |(_, text)| text)
}

/// What sequential executions have shown, as a sentence.
fn functional(found: &Functional) -> String {
    match found {
        Functional::Fails(what) => format!("The sequential program fails: {what}"),
        Functional::Holds { n_orders, all: true } => {
            format!("Assertions hold in all {n_orders} sequential executions")
        }
        Functional::Holds { n_orders, all: false } => {
            format!("Assertions are not refuted within {n_orders} orders of sequential executions")
        }
    }
}

fn name(args: &InferArgs) -> String {
    args.files[0].with_extension("").display().to_string()
}

/// The objects of the globals with these names.
fn focus_objects(program: &Program, names: &[String]) -> Result<Vec<u32>, Diagnostic> {
    let find = |name: &String| {
        let own = |global: &raddle_cfront::ir::Global| !global.library && *global.name == **name;
        program.globals.iter().position(own).map(|index| index as u32).ok_or_else(|| {
            let known = program.globals.iter().filter(|g| !g.library && !g.constant);
            let known: Vec<_> = known.map(|global| global.name.to_string()).collect();
            Diagnostic::error(format!("there is no global `{name}` that the program uses"))
                .help(format!("its globals are {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn lessons(
    args: &InferArgs,
    program: &Arc<Program>,
    outline: &Outline,
    focus: &[u32],
) -> Result<Lessons, Diagnostic> {
    let settings = fine(&args.program.settings(&name(args))?);
    let sampler = match args.strategy {
        Way::Sample(sampler) => sampler,
        _ => Sampler::Pause,
    };
    let mut strategy = Sample::new(sampler, args.seed);
    let recording = Recording { program, outline, focus, marked: args.transactions };
    learn(program, &settings, &mut strategy, args.runs as usize, recording).map_err(|error| {
        let title = match error {
            LearnError::Unstructured(_) => "the threads of the program are not structured",
            _ => "the program cannot be run",
        };
        Diagnostic::error(title).because(&error).help(
            "mark iterations with raddle_begin_iteration and raddle_end_iteration (raddle infer --header)",
        )
    })
}

fn report_runs(lessons: &Lessons, context: &Context) {
    for race in &lessons.races {
        context.tell(&Diagnostic::warning(format!("data race: {}", race.message)).remark(
            "specifications assume that there are none; what follows takes the order that was seen",
        ));
    }
    if !lessons.failed.is_empty() {
        let names: Vec<_> = lessons.failed.iter().map(|(_, o)| o.name().to_owned()).collect();
        context.tell(&Diagnostic::warning(format!(
            "{} runs did not end well and are left out: {}",
            names.len(),
            names.join(", ")
        )));
    }
}

fn check_focus(lessons: &[Lesson]) -> Result<(), Diagnostic> {
    let has = |lesson: &Lesson| lesson.recorded.trace.focus.contains(&true);
    match lessons.iter().any(has) {
        true => Ok(()),
        false => Err(Diagnostic::error("no run writes or reads a variable with the result")
            .help("--focus NAMES or raddle_focus(variable) says where the result is")),
    }
}

/// What is known of a run beside its trace.
struct Run {
    names: Vec<String>,
    threads: Vec<String>,
    given: Vec<Candidate>,
    n_constructs: usize,
    pieces: bool,
    machine: raddle_vm::Machine,
}

impl Run {
    fn new(lesson: Lesson) -> (Trace, Run) {
        let Lesson { recorded, machine, .. } = lesson;
        let run = Run {
            names: recorded.names,
            threads: recorded.threads,
            given: recorded.given,
            n_constructs: recorded.n_constructs,
            pieces: recorded.pieces,
            machine,
        };
        (recorded.trace, run)
    }
}

/// Everything that was learned.
struct View<'a> {
    program: &'a Program,
    outline: &'a Outline,
    runs: &'a [Run],
    traces: &'a [Trace],
}

impl View<'_> {
    fn lists(&self) -> &Lists {
        &self.outline.lists
    }

    /// A document that says nothing yet.
    fn document(&self, verdict: &'static str, specification: &[Candidate]) -> Document {
        let flows = || self.traces.iter().map(Dependence::new);
        Document {
            schema: "raddle.infer/1",
            verdict,
            conflict_serializable: flows().all(|flow| check::is_conflict_serialisable(&flow)),
            if_star: specification.iter().map(|s| lines(self.program, self.outline, s)).collect(),
            optimal_for: "all events",
            cycle: Vec::new(),
            traces: self.traces.len(),
            irrelevant: Vec::new(),
            races: Vec::new(),
            failed_runs: 0,
            replayed: 0,
            functional: None,
            stats: None,
        }
    }

    fn candidates(&self, if_star: &[Lines]) -> Vec<Candidate> {
        let find = |l: &Lines| self.outline.find(self.program, &l.file, l.from, l.to);
        if_star.iter().filter_map(find).collect()
    }

    fn check(&self, given: &[Candidate]) -> Document {
        let mut verdict = if given.is_empty() { "serializable" } else { "inferred" };
        let mut cycle = Vec::new();
        for (number, trace) in self.traces.iter().enumerate() {
            if let Err(cycles) = check(&Dependence::new(trace), given).verdict {
                verdict = "none";
                cycle = self.conflicts(number, &cycles[0]);
            }
        }
        Document { cycle, ..self.document(verdict, given) }
    }

    /// Executes each trace as the sequential program; answers how many were.
    fn replay(
        &self,
        sequential: &Sequential,
        specification: &[Candidate],
        focus: &[u32],
    ) -> Result<usize, Diagnostic> {
        let mut n_replayed = 0;
        for (trace, run) in self.traces.iter().zip(self.runs).filter(|(_, run)| !run.pieces) {
            let Ok(witness) = check(&Dependence::new(trace), specification).verdict else {
                continue;
            };
            let Some(machine) = sequential.replay(trace, &witness) else { continue };
            if !same_values(&run.machine, &machine, focus) {
                return Err(Diagnostic::error(
                    "the sequential execution of a trace ends with another result",
                )
                .remark("this is a defect of raddle: what it takes for irrelevant is not"));
            }
            n_replayed += 1;
        }
        Ok(n_replayed)
    }

    /// Specifications one after the other, until the sequential program of one does not fail.
    fn refine(
        &self,
        args: &InferArgs,
        inference: &mut Inference<'_>,
        sequential: &dyn Fn(&[Candidate]) -> Sequential,
    ) -> Inferred {
        let first = inference.solve();
        let mut found = first.clone();
        while let Inferred::Specification(specification) = &found {
            let fails = |f: Functional| matches!(f, Functional::Fails(_));
            if specification.is_empty() || !fails(sequential(specification).try_all(args.orders)) {
                return found;
            }
            inference.block(specification);
            found = inference.solve();
        }
        // All that explain the traces fail: the best of them is told, with how it fails.
        first
    }

    fn infer(&self, args: &InferArgs, sequential: &dyn Fn(&[Candidate]) -> Sequential) -> Document {
        let options =
            Options { slice: !args.no_slice, group: !args.no_groups, ..Options::default() };
        let started = Instant::now();
        let mut inference = Inference::new(self.traces, self.lists(), options);
        let mut sat = Duration::ZERO;
        if args.stats {
            inference.satisfy();
            sat = started.elapsed();
        }
        let since = Instant::now();
        let mut inferred = self.refine(args, &mut inference, sequential);
        let mut optimal_for = if options.group { "groups of events" } else { "all events" };
        let small = self.traces.iter().map(Trace::len).sum::<usize>() <= UNGROUPED_MAX;
        let trivial = matches!(&inferred, Inferred::Specification(found) if found.is_empty());
        if options.group && (small || trivial) {
            optimal_for = "all events";
            if !trivial {
                let options = Options { group: false, ..options };
                let mut ungrouped = Inference::new(self.traces, self.lists(), options);
                inferred = self.refine(args, &mut ungrouped, sequential);
            }
        }
        let took = since.elapsed();
        let (verdict, specification, cycles) = match inferred {
            Inferred::Specification(found) if found.is_empty() => {
                ("serializable", found, Vec::new())
            }
            Inferred::Specification(found) => ("inferred", found, Vec::new()),
            Inferred::None(cycles) => ("none", Vec::new(), cycles),
            Inferred::Unknown => ("unknown", Vec::new(), Vec::new()),
        };
        let cycle = cycles.first().map(|Found { trace, cycle }| self.conflicts(*trace, cycle));
        let stats = args.stats.then(|| self.stats(&inference, specification.len(), sat, took));
        Document {
            cycle: cycle.unwrap_or_default(),
            optimal_for,
            irrelevant: self.irrelevant(&specification),
            stats,
            ..self.document(verdict, &specification)
        }
    }

    fn conflicts(&self, trace: usize, cycle: &Cycle) -> Vec<ConflictDocument> {
        let run = &self.runs[trace];
        let access = |event: EventId| {
            let (file, line) = self.line(trace, event);
            let thread = self.traces[trace].thread(event);
            AccessDocument {
                thread: format!("{} {thread}", run.threads[thread as usize]),
                file,
                line,
            }
        };
        let conflict = |c: &raddle_ndseq::conflict::Conflict| ConflictDocument {
            variable: run.names[c.variable.0 as usize].clone(),
            before: access(c.before),
            after: access(c.after),
        };
        cycle.0.iter().map(conflict).collect()
    }

    fn line(&self, trace: usize, event: EventId) -> (String, u32) {
        let site = self.outline.site(self.traces[trace].place(event));
        let span = self.program.function(site.function).spans[site.op as usize];
        let location = self.program.sources.locate(span.start);
        (location.file.to_string(), location.line)
    }

    /// Lines of the program of which no event is relevant in any trace.
    fn irrelevant(&self, specification: &[Candidate]) -> Vec<Lines> {
        let mut known: BTreeMap<u32, bool> = BTreeMap::new();
        for trace in self.traces {
            let relevant = check(&Dependence::new(trace), specification).relevant;
            for event in trace.events() {
                *known.entry(trace.place(event)).or_default() |= relevant.has(event);
            }
        }
        let mut by_line: BTreeMap<(String, u32), bool> = BTreeMap::new();
        for (place, relevant) in known {
            let site = self.outline.site(place);
            let function = self.program.function(site.function);
            if !function.library {
                let location = self.program.sources.locate(function.spans[site.op as usize].start);
                *by_line.entry((location.file.to_string(), location.line)).or_default() |= relevant;
            }
        }
        let lines = by_line.into_iter().filter(|(_, relevant)| !relevant);
        lines.map(|((file, line), _)| Lines { file, from: line, to: line }).collect()
    }

    fn stats(
        &self,
        inference: &Inference<'_>,
        n_if_star: usize,
        sat: Duration,
        took: Duration,
    ) -> Stats {
        let last = self.traces.len() - 1;
        let trace = &self.traces[last];
        let writes = |event: &EventId| trace.writes(*event).any(|v| trace.focus[v.0 as usize]);
        let mut places: Vec<_> = trace.events().filter(writes).map(|e| trace.place(e)).collect();
        places.sort_unstable();
        places.dedup();
        Stats {
            events: trace.len(),
            sliced_out: inference.n_sliced_out()[last],
            parallel_constructs: self.runs[last].n_constructs,
            focus_statements: places.len(),
            if_star: n_if_star,
            cycles: inference.cycles().len(),
            sat_ms: sat.as_secs_f64() * 1e3,
            min_cost_sat_ms: took.as_secs_f64() * 1e3,
        }
    }
}
