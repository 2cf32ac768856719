//! Measures the Rust library beside loom and shuttle, on the same programs, in CPU time:
//!
//! - executions a second of small programs, and the time of one step
//!   (targets: 3 times shuttle, 30 times loom; 60 ns a step);
//! - the time to find each bug, and to exhaust each correct program, those of the corpus among them;
//!   the sums are over what a peer finishes within the limit (target: a tenth of the better peer).
//!
//! Each measurement is a process of its own, since a peer may end it; what it has found by then
//! counts. The tool finds another bug there before: what a process pays once (pages of code, the
//! tables of the unwinder) is not meant. Where chance decides, a bug is found again and again, from
//! different seeds, and figures are means.
//!
//! A bug is found when there is a message and what replays it, which is what peers give. Beside that
//! stands what `raddle::check` does by default: the simplest interleaving, step by step.
//!
//! `cargo bench -p raddle-benches --bench peers [-- speed | bugs | correct]`

use std::env;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use cpu_time::ProcessTime;

#[path = "peers/suite.rs"]
mod suite;

use suite::{Program, TOOLS, looms, ours, shuttles};

/// How long one program may take, of CPU time: the machine may have other work.
const LIMIT: Duration = Duration::from_secs(10);

/// How many executions the speed is measured with.
const N_RUNS: u64 = 200_000;

/// What samplers begin with when their speed is measured.
const SEED: u64 = 7;

/// How often a bug is looked for by those who sample, each time from another seed.
const N_SEEDS: u64 = 100;

/// What a process measured.
#[derive(Clone, Copy, Debug)]
struct Measured {
    executions: u64,
    seconds: f64,
    /// Whether the bug was found, or everything was seen.
    is_done: bool,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    if let [child, tool, task, index] = &arguments[..]
        && child == "child"
    {
        return measure(tool, task, index.parse().unwrap_or(0));
    }
    let wants = |task: &str| arguments.is_empty() || arguments.iter().any(|it| it == task);
    if wants("speed") {
        speeds();
    }
    if wants("bugs") {
        totals("bugs", &suite::broken());
    }
    if wants("correct") {
        totals("correct", &suite::correct());
    }
}

/// Executions a second.
fn speeds() {
    println!("{:<24} {:>12} {:>12} {:>12}", "executions a second", "raddle", "loom", "shuttle");
    let mut least = [f64::INFINITY; 2];
    for (index, (name, _)) in ours::CORRECT.iter().enumerate() {
        let rates = TOOLS.map(|tool| child(tool, "speed", index));
        let rate = |it: Option<Measured>| it.map(|it| it.executions as f64 / it.seconds);
        let [ours, loom, shuttle] = rates.map(rate);
        print!("{name:<24}");
        [ours, loom, shuttle].iter().for_each(|rate| print!(" {:>12}", number(*rate)));
        let ratios = [loom, shuttle].map(|peer| ours.zip(peer).map(|(ours, peer)| ours / peer));
        println!("   {} x loom, {} x shuttle", number(ratios[0]), number(ratios[1]));
        for (least, ratio) in least.iter_mut().zip(ratios) {
            *least = ratio.map_or(*least, |ratio| ratio.min(*least));
        }
    }
    println!("at least {:.1} x loom (target 30), {:.1} x shuttle (target 3)", least[0], least[1]);
    println!("{:<24} {:>12} {:>12} {:>12}", "ns a step", "raddle", "loom", "shuttle");
    print!("{:<24}", "3 threads, 1000 steps");
    for tool in TOOLS {
        let step = child(tool, "long", 0).map(|it| it.seconds * 1e9 / it.executions as f64);
        print!(" {:>12}", number(step));
    }
    println!("   (target 60)");
}

