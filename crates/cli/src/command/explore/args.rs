//! What says how schedules are searched: strategy, points, budgets.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use raddle_explore::{Bounds, Budget, Entry, Races, ReleaseSequence, StrategyKind};
use raddle_session::Method;
use raddle_vm::{Points, Settings};

use crate::diagnostic::Diagnostic;
use crate::quantity::{Size, Time};

/// How schedules are searched. What is not given depends on the command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Searching")]
pub(crate) struct SearchArgs {
    /// How many preemptions an execution may have: a number, or all
    #[arg(long, value_name = "N", default_value = "2")]
    pub(super) bound: Bound,

    /// The operations before which threads can be interrupted
    #[arg(long, value_enum, default_value_t = PointsArg::Sync)]
    pub(super) points: PointsArg,

    /// How data races are handled
    #[arg(long, value_enum, default_value_t = RacesArg::Report)]
    pub(super) races: RacesArg,

    /// The release sequences by which atomics order accesses that would race otherwise
    #[arg(long, value_enum, default_value_t = ReleaseSequenceArg::Cpp20)]
    pub(super) release_sequence: ReleaseSequenceArg,

    /// Which executions are skipped because others are equivalent [default: none]
    #[arg(long, value_enum)]
    pub(super) reduction: Option<Reduction>,

    /// Whether a run ends at a state that an earlier run has reached [default: on if the strategy
    /// enumerates and there is no reduction]
    #[arg(long, value_enum)]
    pub(super) cache: Option<Switch>,

    /// Treat threads that start alike as interchangeable until they run
    #[arg(long)]
    pub(super) symmetry: bool,

    /// Search one part of the executions with preemptions: 1/4 to 4/4 together are all of them
    #[arg(long, value_name = "I/N")]
    pub(super) part: Option<Part>,

    /// The seed of random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// The number of search threads; the results do not depend on it
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) jobs: NonZeroUsize,

    /// End after this many executions, including those before --resume
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub(super) runs: Option<u64>,

    /// End after this time: 30s, 5m, 2h; showing what was found takes at most 1s to 5s more
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub(super) time: Option<Time>,

    /// The memory that the search may use, not counting that of the program
    #[arg(long, value_name = "SIZE", default_value = "2GiB", help_heading = "Budget")]
    pub(super) memory: Size,

    /// End after this many findings other than data races
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub(super) findings: Option<NonZeroUsize>,

    /// Save the search here from time to time and when it ends early; removed when it is complete
    #[arg(long, value_name = "FILE", help_heading = "Budget")]
    pub(super) checkpoint: Option<PathBuf>,

    /// How often the search is saved
    #[arg(
        long,
        value_name = "TIME",
        default_value = "20s",
        requires = "checkpoint",
        help_heading = "Budget"
    )]
    pub(super) checkpoint_every: Time,

    /// List a race as a separate finding even if it is listed as a cause of a failure
    #[arg(long, help_heading = "Reporting")]
    pub(super) all: bool,

    /// Resume a saved search, with the same options
    #[arg(long, value_name = "FILE", help_heading = "Budget")]
    pub(super) resume: Option<PathBuf>,
}

/// A number of preemptions, or all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Bound(pub(super) Option<u32>);

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Bound, String> {
        match text {
            "all" => Ok(Bound(None)),
            number => number.parse().map(|n| Bound(Some(n))).map_err(|_| {
                format!("`{text}` is not a bound; write a number of preemptions, or all")
            }),
        }
    }
}

/// A part of a search: which one, from 1, of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Part(pub(super) u32, pub(super) u32);

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(part, n)| Some((part.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((part, n)) if (1..=n).contains(&part) => Ok(Part(part, n)),
            _ => Err(format!("`{text}` is not a part; write it like 1/4")),
        }
    }
}

/// The operations before which threads can be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PointsArg {
    /// Synchronisation, atomic accesses, and racing accesses
    Sync,
    /// Every access to memory that threads can share
    All,
}

/// How data races are handled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RacesArg {
    /// Report them, and make their accesses scheduling points
    Report,
    /// Make their accesses scheduling points, but do not report them
    Points,
    /// Do not look for them
    Off,
}

/// Which writes continue a release sequence.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum ReleaseSequenceArg {
    /// Read-modify-writes, as in C++20 and Rust
    #[value(name = "c++20")]
    Cpp20,
    /// Also stores of the same thread, as in C11 and C++17
    C11,
}

/// Which executions are skipped because others are equivalent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Reduction {
    /// None
    None,
    /// Those that differ only in the order of independent operations
    PartialOrder,
}

