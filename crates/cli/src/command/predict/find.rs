//! Finds: runs the analyses that were asked for and that the trace can support.
//!
//! In: what is known of a trace, and a plan. Out: [`Found`]: the results of each analysis, sorted by
//! events, and the properties that were skipped with the reason. A request to stop ends the analyses
//! early, and each says that it is incomplete.

use std::collections::BTreeMap;
use std::time::Instant;

use raddle_finding::{self as finding, Skipped};
use raddle_predict::{
    Causes, Deadlocks, Job, LostWakeups, Races, Reads, Refused, TransactionSource, Violations,
    deadlocks, lost_wakeups, races, reads, transactions, violations,
};
use raddle_trace::{EventId, Trace};
use serde_json::{Value, json};

use super::Property;
use super::item::Item;
use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::progress::Progress;
use crate::quantity::count;

/// What to look for, and how.
pub(super) struct Plan {
    pub(super) properties: Vec<Property>,
    /// Whether these were named.
    pub(super) is_explicit: bool,
    pub(super) transactions: TransactionSource,
    /// Every pair, triple, circle and triplet.
    pub(super) all: bool,
    pub(super) n_workers: usize,
    /// When to stop with what was found until then.
    pub(super) deadline: Option<Instant>,
}

impl Plan {
    /// Whether the time is over.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn asks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// What was asked for and found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) races: Option<Races>,
    pub(super) violations: Option<Violations>,
    pub(super) deadlocks: Option<Deadlocks>,
    pub(super) lost_wakeups: Option<LostWakeups>,
    pub(super) reads: Option<Reads>,
    pub(super) skipped: Vec<Skipped>,
    /// Seconds, by analysis.
    pub(super) timing: BTreeMap<String, Value>,
}

impl Found {
    /// Every finding, by property, then in the order of its events.
    pub(super) fn items(&self) -> impl Iterator<Item = Item<'_>> {
        let races = self.races.iter().flat_map(|found| &found.races).map(Item::Race);
        let violations = self.violations.iter().flat_map(|found| &found.violations);
        let deadlocks = self.deadlocks.iter().flat_map(|found| &found.deadlocks);
        let lost = self.lost_wakeups.iter().flat_map(|found| &found.lost).map(Item::LostWakeup);
        let reads = self.reads.iter().flat_map(|found| &found.witnesses).map(Item::Read);
        races
            .chain(violations.map(Item::Violation))
            .chain(deadlocks.map(Item::Deadlock))
            .chain(lost)
            .chain(reads)
    }

    pub(super) fn n_findings(&self) -> usize {
        self.races.as_ref().map_or(0, |found| found.races.len())
            + self.violations.as_ref().map_or(0, |found| found.violations.len())
            + self.deadlocks.as_ref().map_or(0, |found| found.deadlocks.len())
            + self.lost_wakeups.as_ref().map_or(0, |found| found.lost.len())
            + self.reads.as_ref().map_or(0, |found| found.witnesses.len())
    }

    /// True if every analysis came to its end and left nothing unknown.
    pub(super) fn is_decided(&self) -> bool {
        self.races.as_ref().is_none_or(|f| f.is_complete && f.unknown.is_empty())
            && self.violations.as_ref().is_none_or(|f| f.is_complete && f.unknown.is_empty())
            && self.deadlocks.as_ref().is_none_or(|f| f.is_complete && f.n_unknown == 0)
            && self.lost_wakeups.as_ref().is_none_or(|f| f.is_complete && f.unknown.is_empty())
            && self.reads.as_ref().is_none_or(|f| f.is_complete && f.n_unknown == 0)
    }

    fn sort(&mut self) {
        if let Some(found) = &mut self.races {
            found.races.sort_by_key(|race| (race.first, race.second));
        }
        if let Some(found) = &mut self.deadlocks {
            found.deadlocks.sort_by(|a, b| a.blocked.cmp(&b.blocked));
        }
        if let Some(found) = &mut self.lost_wakeups {
            found.lost.sort_by_key(|lost| (lost.wait, lost.notify));
        }
    }
}

