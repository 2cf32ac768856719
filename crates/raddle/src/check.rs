//! A check: search, then make what was found simple, and tell it.
//!
//! In: a closure and a configuration. Out: a [`Report`].
//!
//! - K1: the first execution is executed twice. If the two differ, the closure depends on something
//!   that nobody here controls, and no search would mean anything. Later executions are compared
//!   with the ones before as far as they should be equal.
//! - K2: what was found is shrunk, and told from a run of its own, on an engine with the points that
//!   it was found with.
//! - K3: a schedule that was found with additional points is given with a point before every access
//!   to a cell, so that it can be replayed without knowing which ones those were.

mod replay;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use raddle_explore::{
    Bounded, Budget, Classes, Engine, EngineError, Found, Ledger, Monitor, Plan, Portfolio, Races,
    Reduced, Report as Searched, Run, Sample, Sampler, ShrinkBudget, Shrunk, Strategy, Trouble,
    resume, shrink,
};
use raddle_finding::{Choice, ProgramId, Schedule};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::{Config, Search};
use crate::document;
use crate::engine::{Program, RustEngine};
use crate::ladder::Ladder;
use crate::report::{Finding, Report};
use crate::watchdog::{Progress, Watchdog};
use crate::world::{Beat, Rules, Site};

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
    pub(crate) name: String,
    pub(crate) site: Site,
    pub(crate) id: ProgramId,
}

impl Check {
    /// For a closure whose type has this name.
    pub(crate) fn new(config: Config, program: Program, type_name: &str, site: Site) -> Check {
        let current = std::thread::current();
        let name = current.name().filter(|&name| name != "main");
        let name = name.unwrap_or(type_name.trim_end_matches("::{{closure}}")).to_owned();
        let identity = format!("{type_name} {}", site.file());
        let id = format!("{:016x}", xxh3_64(identity.as_bytes()));
        let id = id.parse().expect("digits make an identity");
        Check { config, program, name, site, id }
    }

    /// Searches, or replays; what went wrong with the check itself is an error.
    pub(crate) fn run(&self) -> Result<Report, String> {
        if let Some(text) = &self.config.replay {
            if let Some(report) = self.replay(text)? {
                return Ok(report);
            }
            eprintln!("raddle: {}: the schedule to replay is that of another test", self.name);
        }
        let since = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        let beat = Arc::new(Beat::default());
        let _watchdog = Watchdog::start(&self.name, beat.clone(), self.config.hang);
        let mut engine = self.engine(&beat);
        self.rehearse(&mut engine).map_err(|error| self.explain(&error))?;
        let n_threads = engine.n_threads_max;
        let searched = self.search(engine, &beat, &stop).map_err(|error| self.explain(&error))?;
        let mut report = Report::new(
            (&self.name, self.config.search.name()),
            &searched,
            n_threads.max(searched.maxima.threads),
        );
        for found in &searched.findings {
            let finding = self.tell(found, &searched, &beat);
            report.findings.push(finding.map_err(|error| self.explain(&error))?);
        }
        self.write_trace(&report, &beat)?;
        report.time = since.elapsed();
        self.publish(&report)?;
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
        engine
    }

    /// K1.
    fn rehearse(&self, engine: &mut RustEngine) -> Result<(), EngineError> {
        let mut run = Run::new();
        let mut plan = Plan::default();
        plan.observe.races = self.config.races;
        engine.run(&plan, &(), &mut run)?;
        plan.prefix = run.choices().collect();
        engine.run(&plan, &(), &mut run)
    }

