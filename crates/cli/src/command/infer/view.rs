//! Everything that was learned from the runs, and what follows from it.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use raddle_cfront::ir::Program;
use raddle_ndseq::check::check;
use raddle_ndseq::conflict::{self, Cycle};
use raddle_ndseq::depend::Dependence;
use raddle_ndseq::infer::{Found, Inference, Inferred, Options};
use raddle_ndseq::learn::Lesson;
use raddle_ndseq::outline::Outline;
use raddle_ndseq::sequential::{Functional, Sequential, same_values};
use raddle_ndseq::statement::{Candidate, Lists};
use raddle_ndseq::trace::{EventId, Trace};

use super::InferArgs;
use super::document::{AccessDocument, ConflictDocument, Document, Stats};
use super::specification::{Lines, lines};
use crate::diagnostic::Diagnostic;

/// Traces with fewer events in all are looked at without groups, too.
const UNGROUPED_MAX: usize = 500_000;

/// What is known of a run beside its trace.
pub(super) struct Run {
    names: Vec<String>,
    threads: Vec<String>,
    pub(super) given: Vec<Candidate>,
    n_constructs: usize,
    pieces: bool,
    machine: raddle_vm::Machine,
}

impl Run {
    pub(super) fn new(lesson: Lesson) -> (Trace, Run) {
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
pub(super) struct View<'a> {
    pub(super) program: &'a Program,
    pub(super) outline: &'a Outline,
    pub(super) runs: &'a [Run],
    pub(super) traces: &'a [Trace],
}

impl View<'_> {
    fn lists(&self) -> &Lists {
        &self.outline.lists
    }

    /// A document that says nothing yet.
    fn document(&self, verdict: &'static str, specification: &[Candidate]) -> Document {
        let surveys: Vec<_> = self.traces.iter().map(conflict::survey).collect();
        Document {
            schema: "raddle.infer/1",
            verdict,
            conflicts: surveys.iter().any(|&(any, _)| any),
            conflict_serializable: surveys.iter().all(|&(_, serial)| serial),
            if_star: specification.iter().map(|s| lines(self.program, self.outline, s)).collect(),
            specification: specification.to_vec(),
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

    pub(super) fn check(&self, given: &[Candidate]) -> Document {
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
    pub(super) fn replay(
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
                    "the sequential execution of a trace ends with a different result",
                )
                .remark("this is a bug in Raddle: it considers something irrelevant that is not"));
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
        // All that explain the traces fail: the best of them is shown, with how it fails.
        first
    }

    pub(super) fn infer(
        &self,
        args: &InferArgs,
        sequential: &dyn Fn(&[Candidate]) -> Sequential,
    ) -> Document {
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
            irrelevant: match verdict {
                "none" | "unknown" => Vec::new(),
                _ => self.irrelevant(&specification),
            },
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
