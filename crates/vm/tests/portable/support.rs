//! Programs, searches with few points, and what their findings look like with all points.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options;
use raddle_explore::{
    Budget, Engine, Failure, Found, Observe, Plan, Races, Report, Run, Strategy, search,
};
use raddle_finding::{Choice, Schedule};
use raddle_vm::{Event, Machine, Observer, Settings, Site, VmEngine, What, fine, portable};

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n\
    #include <stdatomic.h>\n#include <stdlib.h>\n#include <time.h>\n\
    int __VERIFIER_nondet_int(void);\n";

pub fn program(source: &str) -> Arc<Program> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("p.c");
    fs::write(&path, format!("{HEAD}#line 1 \"p.c\"\n{source}")).unwrap();
    Arc::new(compile(&[path], &Options::default()).unwrap().program)
}

/// What a search with synchronisation and races as points finds.
pub fn explore(
    program: &Arc<Program>,
    settings: &Settings,
    strategy: &mut dyn Strategy,
    runs: u64,
) -> Report {
    let mut engines = [VmEngine::new(Machine::new(program.clone(), settings).unwrap())];
    let budget = Budget { runs: Some(runs), races: Races::Promoted, ..Budget::default() };
    search(&mut engines, strategy, &budget, &AtomicBool::new(false)).unwrap()
}

/// The settings of the machine that a finding was found with.
pub fn settings_of(
    program: &Arc<Program>,
    settings: &Settings,
    report: &Report,
    found: &Found,
) -> Settings {
    let mut engine = VmEngine::new(Machine::new(program.clone(), settings).unwrap());
    engine.promote(&report.promoted[..found.promoted]);
    engine.machine().settings().clone()
}

/// Everything that happens, in order.
#[derive(Default, PartialEq, Debug)]
pub struct Story(Vec<(u32, Site, What)>);

impl Observer for Story {
    fn event(&mut self, event: &Event<'_>) {
        self.0.push((event.thread, event.site, event.what));
    }
}

/// Follows a schedule to its end, and no further.
pub fn follow(machine: &mut Machine, schedule: &Schedule) -> Story {
    let mut story = Story::default();
    for choice in schedule.choices() {
        machine.answer(choice, &mut story).unwrap();
    }
    story
}

/// The failure of a finding shows with points before every access, and all that happens is the same.
#[track_caller]
pub fn shows_again(program: &Arc<Program>, settings: &Settings, found: &Found) {
    let schedule = portable(program, settings, &found.schedule, &AtomicBool::new(false));
    let schedule = schedule.unwrap_or_else(|| panic!("{} has none", found.schedule));
    let mut coarse = Machine::new(program.clone(), settings).unwrap();
    let mut machine = Machine::new(program.clone(), &fine(settings)).unwrap();
    let (before, after) = (follow(&mut coarse, &found.schedule), follow(&mut machine, &schedule));
    let differs = before.0.iter().zip(&after.0).find(|(before, after)| before != after);
    assert_eq!(differs, None, "{}", found.schedule);
    assert_eq!((after.0.len(), machine.outcome()), (before.0.len(), coarse.outcome()));
    let failure = &found.failure;
    let all = shown(&fine(settings), program, schedule.choices().collect());
    let shown = all.iter().any(|shown| match failure.kind.name() {
        // Which function a thread is in when it was all round depends on the points.
        "livelock" => shown.kind == failure.kind,
        _ => shown == failure,
    });
    assert!(shown, "{failure:?}, but there is {all:?}");
}

/// What a run with a prefix shows, as evidence is gathered.
pub fn shown(settings: &Settings, program: &Arc<Program>, prefix: Vec<Choice>) -> Vec<Failure> {
    let mut engine = VmEngine::new(Machine::new(program.clone(), settings).unwrap());
    let observe = Observe { races: true, ..Observe::default() };
    let mut run = Run::new();
    engine.run(&Plan { prefix, observe, ..Plan::default() }, &(), &mut run).unwrap();
    let races = run.races.iter().map(|race| engine.race(race));
    races.chain(run.outcome.failure().cloned()).collect()
}
