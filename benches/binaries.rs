//! How fast binaries are explored.
//!
//! ```text
//! cargo bench -p raddle-benches --bench binaries            # the table
//! cargo bench -p raddle-benches --bench binaries -- hour N  # N minutes of one program, for leaks
//! ```
//!
//! Rates are executions per second of CPU time, that of the host and of the target together, since
//! the machines that run this are shared; wall-clock rates stand beside them. What is compared with
//! each other runs in turns.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use raddle_benches::{Took, child};
use raddle_explore::{Budget, Ending, Races, Report, Sample, Sampler, search};
use raddle_native::explore::{NativeEngine, Setup};
use raddle_native::install::Installation;
use raddle_native::target::Target;
use raddle_wire::board::Model;

/// How often each of the things that are compared is done.
const N_ROUNDS: usize = 5;

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let bench = Bench::new();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => bench.table(),
        ["hour", minutes] => bench.hour(minutes.parse().expect("a number of minutes")),
        _ => panic!("{words:?} is no measurement"),
    }
}

/// Where programs are, and what runs them.
struct Bench {
    folder: PathBuf,
    installation: Installation,
}

/// What an exploration is like.
#[derive(Clone, Copy)]
struct Way {
    model: Model,
    sampler: Sampler,
    races: Races,
}

const PLAIN: Way = Way { model: Model::Snapshot, sampler: Sampler::Random, races: Races::Ignored };

