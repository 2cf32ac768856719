//! Tables of counts: what each step leaves, by the papers' own algorithms and exactly.
//!
//! In: a trace and what was found in it. Out: the columns of two published tables (see
//! [`raddle_published`]), with the exact numbers beside them. Exact numbers count pairs, triples and
//! triplets, not places, so everything is asked, whatever the findings are to be.

use std::collections::BTreeMap;
use std::time::Instant;

use raddle_finding::Property;
use raddle_predict::{ANALYSES, Causes, Job, Results, Scope, transactions};
use raddle_published::{ReadTable, Statistics, funnel, reads, statistics};
use raddle_session::predict::{Found, Plan, Search, seconds};
use serde_json::{Value, json};

use crate::console::Console;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::progress::Progress;

/// The tables.
pub(super) struct Tables {
    pub(super) trace: Statistics,
    pub(super) race: Option<Funnel>,
    pub(super) atomicity: Option<Funnel>,
    pub(super) reads: Option<Witnesses>,
    /// Seconds, by table.
    pub(super) timing: BTreeMap<String, Value>,
}

/// Candidates, and what is left of them.
pub(super) struct Funnel {
    pub(super) paper: funnel::Funnel,
    pub(super) witnessed: u64,
    pub(super) unknown: u64,
    pub(super) is_complete: bool,
}

/// Witnesses of nondeterministic reads.
pub(super) struct Witnesses {
    pub(super) paper: ReadTable,
    pub(super) possible: u64,
    pub(super) feasible: u64,
    pub(super) unknown: u64,
    pub(super) is_complete: bool,
}

impl Witnesses {
    /// What is left when the rest is decided.
    pub(super) fn infeasible(&self) -> u64 {
        self.possible.saturating_sub(self.feasible + self.unknown)
    }
}

/// Counts for the tables of the properties that were looked for.
pub(super) fn count(
    causes: &Causes,
    found: &Found,
    plan: &Plan,
    context: &Context,
) -> Result<Tables, Diagnostic> {
    let console = Console::new(context);
    let mut counter = Counter { causes, found, plan, context, console, timing: BTreeMap::new() };
    Ok(Tables {
        trace: statistics(causes.trace()),
        race: found.of(Property::Race).map(|_| counter.races()).transpose()?,
        atomicity: found.of(Property::Atomicity).map(|_| counter.atomicity()).transpose()?,
        reads: found.of(Property::Determinism).map(|_| counter.reads()).transpose()?,
        timing: counter.timing,
    })
}

struct Counter<'a> {
    causes: &'a Causes<'a>,
    found: &'a Found,
    plan: &'a Plan,
    context: &'a Context,
    console: Console<'a>,
    timing: BTreeMap<String, Value>,
}

