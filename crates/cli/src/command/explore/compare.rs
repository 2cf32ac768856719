//! `raddle explore --compare`: how fast strategies come to new states.
//!
//! In: strategies. Out: for each of them how many distinct states there were after how many
//! executions, with the same points and the same definition of a state (Figures 1, 2 and 4 to 6 of
//! the paper on iterative context bounding). No strategy has a cache or a reduction, and nothing
//! becomes a point meanwhile: all of them explore the same program.

use std::io::Write;
use std::path::Path;

use raddle_explore::{Budget, Ending, Growth, Races, Report, StrategyKind};
use raddle_session::{Exploration, Method};
use raddle_vm::{Points, Settings};
use serde::Serialize;

use super::args::Switch;
use super::{Job, SearchArgs};
use crate::console::Console;
use crate::destination::Destination;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::program::binary::launch::is_binary;
use crate::quantity::count;
use crate::table;

/// How many executions each strategy has unless a budget is given.
const RUNS: u64 = 10_000;

/// What one strategy came to.
#[derive(Serialize)]
struct Line {
    strategy: String,
    executions: u64,
    states: u64,
    exhausted: bool,
    curve: Vec<Growth>,
}

/// The schema `raddle.growth/1`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    program: String,
    points: &'static str,
    seed: u64,
    strategies: &'a [Line],
}

impl Job<'_> {
    /// Compares strategies.
    pub(super) fn compare(
        &self,
        kinds: &[StrategyKind],
        curves: Option<&Path>,
    ) -> Result<Exit, Diagnostic> {
        let search: &SearchArgs = self.search;
        if is_binary(self.files) {
            return Err(Diagnostic::error("--compare cannot be used with a binary").help(
                "strategies are compared by their states, which only Raddle's virtual \
                 machine provides",
            ));
        }
        if search.cache == Some(Switch::On) {
            return Err(Diagnostic::error("--compare cannot be used with --cache on")
                .help("strategies are compared by the states that their own executions reach"));
        }
        let destination = curves
            .map(|path| Destination::prepare(path, &self.context.interrupt).map(|to| (path, to)));
        let destination = destination.transpose()?;
        let exploration = self.explore_source(true)?;
        let unlimited = search.runs.is_none() && search.time.is_none();
        let budget = Budget {
            races: Races::Ignored,
            findings: None,
            runs: if unlimited { Some(RUNS) } else { search.runs },
            ..exploration.budget
        };
        let exploration = Exploration { budget, ..exploration };
        let mut console = Console::new(self.context);
        let _deferral = self.context.interrupt.defer_two_signals();
        let (mut lines, mut is_complete, mut program) = (Vec::new(), true, String::new());
        for &kind in kinds {
            let plain = Method { is_cached: false, part: None, ..search.method(kind) };
            let explored = exploration.run(plain.strategy(), None, &mut console)?;
            let report = explored.report;
            program = explored.identity;
            if report.ending == Ending::Memory {
                self.context.show(&Diagnostic::warning(format!("{kind} ended early: --memory")));
                is_complete = false;
            }
            lines.push(line(kind, report));
            if self.context.interrupt.is_asked() {
                is_complete = false;
                break;
            }
        }
        let document = Document {
            schema: "raddle.growth/1",
            program,
            points: points(&exploration.subject.settings),
            seed: search.seed,
            strategies: &lines,
        };
        if let Some((path, destination)) = destination {
            let json = path.extension().is_some_and(|extension| extension == "json");
            destination.write(|out| match json {
                true => {
                    serde_json::to_writer_pretty(&mut *out, &document)?;
                    writeln!(out)
                }
                false => csv(out, &lines),
            })?;
        }
        match self.context.is_json() {
            true => output::print_json(&document)?,
            false => output::print_text(&text(&lines))?,
        }
        Ok(if is_complete { Exit::Done } else { Exit::Incomplete })
    }
}

fn points(settings: &Settings) -> &'static str {
    match settings.points {
        Points::Sync => "sync",
        Points::All => "all",
    }
}

fn line(kind: StrategyKind, report: Report) -> Line {
    Line {
        strategy: kind.to_string(),
        executions: report.executions,
        states: report.growth.last().map_or(0, |last| last.states),
        exhausted: report.exhausted,
        curve: report.growth,
    }
}

fn csv(out: &mut dyn Write, lines: &[Line]) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["strategy", "executions", "states", "bound"])?;
    for Line { strategy, curve, .. } in lines {
        for Growth { executions, states, bound } in curve {
            writer.serialize((strategy, executions, states, bound))?;
        }
    }
    writer.flush()
}

/// Distinct states after 10, 100, … executions.
fn text(lines: &[Line]) -> String {
    let most = lines.iter().map(|line| line.executions).max().unwrap_or(0);
    let marks: Vec<u64> = (0..19).map(|n| 10u64.pow(n)).take_while(|&mark| mark < most).collect();
    let mut header = vec!["states after".to_owned()];
    header.extend(marks.iter().map(|&mark| count(mark)));
    header.push("all".to_owned());
    header.push("executions".to_owned());
    let mut rows = vec![header];
    for line in lines {
        let after = |&mark: &u64| {
            let at = line.curve.partition_point(|point| point.executions <= mark);
            let reached = mark <= line.executions;
            let states = at.checked_sub(1).map(|at| line.curve[at].states);
            states.filter(|_| reached).map_or("-".to_owned(), count)
        };
        let mut row = vec![line.strategy.clone()];
        row.extend(marks.iter().map(after));
        row.push(count(line.states));
        let all = if line.exhausted { " (all)" } else { "" };
        row.push(format!("{}{all}", count(line.executions)));
        rows.push(row);
    }
    table::lines(&rows, &[0]).iter().map(|line| format!("{line}\n")).collect()
}
