//! Programs, and the races that the engine finds in them.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{Bounded, Engine, Next, Run, Strategy};
use raddle_vm::{Machine, Settings, VmEngine};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n\
    #include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\
    #include <errno.h>\n#include <locale.h>\n#include <stdio.h>\n#include <unistd.h>\n";

/// A search is given up after so many runs.
const N_RUNS_MAX: u64 = 20_000;

/// The pairs of sites that race, each with whether release sequences of C11 order it wherever it races.
pub type Found = BTreeSet<([u64; 2], bool)>;

/// Leaves out what is ordered by C11 somewhere and not elsewhere.
pub fn settle(found: &mut Found) {
    let by_both: BTreeSet<_> = found.iter().filter(|race| !race.1).map(|race| race.0).collect();
    found.retain(|&(sites, by_c11)| !by_c11 || !by_both.contains(&sites));
}

/// A machine for a program; line 1 is the first one of `source`.
pub fn machine(source: &str, settings: &Settings) -> Machine {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.c");
    fs::write(&path, format!("{HEAD}#line 1 \"p.c\"\n{source}")).unwrap();
    let compiled = compile(&[path], &Options::default()).unwrap();
    Machine::new(Arc::new(compiled.program), settings).unwrap()
}

/// The pairs of sites that race in the runs of a strategy, and how many runs there were.
pub fn racing(machine: &Machine, strategy: Bounded) -> (Found, u64) {
    runs(machine, strategy, true)
}

/// The same, with races observed or not.
pub fn runs(machine: &Machine, mut strategy: Bounded, races: bool) -> (Found, u64) {
    let mut engine = VmEngine::new(machine.clone());
    let (mut run, mut found, mut n_runs) = (Run::new(), Found::new(), 0);
    let watch = strategy.watch();
    while let Next::Ready(id, mut plan) = strategy.next() {
        plan.observe.races = races;
        engine.run(&plan, watch.as_ref(), &mut run).unwrap();
        strategy.learn(id, &mut run);
        found.extend(run.races.iter().map(|race| (race.sites, race.ordered_by_c11)));
        n_runs += 1;
        if n_runs == N_RUNS_MAX {
            break;
        }
    }
    settle(&mut found);
    (found, n_runs)
}

/// What people are told about the races of a program, up to a number of preemptions.
pub fn told(source: &str, bound: u32) -> Vec<(String, String)> {
    let machine = machine(source, &Settings::default());
    let mut engine = VmEngine::new(machine.clone());
    let mut strategy = Bounded::icb(Some(bound));
    let (mut run, mut told) = (Run::new(), Vec::new());
    while let Next::Ready(id, mut plan) = strategy.next() {
        plan.observe.races = true;
        engine.run(&plan, &(), &mut run).unwrap();
        strategy.learn(id, &mut run);
        let other = VmEngine::new(machine.clone());
        told.extend(run.races.iter().map(|race| other.race(race)).map(|t| {
            (t.places.iter().map(|place| &*place.name).collect::<Vec<_>>().join(" "), t.message)
        }));
    }
    told.sort();
    told.dedup_by(|a, b| a.0 == b.0);
    told
}
