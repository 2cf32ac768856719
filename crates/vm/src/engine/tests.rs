//! Tests of the engine.

mod locals;
mod misused;
mod reduced;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_explore::{
    Bounded, Budget, Ending, Races, Reduced, Report, Sample, Sampler, Strategy, search,
};

use super::*;
use crate::outcome::Outcome;
use crate::settings::{Points, Settings};
use crate::state::Snapshot;

const HEAD: &str = "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n\
    #include <stdatomic.h>\n#include <time.h>\n";

fn engine_of(path: PathBuf, settings: &Settings) -> VmEngine {
    let compiled = compile(&[path], &Options::default()).unwrap();
    VmEngine::new(Machine::new(Arc::new(compiled.program), settings).unwrap())
}

fn engine(source: &str, settings: &Settings) -> VmEngine {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("program.c");
    fs::write(&path, format!("{HEAD}{source}")).unwrap();
    engine_of(path, settings)
}

fn explore(engine: VmEngine, strategy: &mut dyn Strategy, runs: u64) -> Report {
    let budget = Budget { runs: Some(runs), states: true, ..Budget::default() };
    search(&mut [engine], strategy, &budget, &AtomicBool::new(false)).unwrap()
}

/// Two threads beside main that increase a counter without care.
const COUNTER: &str = "static atomic_int n;\n\
    static void *add(void *p) { int old = n; n = old + 1; return p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, add, 0);\n\
    pthread_create(&b, 0, add, 0); pthread_join(a, 0); pthread_join(b, 0);\n\
    assert(n == 2); return 0; }";

#[test]
fn a_lost_update_needs_one_preemption() {
    let settings = Settings::default();
    let made = engine(COUNTER, &settings);
    let again = VmEngine::new(made.machine.clone());
    let report = explore(again, &mut Bounded::icb(None), u64::MAX);
    let [found] = &report.findings[..] else { panic!("{:?}", report.findings) };
    assert_eq!((found.bound, found.preemptions), (Some(1), 1));
    assert_eq!(found.failure.kind.name(), "assertion");
    assert!(report.exhausted && report.maxima.threads == 3);
    let mut machine = made.machine;
    let replayed = machine.replay(&found.schedule, &mut ());
    assert_eq!((replayed.misfit, &replayed.taken), (None, &found.schedule));
    assert!(matches!(machine.outcome(), Some(Outcome::Fault(_))));
}

/// Executions by number of preemptions, without the engine's prefixes.
fn enumerate(machine: &mut Machine, cost: usize, counts: &mut Vec<u64>) {
    let Some(question) = machine.question() else {
        counts.resize(counts.len().max(cost + 1), 0);
        counts[cost] += 1;
        return;
    };
    let Question::Thread(threads) = question else { panic!("{question}") };
    let (threads, current) = (threads.to_vec(), machine.current());
    let mut saved = Snapshot::new();
    machine.save(&mut saved);
    for &thread in &threads {
        let preempts = thread != current && threads.contains(&current);
        machine.answer(Choice::Thread(thread), &mut ()).unwrap();
        enumerate(machine, cost + usize::from(preempts), counts);
        machine.restore(&saved);
    }
}

#[test]
fn executions_are_those_of_brute_force() {
    let made = engine(COUNTER, &Settings::default());
    let mut counts = Vec::new();
    enumerate(&mut made.machine.clone(), 0, &mut counts);
    let report = explore(made, &mut Bounded::icb(None), u64::MAX);
    assert_eq!(report.bounds.iter().map(|row| row.executions).collect::<Vec<_>>(), counts);
    let cached = engine(COUNTER, &Settings::default());
    let cached = explore(cached, &mut Bounded::icb(None).cached(), u64::MAX);
    let rows = cached.bounds.iter().zip(&report.bounds);
    rows.for_each(|(with, without)| assert_eq!(with.states, without.states));
    let last = |report: &Report| report.bounds.last().unwrap().states;
    assert_eq!(last(&cached), last(&report));
    assert!(cached.executions < report.executions / 2);
}

/// Runs each plan on an engine that has run others before and on a fresh one.
struct Both(VmEngine);