impl Counter<'_> {
    fn races(&mut self) -> Result<Funnel, Diagnostic> {
        let causes = self.causes;
        let paper = self.timed("paper_race_s", |progress| funnel::races(causes.trace(), progress));
        Ok(combined(paper, &self.exact(Property::Race, "all races")?))
    }

    fn atomicity(&mut self) -> Result<Funnel, Diagnostic> {
        let causes = self.causes;
        let blocks = transactions(causes.trace(), self.plan.scope.transactions);
        let pairs: Vec<_> = blocks.iter().map(|block| (block.from, block.to)).collect();
        let count = |progress: &mut dyn FnMut(u64) -> bool| {
            funnel::atomicity(causes.trace(), &pairs, progress)
        };
        let paper = self.timed("paper_atomicity_s", count);
        Ok(combined(paper, &self.exact(Property::Atomicity, "all atomicity violations")?))
    }

    fn reads(&mut self) -> Result<Witnesses, Diagnostic> {
        let causes = self.causes;
        let paper = self.timed("paper_reads_s", |progress| reads(causes.trace(), progress));
        let exact = self.exact(Property::Determinism, "all nondeterministic reads")?;
        let n = |key: &str| exact.counts.get(key).and_then(Value::as_u64).unwrap_or(0);
        Ok(Witnesses {
            paper,
            possible: n("possible"),
            feasible: n("feasible"),
            unknown: exact.unknown,
            is_complete: exact.is_complete,
        })
    }

    /// Counts pairs, triples and triplets, whatever was looked for.
    fn exact(&mut self, property: Property, name: &'static str) -> Result<Exact, Diagnostic> {
        let causes = self.causes;
        let scope = Scope { all: true, ..self.plan.scope };
        let of = |results: &dyn Results| Exact {
            witnessed: results.n_predictions() as u64,
            unknown: results.n_unknown(),
            is_complete: results.is_complete(),
            counts: results.counts(causes.trace(), scope),
        };
        if let Some(results) = self.found.of(property).filter(|_| self.plan.scope == scope) {
            return Ok(of(results));
        }
        let analysis = ANALYSES.into_iter().find(|analysis| analysis.property() == property);
        let analysis = analysis.expect("what was found has an analysis");
        let results = self.search().run(name, |job: Job| analysis.run(causes, scope, job))?;
        Ok(of(&*results))
    }

    fn search(&mut self) -> Search<'_> {
        let n_found = self.found.n_predictions();
        Search { plan: self.plan, n_found, observer: &mut self.console }
    }

    /// Counts by an algorithm of a paper, and notes how long that took.
    fn timed<T>(&mut self, key: &str, count: impl FnOnce(&mut dyn FnMut(u64) -> bool) -> T) -> T {
        let start = Instant::now();
        let interrupt = &self.context.interrupt;
        let shown = self.context.shows_progress();
        let progress = Progress::counting("counting as the papers do", shown, interrupt);
        let table = count(&mut |n| {
            progress.counted(n);
            !interrupt.is_asked()
        });
        self.timing.insert(key.to_owned(), json!(seconds(start)));
        table
    }
}

/// What an analysis of everything counted.
struct Exact {
    witnessed: u64,
    unknown: u64,
    is_complete: bool,
    counts: Value,
}

fn combined(paper: funnel::Funnel, exact: &Exact) -> Funnel {
    Funnel {
        paper,
        witnessed: exact.witnessed,
        unknown: exact.unknown,
        is_complete: exact.is_complete && paper.is_complete,
    }
}

/// The tables for programs.
pub(super) fn json(tables: &Tables) -> Value {
    let Statistics { n_threads, n_events, n_locks, n_conditions, .. } = tables.trace;
    let mut json = json!({
        "trace": {
            "threads": n_threads,
            "events": n_events,
            "lock_events": tables.trace.n_lock_events,
            "locks": n_locks,
            "wait_notify_events": tables.trace.n_wait_notify_events,
            "conditions": n_conditions,
            "read_write_events": tables.trace.n_read_write_events,
            "shared_variables": tables.trace.n_shared_variables,
        },
    });
    let funnel = |funnel: &Funnel| {
        json!({
            "total": funnel.paper.total,
            "lsa": funnel.paper.lsa,
            "mhb": funnel.paper.mhb,
            "ucg": funnel.paper.ucg,
            "witnessed": funnel.witnessed,
            "unknown": funnel.unknown,
            "complete": funnel.is_complete,
        })
    };
    let parts = [("race", &tables.race), ("atomicity", &tables.atomicity)];
    for (key, part) in parts.into_iter().filter_map(|(key, part)| Some((key, part.as_ref()?))) {
        json[key] = funnel(part);
    }
    if let Some(reads) = &tables.reads {
        json["reads"] = reads_json(reads);
    }
    json
}

fn reads_json(reads: &Witnesses) -> Value {
    let paper = &reads.paper;
    json!({
        "possible": paper.n_possible,
        "cyclic": paper.n_cyclic,
        "without_choices": paper.n_without_choices,
        "with_choices": paper.n_with_choices,
        "choices": paper.n_choices,
        "log2_possible_graphs_per_witness": paper.log2_possible_graphs_per_witness(),
        "explored": paper.n_explored,
        "explored_per_witness": paper.explored_per_witness(),
        "feasible": paper.n_feasible,
        "infeasible": paper.n_infeasible,
        "capped": paper.n_capped,
        "graphs_per_witness": paper.graphs_per_witness(),
        "complete": paper.is_complete,
        "exact": {
            "possible": reads.possible,
            "feasible": reads.feasible,
            "infeasible": reads.infeasible(),
            "unknown": reads.unknown,
            "complete": reads.is_complete,
        },
    })
}
