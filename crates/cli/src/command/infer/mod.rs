//! `raddle infer`: the nondeterministic sequential specification of a parallel program.

mod document;
mod publish;
mod show;
mod specification;
mod view;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use raddle_cfront::ir::Program;
use raddle_explore::{Sample, Sampler};
use raddle_ndseq::learn::{LearnError, Lesson, Lessons, learn};
use raddle_ndseq::outline::Outline;
use raddle_ndseq::record::Recording;
use raddle_ndseq::sequential::{Functional, N_SKIPS, Sequential};
use raddle_ndseq::statement::Candidate;
use raddle_vm::fine;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::source::ProgramArgs;
use crate::publish::PublishArgs;
use crate::strategy;
use document::FunctionalDocument;
use specification::Specification;
use view::{Run, View};

/// Infer the sequential specification of a parallel program, or check one
///
/// The program runs several times, so that its threads interleave in different ways. Each created
/// thread is an iteration; together, the iterations must have the same effect on the result as if
/// they ran one after the other, in some order. Statements that such an execution has to skip are
/// placed inside `if(*)`, as few as possible. If no such statements explain the runs, the threads
/// interfere with each other.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  raddle infer cas.c --focus x                     the if(*) that cas.c needs
  raddle infer cas.c --focus x --spec cas.toml     the same, written to a file
  raddle infer cas.c --spec cas.toml --check       whether cas.c still conforms to it
  raddle infer cas.c --focus x -o cas.html         a page with the lines and their if(*)
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

    /// How runs are chosen; `list` lists the strategies
    #[arg(long, value_name = "NAME", default_value = "race", value_parser = strategy::drawing())]
    strategy: Sampler,

    /// The seed of the runs
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The file of the specification
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,

    /// Check the specification in the file given by --spec, or the one in the source, instead of inferring one
    #[arg(long)]
    check: bool,

    /// Use marked transactions as iterations, not whole threads
    #[arg(long)]
    transactions: bool,

    /// Do not treat the dynamic slice as relevant from the start
    #[arg(long)]
    no_slice: bool,

    /// Do not treat executions without events of the slice as one event
    #[arg(long)]
    no_groups: bool,

    /// Try this many sequential executions of the specification
    #[arg(long, value_name = "N", default_value_t = 200)]
    orders: u32,

    /// Show the columns of Table 1 of the paper
    #[arg(long)]
    stats: bool,

    /// Print the header with the annotations and exit
    #[arg(long)]
    header: bool,

    #[command(flatten)]
    publish: PublishArgs,
}

/// Runs `raddle infer`.
pub(crate) fn run(args: InferArgs, context: &Context) -> Result<Exit, Diagnostic> {
    if args.header {
        output::print_text(header())?;
        return Ok(Exit::Done);
    }
    let (publisher, known) = args.publish.prepare(context)?;
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
        return Err(Diagnostic::error("no run succeeded, so there is nothing to learn from")
            .help("use raddle check to find out what goes wrong"));
    }
    let Lessons { lessons, races, failed } = lessons;
    check_focus(&lessons)?;
    let (traces, runs): (Vec<_>, Vec<_>) = lessons.into_iter().map(Run::new).unzip();
    let view = View { program: &program, outline: &outline, runs: &runs, traces: &traces };
    let given = match (args.check, given) {
        (true, Some(given)) => Some(given.resolve(&program, &outline)?),
        (true, None) => Some(marked(&runs)),
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
        let sequential = sequential(&found.specification);
        found.replayed = view.replay(&sequential, &found.specification, &objects)?;
        found.functional = Some(functional(&sequential.try_all(args.orders)));
    }
    if let (Some(path), false) = (&args.spec, args.check)
        && found.verdict != "none"
    {
        Specification::new(focus.clone(), found.if_star.clone()).write(path, context)?;
    }
    if args.publish.needs_document() {
        let mut report = publish::report(&name(&args), &focus, &found, &program);
        known.sift(&mut report, context);
        publisher.write(&report, context)?;
    }
    if context.is_json() {
        output::print_json(&found)?;
    } else {
        output::print_text(&show::text(&found, args.check, &context.styles()))?;
    }
    Ok(match (found.verdict, &found.functional) {
        ("none", _) => Exit::Findings,
        ("unknown", _) => Exit::Incomplete,
        (_, Some(functional)) if !functional.holds => Exit::Findings,
        _ => Exit::Done,
    })
}

/// The statements that the program itself puts inside `if(*)`.
fn marked(runs: &[Run]) -> Vec<Candidate> {
    let mut all: Vec<_> = runs.iter().flat_map(|run| run.given.iter().copied()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn header() -> &'static str {
    let own = raddle_cfront::library::HEADERS.iter().find(|(name, _)| *name == "raddle.h");
    own.map_or("", |(_, text)| text)
}

fn functional(found: &Functional) -> FunctionalDocument {
    let limit = format!("each thread skips at most {N_SKIPS} executions of if(*)");
    let (holds, orders, text) = match found {
        Functional::Fails(what) => (false, 0, format!("The sequential program fails: {what}")),
        Functional::Holds { n_orders, all: true } => {
            let text =
                format!("No assertion fails in any of {n_orders} sequential executions ({limit})");
            (true, *n_orders, text)
        }
        Functional::Holds { n_orders, all: false } => {
            (true, *n_orders, format!("Not refuted within {n_orders} orders ({limit})"))
        }
    };
    FunctionalDocument { holds, orders, text }
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
            Diagnostic::error(format!("the program uses no global variable `{name}`"))
                .help(format!("its global variables are {}", known.join(", ")))
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
    let mut strategy = Sample::new(args.strategy, args.seed);
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
        context.show(&Diagnostic::warning(format!("data race: {}", race.message)).remark(
            "specifications assume that there are none; what follows uses the observed order",
        ));
    }
    if !lessons.failed.is_empty() {
        let names: Vec<_> = lessons.failed.iter().map(|(_, o)| o.name().to_owned()).collect();
        context.show(&Diagnostic::warning(format!(
            "{} runs failed and are not used: {}",
            names.len(),
            names.join(", ")
        )));
    }
}

fn check_focus(lessons: &[Lesson]) -> Result<(), Diagnostic> {
    let has = |lesson: &Lesson| lesson.recorded.trace.focus.contains(&true);
    match lessons.iter().any(has) {
        true => Ok(()),
        false => Err(Diagnostic::error("no run reads or writes a variable that holds the result")
            .help(
                "use --focus NAMES or raddle_focus(variable) to name the variables that hold \
                 the result",
            )),
    }
}
