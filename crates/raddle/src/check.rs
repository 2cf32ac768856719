//! A check: what `session` does with a closure, and what is said of it.
//!
//! In: a closure and a configuration. Out: a [`Report`].
//!
//! - K1: the execution without preemptions is executed twice. If the two differ, the closure depends on
//!   something that nobody here controls, and no search would mean anything. The default search begins
//!   with it twice anyway, once before its scouts and once behind them, before anything is claimed to be
//!   covered. What scouts find is executed again when it is made simple or told, and must show again; if
//!   nobody wants either, it is as one execution showed it, and its verdict says so. Later executions are
//!   compared with the ones before as far as they should be equal.
//! - K2: what was found is shrunk, and told from a run of its own, on an engine with the points that
//!   it was found with (`closure`).
//! - K3: a schedule that was found with additional points is given with a point before every access
//!   to a cell, so that it can be replayed without knowing which ones those were.
//! - K4: if an execution needs more points than those before it had, the search begins again.

mod closure;
mod replay;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use raddle_explore::{
    Bounded, Budget, Engine, EngineError, Failure, Plan, Portfolio, Races, Reduced,
    ReleaseSequence, Run, Sample, Sampler, Strategy,
};
use raddle_finding::{Choice, ProgramId, Schedule};
use raddle_session::{Entry, Error, Exploration, relate};
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64;

use crate::config::{Config, Search};
use crate::engine::{Program, RustEngine};
use crate::ladder::{BEYOND, Ladder};
use crate::report::{Finding, LazyFinding, Report};
use crate::watchdog::{Progress, Watchdog};
use crate::world::{AGAIN, Beat, Rules, Site, Table};
use closure::{Closure, Shared};

/// What the identity of a program ends with if every access to a cell is a point.
const ALL_SUFFIX: &str = ".all";

/// Where the default search goes over from bounds to everything.
const BOUND: u32 = 2;

/// How many executions in a row are sampled or enumerated: they take microseconds.
const BLOCK: u64 = 16;

/// One closure under test.
pub(crate) struct Check {
    pub(crate) config: Config,
    pub(crate) program: Program,
    /// The name of the test.
    pub(crate) name: Arc<str>,
    pub(crate) site: Site,
    pub(crate) id: ProgramId,
    /// What is known of the loops of the closure.
    table: Arc<Table>,
}

impl Check {
    /// For a closure whose type has this name.
    pub(crate) fn new(config: Config, program: Program, type_name: &str, site: Site) -> Check {
        let current = std::thread::current();
        let name = current.name().filter(|&name| name != "main");
        let name = name.unwrap_or_else(|| outer(type_name)).into();
        let table = Arc::new(Table::new(config.alone));
        Check { config, program, name, site, id: identity(type_name, site), table }
    }

    /// Searches, or replays; what went wrong with the check itself is an error.
    pub(crate) fn run(&self) -> Result<Report, String> {
        if let Some(text) = &self.config.replay {
            if let Some(report) = self.replay(text)? {
                return Ok(report);
            }
            eprintln!("raddle: {}: the schedule to replay belongs to another test", self.name);
        }
        let since = Instant::now();
        let beat = Arc::new(Beat::default());
        let _watchdog = Watchdog::start(self.name.clone(), beat.clone(), self.config.hang, since);
        let mut report = loop {
            let watches = self.table.watches();
            match self.search(&beat) {
                Ok(report) => break report,
                // K4
                Err(Error::Search(EngineError::Broken(why)))
                    if why == AGAIN && self.table.watches() != watches => {}
                Err(error) => return Err(self.explain(&error)),
            }
        };
        self.write_trace(&report, &beat)?;
        report.time = since.elapsed();
        self.publish(&report)?;
        Ok(report)
    }

    /// Searches, and works on what was found.
    fn search(&self, beat: &Arc<Beat>) -> Result<Report, Error> {
        let Config { jobs, shrinks, describes, .. } = self.config;
        let (mut engine, mut strategy) = (self.engine(beat), self.strategy());
        if !strategy.repeats_first() {
            self.rehearse(&mut engine).map_err(Error::Search)?;
        }
        let closure = Closure::new(self, beat, engine);
        let exploration =
            Exploration { shrinks, describes, ..Exploration::new(closure, self.budget()) };
        let mut progress = Progress::new(&self.name, self.config.quiet);
        let mut explored = match jobs {
            1 => exploration.search(&mut *strategy, &mut progress)?,
            _ => {
                let shared = Exploration::new(Shared(&exploration.subject), exploration.budget);
                Exploration { jobs, ..shared }.search(&mut *strategy, &mut progress)?
            }
        };
        drop(progress);
        let searched = &explored.report;
        let n_threads = beat.n_threads.load(Ordering::Relaxed);
        let names = (&self.name, self.config.search.name());
        let mut report = Report::new(names, searched, n_threads.max(searched.maxima.threads));
        report.lacks_spurious = !self.config.spurious && self.table.has_waits();
        report.pointers = self.table.pointers();
        let collected = exploration.collect(&mut explored, &mut ())?;
        report.findings = collected.all.into_iter().map(|entry| self.finding(entry)).collect();
        fold(&mut report.findings);
        Ok(report)
    }

    fn engine(&self, beat: &Arc<Beat>) -> RustEngine {
        let rules = Rules {
            spurious: self.config.spurious,
            panics_are_results: self.config.panics_are_results,
            may_leave_blocked: self.config.may_leave_blocked,
            n_points_max: self.config.max_points,
            shows_panics: false,
        };
        let (program, id) = (self.program.clone(), self.id.clone());
        let mut engine = RustEngine::new(program, id, rules, self.config.stack_size, self.site);
        engine.beat(beat.clone());
        engine.share(self.table.clone());
        engine
    }

