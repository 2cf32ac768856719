//! Finds: runs the analyses that were asked for and that the trace can support.
//!
//! In: what is known of a trace, and a plan. Out: [`Found`]: the results of each analysis, sorted by
//! events, and the properties that were skipped with the reason. A request to stop ends the analyses
//! early, and each says that it is incomplete.

use std::collections::BTreeMap;
use std::time::Instant;

use raddle_finding::{Property, Skipped};
use raddle_predict::{
    Causes, Deadlocks, Job, LostWakeups, Races, Reads, Refused, TransactionSource, Violations,
    deadlocks, lost_wakeups, races, reads, transactions, violations,
};
use raddle_trace::{EventId, Trace};
use serde_json::{Value, json};

use super::item::Item;
use crate::error::Error;
use crate::forecast::Allowance;
use crate::observer::{Observer, Status};

/// What to look for, and how.
pub struct Plan {
    /// The properties, of [`PROPERTIES`].
    pub properties: Vec<Property>,
    /// Where transactions come from.
    pub transactions: TransactionSource,
    /// Every pair, triple, cycle and triplet.
    pub all: bool,
    /// What this may take.
    pub allowance: Allowance,
}

impl Plan {
    fn asks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }
}

/// What was asked for and found.
#[derive(Default)]
pub struct Found {
    /// Races.
    pub races: Option<Races>,
    /// Atomicity violations.
    pub violations: Option<Violations>,
    /// Deadlocks.
    pub deadlocks: Option<Deadlocks>,
    /// Lost wake-ups.
    pub lost_wakeups: Option<LostWakeups>,
    /// Nondeterministic reads.
    pub reads: Option<Reads>,
    /// What the trace gives no answer about.
    pub skipped: Vec<Skipped>,
    /// Seconds, by analysis.
    pub timing: BTreeMap<String, Value>,
}

impl Found {
    /// Every finding, by property, then in the order of its events.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
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

    /// How many findings there are.
    pub fn n_findings(&self) -> usize {
        self.races.as_ref().map_or(0, |found| found.races.len())
            + self.violations.as_ref().map_or(0, |found| found.violations.len())
            + self.deadlocks.as_ref().map_or(0, |found| found.deadlocks.len())
            + self.lost_wakeups.as_ref().map_or(0, |found| found.lost.len())
            + self.reads.as_ref().map_or(0, |found| found.witnesses.len())
    }

    /// True if every analysis came to its end and left nothing unknown.
    pub fn is_decided(&self) -> bool {
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
pub fn find(causes: &Causes, plan: &Plan, observer: &mut dyn Observer) -> Result<Found, Error> {
    let trace = causes.trace();
    let blocks = match plan.asks(Property::Atomicity) {
        true => transactions(trace, plan.transactions),
        false => Vec::new(),
    };
    let mut found = Found::default();
    for property in PROPERTIES {
        if !plan.asks(property) {
            continue;
        }
        if let Some(reason) = unsupported(trace, property, plan.transactions, blocks.is_empty()) {
            found.skipped.push(Skipped { property, reason: reason.to_owned() });
            continue;
        }
        let n_found = found.n_findings();
        let mut search = Search { plan, n_found, observer: &mut *observer };
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
            _ => continue,
        }
        found.timing.insert(key(property).to_owned() + "_s", json!(seconds(start)));
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
            "no transactions are marked; --transactions scopes treats lock scopes without a wait \
             as transactions",
        ),
        (Property::Atomicity, TransactionSource::LockScopes) if has_none => {
            Some("every lock scope contains a wait")
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
pub struct Search<'a> {
    /// What to look for.
    pub plan: &'a Plan,
    /// Findings of the analyses before.
    pub n_found: usize,
    /// Who hears how far it is.
    pub observer: &'a mut dyn Observer,
}

impl Search<'_> {
    /// Runs it, reports its progress, and stops it when that is asked for.
    pub fn run<T>(
        &mut self,
        analysis: &'static str,
        run: impl FnOnce(Job) -> Result<T, Refused>,
    ) -> Result<T, Error> {
        log::info!("looking for {analysis}");
        let (found, allowance) = (self.n_found, &self.plan.allowance);
        let mut report = |done, of| {
            self.observer.status(&Status::Predicting { analysis, done, of, found });
            !allowance.is_over()
        };
        let job = Job { n_workers: allowance.n_workers, progress: &mut report };
        run(job).map_err(|refused| Error::Refused(refused.into()))
    }
}

/// Seconds since then.
pub fn seconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64()
}

/// What can be predicted, in the order in which reports list it.
pub const PROPERTIES: [Property; 5] = [
    Property::Race,
    Property::Atomicity,
    Property::Deadlock,
    Property::LostWakeup,
    Property::Determinism,
];

/// The key of a property in the statistics.
pub fn key(property: Property) -> &'static str {
    match property {
        Property::LostWakeup => "lost_wakeup",
        property => property.name(),
    }
}

/// Refuses a trace with more threads than can be looked at.
pub fn check_threads(trace: &Trace) -> Result<(), Error> {
    match (trace.n_threads(), Causes::MAX_THREADS) {
        (n, limit) if n > limit => Err(Error::Threads { n, limit }),
        _ => Ok(()),
    }
}
