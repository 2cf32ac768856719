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
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Budget, Report, Sample, Sampler, Strategy, search};
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

/// Makes a strategy.
type Make = fn() -> Box<dyn Strategy>;

fn main() {
    let machine = Machine::new(Arc::new(program()), &Settings::default()).expect("it fits");
    let mut engine = VmEngine::new(machine);
    let strategies: [(&str, bool, Make); 7] = [
        ("icb", false, || Box::new(Bounded::icb(None))),
        ("icb, states", true, || Box::new(Bounded::icb(None))),
        ("icb, cached", false, || Box::new(Bounded::icb(None).cached())),
        ("dfs", false, || Box::new(Bounded::dfs())),
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
            "{name:<14} {rate:>8.0} thousand executions a second (target 300); {} executions, {} steps",
            report.executions, report.maxima.steps
        );
    }
}

fn explore(engine: &mut VmEngine, strategy: &mut dyn Strategy, states: bool) -> Report {
    let budget = Budget { runs: Some(200_000), states, ..Budget::default() };
    let stop = AtomicBool::new(false);
    search(std::slice::from_mut(engine), strategy, &budget, &stop).expect("it runs")
}

fn program() -> Program {
    let path: PathBuf = std::env::temp_dir().join(format!("raddle-{}.c", std::process::id()));
    std::fs::write(&path, PROGRAM).expect("the program can be written");
    let compiled = compile(std::slice::from_ref(&path), &Options::default());
    std::fs::remove_file(&path).expect("the program can be removed");
    compiled.expect("it compiles").program
}