impl Engine for Both {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        self.0.run(plan, watch, run)?;
        let mut again = Run::new();
        VmEngine::new(self.0.machine.clone()).run(plan, watch, &mut again)?;
        assert_eq!(*run, again);
        Ok(())
    }

    fn program(&self) -> ProgramId {
        self.0.program()
    }

    fn race(&self, race: &Race) -> Failure {
        self.0.race(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.0.promote(races)
    }
}

#[test]
fn saved_states_change_nothing() {
    for settings in [Settings::default(), Settings { spurious: true, ..Settings::default() }] {
        for source in [COUNTER, WAITS, PAIRS] {
            let mut both = [Both(engine(source, &settings))];
            // What is observed changes from one search to the next.
            let mut searches: [(Box<dyn Strategy>, Races); 5] = [
                (Box::new(Bounded::icb(None)), Races::Reported),
                (Box::new(Reduced::all()), Races::Reported),
                (Box::new(Bounded::iterative_depth(3, 4)), Races::Ignored),
                (Box::new(Bounded::icb(None).cached()), Races::Reported),
                (Box::new(Sample::new(Sampler::Pos, 1)), Races::Reported),
            ];
            for (strategy, races) in &mut searches {
                let races = *races;
                let budget = Budget { runs: Some(400), states: true, races, ..Budget::default() };
                let stop = AtomicBool::new(false);
                let report = search(&mut both, strategy.as_mut(), &budget, &stop).unwrap();
                let racy = report.findings.iter().any(|found| found.failure.kind.name() == "race");
                assert_eq!(racy, source == PAIRS && races == Races::Reported);
            }
        }
    }
}

/// Races on locals, on the heap and in a library function, some of them only in some runs.
const PAIRS: &str = "#include <stdlib.h>\n#include <string.h>\n\
    static char text[8]; static int *heap; static atomic_int go;\n\
    static void *work(void *p) { int own[2]; memset(text, 1, 8); own[0] = *(int *)p; go = 1;\n\
    if (go) heap[1] = own[0]; return 0; }\n\
    int main(void) { pthread_t a, b; int local = 0; heap = malloc(8);\n\
    pthread_create(&a, 0, work, &local); pthread_create(&b, 0, work, &local);\n\
    if (!go) local = text[3]; pthread_join(a, 0); pthread_join(b, 0); free(heap); return 0; }";

/// Two threads wait for one signal each, one of them not for ever.
const WAITS: &str = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
    static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
    static void *wait(void *p) { struct timespec t = {1, 0}; pthread_mutex_lock(&m);\n\
    if (p) pthread_cond_timedwait(&c, &m, &t); else pthread_cond_wait(&c, &m);\n\
    pthread_mutex_unlock(&m); return 0; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, wait, 0);\n\
    pthread_create(&b, 0, wait, &a); pthread_mutex_lock(&m); pthread_cond_signal(&c);\n\
    pthread_mutex_unlock(&m); pthread_join(b, 0); pthread_join(a, 0); return 0; }";

#[test]
fn waiters_and_timeouts_are_free() {
    let mut made = engine(WAITS, &Settings::default());
    let mut strategy = Bounded::icb(Some(1));
    let mut kinds = [0; 2];
    let mut run = Run::new();
    while let raddle_explore::Next::Ready(id, plan) = strategy.next() {
        made.run(&plan, &(), &mut run).unwrap();
        for point in 0..run.points().len() {
            let kind = match run.taken(point) {
                Choice::Waiter(_) => 0,
                Choice::Timeout(_) => 1,
                _ => continue,
            };
            kinds[kind] += 1;
            let free = |&choice: &Choice| !run.preempts(point, choice);
            assert!(run.alternatives(point).len() == 2 && run.alternatives(point).iter().all(free));
        }
        strategy.learn(id, &mut run);
    }
    assert!(kinds.iter().all(|&n| n > 0), "{kinds:?}");
}