    /// K1.
    fn rehearse(&self, engine: &mut RustEngine) -> Result<(), EngineError> {
        let mut run = Run::new();
        let mut plan = Plan::default();
        plan.observe.races = self.config.races;
        engine.run(&plan, &(), &mut run)?;
        engine.run(&plan, &(), &mut run)
    }

    fn budget(&self) -> Budget {
        let config = &self.config;
        let races = match (config.races, config.findings) {
            (false, _) => Races::Ignored,
            (true, 1) => Races::Reported,
            (true, _) => Races::Promoted,
        };
        Budget {
            runs: config.runs,
            time: config.time,
            memory: Some(1 << 30),
            findings: Some(config.findings),
            failures: None,
            states: false,
            races,
            release_sequence: ReleaseSequence::Cpp20,
            kept: Duration::ZERO,
        }
    }

    fn strategy(&self) -> Box<dyn Strategy> {
        let Config { bound, seed, jobs, .. } = self.config;
        let sample = |sampler| Box::new(Sample::new(sampler, seed));
        match self.config.search {
            // Reduction makes one plan at a time, and what is sampled has no bound.
            Search::Portfolio | Search::ReducedBounded if jobs > 1 && bound.is_some() => {
                Box::new(Bounded::icb(bound).cached())
            }
            Search::Portfolio if bound.is_some() => Box::new(Reduced::bounded(bound)),
            Search::Portfolio | Search::Reduced | Search::ReducedBounded if jobs > 1 => {
                let bounded = Bounded::icb(bound).cached();
                Box::new(Portfolio::<_, BLOCK, 0>::in_blocks(bounded, seed))
            }
            Search::Portfolio => {
                let ladder = Ladder::new(BOUND);
                Box::new(Portfolio::<_, BLOCK, 1>::in_blocks(ladder, seed))
            }
            Search::Reduced => Box::new(Reduced::all()),
            Search::ReducedBounded => Box::new(Reduced::bounded(bound)),
            Search::Bounded => Box::new(Bounded::icb(bound)),
            Search::DepthFirst => Box::new(Bounded::dfs()),
            Search::Random => sample(Sampler::Random),
            Search::Pct { depth } => sample(Sampler::Pct { depth }),
            Search::Pos => sample(Sampler::Pos),
            Search::Surw => sample(Sampler::Surw),
        }
    }

    /// A finding; what reports have of it is made when somebody wants to see it.
    fn finding(&self, mut entry: Entry) -> Finding {
        entry.found.bound = entry.found.bound.filter(|&bound| bound != BEYOND);
        let Failure { kind, places, .. } = &entry.found.failure;
        Finding {
            kind: kind.name().to_owned(),
            message: entry.found.failure.message.clone(),
            places: places.iter().map(|place| place.name.clone()).collect(),
            preemptions: entry.preemptions(),
            is_minimal: entry.is_minimal,
            bound: entry.found.bound,
            execution: entry.found.execution,
            schedule: entry.schedule.text(),
            document: LazyFinding::new(entry, self.name.clone()),
        }
    }

    fn with_all_points(&self, choices: &[Choice]) -> Schedule {
        let id = format!("{}{ALL_SUFFIX}", self.id).parse().expect("a suffix of letters");
        let mut schedule = Schedule::new(id);
        schedule.extend(choices.iter().copied());
        schedule
    }

    fn explain(&self, error: &Error) -> String {
        let name = &self.name;
        match error {
            Error::Search(EngineError::Broken(text)) => format!("raddle: {name}: {text}"),
            Error::Search(EngineError::Diverged { position, choice }) => format!(
                "raddle: {name}: {choice} is not possible at step {position}, where it was \
                 before: the closure depends on something that raddle does not control"
            ),
            Error::Search(other) => format!("raddle: {name}: {other}"),
            other => format!("raddle: {name}: {other}"),
        }
    }

    /// Why a test fails, if it does.
    pub(crate) fn failure(&self, report: &Report) -> Option<String> {
        let name = &self.name;
        if !report.findings.is_empty() {
            let told: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
            let summary = report.summary();
            return Some(format!("raddle: {name}: {}\n\n({summary})", told.join("\n\n")));
        }
        if report.threads < 2 && !self.config.may_be_sequential {
            return Some(format!(
                "raddle: {name}: no second thread was started, so nothing was tested. Threads \
                 have to be created with raddle::thread; Config::allow_sequential permits this"
            ));
        }
        if report.lost == report.executions {
            return Some(format!(
                "raddle: {name}: no execution ended within {} points",
                self.config.max_points
            ));
        }
        None
    }
}

/// The name of the function around a closure whose type has this name.
fn outer(mut type_name: &str) -> &str {
    while let Some(outer) = type_name.strip_suffix("::{{closure}}") {
        type_name = outer;
    }
    type_name
}

/// The identity of a closure whose type has this name, of a check at this place.
fn identity(type_name: &str, site: Site) -> ProgramId {
    let mut text: SmallVec<[u8; 256]> = SmallVec::from_slice(type_name.as_bytes());
    text.push(b' ');
    text.extend_from_slice(site.file().as_bytes());
    ProgramId::of_hash(xxh3_64(&text))
}

/// One root cause, one finding: races that are part of a failure are its causes.
fn fold(findings: &mut Vec<Finding>) {
    if findings.len() < 2 {
        return;
    }
    let mut all: Vec<_> = findings.iter().map(|finding| finding.document.get().clone()).collect();
    relate(&mut all, true);
    findings.retain_mut(|finding| {
        let fingerprint = finding.document.get().fingerprint;
        let left = all.iter().position(|left| left.fingerprint == fingerprint);
        let Some(left) = left else { return false };
        finding.document = all.swap_remove(left).into();
        true
    });
}