/// The time that each program takes, and the sums over those that a peer finishes.
fn totals(task: &str, programs: &[Program]) {
    println!("{task:<24} {:>12} {:>12} {:>12}   (CPU ms; executions)", "raddle", "loom", "shuttle");
    let (mut sums, mut described) = ([[0.0; 2]; 2], 0.0);
    let mut failed = Vec::new();
    for (index, (name, _)) in programs.iter().enumerate() {
        let [ours, loom, shuttle] = TOOLS.map(|tool| child(tool, task, index));
        print!("{name:<24}");
        for it in [ours, loom, shuttle] {
            let ms = it.filter(|it| it.is_done).map(|it| it.seconds * 1e3);
            print!(" {:>12}", ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.3}")));
        }
        if !ours.is_some_and(|it| it.is_done) {
            failed.push(*name);
        }
        if task == "bugs" {
            described += child("raddle", "described", index).map_or(0.0, |it| it.seconds * 1e3);
        }
        let executions = [ours, loom, shuttle].map(|it| it.map_or(0, |it| it.executions));
        println!("   {executions:?}");
        for (peer, sums) in [loom, shuttle].into_iter().zip(&mut sums) {
            if let (Some(peer), Some(ours)) = (peer.filter(|it| it.is_done), ours) {
                sums[0] += ours.seconds * 1e3;
                sums[1] += peer.seconds * 1e3;
            }
        }
    }
    for (name, [ours, theirs]) in ["loom", "shuttle"].iter().zip(sums) {
        println!(
            "where {name} finishes: {ours:.2} ms against {theirs:.2} ms, {:.1} x (target 10)",
            theirs / ours
        );
    }
    if !failed.is_empty() {
        println!("NOT COMPARABLE: raddle itself does not finish {}", failed.join(", "));
    }
    if task == "bugs" {
        println!("made as simple as possible, and described: {described:.1} ms");
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"))
}

/// The best of three rounds, or of seven where one takes a millisecond: the machines that run this are shared.
fn child(tool: &str, task: &str, index: usize) -> Option<Measured> {
    let mut best = round(tool, task, index)?;
    let n_rounds = if task == "bugs" { 7 } else { 3 };
    for _ in 1..n_rounds {
        if !best.is_done && task != "speed" {
            return Some(best);
        }
        let next = round(tool, task, index)?;
        best = if next.seconds < best.seconds { next } else { best };
    }
    Some(best)
}

fn round(tool: &str, task: &str, index: usize) -> Option<Measured> {
    let program = env::current_exe().ok()?;
    let output = Command::new(program)
        .args(["child", tool, task, &index.to_string()])
        .env("RUST_BACKTRACE", "0")
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().rev().find_map(|line| line.strip_prefix("measured "))?;
    let mut parts = line.split(' ');
    let executions = parts.next()?.parse().ok()?;
    let seconds = parts.next()?.parse().ok()?;
    Some(Measured { executions, seconds, is_done: parts.next()? == "true" })
}

/// Runs one measurement, and prints it.
fn measure(tool: &str, task: &str, index: usize) {
    warm_up(tool);
    let is_bug = matches!(task, "bugs" | "described");
    let n_seeds = if is_bug && tool != "loom" { N_SEEDS } else { 1 };
    let executions = Arc::new(AtomicU64::new(0));
    let begin = ProcessTime::now();
    let report = move |n: u64, is_done: bool| {
        let seconds = begin.elapsed().as_secs_f64() / n_seeds as f64;
        println!("measured {} {seconds} {is_done}", n / n_seeds);
    };
    let counted = |f: fn()| {
        let executions = executions.clone();
        move || {
            let n = executions.fetch_add(1, Ordering::Relaxed);
            if n % 64 == 63 && begin.elapsed() > LIMIT {
                report(n, false);
                std::process::exit(0);
            }
            f();
        }
    };
    let gave_up = Arc::new(AtomicBool::new(false));
    if tool != "raddle" {
        let (executions, gave_up, may_abort) =
            (executions.clone(), gave_up.clone(), tool == "loom");
        watch(move |gives_up| {
            gave_up.fetch_or(gives_up, Ordering::Relaxed);
            if may_abort {
                report(executions.load(Ordering::Relaxed), is_bug && !gives_up);
            }
        });
    }
    let is_done = match task {
        "bugs" | "described" => {
            let Some(program) = program(&suite::broken(), index, tool) else { return };
            let finds = |seed: u64| match tool {
                "raddle" => {
                    let config = raddle::Config::new().seed(seed);
                    let config = if task == "described" { config } else { as_peers(config) };
                    !explore(config, counted(program))
                }
                "loom" => !model(counted(program), None),
                _ => !random(counted(program), usize::MAX, seed),
            };
            (0..n_seeds).all(finds)
        }
        "correct" => {
            let Some(program) = program(&suite::correct(), index, tool) else { return };
            match tool {
                "raddle" => explore(raddle::Config::new().unlimited(), counted(program)),
                "loom" => model(counted(program), None),
                _ => depth_first(counted(program)),
            }
        }
        "speed" => {
            let runs = N_RUNS as usize;
            match tool {
                "raddle" => {
                    let config = raddle::Config::new().search(raddle::Search::Random).seed(SEED);
                    explore(config.unlimited().runs(N_RUNS), counted(ours::CORRECT[index].1))
                }
                "loom" => model(counted(looms::CORRECT[index].1), Some(runs / 10)),
                _ => random(counted(shuttles::CORRECT[index].1), runs, SEED),
            }
        }
        _ => {
            // A step is an operation on the atomic; what is around them is little beside that.
            executions.store(3_000 * 1_000, Ordering::Relaxed);
            match tool {
                "raddle" => {
                    let config = raddle::Config::new().search(raddle::Search::Random).seed(SEED);
                    explore(config.unlimited().runs(1_000), || ours::steps(1_000))
                }
                "loom" => return,
                _ => random(|| shuttles::steps(1_000), 1_000, SEED),
            }
        }
    };
    report(executions.load(Ordering::Relaxed), is_done && !gave_up.load(Ordering::Relaxed));
}

/// Reports each panic as it happens, and whether it says that an execution took too many steps: a
/// peer may panic again while it unwinds, which ends the process.
fn watch(report: impl Fn(bool) + Send + Sync + 'static) {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or(payload.downcast_ref::<String>().map(String::as_str));
        report(text.is_some_and(|text| text.contains("exceeded max")));
        before(info);
    }));
}

