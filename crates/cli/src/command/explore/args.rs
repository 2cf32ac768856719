//! What says how schedules are searched: strategy, points, budgets.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use raddle_explore::{Budget, Races};
use raddle_session::{Method, Way};
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

    /// Before which operations threads can be interrupted
    #[arg(long, value_enum, default_value_t = PointsArg::Sync)]
    pub(super) points: PointsArg,

    /// What is done about data races
    #[arg(long, value_enum, default_value_t = RacesArg::Promote)]
    pub(super) races: RacesArg,

    /// Which executions are left out because others are equivalent [default: none]
    #[arg(long, value_enum)]
    pub(super) reduction: Option<Reduction>,

    /// Whether runs end at states that earlier ones have seen [default: on if the strategy
    /// enumerates and there is no reduction]
    #[arg(long, value_enum)]
    pub(super) cache: Option<Switch>,

    /// Take threads that start alike to be interchangeable until they run
    #[arg(long)]
    pub(super) symmetry: bool,

    /// Search one of several parts of the executions with preemptions: 1/4 to 4/4 are everything
    #[arg(long, value_name = "I/N")]
    pub(super) part: Option<Part>,

    /// What random choices depend on
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// How many threads search; the results do not depend on it
    #[arg(long, value_name = "N", default_value = "1")]
    pub(super) jobs: NonZeroUsize,

    /// End after so many executions, with those before --resume
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub(super) runs: Option<u64>,

    /// End after this time: 30s, 5m, 2h; findings are simplified and told within 2s more
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub(super) time: Option<Time>,

    /// The memory that the search may use, without that of the program
    #[arg(long, value_name = "SIZE", default_value = "2GiB", help_heading = "Budget")]
    pub(super) memory: Size,

    /// End after so many findings
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

    /// List a race as a finding of its own even if it is part of a failure
    #[arg(long, help_heading = "Reporting")]
    pub(super) all: bool,

    /// Go on with a search that was saved, with the same options
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
                format!("`{text}` is no bound; write a number of preemptions, or all")
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
            _ => Err(format!("`{text}` is no part; write it like 1/4")),
        }
    }
}

/// Before which operations threads can be interrupted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PointsArg {
    /// Synchronisation, atomic accesses, and accesses that race
    Sync,
    /// Every access to memory that threads can share
    All,
}

/// What is done about data races.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum RacesArg {
    /// Report them, and make points of their accesses
    Promote,
    /// Report them
    Report,
    /// Do not look for them
    Off,
}

/// Which executions are left out because others are equivalent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Reduction {
    /// None
    None,
    /// Those that differ in the order of independent operations only
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
    pub(super) fn is_cached(&self, way: Way) -> bool {
        let default = way.enumerates()
            && !self.is_reduced()
            && !matches!(way, Way::Depth(_) | Way::IterativeDepth(_));
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
            (self.symmetry, self.part, self.seed),
        )
    }

    /// Where the search is saved, and how often.
    pub(super) fn checkpoint(&self) -> Option<(&Path, Duration)> {
        self.checkpoint.as_deref().map(|path| (path, self.checkpoint_every.0))
    }

    /// Whether states are counted: if they are at hand anyway.
    pub(super) fn counts_states(&self, way: Way) -> bool {
        self.is_cached(way)
    }

    /// The same for a binary, whose states nobody can compare; refuses what takes that.
    pub(super) fn for_binary(&self) -> Result<SearchArgs, Diagnostic> {
        let refuse = |what: &str| {
            Err(Diagnostic::error(format!("{what} does not go with a binary"))
                .help("it takes states that can be compared: C files run on Raddle's own machine"))
        };
        match () {
            () if self.cache == Some(Switch::On) => refuse("--cache on"),
            () if self.symmetry => refuse("--symmetry"),
            () => Ok(SearchArgs { cache: Some(Switch::Off), ..self.clone() }),
        }
    }

    /// Refuses what does not go together.
    pub(super) fn check(&self, way: Way) -> Result<(), Diagnostic> {
        let refuse = |what: &str, why: &str| Err(Diagnostic::error(what).help(why));
        let cached = self.cache == Some(Switch::On);
        if self.is_reduced() && !matches!(way, Way::Icb | Way::Dfs) {
            return refuse(
                "--reduction partial-order goes with the strategies icb and dfs only",
                "leave it away: other strategies do not say which executions are equivalent",
            );
        }
        if self.is_reduced() && cached {
            return refuse(
                "--reduction partial-order and --cache on do not go together",
                "a state that was seen does not say which of its executions were left out",
            );
        }
        if cached && !way.enumerates() {
            return refuse("--cache on goes with strategies that enumerate", "sampling repeats");
        }
        if cached && matches!(way, Way::Depth(_) | Way::IterativeDepth(_)) {
            return refuse(
                "--cache on does not go with a bound on the depth",
                "a state that was seen at a greater depth was not followed as far",
            );
        }
        if self.part.is_some() && (self.is_reduced() || !matches!(way, Way::Icb | Way::Delay)) {
            return refuse(
                "--part goes with the strategies icb and delay, without reduction",
                "others have no parts that are independent of each other",
            );
        }
        Ok(())
    }

    /// How executions are chosen.
    pub(super) fn method(&self, way: Way) -> Method {
        Method {
            way,
            bound: self.bound.0,
            is_reduced: self.is_reduced(),
            is_cached: self.is_cached(way),
            part: self.part.map(|Part(part, n)| (part, n)),
            seed: self.seed,
        }
    }

    /// What the search may use; states are counted if asked for, or if they are at hand anyway.
    pub(super) fn budget(&self, states: bool) -> Budget {
        Budget {
            runs: self.runs,
            time: self.time.map(|time| time.0),
            memory: Some(usize::try_from(self.memory.0).unwrap_or(usize::MAX)),
            findings: self.findings.map(NonZeroUsize::get),
            states,
            races: match (self.races, self.points) {
                (RacesArg::Off, _) => Races::Ignored,
                (RacesArg::Promote, PointsArg::Sync) => Races::Promoted,
                (RacesArg::Promote | RacesArg::Report, _) => Races::Reported,
            },
        }
    }

    /// What the machine is told beside what the program needs.
    pub(super) fn settle(&self, settings: &mut Settings) {
        settings.points = match self.points {
            PointsArg::Sync => Points::Sync,
            PointsArg::All => Points::All,
        };
        settings.symmetry = self.symmetry;
    }
}
