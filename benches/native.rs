//! What running binaries under control costs.
//!
//! ```text
//! cargo bench -p raddle-benches --bench native                              # the table
//! cargo bench -p raddle-benches --bench native -- replays                   # 10,000 replays
//! cargo bench -p raddle-benches --bench native -- replays N PROGRAM ARGS…   # N of a program
//! ```
//!
//! One binary, built with `-fsanitize=thread`, runs with gcc's own runtime and with ours, in turns.
//! Times are CPU time of the program, user and system, as the system counts it for children that
//! have ended; what the host does meanwhile is not in it. Figures are medians.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use raddle_benches::{Took, child};
use raddle_native::install::Installation;
use raddle_native::launch::{self, Answer, Request};
use raddle_native::target::{Output, Target};
use raddle_wire::OutcomeKind;

/// How often each of the things that are compared is done.
const N_ROUNDS: usize = 9;
/// How often the token changes hands.
const N_HANDOFFS: u64 = 1_000_000;
/// How often a schedule is replayed.
const N_REPLAYS: u64 = 10_000;

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<OsString> = env::args_os().skip(1).filter(|word| word != "--bench").collect();
    let bench = Bench::new();
    match words.split_first() {
        None => bench.table(),
        Some((word, rest)) if word == "replays" => match rest.split_first() {
            None => {
                let program = bench.build("handoff");
                bench.replays(N_REPLAYS, &bench.target(&program, &["10".into()]));
            }
            Some((n, command)) => {
                let n = n.to_str().and_then(|n| n.parse().ok()).expect("a number of replays");
                let (program, arguments) = command.split_first().expect("a program");
                bench.replays(n, &bench.target(Path::new(program), arguments));
            }
        },
        Some((word, _)) => panic!("{} is not a measurement", word.display()),
    }
}

/// Where programs and recordings are, and what runs them.
struct Bench {
    folder: PathBuf,
    installation: Installation,
}

