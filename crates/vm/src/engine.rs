//! The machine as an engine: whole runs from plans.
//!
//! In: plans, one after the other. Out: runs. The states before the points of the last run are
//! kept, so that of a plan that begins like the last run only the rest is executed.
//!
//! - E1: leaving a thread that can go on is a preemption, unless it yields, sleeps or spins.
//! - E2: which waiter is woken, whether a wait runs out or ends for no reason and which value a
//!   program gets are points of their own, and free.
//! - E3: behind the prefix the default policy of the machine decides, which never preempts.
//! - E4: a thread that spins is not offered again until another one has changed something, as long
//!   as anybody else can be: otherwise there would be no end of free choices. What a thread that
//!   spins counts for itself does not matter to this rule, which is a condition of guarantees.

use raddle_cfront::ir::{AccessKind, Op, Primitive};
use raddle_explore::{
    Access, Chooser, Engine, EngineError, Observe, Operation, Outcome as End, Plan, Point, Policy,
    Run, Scene, Trouble,
};
use raddle_finding::{Choice, ProgramId};

use crate::fault::{Fault, FaultKind};
use crate::machine::Machine;
use crate::outcome::{Blocked, Outcome};
use crate::question::{Doing, Question};
use crate::site::Site;
use crate::state::Snapshot;
use crate::thread::{Gate, Stage};

/// After so many visible operations in a row that change nothing, a thread counts as spinning, as
/// for the default policy.
const SPIN: u32 = 100;

/// The most values that a program can be given at one point.
const N_VALUES_MAX: i128 = 1 << 16;

/// After so many points at which all threads spin, nothing will change any more.
const STUCK: u32 = 1_000;

/// The most bytes that saved states may take.
const SAVED_MAX: usize = 256 << 20;

/// Runs a C program from plans.
#[derive(Debug)]
pub struct VmEngine {
    machine: Machine,
    /// The last run, and what was observed in it.
    last: Run,
    observed: Observe,
    /// States before points of the last run, ascending; from `n_saved` on they are spare.
    saved: Vec<Saved>,
    n_saved: usize,
    saved_bytes: usize,
    /// The threads that were found spinning since anything changed (E4).
    tired: Vec<u32>,
    /// How many points in a row there was nobody but tired threads.
    n_stuck: u32,
}

/// The state before a point.
#[derive(Debug, Default)]
struct Saved {
    point: usize,
    state: Snapshot,
    tired: Vec<u32>,
}

/// What a point is like before something is chosen.
struct Situation {
    current: u32,
    preemptible: bool,
    spinning: bool,
}

impl VmEngine {
    /// An engine for the program and the settings of a machine.
    pub fn new(mut machine: Machine) -> VmEngine {
        machine.reset();
        VmEngine {
            machine,
            last: Run::new(),
            observed: Observe::default(),
            saved: Vec::new(),
            n_saved: 0,
            saved_bytes: 0,
            tired: Vec::new(),
            n_stuck: 0,
        }
    }

    /// The machine, in the last state of the last run.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Goes to the last saved state that a plan passes through; `run` becomes what led there.
    fn rewind(&mut self, plan: &Plan, run: &mut Run) {
        let n_last = if self.observed == plan.observe { self.last.points().len() } else { 0 };
        let n = n_last.min(plan.prefix.len());
        let common = (0..n).take_while(|&at| self.last.taken(at) == plan.prefix[at]).count();
        while self.n_saved > 0 && self.saved[self.n_saved - 1].point > common {
            self.n_saved -= 1;
            self.saved_bytes -= self.saved[self.n_saved].state.size();
        }
        self.n_stuck = 0;
        match self.n_saved {
            0 => {
                self.machine.reset();
                self.tired.clear();
                run.clear();
            }
            n => {
                let Saved { point, state, tired } = &self.saved[n - 1];
                self.machine.restore(state);
                self.tired.clone_from(tired);
                run.copy_prefix(&self.last, *point);
            }
        }
    }

    /// Keeps the state before a point, unless it is kept.
    fn save(&mut self, point: usize) {
        let known = self.n_saved > 0 && self.saved[self.n_saved - 1].point == point;
        if known || self.saved_bytes >= SAVED_MAX {
            return;
        }
        if self.n_saved == self.saved.len() {
            self.saved.push(Saved::default());
        }
        let saved = &mut self.saved[self.n_saved];
        saved.point = point;
        saved.tired.clone_from(&self.tired);
        self.machine.save(&mut saved.state);
        self.n_saved += 1;
        self.saved_bytes += saved.state.size();
    }

