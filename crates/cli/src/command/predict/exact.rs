//! Predictions about a C program: it is run once for the trace, and again along each witness.
//!
//! In: C files instead of a trace. Out: the trace of a run, and which findings the machine did. A
//! witness knows nothing of values; where the program does not follow it, the solver is asked for
//! another execution, with data, that does the same, or says that no interleaving of the run does.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess;
use raddle_finding::Schedule;
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Pattern, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;
use raddle_ranges::record::record;
use raddle_ranges::replay::{Replayed, replay};
use raddle_trace::check::Mode;
use raddle_trace::format::{Compression, Format, Loaded};
use raddle_trace::{EventId, Trace};
use raddle_vm::record::Recorder;
use raddle_vm::{Event, Machine, Observer, Outcome, Settings, What, fine};
use rustc_hash::FxHashMap;

use super::confirm::{Confirmed, Shown};
use super::find::Found;
use super::item::Item;
use crate::command::program::source::quoted;
use crate::command::trace::input::Input;
use crate::context::Context;
use crate::diagnostic::Diagnostic;

/// How much work intervals may be, and how many conflicts one question.
const N_UPDATES_MAX: u64 = 2_000_000_000;
const N_CONFLICTS_MAX: u32 = 100_000;

/// A program on the machine, and one run of it.
pub(super) struct Target {
    program: Arc<Program>,
    settings: Settings,
    ctp: Ctp,
    /// The step that each event of the trace is, if it is one.
    steps: Vec<Option<StateId>>,
    file: String,
    arguments: Vec<OsString>,
}

/// Whether a file is the source of a program.
pub(super) fn is_source(input: &Input) -> bool {
    input.path.extension().is_some_and(|ending| ending == "c" || ending == "i")
}

/// Records events, and counts those of each thread as steps of trace programs are counted.
#[derive(Default)]
struct Counting {
    recorder: Recorder,
    n_events: FxHashMap<u32, u32>,
    /// For each recorded event its thread and its number there.
    numbers: Vec<(u32, u32)>,
}

impl Observer for Counting {
    fn event(&mut self, event: &Event<'_>) {
        let n = self.n_events.entry(event.thread).or_default();
        *n += u32::from(!matches!(event.what, What::Request { .. }));
        let number = (event.thread, *n);
        self.recorder.event(event);
        self.numbers.resize(self.recorder.len() as usize, number);
    }
}

/// Runs the program once.
pub(super) fn open(
    input: &Input,
    arguments: &[OsString],
    context: &Context,
) -> Result<(Loaded, Target), Diagnostic> {
    let compiled = compile(std::slice::from_ref(&input.path), &preprocess::Options::default());
    let compiled = compiled.map_err(|error| {
        Diagnostic::error(format!("`{}` does not compile", input.name))
            .because(&error)
            .help("`raddle record` takes options of the compiler and writes a trace")
    })?;
    let program = Arc::new(compiled.program);
    let name = input.path.with_extension("").display().to_string().into_bytes();
    let given = arguments.iter().map(|word| word.as_bytes().to_vec());
    let settings = Settings {
        arguments: std::iter::once(name).chain(given).collect(),
        ..fine(&Settings::default())
    };
    let cannot = |error: &dyn std::error::Error| {
        Diagnostic::error("the program cannot be run").remark(error.to_string())
    };
    let recorded = record(&program, &settings, None).map_err(|error| cannot(&error))?;
    for notice in &recorded.ctp.notices {
        context.tell(&Diagnostic::note(notice.text.clone()));
    }
    let mut machine = Machine::new(program.clone(), &settings).map_err(|error| cannot(&error))?;
    let mut counting = Counting::default();
    machine.replay(&recorded.schedule, &mut counting);
    let (events, kept) = counting.recorder.finish_with_kept();
    let trace = Trace::new(events, Mode::Strict).map_err(|fault| {
        Diagnostic::error("the recorded trace is not well-formed; this is a defect of Raddle")
            .because(&fault)
    })?;
    let steps = steps(&recorded.ctp, &counting.numbers, &kept);
    let loaded = Loaded {
        trace,
        format: Format::Rdl,
        compression: Compression::None,
        loss: None,
        begin_end: None,
    };
    let (file, arguments) = (quoted(input.path.as_os_str()), arguments.to_vec());
    Ok((loaded, Target { program, settings, ctp: recorded.ctp, steps, file, arguments }))
}

fn steps(ctp: &Ctp, numbers: &[(u32, u32)], kept: &[EventId]) -> Vec<Option<StateId>> {
    let mut known = FxHashMap::default();
    for id in ctp.state_ids().filter(|&id| ctp.state(id).parent.is_some()) {
        let thread = ctp.threads[ctp.state(id).thread.0 as usize].number;
        known.insert((thread, ctp.step(id).n_events), id);
    }
    kept.iter().map(|old| known.get(&numbers[old.index()]).copied()).collect()
}