impl Bench {
    fn new() -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("native");
        fs::create_dir_all(&folder).expect("the folder for programs can be made");
        let installation = Installation::get().expect("the runtime can be unpacked");
        Bench { folder, installation }
    }

    /// Builds one of our programs.
    fn build(&self, name: &str) -> PathBuf {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(name);
        let program = self.folder.join(name);
        let status = Command::new("gcc")
            .args(["-g", "-O1", "-fsanitize=thread"])
            .arg(source.with_extension("c"))
            .arg("-o")
            .arg(&program)
            .status()
            .expect("gcc can be run");
        assert!(status.success(), "{name} cannot be built");
        program
    }

    fn target(&self, program: &Path, arguments: &[OsString]) -> Target {
        let mut target = Target::new(program.as_os_str()).expect("the program is there");
        (target.arguments, target.output) = (arguments.to_vec(), Output::Capture);
        target
    }

    /// Runs a program under control; what it answered and took.
    fn run(&self, target: &Target, request: &Request<'_>) -> (Answer, Duration) {
        let before = child::cpu_time();
        let answer =
            launch::run(target, request, &self.installation.runtime(), &AtomicBool::new(false));
        let answer = answer.expect("the program runs under control");
        assert_eq!(answer.outcome, OutcomeKind::Exited, "{}", answer.message);
        (answer, child::cpu_time() - before)
    }

    fn table(&self) {
        let raddle = raddle();
        println!("{:<44} {:>12}  target", "measurement", "figure");
        for kernel in ["matrix", "histogram"] {
            let (path, n_events) = self.recording(kernel);
            sizes(&raddle, kernel, &path, n_events);
        }
        self.handoff();
        self.start_up(&raddle);
    }

    /// Recording against gcc's own runtime; the recording, and how many events it has.
    fn recording(&self, kernel: &str) -> (PathBuf, u64) {
        let program = self.build(kernel);
        let target = self.target(&program, &[]);
        let path = self.folder.join(kernel).with_extension("rdl");
        let request = Request { recording: Some(path.clone()), ..Request::default() };
        let (mut theirs, mut ours, mut n_events) = (Vec::new(), Vec::new(), 0);
        for _ in 0..N_ROUNDS {
            theirs.push(child::run(Command::new(&program).stdout(Stdio::null())).cpu);
            let (answer, cpu) = self.run(&target, &request);
            ours.push(cpu);
            n_events = answer.counts.events;
        }
        let (theirs, ours) = (median(theirs), median(ours));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        let rate = n_events as f64 / ours.as_secs_f64() / 1e6;
        row(&format!("{kernel}: libtsan"), seconds(theirs), None);
        row(&format!("{kernel}: recording"), seconds(ours), None);
        row(&format!("{kernel}: events a second"), format!("{rate:.0} M"), None);
        row(&format!("{kernel}: to libtsan"), format!("{ratio:.2}"), Some(("1.0", ratio <= 1.0)));
        (path, n_events)
    }

    /// A switch with the scheduling points before and behind it. Every hand-over is a post, after
    /// which the thread goes on, and a wait, at which the other one does.
    fn handoff(&self) {
        let program = self.build("handoff");
        let of = |n: u64| {
            let target = self.target(&program, &[n.to_string().into()]);
            let runs = (0..N_ROUNDS).map(|_| self.run(&target, &Request::default()));
            let (answers, times): (Vec<Answer>, Vec<Duration>) = runs.unzip();
            (answers[0].counts.switches, median(times).as_secs_f64())
        };
        let ((few, start), (many, all)) = (of(1), of(N_HANDOFFS / 2));
        let micros = (all - start) * 1e6 / (many - few) as f64;
        let target = ("0.5 µs", micros < 0.5);
        row("a switch and its scheduling points", format!("{micros:.3} µs"), Some(target));
    }

    /// What a program costs that does next to nothing.
    fn start_up(&self, raddle: &Path) {
        let program = self.build("handoff");
        let path = self.folder.join("start.rdl");
        let mut record = Command::new(raddle);
        record.args(["--quiet", "record"]).arg(&program).arg("-o").arg(&path);
        child::run(record.stdout(Stdio::null()));
        let mut replay = Command::new(raddle);
        let schedule = format!("@{}", path.display());
        replay.args(["--quiet", "replay"]).arg(&program).arg(schedule).stdout(Stdio::null());
        for (name, command) in [("record", &mut record), ("replay", &mut replay)] {
            let runs: Vec<Took> = (0..3 * N_ROUNDS).map(|_| child::run(command)).collect();
            let least = |time: Duration| ("50 ms", time < Duration::from_millis(50));
            let wall = median(runs.iter().map(|took| took.wall).collect());
            let cpu = median(runs.iter().map(|took| took.cpu).collect());
            row(&format!("start-up, {name}: wall"), milliseconds(wall), Some(least(wall)));
            row(&format!("start-up, {name}: CPU"), milliseconds(cpu), Some(least(cpu)));
        }
    }

    /// Records a run with random choices and replays its schedule; all must do the same.
    fn replays(&self, n: u64, target: &Target) {
        let random = Request { seed: Some(1), ..Request::default() };
        let (first, _) = self.run(target, &random);
        assert!(first.taken_complete, "the schedule is too long to be kept");
        let request = Request { plan: &first.taken, ..Request::default() };
        let began = Instant::now();
        let mut hashes = BTreeMap::from([(first.event_hash, 1u64)]);
        for _ in 0..n {
            let (answer, _) = self.run(target, &request);
            assert_eq!(answer.output, first.output, "the program wrote something else");
            *hashes.entry(answer.event_hash).or_default() += 1;
        }
        let (events, steps) = (first.counts.events, first.taken.len());
        let each = began.elapsed().as_secs_f64() * 1e3 / n as f64;
        println!("{n} replays of {events} events in {steps} steps, {each:.1} ms each");
        hashes.iter().for_each(|(hash, times)| println!("event hash {hash:016x}: {times} times"));
        assert_eq!(hashes.len(), 1, "the runs differ");
    }
}

/// The size of a recording, as it is written and as it is kept.
fn sizes(raddle: &Path, kernel: &str, path: &Path, n_events: u64) {
    let per_event =
        |path: &Path| fs::metadata(path).expect("the file is there").len() as f64 / n_events as f64;
    let raw = per_event(path);
    let target = ("16 and headers", raw <= 16.1);
    row(&format!("{kernel}: bytes an event, recording"), format!("{raw:.2}"), Some(target));
    let converted = path.with_extension("small.rdl");
    let mut convert = Command::new(raddle);
    convert.args(["--quiet", "trace", "convert"]).arg(path);
    let took = child::run(convert.arg("-o").arg(&converted));
    let small = per_event(&converted);
    let target = ("4", small <= 4.0);
    row(&format!("{kernel}: bytes an event, converted"), format!("{small:.2}"), Some(target));
    row(&format!("{kernel}: converting"), seconds(took.cpu), None);
}

/// The command, as it is built now.
fn raddle() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--release", "--package", "raddle-cli"]);
    let status = build.current_dir(env!("CARGO_MANIFEST_DIR")).status();
    assert!(status.expect("cargo can be run").success(), "the command cannot be built");
    // This is target/release/deps/native-….
    let own = env::current_exe().expect("the system knows our name");
    own.ancestors().nth(2).expect("Cargo puts us there").join("raddle")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn row(name: &str, figure: String, target: Option<(&str, bool)>) {
    match target {
        Some((target, true)) => println!("{name:<44} {figure:>12}  {target}: reached"),
        Some((target, false)) => println!("{name:<44} {figure:>12}  {target}: MISSED"),
        None => println!("{name:<44} {figure:>12}"),
    }
}