/// What a tool runs; none if it cannot.
fn program(programs: &[Program], index: usize, tool: &str) -> Option<fn()> {
    programs[index].1[TOOLS.iter().position(|name| *name == tool)?]
}

/// Finds something, so that the process has paid what it pays once.
fn warm_up(tool: &str) {
    match tool {
        "raddle" => explore(as_peers(raddle::Config::new()), ours::lost_update),
        "loom" => model(looms::lost_update, None),
        _ => random(shuttles::lost_update, usize::MAX, 1),
    };
}

/// Peers show what they found as they found it, and not step by step.
fn as_peers(config: raddle::Config) -> raddle::Config {
    config.shrink(false).story(false)
}

/// Whether nothing is found.
fn explore(config: raddle::Config, f: impl Fn() + Send + Sync + 'static) -> bool {
    config.quiet().explore(f).findings.is_empty()
}

fn model(f: impl Fn() + Send + Sync + 'static, runs: Option<usize>) -> bool {
    let mut builder = loom::model::Builder::new();
    builder.max_permutations = runs;
    builder.max_branches = 100_000;
    catch_unwind(AssertUnwindSafe(|| builder.check(f))).is_ok()
}

fn config() -> shuttle::Config {
    let mut config = shuttle::Config::new();
    config.failure_persistence = shuttle::FailurePersistence::Print;
    config
}

fn random(f: impl Fn() + Send + Sync + 'static, runs: usize, seed: u64) -> bool {
    let scheduler = shuttle::scheduler::RandomScheduler::new_from_seed(seed, runs);
    let runner = shuttle::Runner::new(scheduler, config());
    catch_unwind(AssertUnwindSafe(|| runner.run(f))).is_ok()
}

fn depth_first(f: impl Fn() + Send + Sync + 'static) -> bool {
    let scheduler = shuttle::scheduler::DfsScheduler::new(None, false);
    let runner = shuttle::Runner::new(scheduler, config());
    catch_unwind(AssertUnwindSafe(|| runner.run(f))).is_ok()
}
