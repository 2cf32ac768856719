//! How many whole executions a second the search makes on the machine.
//!
//! ```text
//! cargo bench -p raddle-benches --bench explore
//! ```
//!
//! Times are CPU time of one core. Target: 300,000 executions a second of a program with two
//! threads and 13 points.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_benches::best;
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Reduced, Report, Sample, Sampler, Strategy, search};
use raddle_vm::{Machine, Settings, VmEngine};

/// Main and a worker write to atomic variables.
const PROGRAM: &str = "#include <pthread.h>
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

/// Three threads that take a lock twice each: there are 90 orders.
const SECTIONS: &str = "#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static void *worker(void *p)
{
    for (int i = 0; i < 2; i++) {
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

/// Makes a strategy.
type Make = fn() -> Box<dyn Strategy>;

fn main() {
    let mut engine = engine(PROGRAM);
    let strategies: [(&str, bool, Make); 9] = [
        ("icb", false, || Box::new(Bounded::icb(None))),
        ("icb, states", true, || Box::new(Bounded::icb(None))),
        ("icb, cached", false, || Box::new(Bounded::icb(None).cached())),
        ("dfs", false, || Box::new(Bounded::dfs())),
        ("reduced", false, || Box::new(Reduced::all())),
        ("reduced, bounds", false, || Box::new(Reduced::bounded(None))),
        ("random", false, || Box::new(Sample::new(Sampler::Random, 1))),
        ("pct", false, || Box::new(Sample::new(Sampler::Pct { depth: 3 }, 1))),
        ("pos", false, || Box::new(Sample::new(Sampler::Pos, 1))),
    ];
    for (name, states, make) in strategies {
        let (took, report) = best(5, || {
            let mut report = explore(&mut engine, make().as_mut(), states);
            let mut executions = report.executions;
            // Small searches are repeated, so that there is something to measure.
            while executions < 100_000 {
                report = explore(&mut engine, make().as_mut(), states);
                executions += report.executions;
            }
            (executions, report)
        });
        let (executions, report) = report;
        let rate = executions as f64 / took.cpu.as_secs_f64() / 1e3;
        println!(
            "{name:<15} {rate:>8.0} thousand executions a second (target 300); {} executions, {} steps",
            report.executions, report.maxima.steps
        );
    }
    print_reduction();
}

/// How many executions of the lock sections reduction makes, and how many there are.
fn print_reduction() {
    let mut engine = engine(SECTIONS);
    let mut executions =
        |mut strategy: Box<dyn Strategy>| explore(&mut engine, strategy.as_mut(), false).executions;
    let all = executions(Box::new(Reduced::all()));
    println!("lock sections  {all:>8} executions, reduced (target 90 to 180)");
    for bound in 0..3 {
        let reduced = executions(Box::new(Reduced::bounded(Some(bound))));
        let whole = executions(Box::new(Bounded::icb(Some(bound))));
        println!("up to bound {bound}  {reduced:>8} executions, reduced, of {whole}");
    }
}

fn explore(engine: &mut VmEngine, strategy: &mut dyn Strategy, states: bool) -> Report {
    let budget = Budget { runs: Some(200_000), states, ..Budget::default() };
    let stop = AtomicBool::new(false);
    search(std::slice::from_mut(engine), strategy, &budget, &stop).expect("it runs")
}

fn engine(source: &str) -> VmEngine {
    let path: PathBuf = std::env::temp_dir().join(format!("raddle-{}.c", std::process::id()));
    std::fs::write(&path, source).expect("the program can be written");
    let compiled = compile(std::slice::from_ref(&path), &Options::default());
    std::fs::remove_file(&path).expect("the program can be removed");
    let program = Arc::new(compiled.expect("it compiles").program);
    VmEngine::new(Machine::new(program, &Settings::default()).expect("it fits"))
}