impl Target {
    /// Runs the program along every witness, or along what the solver finds instead.
    pub(super) fn confirm(
        &self,
        trace: &Trace,
        found: &Found,
        context: &Context,
    ) -> Result<Confirmed, Diagnostic> {
        let mut solver = None;
        let mut confirmed = Confirmed::default();
        for item in found.items() {
            if context.interrupt.is_asked() {
                break;
            }
            confirmed.n_tried += 1;
            let mut shown = self.along(item)?;
            if shown.is_none()
                && let Some(query) = self.question(item)
            {
                let solver = solver.get_or_insert_with(|| self.solver());
                match solver.ask(&query) {
                    Feasibility::Feasible(steps) => shown = self.show(item, &steps, &query)?,
                    Feasibility::Infeasible => confirmed.rule_out(item, trace),
                    Feasibility::Unknown => {}
                }
            }
            if let Some(replayed) = shown {
                confirmed.add(item, trace, self.shown(&replayed));
            }
        }
        Ok(confirmed)
    }

    /// A solver with the widths that intervals allow. Steps are ordered one by one, since findings
    /// are about moments.
    fn solver(&self) -> Solver<'_> {
        let graph = Graph::with(&self.ctp, GraphKind::TsgReduced, true);
        let ranges = propagate(&self.ctp, &graph, 1, N_UPDATES_MAX).ok();
        let options = Options { n_conflicts_max: Some(N_CONFLICTS_MAX), ..Options::default() };
        Solver::new(&self.ctp, &Graph::stepwise(&self.ctp), ranges.as_ref(), options)
    }

    /// The question whether a finding can happen with data, if it can be asked: the events of a race
    /// or a deadlock are next at once, those of an atomicity violation come in their order, and a
    /// read reads from the challenger.
    fn question(&self, item: Item<'_>) -> Option<Query> {
        let step = |event: EventId| self.steps[event.index()];
        match item {
            Item::Race(_) | Item::Deadlock(_) => {
                let next: Option<Vec<_>> = item.next().into_iter().map(step).collect();
                next.map(Query::Meet)
            }
            Item::Violation(violation) => {
                let [first, remote, second] = violation.events.map(step);
                let before = vec![(first?, remote?), (remote?, second?)];
                Some(Query::Events(Pattern { before, ..Pattern::default() }))
            }
            Item::Read(read) => {
                let from = match read.challenger {
                    Some(challenger) => Some(step(challenger)?),
                    None => None,
                };
                Some(Query::ReadsFrom(step(read.read?)?, from))
            }
            Item::LostWakeup(_) => None,
        }
    }

    /// Follows the witness; what its end shows must be there.
    fn along(&self, item: Item<'_>) -> Result<Option<Replayed>, Diagnostic> {
        let steps: Vec<_> =
            item.witness().iter().filter_map(|event| self.steps[event.index()]).collect();
        let Some(&last) = steps.last() else { return Ok(None) };
        let query = match item {
            Item::Race(_) => self.question(item).unwrap_or(Query::Reaches(last)),
            _ => Query::Reaches(last),
        };
        self.show(item, &steps, &query)
    }

    /// Takes steps; what the finding is about must come true at their end.
    fn show(
        &self,
        item: Item<'_>,
        steps: &[StateId],
        query: &Query,
    ) -> Result<Option<Replayed>, Diagnostic> {
        let Item::Deadlock(_) = item else {
            return Ok(self.run(steps, query)?.filter(|run| run.confirmed));
        };
        // Who is stuck is not next: the end of the run says whether it was a deadlock.
        let Some(&last) = steps.last() else { return Ok(None) };
        let replayed = self.run(steps, &Query::Reaches(last))?;
        Ok(replayed.filter(|run| run.confirmed && self.deadlocks(&run.schedule)))
    }

    fn run(&self, steps: &[StateId], query: &Query) -> Result<Option<Replayed>, Diagnostic> {
        let replayed = replay(&self.program, &self.settings, &self.ctp, steps, query);
        replayed
            .map(Some)
            .map_err(|error| Diagnostic::error("the program cannot be run").because(&error))
    }

    fn deadlocks(&self, schedule: &Schedule) -> bool {
        let machine = Machine::new(self.program.clone(), &self.settings);
        machine.is_ok_and(|mut machine| {
            machine.replay(schedule, &mut ());
            matches!(machine.outcome(), Some(Outcome::Deadlock(_)))
        })
    }

    fn shown(&self, replayed: &Replayed) -> Shown {
        let arguments: Vec<_> = self.arguments.iter().map(|word| quoted(word)).collect();
        let after = match arguments.as_slice() {
            [] => String::new(),
            words => format!(" -- {}", words.join(" ")),
        };
        let replay = format!("raddle replay {} {}{after}", self.file, replayed.schedule);
        let outcome = match &replayed.outcome {
            None => "goes-on",
            Some(Outcome::Exited(_)) => "exited",
            Some(Outcome::Deadlock(_)) => "deadlock",
            Some(_) => "fault",
        };
        Shown::new(replay, outcome, replayed.schedule.clone())
    }
}