    /// Notes what is open; false if that is too much.
    fn describe(&self, observe: Observe, run: &mut Run) -> bool {
        match self.machine.question() {
            None => {}
            Some(Question::Thread(threads)) => {
                let all_tired = threads.iter().all(|thread| self.tired.contains(thread));
                let offered = |thread: &&u32| all_tired || !self.tired.contains(thread);
                for &thread in threads.iter().filter(offered) {
                    run.open(Choice::Thread(thread));
                    if observe.operations {
                        run.pending(self.operation(thread));
                    }
                }
            }
            Some(Question::Waiter(waiters)) => {
                waiters.iter().for_each(|&waiter| run.open(Choice::Waiter(waiter)));
            }
            Some(Question::Timeout) => {
                run.open(Choice::Timeout(false));
                run.open(Choice::Timeout(true));
            }
            Some(Question::Spurious) => {
                run.open(Choice::Spurious(false));
                run.open(Choice::Spurious(true));
            }
            Some(Question::Value { low, high }) => {
                if i128::from(high) - i128::from(low) >= N_VALUES_MAX {
                    return false;
                }
                (low..=high).for_each(|value| run.open(Choice::Value(value)));
            }
        }
        true
    }

    fn situation(&self) -> Situation {
        let current = self.machine.current();
        let free = Situation { current, preemptible: false, spinning: false };
        let Some(Question::Thread(threads)) = self.machine.question() else { return free };
        let among = threads.len() > 1 && threads.contains(&current);
        if !among || !self.machine.is_gate_open(current) {
            return free;
        }
        let yields = self.yields(current);
        let idle = self.machine.n_idle(current) >= SPIN;
        Situation { current, preemptible: !yields && !idle, spinning: !yields && idle }
    }

    /// Whether a thread stopped before a yield or a sleep.
    fn yields(&self, thread: u32) -> bool {
        let at = &self.machine.state.threads[thread as usize];
        let Site { function, op } = at.site();
        let op = self.machine.image.function(function).code[op as usize];
        at.core.stage == Stage::Start
            && matches!(op, Op::Primitive { call: Primitive::Yield | Primitive::Sleep, .. })
    }

    /// Takes a choice, and notes who spins (E4).
    fn answer(&mut self, choice: Choice) {
        self.machine.answer(choice, &mut ()).expect("what is open is accepted");
        let Choice::Thread(thread) = choice else { return };
        match self.machine.n_idle(thread) {
            0 => self.tired.clear(),
            SPIN.. if !self.tired.contains(&thread) => self.tired.push(thread),
            _ => {}
        }
    }

    /// Whether all threads have been spinning for so long that nothing will change any more.
    fn is_stuck(&mut self, open: &[Choice]) -> bool {
        let tired = |&choice: &Choice| matches!(choice, Choice::Thread(thread) if self.tired.contains(&thread));
        let all = !self.tired.is_empty() && open.iter().all(tired);
        self.n_stuck = if all { self.n_stuck + 1 } else { 0 };
        self.n_stuck > STUCK
    }

    /// Which of the open choices is taken.
    fn choose(
        &self,
        run: &Run,
        situation: &Situation,
        planned: Option<Choice>,
        chooser: &mut Chooser,
    ) -> Option<usize> {
        let open = run.opened();
        if let Some(choice) = planned {
            return open.iter().position(|&other| other == choice);
        }
        let goes_on = situation.preemptible.then_some(Choice::Thread(situation.current));
        let default = match open {
            [_] => 0,
            _ => {
                let choice = goes_on.or_else(|| self.machine.default_choice());
                // The policy knows nothing of E4: if its thread is not offered, the next one is.
                let next = Choice::Thread(situation.current);
                let index = open.iter().position(|&other| Some(other) == choice);
                index.or_else(|| open.iter().position(|&other| other > next)).unwrap_or(0)
            }
        };
        let scene = Scene {
            alternatives: open,
            operations: run.pendings(),
            current: situation.current,
            preemptible: situation.preemptible,
            default,
        };
        Some(chooser.choose(&scene))
    }

    fn is_blocking(&self, choice: Choice) -> bool {
        let Choice::Thread(thread) = choice else { return false };
        self.machine.state.threads[thread as usize].core.gate != Gate::Open
    }