/// On or off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl SearchArgs {
    /// Whether there is a cache of states.
    pub(super) fn is_cached(&self, kind: StrategyKind) -> bool {
        let default =
            kind.enumerates() && !self.is_reduced() && kind.entry().bound != Bounds::Steps;
        self.cache.map_or(default, |cache| cache == Switch::On)
    }

    /// Whether equivalent executions are left out.
    pub(super) fn is_reduced(&self) -> bool {
        self.reduction == Some(Reduction::PartialOrder)
    }

    /// What has to be the same when a saved search goes on.
    pub(super) fn options(&self) -> impl fmt::Debug {
        (
            (self.bound, self.points, self.races, self.reduction, self.cache),
            (self.symmetry, self.part, self.seed, self.release_sequence),
        )
    }

    /// Where the search is saved, and how often.
    pub(super) fn checkpoint(&self) -> Option<(&Path, Duration)> {
        self.checkpoint.as_deref().map(|path| (path, self.checkpoint_every.0))
    }

    /// Whether states are counted: if they are at hand anyway.
    pub(super) fn counts_states(&self, kind: StrategyKind) -> bool {
        self.is_cached(kind)
    }

    /// The same for a binary, whose states cannot be compared; refuses options that need that.
    pub(super) fn for_binary(&self) -> Result<SearchArgs, Diagnostic> {
        let refuse = |what: &str| {
            Err(Diagnostic::error(format!("{what} cannot be used with a binary")).help(
                "it requires states that can be compared, as those of C files on Raddle's \
                 virtual machine",
            ))
        };
        match () {
            () if self.cache == Some(Switch::On) => refuse("--cache on"),
            () if self.symmetry => refuse("--symmetry"),
            () => Ok(SearchArgs { cache: Some(Switch::Off), ..self.clone() }),
        }
    }

    /// Refuses what does not go together.
    pub(super) fn check(&self, kind: StrategyKind) -> Result<(), Diagnostic> {
        let refuse = |what: &str, why: &str| Err(Diagnostic::error(what).help(why));
        let cached = self.cache == Some(Switch::On);
        if self.is_reduced() && !kind.entry().is_reducible {
            let names = Entry::names(|entry| entry.is_reducible);
            return refuse(
                &format!("--reduction partial-order can only be used with the strategies {names}"),
                "omit it: other strategies do not determine which executions are equivalent",
            );
        }
        if self.is_reduced() && cached {
            return refuse(
                "--reduction partial-order and --cache on cannot be used together",
                "a cached state does not record which executions from it were skipped",
            );
        }
        if cached && !kind.enumerates() {
            return refuse(
                "--cache on can only be used with strategies that enumerate",
                "sampling repeats executions",
            );
        }
        if cached && kind.entry().bound == Bounds::Steps {
            return refuse(
                "--cache on cannot be used with a depth bound",
                "a state that was first reached at a greater depth was not explored as far",
            );
        }
        if self.part.is_some() && (self.is_reduced() || !kind.entry().is_divisible) {
            let names = Entry::names(|entry| entry.is_divisible);
            return refuse(
                &format!("--part can only be used with the strategies {names}, without reduction"),
                "other searches cannot be split into independent parts",
            );
        }
        Ok(())
    }

    /// How executions are chosen.
    pub(super) fn method(&self, kind: StrategyKind) -> Method {
        Method {
            kind,
            bound: self.bound.0,
            is_reduced: self.is_reduced(),
            is_cached: self.is_cached(kind),
            part: self.part.map(|Part(part, n)| (part, n)),
            seed: self.seed,
        }
    }

    /// Whether data races are findings.
    pub(super) fn reports_races(&self) -> bool {
        self.races == RacesArg::Report
    }

    /// What the search may use; states are counted if asked for, or if they are at hand anyway.
    pub(super) fn budget(&self, states: bool) -> Budget {
        Budget {
            runs: self.runs,
            time: self.time.map(|time| time.0),
            memory: Some(usize::try_from(self.memory.0).unwrap_or(usize::MAX)),
            findings: None,
            failures: self.findings.map(NonZeroUsize::get),
            states,
            kept: Duration::ZERO,
            races: match (self.races, self.points) {
                (RacesArg::Off, _) => Races::Ignored,
                (RacesArg::Report | RacesArg::Points, PointsArg::Sync) => Races::Promoted,
                (RacesArg::Report, PointsArg::All) => Races::Reported,
                (RacesArg::Points, PointsArg::All) => Races::Ignored,
            },
            release_sequence: match self.release_sequence {
                ReleaseSequenceArg::Cpp20 => ReleaseSequence::Cpp20,
                ReleaseSequenceArg::C11 => ReleaseSequence::C11,
            },
        }
    }

    /// The settings of the machine beside those of the program.
    pub(super) fn settle(&self, settings: &mut Settings) {
        settings.points = match self.points {
            PointsArg::Sync => Points::Sync,
            PointsArg::All => Points::All,
        };
        settings.symmetry = self.symmetry;
    }
}