    fn search(
        &self,
        engine: RustEngine,
        beat: &Arc<Beat>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Searched, EngineError> {
        let config = &self.config;
        let mut strategy = self.strategy();
        let races = match (config.races, config.findings) {
            (false, _) => Races::Ignored,
            (true, 1) => Races::Reported,
            (true, _) => Races::Promoted,
        };
        let budget = Budget {
            runs: config.runs,
            time: config.time,
            memory: Some(1 << 30),
            findings: Some(config.findings),
            states: false,
            races,
        };
        let mut progress = Progress::new(&self.name, stop.clone(), config.quiet);
        let monitor: &mut dyn Monitor<dyn Strategy> = &mut progress;
        let mut ledger = Ledger::default();
        if config.jobs == 1 {
            return resume(&mut [engine], &mut *strategy, &mut ledger, &budget, monitor);
        }
        let more = (1..config.jobs).map(|_| self.engine(beat));
        let mut engines: Vec<_> = std::iter::once(engine).chain(more).map(Classes::new).collect();
        resume(&mut engines, &mut *strategy, &mut ledger, &budget, monitor)
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

    /// K2.
    fn tell(
        &self,
        found: &Found,
        searched: &Searched,
        beat: &Arc<Beat>,
    ) -> Result<Finding, EngineError> {
        let Config { shrinks, tells, .. } = self.config;
        let trouble = &found.trouble;
        if !shrinks && !tells && found.promoted == 0 {
            let told = document::untold(trouble, &found.schedule);
            return Ok(self.finding(found, None, (trouble.clone(), told), &found.schedule));
        }
        let mut engine = self.engine(beat);
        engine.promote(&searched.promoted[..found.promoted]);
        let (budget, stop) = (ShrinkBudget::default(), AtomicBool::new(false));
        let shrunk = match shrinks {
            true => shrink(&mut engine, &found.schedule, trouble, &budget, &stop)?,
            false => None,
        };
        let schedule = shrunk.as_ref().map_or(&found.schedule, |shrunk| &shrunk.schedule);
        let mut run = Run::new();
        let mut plan = Plan { prefix: schedule.choices().collect(), ..Plan::default() };
        plan.observe.races = self.config.races;
        let tale = engine.tell(&plan, &mut run)?;
        let mut shown = trouble.clone();
        if let Some(trouble) = run.outcome.trouble().filter(|shown| shown.kind == trouble.kind) {
            shown.message.clone_from(&trouble.message);
        }
        let schedule = match found.promoted {
            0 => schedule.clone(),
            _ => self.with_all_points(engine.portable()), // K3
        };
        let told = match tells {
            true => {
                let race = run.races.iter().find(|race| engine.race(race).places == trouble.places);
                document::finding((engine.world(), &tale, &run), &shown, race, &schedule)
            }
            false => document::untold(&shown, &schedule),
        };
        let mut finding = self.finding(found, shrunk.as_ref(), (shown, told), &schedule);
        let n_switches = shrunk.map_or_else(|| switches(&run), |shrunk| shrunk.switches);
        finding.told.details.insert("switches".to_owned(), n_switches.into());
        Ok(finding)
    }

    /// A finding with how it was come by.
    fn finding(
        &self,
        found: &Found,
        shrunk: Option<&Shrunk>,
        (shown, mut told): (Trouble, raddle_finding::Finding),
        schedule: &Schedule,
    ) -> Finding {
        let preemptions = shrunk.map_or(found.preemptions, |shrunk| shrunk.preemptions);
        let bound = found.bound.filter(|&bound| bound != crate::ladder::BEYOND);
        let is_minimal = shrunk.is_some_and(|shrunk| shrunk.minimal);
        told.preemptions = Some(preemptions);
        told.occurrences = Some(found.times);
        told.details.extend([
            ("bound".to_owned(), bound.into()),
            ("execution".to_owned(), found.execution.into()),
            ("minimal".to_owned(), is_minimal.into()),
        ]);
        let schedule = schedule.to_string();
        told.replay = Some(self.replay_command(&schedule));
        Finding {
            kind: shown.kind,
            message: shown.message,
            places: shown.places,
            preemptions,
            is_minimal,
            bound,
            execution: found.execution,
            schedule,
            told,
        }
    }

    /// What replays a schedule.
    fn replay_command(&self, schedule: &str) -> String {
        format!("RADDLE_REPLAY={schedule} cargo test {}", self.name)
    }

    fn with_all_points(&self, choices: &[Choice]) -> Schedule {
        let id = format!("{}{ALL_SUFFIX}", self.id).parse().expect("a suffix of letters");
        let mut schedule = Schedule::new(id);
        schedule.extend(choices.iter().copied());
        schedule
    }

    fn explain(&self, error: &EngineError) -> String {
        let name = &self.name;
        match error {
            EngineError::Broken(text) => format!("raddle: {name}: {text}"),
            EngineError::Diverged { position, choice } => format!(
                "raddle: {name}: {choice} cannot be chosen at step {position}, where it could \
                 before: the closure depends on something that raddle does not control"
            ),
            other => format!("raddle: {name}: {other}"),
        }
    }
}

/// How many times another thread goes on.
fn switches(run: &Run) -> u32 {
    let switches = |&point: &usize| {
        let at = run.points()[point];
        point > 0 && matches!(run.taken(point), Choice::Thread(next) if next != at.current)
    };
    (0..run.points().len()).filter(switches).count() as u32
}

impl Check {
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
                "raddle: {name}: no second thread was started, so nothing was tested. Threads have \
                 to be those of raddle::thread; Config::allow_sequential allows this"
            ));
        }
        if report.lost == report.executions {
            return Some(format!(
                "raddle: {name}: no execution came to its end within {} points",
                self.config.max_points
            ));
        }
        None
    }
}
