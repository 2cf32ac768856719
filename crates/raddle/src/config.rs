//! What a check does, and how much of it.

use std::num::ParseIntError;
use std::path::PathBuf;
use std::time::Duration;

use raddle_explore::{Sampler, StrategyKind};

use crate::world::N_ALONE;

/// How executions are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Search {
    /// With partial-order reduction: everything, if there are few executions; otherwise few
    /// preemptions first, and then everything. Some executions are sampled in addition.
    #[default]
    Portfolio,
    /// Only partial-order reduction, without a bound: the fewest executions that cover everything.
    Reduced,
    /// Partial-order reduction, bound by bound.
    ReducedBounded,
    /// Iterative context bounding without reduction: every single execution, few preemptions first.
    Bounded,
    /// Depth-first search without reduction: every single execution.
    DepthFirst,
    /// Random walks.
    Random,
    /// Probabilistic concurrency testing for bugs of a depth.
    Pct {
        /// One more than the preemptions that have to come at the right moment.
        depth: u32,
    },
    /// Partial-order sampling.
    Pos,
    /// Selectively uniform random walks.
    Surw,
}

impl Search {
    /// The name in reports.
    pub(crate) fn name(self) -> &'static str {
        let kind = match self {
            Search::Reduced => return "reduced",
            Search::ReducedBounded => return "reduced-bounded",
            Search::Portfolio => StrategyKind::Portfolio,
            Search::Bounded => StrategyKind::Icb,
            Search::DepthFirst => StrategyKind::Dfs,
            Search::Random => StrategyKind::Sample(Sampler::Random),
            Search::Pct { depth } => StrategyKind::Sample(Sampler::Pct { depth }),
            Search::Pos => StrategyKind::Sample(Sampler::Pos),
            Search::Surw => StrategyKind::Sample(Sampler::Surw),
        };
        kind.entry().name
    }
}

/// The configuration of a check: a builder.
///
/// ```
/// use raddle::sync::{Arc, atomic::{AtomicU32, Ordering::SeqCst}};
///
/// raddle::Config::new().bound(2).check(|| {
///     let n = Arc::new(AtomicU32::new(0));
///     let other = n.clone();
///     let thread = raddle::thread::spawn(move || other.fetch_add(1, SeqCst));
///     n.fetch_add(1, SeqCst);
///     thread.join().unwrap();
///     assert_eq!(n.load(SeqCst), 2);
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    pub(crate) search: Search,
    pub(crate) bound: Option<u32>,
    pub(crate) runs: Option<u64>,
    pub(crate) time: Option<Duration>,
    pub(crate) seed: u64,
    pub(crate) jobs: usize,
    pub(crate) findings: usize,
    pub(crate) shrinks: bool,
    pub(crate) describes: bool,
    pub(crate) races: bool,
    pub(crate) spurious: bool,
    pub(crate) panics_are_results: bool,
    pub(crate) may_be_sequential: bool,
    pub(crate) may_leave_blocked: bool,
    pub(crate) stack_size: usize,
    pub(crate) max_points: usize,
    pub(crate) hang: Duration,
    pub(crate) replay: Option<String>,
    pub(crate) trace: Option<PathBuf>,
    pub(crate) report: Option<String>,
    pub(crate) quiet: bool,
    pub(crate) alone: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            search: Search::default(),
            bound: None,
            runs: Some(200_000),
            time: Some(Duration::from_secs(60)),
            seed: 0,
            jobs: 1,
            findings: 1,
            shrinks: true,
            describes: true,
            races: true,
            spurious: false,
            panics_are_results: false,
            may_be_sequential: false,
            may_leave_blocked: false,
            stack_size: 256 << 10,
            max_points: 100_000,
            hang: Duration::from_secs(20),
            replay: None,
            trace: None,
            report: None,
            quiet: false,
            alone: N_ALONE,
        }
    }
}

impl Config {
    /// What [`check`](crate::check) does: up to 200,000 executions in a minute.
    pub fn new() -> Config {
        Config::default()
    }

    /// How executions are chosen.
    pub fn search(self, search: Search) -> Config {
        Config { search, ..self }
    }

    /// The maximum number of preemptions; executions with more are not explored.
    pub fn bound(self, bound: u32) -> Config {
        Config { bound: Some(bound), ..self }
    }

    /// The maximum number of executions.
    pub fn runs(self, runs: u64) -> Config {
        Config { runs: Some(runs), ..self }
    }

    /// The maximum time.
    pub fn time(self, time: Duration) -> Config {
        Config { time: Some(time), ..self }
    }

    /// Continues until everything was covered, however long that takes.
    pub fn unlimited(self) -> Config {
        Config { runs: None, time: None, ..self }
    }

    /// The seed of random numbers.
    pub fn seed(self, seed: u64) -> Config {
        Config { seed, ..self }
    }

    /// How many executions run at a time, each on a thread of the operating system. With more than
    /// one, executions are enumerated with a cache of happens-before classes instead of reduction,
    /// which is sequential.
    pub fn jobs(self, jobs: usize) -> Config {
        Config { jobs: jobs.max(1), ..self }
    }

    /// After how many findings the search ends; after the first, data races become scheduling points.
    pub fn findings(self, findings: usize) -> Config {
        Config { findings: findings.max(1), ..self }
    }

    /// Whether findings are simplified as far as possible; otherwise they are shown as they were found.
    pub fn shrink(self, shrinks: bool) -> Config {
        Config { shrinks, ..self }
    }