impl Bench {
    fn new() -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("binaries");
        fs::create_dir_all(&folder).expect("the folder for programs can be made");
        let installation = Installation::get().expect("the runtime can be unpacked");
        Bench { folder, installation }
    }

    /// Builds one of our programs.
    fn build(&self, name: &str, flags: &[&str]) -> PathBuf {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name);
        let program = self.folder.join(name);
        let mut command = Command::new("gcc");
        command.args(["-g", "-O1", "-pthread"]).args(flags).arg(source.with_extension("c"));
        let status = command.arg("-o").arg(&program).status().expect("gcc can be run");
        assert!(status.success(), "{name} cannot be built");
        program
    }

    fn engine(&self, program: &Path, arguments: &[&str], model: Model) -> NativeEngine {
        let mut target = Target::new(program.as_os_str()).expect("the program is there");
        target.arguments = arguments.iter().map(Into::into).collect();
        let mut setup = Setup::new(target, &self.installation.runtime());
        setup.model = Some(model);
        NativeEngine::new(setup).expect("the program can be read")
    }

    /// Explores a program; how long that took, of host and target together.
    fn explore(&self, program: &Path, arguments: &[&str], way: Way, runs: u64) -> (Took, Report) {
        let mut engine = [self.engine(program, arguments, way.model)];
        let budget = Budget { runs: Some(runs), races: way.races, ..Budget::default() };
        let mut strategy = Sample::new(way.sampler, 1);
        let (wall, own, theirs) = (Instant::now(), ProcessTime::now(), child::cpu_time());
        let report = search(&mut engine, &mut strategy, &budget, &AtomicBool::new(false));
        let report = report.expect("the program can be explored");
        let wall = wall.elapsed();
        // The target is seen off with the engine; before that its time is not told.
        let [engine] = engine;
        drop(engine);
        let cpu = own.elapsed() + (child::cpu_time() - theirs);
        assert_eq!((report.ending, report.executions), (Ending::Runs, runs));
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        (Took { wall, cpu }, report)
    }

    /// Executions per second, by CPU time and by the clock: medians.
    fn rates(&self, program: &Path, arguments: &[&str], way: Way, runs: u64) -> (f64, f64) {
        let took: Vec<Took> =
            (0..N_ROUNDS).map(|_| self.explore(program, arguments, way, runs).0).collect();
        let rate = |times: Vec<Duration>| runs as f64 / median(times).as_secs_f64();
        (
            rate(took.iter().map(|took| took.cpu).collect()),
            rate(took.iter().map(|took| took.wall).collect()),
        )
    }

    fn table(&self) {
        println!("{:<48} {:>12} {:>12}  target", "measurement", "per CPU s", "per s");
        let instrumented = ["-fsanitize=thread"];
        let counter = self.build("counter", &instrumented);
        let (mut snapshots, mut forks, mut bare) = (Vec::new(), Vec::new(), Vec::new());
        let forking = self.build("forks", &[]);
        for _ in 0..N_ROUNDS {
            snapshots.push(self.explore(&counter, &[], PLAIN, 50_000).0);
            let way = Way { model: Model::Fork, ..PLAIN };
            forks.push(self.explore(&counter, &[], way, 2_000).0);
            bare.push(child::run(Command::new(&forking).arg("2000")));
        }
        let rate = |runs: f64, took: &[Took]| {
            let cpu = median(took.iter().map(|took| took.cpu).collect());
            let wall = median(took.iter().map(|took| took.wall).collect());
            (runs / cpu.as_secs_f64(), runs / wall.as_secs_f64())
        };
        let snapshot = rate(50_000.0, &snapshots);
        let fork = rate(2_000.0, &forks);
        let bare = rate(2_000.0, &bare);
        row("counter: snapshot", snapshot, Some(("40,000", snapshot.0 >= 40_000.0)));
        row("counter: a child for every run", fork, None);
        row("bare fork, exit and wait", bare, None);
        let ratio = (snapshot.0 / fork.0, snapshot.1 / fork.1);
        ratios("snapshot to child", ratio, ("15", ratio.0 >= 15.0));
        let ratio = (fork.0 / bare.0, fork.1 / bare.1);
        ratios("child to bare", ratio, ("0.5", ratio.0 >= 0.5 || ratio.1 >= 0.5));
        let reported = Way { races: Races::Reported, ..PLAIN };
        row("counter: with races", self.rates(&counter, &[], reported, 50_000), None);
        let once = Way { model: Model::Once, ..PLAIN };
        row("counter: a process for every run", self.rates(&counter, &[], once, 100), None);
        for sampler in [Sampler::Pos, Sampler::Pct { depth: 3 }, Sampler::Surw] {
            let way = Way { sampler, ..PLAIN };
            let name = format!("counter: {sampler:?}");
            row(&name, self.rates(&counter, &[], way, 50_000), None);
        }
        let crowd = self.build("crowd", &instrumented);
        for (name, sampler) in [("random", Sampler::Random), ("surw", Sampler::Surw)] {
            let way = Way { sampler, ..PLAIN };
            let rates = self.rates(&crowd, &[], way, 1_000);
            let name = format!("100 threads: {name}");
            row(&name, rates, Some(("500", rates.0 >= 500.0)));
        }
        self.points(&counter);
        self.memory(&counter);
    }

    /// What one more scheduling point costs.
    fn points(&self, counter: &Path) {
        let of = |rounds: &str, runs: u64| {
            let times = (0..N_ROUNDS).map(|_| self.explore(counter, &[rounds], PLAIN, runs));
            let (took, reports): (Vec<Took>, Vec<Report>) = times.unzip();
            let steps = reports[0].maxima.steps as f64;
            let cpu = median(took.iter().map(|took| took.cpu).collect());
            (steps, cpu.as_secs_f64() / runs as f64)
        };
        let ((few, short), (many, long)) = (of("2", 20_000), of("2000", 200));
        let micros = (long - short) * 1e6 / (many - few);
        let reached = if micros < 0.5 { "reached" } else { "MISSED" };
        println!("{:<48} {micros:>9.3} µs {:>12}  0.5 µs: {reached}", "a scheduling point", "");
    }

    /// How much the host grows from one execution to the next.
    fn memory(&self, counter: &Path) {
        let mut sizes = Vec::new();
        for runs in [10_000, 20_000, 400_000] {
            self.explore(counter, &[], PLAIN, runs);
            sizes.push(resident());
        }
        let grown = sizes[2].saturating_sub(sizes[1]);
        let reached = if grown < 1 << 20 { "reached" } else { "MISSED" };
        let name = "host: growth from 20,000 to 400,000 executions";
        println!("{name:<48} {:>8} KiB {:>12}  1 MiB: {reached}", grown >> 10, "");
    }

    /// Explores one program for so many minutes and looks for drift.
    fn hour(&self, minutes: u64) {
        let counter = self.build("counter", &["-fsanitize=thread"]);
        let way = Way { sampler: Sampler::Pos, races: Races::Reported, ..PLAIN };
        let mut engine = [self.engine(&counter, &["5"], way.model)];
        let mut strategy = Sample::new(way.sampler, 1);
        let mut ledger = raddle_explore::Ledger::default();
        for minute in 1..=minutes {
            let budget = Budget {
                time: Some(Duration::from_secs(60 * minute)),
                races: way.races,
                ..Budget::default()
            };
            let (before, stop) = (ledger.executions(), AtomicBool::new(false));
            let spent = child::cpu_time_alive();
            raddle_explore::resume(&mut engine, &mut strategy, &mut ledger, &budget, &mut {
                &stop
            })
            .expect("the program can be explored");
            let n = ledger.executions() - before;
            let rate = n as f64 / (child::cpu_time_alive() - spent).as_secs_f64();
            let host = resident() >> 10;
            println!("minute {minute}: {n} executions, {rate:.0} per CPU second, host {host} KiB");
        }
    }
}

/// Bytes of memory that this process has.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/statm").expect("the system tells our size");
    let pages = status.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.expect("the second number is the resident size") * 4096
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn row(name: &str, (cpu, wall): (f64, f64), target: Option<(&str, bool)>) {
    let said = match target {
        Some((target, true)) => format!("  {target}: reached"),
        Some((target, false)) => format!("  {target}: MISSED"),
        None => String::new(),
    };
    println!("{name:<48} {cpu:>12.0} {wall:>12.0}{said}");
}

fn ratios(name: &str, (cpu, wall): (f64, f64), (target, reached): (&str, bool)) {
    let said = if reached { "reached" } else { "MISSED" };
    println!("{name:<48} {cpu:>12.2} {wall:>12.2}  {target}: {said}");
}