#[test]
fn switches_away_from_spinning_threads_are_free_and_counted() {
    let spins = "static atomic_int go;\n\
        static void *set(void *p) { go = 1; return p; }\n\
        int main(void) { pthread_t a; pthread_create(&a, 0, set, 0);\n\
        while (!go) {} pthread_join(a, 0); return 0; }";
    let report = explore(engine(spins, &Settings::default()), &mut Bounded::icb(Some(0)), 1000);
    assert_eq!((report.ending, report.bounds[0].cut), (Ending::Done, 0));
    assert!(report.spins > 0 && report.findings.is_empty());
    let for_ever = spins.replace("go = 1", "while (go) {}");
    let for_ever = for_ever.replace("while (!go)", "go = 1; while (go)");
    let made = engine(&for_ever, &Settings::default());
    let report = explore(made, &mut Bounded::icb(Some(0)), 2);
    assert_eq!(report.findings[0].failure.kind.name(), "livelock");
    let yields = spins.replace("{}", "sched_yield();");
    let made = engine(&yields, &Settings::default());
    let report = explore(made, &mut Bounded::icb(Some(0)), 50);
    assert_eq!(report.maxima.preemptions, 0);
}

#[test]
fn engines_can_be_stopped_after_races_have_made_points() {
    let source = "static int n;\n\
        static void *add(void *p) { n++; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); n++;\n\
        pthread_join(t, 0); return 0; }";
    let mut made = engine(source, &Settings::default());
    let stop = Arc::new(AtomicBool::new(false));
    made.stop_when(stop.clone());
    let observe = Observe { races: true, ..Observe::default() };
    let (plan, mut run) = (Plan { observe, ..Plan::default() }, Run::new());
    made.run(&plan, &(), &mut run).unwrap();
    assert!(made.promote(&run.races));
    made.run(&plan, &(), &mut run).unwrap();
    assert_eq!(run.outcome, End::Passed);
    stop.store(true, Ordering::Relaxed);
    made.run(&plan, &(), &mut run).unwrap();
    assert_eq!(run.outcome, End::Stopped);
}

/// What a program of the corpus states in its first lines.
fn stated<'a>(text: &'a str, key: &str) -> &'a str {
    let value = |line: &'a str| line.strip_prefix(" * ")?.strip_prefix(key)?.strip_prefix(':');
    text.lines().find_map(value).unwrap().trim()
}

/// The programs of the corpus that have this verdict, with their texts.
fn corpus(verdict: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let paths = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let programs = paths.map(|path| (path.clone(), fs::read_to_string(path).unwrap()));
    let programs: Vec<_> = programs.filter(|(_, t)| stated(t, "verdict") == verdict).collect();
    assert!(!programs.is_empty());
    programs
}

/// What is found in a program, up to so many preemptions.
fn found(path: &Path, points: Points, races: Races, bound: u32) -> Report {
    let mut engines = [engine_of(path.to_owned(), &Settings { points, ..Settings::default() })];
    let budget = Budget { runs: Some(100_000), races, ..Budget::default() };
    let mut strategy = Bounded::icb(Some(bound)).cached();
    search(&mut engines, &mut strategy, &budget, &AtomicBool::new(false)).unwrap()
}

/// Checks the first finding that is no race.
#[track_caller]
fn check_bound(path: &Path, text: &str, points: Points, races: Races) {
    let bound = stated(text, "bound").parse().unwrap();
    let report = found(path, points, races, bound);
    let first = report.findings.iter().find(|found| found.failure.kind.name() != "race");
    let Some(first) = first else { panic!("{}: {report:?}", path.display()) };
    assert_eq!(first.bound, Some(bound), "{}: {first:?}", path.display());
    let mut kinds = stated(text, "kinds").split(", ");
    assert!(kinds.any(|kind| kind == first.failure.kind.name()), "{}: {first:?}", path.display());
}

#[test]
fn bugs_of_the_corpus_show_at_their_bounds() {
    for (path, text) in corpus("fails") {
        check_bound(&path, &text, Points::All, Races::Ignored);
        check_bound(&path, &text, Points::Sync, Races::Promoted);
    }
}

