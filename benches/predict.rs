//! What predicting costs.
//!
//! ```text
//! cargo bench -p raddle-benches --bench predict             # everything, the longest last
//! cargo bench -p raddle-benches --bench predict -- NAME…    # measurements whose name contains it
//! cargo bench -p raddle-benches --bench predict -- FILE…    # races, deadlocks, reads of a trace
//! ```
//!
//! Cargo runs this in `benches/`, so paths start from there, or from the root.
//!
//! Times are CPU time unless the row says otherwise, and include what is prepared once for a trace;
//! making or reading the trace is not included. Every row says what its target is. What is found is
//! grouped by source locations, unless the row says that it is all.

use std::path::Path;
use std::process::exit;
use std::time::Duration;

use raddle_benches::random::Random;
use raddle_benches::table::{Row, print_head};
use raddle_benches::{Took, best, rate};
use raddle_generate::{Preset, generate};
use raddle_predict::{Causes, Job, Races, Settings, Tally, deadlocks, races, reads};
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_trace::format::{self, Options};

/// Measures something and prints rows that begin with its name.
type Measure = fn(&str);

/// The measurements by name, the long ones last.
const MEASUREMENTS: [(&str, Measure); 10] = [
    ("racy-events-75k", racy_events),
    ("growth", growth),
    ("deadlocks-local-1m", deadlocks_local),
    ("choices-10k", choices),
    ("jobs-100k", jobs),
    ("reads-grouped-8k", reads_grouped),
    ("reads-all-8k", reads_all),
    ("races-1m", races_random),
    ("races-10m-local", races_local),
    ("deadlocks-ordered-1m", deadlocks_ordered),
];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let (files, filters): (Vec<_>, Vec<_>) =
        words.iter().partition(|word| Path::new(word.as_str()).is_file());
    for filter in &filters {
        if !MEASUREMENTS.iter().any(|(name, _)| name.contains(filter.as_str())) {
            let names: Vec<_> = MEASUREMENTS.iter().map(|(name, _)| *name).collect();
            eprintln!("`{filter}` is neither a file nor one of {}", names.join(", "));
            exit(2);
        }
    }
    print_head();
    for file in files {
        of_file(Path::new(file));
    }
    for (name, measure) in MEASUREMENTS {
        if words.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())) {
            measure(name);
        }
    }
}

/// What a trace is searched for.
#[derive(Clone, Copy)]
enum Search {
    Races,
    Deadlocks,
    Reads { all: bool },
}

/// Searches a trace, preparation included.
fn search(trace: &Trace, what: Search) -> Row {
    search_often(1, trace, what)
}

/// The same a few times, for what takes so little time that it varies.
fn search_often(rounds: usize, trace: &Trace, what: Search) -> Row {
    let (took, row) = best(rounds, || {
        let causes = Causes::new(trace);
        let job = Job { n_workers: 1, progress: &mut |_, _| true };
        match what {
            Search::Races => races_row(&races(&causes, false, job).expect(REFEREE)),
            Search::Deadlocks => {
                let found = deadlocks(&causes, false, job).expect(REFEREE);
                Row {
                    n_candidates: found.n_cycles,
                    n_queries: found.tally.n_queries,
                    n_unknown: found.n_unknown,
                    n_found: found.deadlocks.len(),
                    ..Row::default()
                }
            }
            Search::Reads { all } => {
                let found = reads(&causes, all, job).expect(REFEREE);
                Row {
                    n_candidates: found.n_possible,
                    n_queries: found.tally.n_queries,
                    n_unknown: found.n_unknown,
                    n_found: found.witnesses.len(),
                    ..Row::default()
                }
            }
        }
    });
    Row { n_events: trace.len(), took: Some(took), ..row }
}

const REFEREE: &str = "the referee accepts all witnesses";

fn races_row(found: &Races) -> Row {
    Row {
        n_candidates: found.n_candidates,
        n_queries: found.tally.n_queries,
        n_unknown: found.unknown.len() as u64,
        n_found: found.races.len(),
        ..Row::default()
    }
}

/// Searches a trace for races in a certain way.
fn timed_races(trace: &Trace, settings: Settings, n_workers: usize) -> (Took, Races) {
    best(3, || {
        let causes = Causes::with(trace, settings);
        races(&causes, false, Job { n_workers, progress: &mut |_, _| true }).expect(REFEREE)
    })
}

/// The CPU time of a row.
fn cpu(row: &Row) -> Duration {
    row.took.map_or(Duration::ZERO, |took| took.cpu)
}

/// A row whose figure is its CPU time, which should be below some seconds.
fn below(row: Row, seconds: u64, target: &'static str) -> Row {
    let reached = cpu(&row) < Duration::from_secs(seconds);
    let figure = format!("{:.2} s", cpu(&row).as_secs_f64());
    Row { figure, target: Some((target, reached)), ..row }
}

fn preset(name: &str) -> Trace {
    let preset: Preset = name.parse().expect("a preset");
    let events = generate(&preset.config()).expect("a preset can be generated");
    Trace::new(events, Mode::Strict).expect("generated traces are well-formed")
}

/// Races, deadlocks and reads of a given trace.
fn of_file(path: &Path) {
    let options = Options { mode: Mode::Normalise, ..Options::default() };
    let trace = format::open(path, options, &mut ()).expect("the trace is read").trace;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let searches = [
        ("races", Search::Races),
        ("deadlocks", Search::Deadlocks),
        ("reads", Search::Reads { all: false }),
    ];
    for (name, what) in searches {
        search(&trace, what).print(&format!("{stem}: {name}"));
    }
}

