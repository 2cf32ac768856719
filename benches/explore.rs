//! How many whole executions a second the search makes on the machine.
//!
//! ```text
//! cargo bench -p raddle-benches --bench explore
//! ```
//!
//! Times are CPU time of one core. Target: 300,000 executions a second of a program with two
//! threads and 13 points, without looking for races.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_benches::best;
use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Races, Report, Sample, Sampler, Strategy, search};
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

/// Makes a strategy.
type Make = fn() -> Box<dyn Strategy>;

fn main() {
    let strategies: [(&str, bool, Make); 7] = [
        ("icb", false, || Box::new(Bounded::icb(None))),
        ("icb, states", true, || Box::new(Bounded::icb(None))),
        ("icb, cached", false, || Box::new(Bounded::icb(None).cached())),
        ("dfs", false, || Box::new(Bounded::dfs())),
        ("random", false, || Box::new(Sample::new(Sampler::Random, 1))),
        ("pct", false, || Box::new(Sample::new(Sampler::Pct { depth: 3 }, 1))),
        ("pos", false, || Box::new(Sample::new(Sampler::Pos, 1))),
    ];
    for (program, source) in [("atomics", ATOMICS), ("locked", LOCKED)] {
        let machine = Machine::new(Arc::new(compiled(source)), &Settings::default());
        let mut engine = VmEngine::new(machine.expect("it fits"));
        for (name, states, make) in strategies {
            for (with, races) in [("", Races::Ignored), (", races", Races::Reported)] {
                let budget = Budget { runs: Some(200_000), states, races, ..Budget::default() };
                let (rate, report) = measure(&mut engine, make, &budget);
                println!(
                    "{:<27} {rate:>8.0} thousand executions a second (target 300); {} executions, {} steps",
                    format!("{program}: {name}{with}"),
                    report.executions,
                    report.maxima.steps
                );
            }
        }
    }
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
    let stop = AtomicBool::new(false);
    search(std::slice::from_mut(engine), strategy, budget, &stop).expect("it runs")
}

fn compiled(source: &str) -> Program {
    let path: PathBuf = std::env::temp_dir().join(format!("raddle-{}.c", std::process::id()));
    std::fs::write(&path, source).expect("the program can be written");
    let compiled = compile(std::slice::from_ref(&path), &Options::default());
    std::fs::remove_file(&path).expect("the program can be removed");
    compiled.expect("it compiles").program
}