#[test]
fn programs_of_the_corpus_race_if_they_say_so() {
    for (path, text) in corpus("fails") {
        let stated = stated(&text, "kinds").split(", ").any(|kind| kind == "race");
        let report = found(&path, Points::Sync, Races::Reported, 2);
        let races = report.findings.iter().any(|found| found.failure.kind.name() == "race");
        assert_eq!(races, stated, "{}: {:?}", path.display(), report.findings);
    }
}

/// They have no data races, so synchronisation is all that points are needed at.
#[test]
fn repaired_programs_of_the_corpus_are_clean_up_to_three_preemptions() {
    for (path, _) in corpus("clean") {
        let report = found(&path, Points::Sync, Races::Promoted, 3);
        assert_eq!((report.ending, report.restarts), (Ending::Done, 0), "{}", path.display());
        assert!(report.findings.is_empty(), "{}: {:?}", path.display(), report.findings);
        assert!(report.bounds.iter().all(|row| row.complete), "{}", path.display());
        assert!(report.exhausted || report.complete_to() == Some(3), "{}", path.display());
    }
}

/// Two threads that give way to each other for ever, once both want to go.
const POLITE: &str = "static atomic_int wants[2]; static int in;\n\
    static void *enter(void *p) { int me = p != 0; wants[me] = 1;\n\
    while (wants[1 - me]) { REST }\n\
    in++; in--; wants[me] = 0; return p; }\n\
    int main(void) { pthread_t t; pthread_create(&t, 0, enter, &t); enter(0);\n\
    pthread_join(t, 0); return 0; }";

#[test]
fn livelocks_show_with_and_without_a_cache() {
    for rest in ["", "sched_yield();"] {
        let source = POLITE.replace("REST", rest);
        for strategy in [Bounded::icb(Some(2)), Bounded::icb(Some(2)).cached()] {
            let made = engine(&source, &Settings::default());
            let report = explore(made, &mut strategy.clone(), 100_000);
            assert_eq!(report.ending, Ending::Done, "{rest}");
            let [found] = &report.findings[..] else { panic!("{rest}: {:?}", report.findings) };
            assert_eq!((found.failure.kind.name(), found.bound), ("livelock", Some(1)));
            assert!(!rest.is_empty() || report.spins > 0);
        }
    }
}

#[test]
fn threads_that_wait_for_time_get_there() {
    let source = "static atomic_int done;\n\
        static void *late(void *p) { struct timespec t; do { sched_yield();\n\
        clock_gettime(CLOCK_MONOTONIC, &t); } while (t.tv_nsec < 100000); done = 1; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, late, 0);\n\
        while (!done) sched_yield(); pthread_join(t, 0); return 0; }";
    let made = engine(source, &Settings::default());
    let report = explore(made, &mut Bounded::icb(Some(0)).cached(), 10_000);
    assert!(report.findings.is_empty() && report.n_lost == 0, "{:?}", report.findings);
}

/// A loop without any visible operation is left by the clock; coming back to a state proves it.
#[test]
fn loops_without_points_are_livelocks_too() {
    let source = "static int go;\n\
        static void *wait(void *p) { while (!go) { } return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, wait, 0);\n\
        pthread_join(t, 0); return 0; }";
    let made = engine(source, &Settings::default());
    let report = explore(made, &mut Bounded::icb(Some(0)).cached(), 100);
    assert_eq!((report.findings.len(), report.n_lost), (1, 0), "{:?}", report.findings);
    assert_eq!(report.findings[0].failure.kind.name(), "livelock");
}

#[test]
fn an_engine_with_more_points_still_stops_when_it_is_told_to() {
    let source = "static int n; static void *add(void *p) { n++; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, add, 0); n++;\n\
        pthread_join(t, 0); return 0; }";
    let mut made = engine(source, &Settings::default());
    let stop = Arc::new(AtomicBool::new(false));
    made.stop_when(stop.clone());
    let observe = Observe { races: true, ..Observe::default() };
    let plan = Plan { observe, ..Plan::default() };
    let mut run = Run::new();
    made.run(&plan, &(), &mut run).unwrap();
    assert!(run.outcome == End::Passed && made.promote(&run.races));
    stop.store(true, Ordering::Relaxed);
    made.run(&plan, &(), &mut run).unwrap();
    assert_eq!(run.outcome, End::Stopped);
}
