//! The runs that a trace program comes from.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use raddle_cfront::ir::Program;
use raddle_finding::{Choice, Schedule};
use raddle_ranges::analysis::Analysed;
use raddle_ranges::assertion::Assertion;
use raddle_ranges::ctp::Ctp;
use raddle_ranges::gaps::Gap;
use raddle_ranges::grow::{GrowError, Grower, Grown, Limits, Manner};
use raddle_ranges::record::{Failure, Recorded};
use raddle_vm::{Machine, Outcome, Points, Question, Settings, portable};

use super::{N_UPDATES_MAX, RangesArgs};
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::program::binary::launch;
use crate::program::execution::{check_program, machine};
use crate::quantity::counted;

/// What the runs have shown.
pub(super) struct Runs {
    /// The trace program of all of them, without what is constant.
    pub(super) ctp: Ctp,
    /// Its intervals.
    pub(super) analysed: Analysed,
    pub(super) n_runs: usize,
    /// Assertions that have failed.
    pub(super) failures: Vec<Failure>,
    /// What is said of runs that did not end by themselves.
    pub(super) ends: Vec<Diagnostic>,
    /// What none of them shows.
    pub(super) open: Vec<Gap>,
}

/// How many runs may be added.
const N_RUNS_MORE: usize = 64;

/// A trace program with more states does not grow.
const N_STATES_MAX: usize = 500;

impl Runs {
    /// Makes them; if `looks` says so, with those that show what the others do not.
    pub(super) fn new(
        args: &RangesArgs,
        program: &Arc<Program>,
        settings: &Settings,
        (looks, deadline): (bool, Option<Instant>),
        context: &Context,
    ) -> Result<Runs, Diagnostic> {
        let mut machine = machine(program.clone(), settings)?;
        let given = match &args.trace {
            Some(text) => Some(given_schedule(text, program, settings, &machine)?),
            None => None,
        };
        let mut schedules = vec![given];
        for number in 1..args.schedules {
            if context.interrupt.is_asked() {
                break;
            }
            let seed = args.seed.wrapping_add(u64::from(number));
            schedules.push(Some(random_schedule(&mut machine, seed)));
        }
        let named: Vec<_> = args.asserts.iter().flat_map(Assertion::names).collect();
        let grows = args.trace.is_none();
        let grower = Grower {
            program,
            settings,
            named: &named,
            manner: Manner {
                graph: args.graph.into(),
                lookahead: args.lookahead.into(),
                options: args.options(deadline),
            },
            limits: Limits {
                n_runs_max: schedules.len() + if grows { N_RUNS_MORE } else { 0 },
                deadline,
                n_updates_max: N_UPDATES_MAX,
                n_states_max: N_STATES_MAX,
            },
            looks,
            asked: !args.asserts.is_empty() || !args.reach.is_empty(),
        };
        let mut seed = args.seed.wrapping_add(u64::from(args.schedules));
        let mut random = || {
            seed = seed.wrapping_add(1);
            random_schedule(&mut machine, seed)
        };
        let grown = grower.grow(schedules, &mut random).map_err(failed)?;
        let Grown { ctp, analysed, runs, open } = grown;
        let failures = runs.iter().filter_map(|run| run.failure(program)).collect();
        Ok(Runs { ctp, analysed, n_runs: runs.len(), failures, ends: ends(&runs), open })
    }
}

/// What is said if there is no result.
fn failed(error: GrowError) -> Diagnostic {
    match &error {
        GrowError::Exhausted(_) => Diagnostic::error("the trace program is too large")
            .because(&error)
            .help("a smaller --lookahead, or --graph tsg-reduced, reduces the work"),
        _ => Diagnostic::error("the run is not possible").because(&error),
    }
}

/// One remark for each kind of early end of runs.
fn ends(runs: &[Recorded]) -> Vec<Diagnostic> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for text in runs.iter().filter_map(|run| early(run.outcome.as_ref()?)) {
        match all.iter_mut().find(|(known, _)| *known == text) {
            Some((_, n)) => *n += 1,
            None => all.push((text, 1)),
        }
    }
    let said = |(text, n): (String, usize)| {
        let whose = match runs.len() {
            1 => "the run".to_owned(),
            _ => counted(n, "run"),
        };
        Diagnostic::note(format!("{whose} ended early: {text}"))
            .help("steps that would have followed are in none of the interleavings considered")
    };
    all.into_iter().map(said).collect()
}

/// How a run ended, unless it did so by itself.
fn early(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Exited(_) => return None,
        Outcome::Fault(fault) => fault.to_string(),
        Outcome::Deadlock(_) => "deadlock".to_owned(),
        Outcome::Assumption => "an assumption of the program does not hold".to_owned(),
        Outcome::Steps { .. } => "it took more transitions than allowed (--max-steps)".to_owned(),
        Outcome::Unsupported { what, .. } => format!("{what} is not supported"),
    })
}

/// The schedule that was given, with points before every access.
fn given_schedule(
    text: &str,
    program: &Arc<Program>,
    settings: &Settings,
    machine: &Machine,
) -> Result<Schedule, Diagnostic> {
    let schedule = launch::schedule(text)?;
    let mut coarse = settings.clone();
    coarse.take_points(schedule.program());
    if coarse.points == Points::All {
        check_program(&schedule, machine)?;
        return Ok(schedule);
    }
    check_program(&schedule, &self::machine(program.clone(), &coarse)?)?;
    portable(program, &coarse, &schedule, &AtomicBool::new(false))
        .ok_or_else(|| Diagnostic::error("the schedule does not match the program"))
}

/// A random run.
fn random_schedule(machine: &mut Machine, seed: u64) -> Schedule {
    machine.reset();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut schedule = Schedule::new(machine.program_id());
    while let Some(question) = machine.question() {
        let choice = match question {
            Question::Thread(threads) => Choice::Thread(threads[rng.usize(..threads.len())]),
            Question::Waiter(waiters) => Choice::Waiter(waiters[rng.usize(..waiters.len())]),
            Question::Timeout => Choice::Timeout(rng.bool()),
            Question::Spurious => Choice::Spurious(rng.bool()),
            Question::Value { low, high } => Choice::Value(rng.i64(low..=high)),
            Question::Input(values) => Choice::Value(values[rng.usize(..values.len())]),
        };
        machine.answer(choice, &mut ()).expect("what is chosen is open");
        schedule.push(choice);
    }
    schedule
}