/// Runs the analyses.
pub(super) fn find(causes: &Causes, plan: &Plan, context: &Context) -> Result<Found, Diagnostic> {
    let trace = causes.trace();
    let blocks = match plan.asks(Property::Atomicity) {
        true => transactions(trace, plan.transactions),
        false => Vec::new(),
    };
    let mut found = Found::default();
    for property in Property::ALL {
        if !plan.asks(property) {
            continue;
        }
        if let Some(reason) = unsupported(trace, property, plan.transactions, blocks.is_empty()) {
            let property = property.of_finding();
            found.skipped.push(Skipped { property, reason: reason.to_owned() });
            continue;
        }
        let mut search = Search { plan, context, n_found: found.n_findings() };
        let start = Instant::now();
        match property {
            Property::Race => {
                found.races = Some(search.run("races", |job: Job| races(causes, plan.all, job))?);
            }
            Property::Atomicity => {
                let run = |job: Job| violations(causes, &blocks, plan.all, job);
                found.violations = Some(search.run("atomicity violations", run)?);
            }
            Property::Deadlock => {
                let run = |job: Job| deadlocks(causes, plan.all, job);
                found.deadlocks = Some(search.run("deadlocks", run)?);
            }
            Property::LostWakeup => {
                let run = |job: Job| lost_wakeups(causes, plan.all, job);
                found.lost_wakeups = Some(search.run("lost wake-ups", run)?);
            }
            Property::Determinism => {
                let run = |job: Job| reads(causes, plan.all, job);
                found.reads = Some(search.run("nondeterministic reads", run)?);
            }
        }
        found.timing.insert(property.key().to_owned() + "_s", json!(seconds(start)));
    }
    found.sort();
    Ok(found)
}

/// What the trace lacks for an answer about a property.
fn unsupported(
    trace: &Trace,
    property: Property,
    source: TransactionSource,
    has_none: bool,
) -> Option<&'static str> {
    let accesses = || (0..trace.len() as u32).any(|e| trace.code(EventId(e)).is_access());
    match (property, source) {
        (Property::Atomicity, TransactionSource::Marked) if has_none => Some(
            "no transactions are marked; --transactions scopes takes lock scopes without a wait \
             for transactions",
        ),
        (Property::Atomicity, TransactionSource::LockScopes) if has_none => {
            Some("no lock scope is without a wait")
        }
        (Property::Deadlock, _) if trace.scopes().is_empty() => Some("no locks are taken"),
        (Property::LostWakeup, _) if trace.waits().iter().all(|wait| wait.notify.is_none()) => {
            Some("no wait was ended by a notify")
        }
        (Property::Determinism, _) if !accesses() => Some("nothing is read or written"),
        _ => None,
    }
}

/// How to run an analysis.
pub(super) struct Search<'a> {
    pub(super) plan: &'a Plan,
    pub(super) context: &'a Context,
    /// Findings of the analyses before.
    pub(super) n_found: usize,
}

impl Search<'_> {
    /// Runs it, shows how far it is, and stops it when asked to.
    pub(super) fn run<T>(
        &mut self,
        name: &str,
        analysis: impl FnOnce(Job) -> Result<T, Refused>,
    ) -> Result<T, Diagnostic> {
        let Context { interrupt, .. } = self.context;
        let progress = Progress::analysing(name, self.context.shows_progress(), interrupt);
        let remark = match self.n_found {
            0 => String::new(),
            n => format!(", {} found before", count(n)),
        };
        log::info!("looking for {name}");
        let mut tell = |done, n_tasks| {
            progress.tasks(done, n_tasks, &remark);
            !interrupt.is_asked() && !self.plan.is_late()
        };
        let job = Job { n_workers: self.plan.n_workers, progress: &mut tell };
        analysis(job).map_err(refused)
    }
}

/// Seconds since then.
pub(super) fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

fn refused(refused: Refused) -> Diagnostic {
    Diagnostic::error("a prediction did not pass the referee")
        .because(&refused)
        .help("this is a mistake in raddle; please report it with the trace")
}

impl Property {
    /// In the order in which reports list them.
    pub(super) const ALL: [Property; 5] = [
        Property::Race,
        Property::Atomicity,
        Property::Deadlock,
        Property::LostWakeup,
        Property::Determinism,
    ];

    /// The property as findings have it.
    pub(super) fn of_finding(self) -> finding::Property {
        match self {
            Property::Race => finding::Property::Race,
            Property::Atomicity => finding::Property::Atomicity,
            Property::Deadlock => finding::Property::Deadlock,
            Property::LostWakeup => finding::Property::LostWakeup,
            Property::Determinism => finding::Property::Determinism,
        }
    }

    /// Its key in the statistics.
    pub(super) fn key(self) -> &'static str {
        match self {
            Property::LostWakeup => "lost_wakeup",
            property => property.of_finding().name(),
        }
    }
}