/// Races of a million random events.
fn races_random(name: &str) {
    let row = search(&Random::default().trace(), Search::Races);
    let decided = row.n_unknown * 1000 <= row.n_queries;
    let row = below(row, 60, "< 60 s, unknown <= 0.1 %");
    let target = row.target.map(|(target, reached)| (target, reached && decided));
    Row { target, ..row }.print(name);
}

/// Races of ten million events of threads that mostly keep to themselves.
fn races_local(name: &str) {
    below(search(&preset("10m-local"), Search::Races), 120, "< 120 s").print(name);
}

/// Which events race with an earlier one.
fn racy_events(name: &str) {
    let random =
        Random { events: 75_000, threads: 4, locks: 133, vars: 2_000, ..Random::default() };
    let trace = random.trace();
    let (took, found) = timed_races(&trace, Settings::default(), 1);
    let n_found = found.racy_events.len();
    let row = Row { n_events: trace.len(), took: Some(took), n_found, ..races_row(&found) };
    below(row, 2, "< 2 s").print(name);
}

/// The cost of an event in traces of growing length, in which as much interacts at any time; and as
/// a multiple of that in the first.
fn growth(name: &str) {
    let mut first = None;
    for events in [10_000, 20_000, 40_000, 80_000] {
        let random = Random { events, threads: 4, locks: 30, vars: 400, ..Random::default() };
        let row = search_often(3, &random.trace(), Search::Races);
        let cost = cpu(&row).as_secs_f64() * 1e6 / row.n_events as f64;
        let ratio = cost / *first.get_or_insert(cost);
        let target = (events == 80_000).then_some(("<= 1.5×", ratio <= 1.5));
        let figure = format!("{cost:.1} µs, {ratio:.2}×");
        Row { figure, target, ..row }.print(&format!("{name}-{}k", events / 1000));
    }
}

/// Three threads that share a few variables: millions of triplets of a read and two writes.
fn few_variables() -> Trace {
    let random = Random { events: 8_000, threads: 3, locks: 10, ..Random::default() };
    Random { vars: 5, local: 0.1, write: 0.5, ..random }.trace()
}

fn reads_grouped(name: &str) {
    below(search(&few_variables(), Search::Reads { all: false }), 5, "< 5 s").print(name);
}

fn reads_all(name: &str) {
    below(search(&few_variables(), Search::Reads { all: true }), 60, "< 60 s").print(name);
}

/// Deadlocks where locks are taken in one order, so that there is none.
fn deadlocks_ordered(name: &str) {
    deadlock_rate(name, &Random { ordered: true, ..Random::default() }.trace());
}

/// Deadlocks of threads that mostly keep to themselves.
fn deadlocks_local(name: &str) {
    deadlock_rate(name, &preset("1m-local"));
}

fn deadlock_rate(name: &str, trace: &Trace) {
    let row = search(trace, Search::Deadlocks);
    let rate = rate(row.n_events, cpu(&row));
    let target = Some((">= 1 M/s", rate >= 1.0));
    Row { figure: format!("{rate:.2} M/s"), target, ..row }.print(name);
}

/// What a second worker brings, in wall time: it needs a core of its own.
fn jobs(name: &str) {
    let random =
        Random { events: 100_000, threads: 10, locks: 30, vars: 2_000, ..Random::default() };
    let trace = random.trace();
    let mut alone: Option<(Took, Races)> = None;
    for n_workers in [1, 2] {
        let (took, mut found) = timed_races(&trace, Settings::default(), n_workers);
        let row = Row { n_events: trace.len(), took: Some(took), ..races_row(&found) };
        // What each worker remembers shows in how it answers, and not in what.
        found.tally = Tally::default();
        let row = match &alone {
            None => Row { figure: format!("{:.2} s", took.wall.as_secs_f64()), ..row },
            Some((before, expected)) => {
                assert_eq!(expected, &found, "the number of workers shows in the result");
                let ratio = before.wall.as_secs_f64() / took.wall.as_secs_f64();
                let target = Some((">= 1.7× with two free cores", ratio >= 1.7));
                Row { figure: format!("{ratio:.2}×"), target, ..row }
            }
        };
        row.print(&format!("{name}, {n_workers} at work"));
        alone.get_or_insert((took, found));
    }
}

/// What the settings that change no answer are worth.
fn choices(name: &str) {
    let random = Random { events: 10_000, threads: 8, locks: 10, vars: 200, ..Random::default() };
    let trace = random.trace();
    let mut first = None;
    for (chop, share) in [(true, true), (true, false), (false, true), (false, false)] {
        let settings = Settings { chop, share, ..Settings::default() };
        let (took, found) = timed_races(&trace, settings, 1);
        let time = took.cpu.as_secs_f64();
        let figure = format!("{:.2}×", time / *first.get_or_insert(time));
        let row = Row { n_events: trace.len(), took: Some(took), figure, ..races_row(&found) };
        let choice = match (chop, share) {
            (true, true) => "both",
            (true, false) => "chop",
            (false, true) => "share",
            (false, false) => "neither",
        };
        row.print(&format!("{name}, {choice}"));
    }
}