    /// Whether findings are shown step by step, from a separate execution; otherwise there are only
    /// their messages, places and schedules. A finding that is neither shown step by step nor
    /// simplified is not executed again, so it is not confirmed by a second execution.
    pub fn story(self, describes: bool) -> Config {
        Config { describes, ..self }
    }

    /// Whether to check for data races.
    pub fn races(self, races: bool) -> Config {
        Config { races, ..self }
    }

    /// Whether waits on conditions and parks may end spuriously, as a choice.
    pub fn spurious(self, spurious: bool) -> Config {
        Config { spurious, ..self }
    }

    /// The panic of a thread is passed to the joining thread, as in `std`, and is not a finding.
    pub fn panics_are_results(self) -> Config {
        Config { panics_are_results: true, ..self }
    }

    /// The closure need not start a second thread.
    pub fn allow_sequential(self) -> Config {
        Config { may_be_sequential: true, ..self }
    }

    /// Threads may be blocked forever when the closure has returned.
    pub fn allow_blocked_threads(self) -> Config {
        Config { may_leave_blocked: true, ..self }
    }

    /// The size of the stack of each thread.
    pub fn stack_size(self, bytes: usize) -> Config {
        Config { stack_size: bytes, ..self }
    }

    /// The maximum number of points of one execution; an execution with more is not followed
    /// further, and is reported as such.
    pub fn max_points(self, max_points: usize) -> Config {
        Config { max_points, ..self }
    }

    /// After how long without a scheduling point the process is aborted, since something really blocks.
    pub fn hang(self, hang: Duration) -> Config {
        Config { hang, ..self }
    }

    /// Runs this schedule and nothing else, as `RADDLE_REPLAY` does.
    pub fn replay(self, schedule: &str) -> Config {
        Config { replay: Some(schedule.to_owned()), ..self }
    }

    /// Writes the execution that fails or, if none does, the first one, as an `.rdl` trace.
    pub fn trace(self, path: impl Into<PathBuf>) -> Config {
        Config { trace: Some(path.into()), ..self }
    }

    /// Writes what was found and covered to a file, in the format of its extension: `.json`, which
    /// `raddle report` shows, or, with the feature `report`, `.html`, `.sarif`, `.xml`, …. `{test}` in
    /// the name stands for the name of the test.
    pub fn report(self, path: impl Into<String>) -> Config {
        Config { report: Some(path.into()), ..self }
    }

    /// Prints neither progress nor what was covered.
    pub fn quiet(self) -> Config {
        Config { quiet: true, ..self }
    }

    /// After how many operations alone a loop is assumed to be endless: for tests of this crate,
    /// which know how long the loops of their programs are.
    #[doc(hidden)]
    pub fn alone(self, operations: u64) -> Config {
        Config { alone: operations, ..self }
    }

    /// The same, overridden by the environment: `RADDLE_BOUND`, `RADDLE_BUDGET` (`20000` executions
    /// or `30s`), `RADDLE_SEED`, `RADDLE_REPLAY`, `RADDLE_TRACE` and `RADDLE_REPORT`.
    pub(crate) fn with_environment(self) -> Result<Config, String> {
        self.with(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn with(mut self, get: impl Fn(&str) -> Option<String>) -> Result<Config, String> {
        let number = |name: &str, text: &str| {
            let bad = |error: ParseIntError| format!("{name}={text}: {error}");
            text.parse::<u64>().map_err(bad)
        };
        if let Some(text) = get("RADDLE_BOUND") {
            let bound = number("RADDLE_BOUND", &text)?;
            self.bound = Some(u32::try_from(bound).map_err(|e| format!("RADDLE_BOUND: {e}"))?);
        }
        if let Some(text) = get("RADDLE_BUDGET") {
            match text.strip_suffix('s') {
                Some(seconds) => {
                    let seconds = number("RADDLE_BUDGET", seconds)?;
                    (self.runs, self.time) = (None, Some(Duration::from_secs(seconds)));
                }
                None => (self.runs, self.time) = (Some(number("RADDLE_BUDGET", &text)?), None),
            }
        }
        if let Some(text) = get("RADDLE_SEED") {
            self.seed = number("RADDLE_SEED", &text)?;
        }
        self.replay = get("RADDLE_REPLAY").or(self.replay);
        self.trace = get("RADDLE_TRACE").map(PathBuf::from).or(self.trace);
        self.report = get("RADDLE_REPORT").or(self.report);
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<Config, String> {
        let get =
            |name: &str| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.to_owned());
        Config::new().with(get)
    }

    #[test]
    fn the_environment_goes_before_the_program() {
        let config = with(&[("RADDLE_BOUND", "3"), ("RADDLE_SEED", "7")]).unwrap();
        assert_eq!((config.bound, config.seed), (Some(3), 7));
    }

    #[test]
    fn a_budget_is_executions_or_seconds() {
        let config = with(&[("RADDLE_BUDGET", "500")]).unwrap();
        assert_eq!((config.runs, config.time), (Some(500), None));
        let config = with(&[("RADDLE_BUDGET", "9s")]).unwrap();
        assert_eq!((config.runs, config.time), (None, Some(Duration::from_secs(9))));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(with(&[("RADDLE_BOUND", "two")]).unwrap_err().contains("RADDLE_BOUND=two"));
        assert!(with(&[("RADDLE_BUDGET", "5m")]).is_err());
    }
}
