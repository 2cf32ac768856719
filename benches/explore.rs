//! Measures the search on the machine, in CPU time:
//!
//! - executions a second of a small program, by strategy, with and without races looked for
//!   (target: 300 thousand for icb on a program of 13 steps);
//! - executions of lock sections with partial-order reduction, and at each bound
//!   (target: at most twice the 6, 90 and 1,680 orders there are);
//! - with `states` as an argument, ten million cached states (target: 2 GB; takes some minutes).
//!
//! `cargo bench -p raddle-benches --bench explore [-- states | 'atomics: icb']`

use std::env;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_benches::best;
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Races, Reduced, Report, Sample, Sampler, Strategy, search};
use raddle_vm::{Machine, Settings, VmEngine};

/// Main and a worker write to atomic variables.
const ATOMICS: &str = "#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static void *worker(void *p) { x = 1; y = 1; x = 2; y = 2; return p; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    x = 3; y = 3; x = 4;
    pthread_join(t, 0);
    return 0;
}
";

/// Main and a worker count under a lock, and each for itself.
const LOCKED: &str = "#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, own[2];
static void count(int k) { pthread_mutex_lock(&m); n++; own[k]++; pthread_mutex_unlock(&m); }
static void *worker(void *p) { count(0); count(0); return p; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    count(1); count(1);
    pthread_join(t, 0);
    return n != 4;
}
";

/// Three threads that take a lock TIMES times each.
const SECTIONS: &str = "#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *p)
{
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&m);
        counter++;
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
";

/// Three threads that count to 213, each for itself: they can be in ten million states together.
const COUNTERS: &str = "#include <pthread.h>
#include <stdatomic.h>
static atomic_int n[3];
static void *worker(void *p)
{
    atomic_int *own = p;
    for (int i = 0; i < 213; i++)
        *own = i;
    return 0;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, &n[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
";

/// Makes a strategy that has done nothing yet.
type Make = fn() -> Box<dyn Strategy>;

fn main() {
    let only = env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if only.as_deref() == Some("states") {
        return print_states();
    }
    let strategies: [(&str, bool, Make); 9] = [
        ("icb", false, || Box::new(Bounded::icb(None))),
        ("icb, states", true, || Box::new(Bounded::icb(None))),
        ("icb, cached", false, || Box::new(Bounded::icb(None).cached())),
        ("icb, reduced", false, || Box::new(Reduced::bounded(None))),
        ("dfs", false, || Box::new(Bounded::dfs())),
        ("dfs, reduced", false, || Box::new(Reduced::all())),
        ("random", false, || Box::new(Sample::new(Sampler::Random, 1))),
        ("pct", false, || Box::new(Sample::new(Sampler::Pct { depth: 3 }, 1))),
        ("surw", false, || Box::new(Sample::new(Sampler::Surw, 1))),
    ];
    for (program, source) in [("atomics", ATOMICS), ("locked", LOCKED)] {
        let mut engine = engine(source);
        for (name, states, make) in strategies {
            for (with, races) in [("", Races::Ignored), (", races", Races::Reported)] {
                let name = format!("{program}: {name}{with}");
                if only.as_ref().is_some_and(|only| *only != name) {
                    continue;
                }
                let budget = Budget { runs: Some(200_000), states, races, ..Budget::default() };
                let (rate, report) = measure(&mut engine, make, &budget);
                println!(
                    "{name:<28} {rate:>6.0} thousand executions a second; {} executions, {} steps",
                    report.executions, report.maxima.steps
                );
            }
        }
    }
    if only.is_none() {
        print_reduction();
    }
}

/// How many executions of the lock sections reduction makes, and how many there are.
fn print_reduction() {
    for (times, orders) in [(1, 6), (2, 90), (3, 1680)] {
        let mut engine = engine(&SECTIONS.replace("TIMES", &times.to_string()));
        let mut executions = |mut strategy: Box<dyn Strategy>| {
            let budget = Budget { runs: Some(200_000), ..Budget::default() };
            let report = explore(&mut engine, strategy.as_mut(), &budget);
            let more = if report.exhausted || report.complete_to().is_some() { "" } else { "+" };
            format!("{}{more}", report.executions)
        };
        let all = executions(Box::new(Reduced::all()));
        println!("3 x {times} lock sections: {all} executions for {orders} orders");
        for bound in 0..3 {
            let reduced = executions(Box::new(Reduced::bounded(Some(bound))));
            let whole = executions(Box::new(Bounded::icb(Some(bound))));
            println!("  up to bound {bound}: {reduced} of {whole}");
        }
    }
}

fn print_states() {
    let mut engine = engine(COUNTERS);
    let budget = Budget { states: true, ..Budget::default() };
    let mut strategy = Bounded::dfs().cached();
    let (took, report) = best(1, || explore(&mut engine, &mut strategy, &budget));
    println!(
        "{} states, {} executions in {:.0} s; {:.2} GB by its own count, {} at most by the system",
        report.bounds.last().and_then(|row| row.states).unwrap_or(0),
        report.executions,
        took.cpu.as_secs_f64(),
        report.memory as f64 / 1e9,
        peak(),
    );
}

/// The most memory that this process has had.
fn peak() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("?".to_owned(), |line| line.trim().to_owned())
}

/// Thousands of executions a second.
fn measure(engine: &mut VmEngine, make: Make, budget: &Budget) -> (f64, Report) {
    let (took, (executions, report)) = best(5, || {
        let mut report = explore(engine, make().as_mut(), budget);
        let mut executions = report.executions;
        // Small searches are repeated, so that there is something to measure.
        while executions < 100_000 {
            report = explore(engine, make().as_mut(), budget);
            executions += report.executions;
        }
        (executions, report)
    });
    (executions as f64 / took.cpu.as_secs_f64() / 1e3, report)
}

fn explore(engine: &mut VmEngine, strategy: &mut dyn Strategy, budget: &Budget) -> Report {
    let engines = std::slice::from_mut(engine);
    search(engines, strategy, budget, &AtomicBool::new(false)).expect("the program runs")
}

fn engine(source: &str) -> VmEngine {
    let path = env::temp_dir().join(format!("raddle-{}.c", std::process::id()));
    fs::write(&path, source).expect("the program can be written");
    let compiled = compile(std::slice::from_ref(&path), &Options::default());
    fs::remove_file(&path).expect("the program can be removed");
    let program = Arc::new(compiled.expect("it compiles").program);
    VmEngine::new(Machine::new(program, &Settings::default()).expect("it fits"))
}