    /// What a thread is about to do; the object is the whole variable or heap object, so nothing
    /// that overlaps is taken apart.
    fn operation(&self, thread: u32) -> Operation {
        let local = Operation { thread, access: Access::Local, object: 0 };
        let Some(pending) = self.machine.pending(thread) else { return local };
        let blocks = self.machine.state.threads[thread as usize].core.gate != Gate::Open;
        let access = match pending.doing {
            Doing::Begin | Doing::Continue => return local,
            Doing::Access(AccessKind::Read, ..) => Access::Read,
            Doing::Access(..) => Access::Write,
            Doing::Primitive(_) if !blocks => Access::Sync,
            Doing::Primitive(_) | Doing::Wake | Doing::Reacquire | Doing::Leave => Access::Block,
        };
        let whole = self.machine.resolve(pending.address).map(|(object, _)| u64::from(object));
        // What is no address (the thread of a join) must not meet the numbers of objects.
        Operation { thread, access, object: whole.unwrap_or(pending.address | 1 << 63) }
    }

    fn end(&self) -> End {
        match self.machine.outcome() {
            None => End::Cut,
            Some(Outcome::Exited(_)) => End::Passed,
            Some(Outcome::Deadlock(blocked)) => End::Deadlock(self.deadlock(blocked)),
            Some(Outcome::Fault(fault)) => End::Failure(self.failure(fault)),
            Some(Outcome::Assumption) => End::Assumption,
            Some(Outcome::Steps { progress: true }) => End::Steps,
            Some(Outcome::Steps { progress: false }) => self.livelock("a loop does not end"),
            Some(Outcome::Unsupported { what, site }) => {
                End::Unsupported(trouble("unsupported", self.place(*site), what.clone()))
            }
        }
    }

    fn livelock(&self, message: &str) -> End {
        let site = self.machine.current_thread().site_outside(&self.machine.image);
        End::Livelock(trouble("livelock", self.place(site), message.to_owned()))
    }

    fn deadlock(&self, blocked: &[Blocked]) -> Trouble {
        let site = |b: &Blocked| {
            let thread = &self.machine.state.threads[b.thread as usize];
            self.place(thread.site_outside(&self.machine.image))
        };
        let mut places: Vec<_> = blocked.iter().map(site).collect();
        places.sort_unstable();
        places.dedup();
        let waits = |b: &Blocked| format!("thread {} waits for {}", b.thread, b.object);
        let message = blocked.iter().map(waits).collect::<Vec<_>>().join("; ");
        trouble("deadlock", places.join(" "), message)
    }

    fn failure(&self, fault: &Fault) -> Trouble {
        let outside = fault.stack.iter().find(|frame| !frame.library);
        let place = self.place(outside.map_or(fault.site, |frame| frame.site));
        let kind = match fault.kind {
            FaultKind::AssertFailed { .. } | FaultKind::ReachError => "assertion",
            FaultKind::UseAfterFree { .. } | FaultKind::UseAfterReturn { .. } => "use-after-free",
            FaultKind::DoubleFree { .. } | FaultKind::InvalidFree { .. } => "invalid-free",
            FaultKind::Misuse(_) => "misuse",
            _ => "crash",
        };
        trouble(kind, place, fault.to_string())
    }

    fn place(&self, site: Site) -> String {
        let program = self.machine.program();
        let Some(site) = site.known() else { return "nowhere".to_owned() };
        let span = program.function(site.function).spans[site.op as usize];
        let location = program.sources.locate(span.start);
        format!("{}:{}:{}", location.file, location.line, location.column)
    }
}

impl Engine for VmEngine {
    fn run(&mut self, plan: &Plan, run: &mut Run) -> Result<(), EngineError> {
        self.rewind(plan, run);
        self.observed = plan.observe;
        // Only plans with a prefix come back to where a run has been.
        let keeps = plan.policy == Policy::Continue;
        let mut chooser = Chooser::new(&plan.policy);
        let mut result = Ok(());
        loop {
            let at = run.points().len();
            if plan.observe.fingerprints {
                run.fingerprints.push(self.machine.fingerprint());
            }
            if plan.n_points_max.is_some_and(|most| at >= most as usize) {
                run.outcome = self.end();
                break;
            }
            if !self.describe(plan.observe, run) {
                let what = "a nondeterministic value with more than 65536 values";
                let place = self.place(self.machine.site());
                run.outcome = End::Unsupported(trouble("unsupported", place, what.to_owned()));
                break;
            }
            let open = run.opened();
            let planned = plan.prefix.get(at).copied();
            if open.is_empty() {
                result = planned.map_or(Ok(()), |choice| diverged(at, choice));
                run.outcome = self.end();
                break;
            }
            let n_open = open.len();
            if self.is_stuck(open) {
                run.truncate_opened();
                run.outcome = self.livelock("every thread spins");
                break;
            }
            let situation = self.situation();
            let Some(taken) = self.choose(run, &situation, planned, &mut chooser) else {
                let choice = planned.expect("a policy takes what is open");
                run.truncate_opened();
                result = diverged(at, choice);
                break;
            };
            let choice = run.opened()[taken];
            let (blocking, taken) = (self.is_blocking(choice), taken as u32);
            let Situation { current, preemptible, spinning } = situation;
            run.push(Point { current, preemptible, spinning, blocking, taken });
            if keeps && n_open > 1 {
                self.save(at);
            }
            self.answer(choice);
        }
        self.last.copy_prefix(run, run.points().len());
        result
    }

    fn program(&self) -> ProgramId {
        self.machine.program_id()
    }
}

fn diverged(position: usize, choice: Choice) -> Result<(), EngineError> {
    Err(EngineError::Diverged { position, choice })
}

fn trouble(kind: &str, place: String, message: String) -> Trouble {
    Trouble { kind: kind.to_owned(), place, message }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use raddle_cfront::compile::compile;
    use raddle_cfront::preprocess::Options;
    use raddle_explore::{Bounded, Budget, Ending, Report, Sample, Sampler, Strategy, search};

    use super::*;
    use crate::settings::{Points, Settings};

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
        assert_eq!(found.trouble().kind, "assertion");
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
        fn run(&mut self, plan: &Plan, run: &mut Run) -> Result<(), EngineError> {
            self.0.run(plan, run)?;
            let mut again = Run::new();
            VmEngine::new(self.0.machine.clone()).run(plan, &mut again)?;
            assert_eq!(*run, again);
            Ok(())
        }

        fn program(&self) -> ProgramId {
            self.0.program()
        }
    }

    #[test]
    fn saved_states_change_nothing() {
        for settings in [Settings::default(), Settings { spurious: true, ..Settings::default() }] {
            for source in [COUNTER, WAITS] {
                let budget = Budget { runs: Some(400), states: true, ..Budget::default() };
                let mut both = [Both(engine(source, &settings))];
                let mut strategies: [Box<dyn Strategy>; 3] = [
                    Box::new(Bounded::icb(None)),
                    Box::new(Bounded::iterative_depth(3, 4)),
                    Box::new(Sample::new(Sampler::Pos, 1)),
                ];
                for strategy in &mut strategies {
                    let stop = AtomicBool::new(false);
                    search(&mut both, strategy.as_mut(), &budget, &stop).unwrap();
                }
            }
        }
    }

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
            made.run(&plan, &mut run).unwrap();
            for point in 0..run.points().len() {
                let kind = match run.taken(point) {
                    Choice::Waiter(_) => 0,
                    Choice::Timeout(_) => 1,
                    _ => continue,
                };
                kinds[kind] += 1;
                let free = |&choice: &Choice| !run.preempts(point, choice);
                assert!(
                    run.alternatives(point).len() == 2 && run.alternatives(point).iter().all(free)
                );
            }
            strategy.learn(id, &run);
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
        assert_eq!(report.findings[0].trouble().kind, "livelock");
        let yields = spins.replace("{}", "sched_yield();");
        let made = engine(&yields, &Settings::default());
        let report = explore(made, &mut Bounded::icb(Some(0)), 50);
        assert_eq!((report.spins, report.maxima.preemptions), (0, 0));
    }

    /// The bound that a program of the corpus states for its bug; none if it has no bug.
    fn stated(path: &Path) -> Option<u32> {
        let text = fs::read_to_string(path).unwrap();
        let bound = text.lines().find_map(|line| line.strip_prefix(" * bound:")).unwrap();
        bound.trim().parse().ok()
    }

    #[test]
    fn bugs_of_the_corpus_show_at_their_bounds() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
        for path in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            let settings = Settings { points: Points::All, ..Settings::default() };
            let made = engine_of(path.clone(), &settings);
            let mut strategy = Bounded::icb(Some(1)).cached();
            let budget = Budget { runs: Some(20_000), findings: Some(1), ..Budget::default() };
            let report =
                search(&mut [made], &mut strategy, &budget, &AtomicBool::new(false)).unwrap();
            let found = report.findings.first().and_then(|found| found.bound);
            assert_eq!(found, stated(&path), "{}: {:?}", path.display(), report.findings);
        }
    }
}
