//! Shrinking against what is known to be the least, and against brute force.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
use raddle_explore::*;
use raddle_finding::{Choice, ProgramId, Schedule};

use crate::model::{END, Model, ModelEngine, State};
use crate::models::{Op, ab_ba, bluetooth, listed, philosophers};
use crate::oracle::any_program;
use crate::racing::Racing;

/// Failing executions of a sampler, with what they show.
fn failures(engine: &mut dyn Engine, n: u64) -> Vec<(Schedule, Failure)> {
    let sample = Sample::new(Sampler::Random, 5);
    let mut failures = Vec::new();
    let mut run = Run::new();
    for number in 0..n {
        let mut plan = sample.plan(number);
        plan.observe.races = true;
        engine.run(&plan, &(), &mut run).unwrap();
        let race = run.races.first().map(|race| engine.race(race));
        if let Some(failure) = run.outcome.failure().cloned().or(race) {
            failures.push((run.schedule(engine.program()), failure));
        }
    }
    failures
}

#[track_caller]
fn shrunk(engine: &mut dyn Engine, schedule: &Schedule, failure: &Failure) -> Shrunk {
    shrunk_within(ShrinkBudget::default(), engine, schedule, failure)
}

#[track_caller]
fn shrunk_within(
    budget: ShrinkBudget,
    engine: &mut dyn Engine,
    schedule: &Schedule,
    failure: &Failure,
) -> Shrunk {
    let shrunk = shrink(engine, schedule, failure, &budget, &AtomicBool::new(false)).unwrap();
    let shrunk = shrunk.expect("it shows the failure");
    let mut run = Run::new();
    let observe = Observe { races: true, ..Observe::default() };
    let plan = Plan { prefix: shrunk.schedule.choices().collect(), observe, ..Plan::default() };
    engine.run(&plan, &(), &mut run).unwrap();
    let races = run.races.iter().map(|race| engine.race(race));
    let mut shows = run.outcome.failure().cloned().into_iter().chain(races);
    assert!(shows.any(|shown| (&shown.kind, &shown.places) == (&failure.kind, &failure.places)));
    assert_eq!(run.choices().count() as u64, shrunk.schedule.len());
    shrunk
}

/// All failures of a model shrink to so many preemptions, switches and points.
#[track_caller]
fn check(engine: &mut dyn Engine, size: (u32, u32, u32)) {
    let failures = failures(engine, 200);
    assert!(failures.len() > 2, "{failures:?}");
    for (schedule, failure) in failures {
        let once = shrunk(engine, &schedule, &failure);
        assert_eq!((once.preemptions, once.switches, once.points), size, "{}", once.schedule);
        assert!(once.minimal);
        let again = shrunk(engine, &once.schedule, &failure);
        assert_eq!(Shrunk { runs: once.runs, ..again }, once);
    }
}

#[test]
fn known_bugs_shrink_to_their_least() {
    check(&mut ModelEngine::new(&ab_ba()), (1, 1, 2));
    check(&mut ModelEngine::new(&bluetooth(1, false)), (1, 2, 8));
    check(&mut ModelEngine::new(&bluetooth(2, false)), (1, 2, 8));
    check(&mut ModelEngine::new(&philosophers(3)), (1, 2, 3));
    check(&mut ModelEngine::new(&philosophers(4)), (1, 3, 4));
}

#[test]
fn what_shows_nothing_is_not_shrunk() {
    let model = ab_ba();
    let mut engine = ModelEngine::new(&model);
    let (schedule, failure) = failures(&mut engine, 50).remove(0);
    let stop = AtomicBool::new(false);
    let mut shrink = |schedule: &Schedule, failure: &Failure| {
        shrink(&mut engine, schedule, failure, &Default::default(), &stop)
    };
    assert_eq!(shrink(&Schedule::new("model".parse().unwrap()), &failure), Ok(None));
    let elsewhere = Failure { places: vec!["elsewhere".into()], ..failure.clone() };
    assert_eq!(shrink(&schedule, &elsewhere), Ok(None));
    let mut wrong = Schedule::new("model".parse().unwrap());
    wrong.push(Choice::Thread(7));
    assert!(shrink(&wrong, &failure).is_err());
}

#[test]
fn a_budget_is_kept_and_nothing_is_claimed_beyond_it() {
    let model = bluetooth(2, false);
    let mut engine = ModelEngine::new(&model);
    let many = |(schedule, _): &(Schedule, Failure)| schedule.runs().len() > 8;
    let (schedule, failure) = failures(&mut engine, 200).into_iter().find(many).unwrap();
    for (runs, search_runs) in [(0, 0), (3, 2), (10, 5)] {
        let budget = ShrinkBudget { runs, search_runs, ..ShrinkBudget::default() };
        let stop = AtomicBool::new(false);
        let little = shrink(&mut engine, &schedule, &failure, &budget, &stop).unwrap().unwrap();
        assert!(!little.minimal && little.runs <= 1 + 2 * runs + search_runs, "{little:?}");
    }
    let stop = AtomicBool::new(true);
    let budget = ShrinkBudget::default();
    let stopped = shrink(&mut engine, &schedule, &failure, &budget, &stop).unwrap().unwrap();
    assert_eq!((stopped.schedule, stopped.minimal, stopped.runs), (schedule, false, 1));
}

/// The fewest preemptions of all executions that end in a deadlock, place by place.
fn least(
    model: &Model,
    state: &State,
    last: Option<usize>,
    cost: u32,
    all: &mut BTreeMap<String, u32>,
) {
    let enabled: Vec<_> = (0..model.n_threads).filter(|&t| model.is_enabled(state, t)).collect();
    if enabled.is_empty() && state.pc.iter().any(|&pc| pc != END) {
        let known = all.entry(format!("{:?}", state.pc)).or_insert(cost);
        *known = cost.min(*known);
    }
    for &thread in &enabled {
        let preempts = last.is_some_and(|last| last != thread && enabled.contains(&last));
        let mut next = state.clone();
        (model.step)(&mut next, thread);
        least(model, &next, Some(thread), cost + u32::from(preempts), all);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn no_execution_has_fewer_preemptions(program in any_program()) {
        let model = listed(program);
        let mut expected = BTreeMap::new();
        least(&model, &model.start(), None, 0, &mut expected);
        let (mut engine, mut plain) = (ModelEngine::new(&model), Racing::new(&model, false));
        for (schedule, failure) in failures(&mut engine, 20) {
            let least = expected[&failure.places[0].name];
            let once = shrunk(&mut engine, &schedule, &failure);
            prop_assert_eq!((once.preemptions, once.minimal), (least, true));
            let again = shrunk(&mut engine, &once.schedule, &failure);
            prop_assert_eq!(Shrunk { runs: once.runs, ..again }, once);
            let without_cache = shrunk(&mut plain, &schedule, &failure);
            prop_assert_eq!((without_cache.preemptions, without_cache.minimal), (least, true));
        }
    }

    #[test]
    fn no_execution_races_with_fewer_preemptions(program in any_program()) {
        races_shrink_to_their_least(program, 20);
    }
}

/// Two orders of steps lead to the same state, and only after one of them the next step races.
#[test]
fn a_state_that_is_known_can_still_lead_to_a_race() {
    use Op::{Load, Lock, Store, Unlock};
    let one = vec![Lock(0), Store(1), Load(0)];
    races_shrink_to_their_least(vec![one, vec![Unlock(0), Load(1), Store(0)]], 200);
}

#[track_caller]
fn races_shrink_to_their_least(program: Vec<Vec<Op>>, n_samples: u64) {
    let model = listed(program);
    let mut expected = BTreeMap::new();
    least_to_race(&model, &model.start(), None, 0, &mut expected);
    for fingerprints in [false, true] {
        let mut engine = Racing::new(&model, fingerprints);
        for (schedule, failure) in failures(&mut engine, n_samples) {
            let Some(variable) = failure.places[0].name.strip_prefix("variable ") else { continue };
            let least = expected[&variable.parse().unwrap()];
            let once = shrunk(&mut engine, &schedule, &failure);
            assert_eq!((once.preemptions, once.minimal), (least, true));
            let again = shrunk(&mut engine, &once.schedule, &failure);
            assert_eq!(Shrunk { runs: once.runs, ..again }, once);
            let only_search = ShrinkBudget { runs: 0, ..ShrinkBudget::default() };
            let searched = shrunk_within(only_search, &mut engine, &schedule, &failure);
            assert_eq!((searched.preemptions, searched.minimal), (least, true));
        }
    }
}

/// The fewest preemptions with which two accesses to a variable follow each other, by variable.
fn least_to_race(
    model: &Model,
    state: &State,
    last: Option<(usize, Access, u64)>,
    cost: u32,
    all: &mut BTreeMap<u64, u32>,
) {
    let enabled: Vec<_> = (0..model.n_threads).filter(|&t| model.is_enabled(state, t)).collect();
    for &thread in &enabled {
        let (access, object) = (model.operation)(state, thread);
        let leaves = last.filter(|&(last, ..)| last != thread);
        let cost = cost + u32::from(leaves.is_some_and(|(last, ..)| enabled.contains(&last)));
        let kinds = [Some(access), leaves.map(|(_, access, _)| access)];
        let plain = kinds.iter().all(|kind| matches!(kind, Some(Access::Read | Access::Write)));
        let same = leaves.is_some_and(|(.., other)| other == object);
        if plain && same && kinds.contains(&Some(Access::Write)) {
            let known = all.entry(object).or_insert(cost);
            *known = cost.min(*known);
        }
        let mut next = state.clone();
        (model.step)(&mut next, thread);
        least_to_race(model, &next, Some((thread, access, object)), cost, all);
    }
}

/// The second thread must be left right behind its store; what comes after the race is no matter.
#[test]
fn a_race_shrinks_to_what_leads_to_it() {
    use Op::{Load, Store};
    let model = listed(vec![
        vec![Store(0), Load(1), Load(1), Load(1)],
        vec![Load(2), Store(0), Load(2), Load(2), Load(2)],
    ]);
    check(&mut Racing::new(&model, false), (1, 1, 3));
    check(&mut Racing::new(&model, true), (1, 1, 3));
}

/// Asks for other things than threads: fails if the value is 2, whatever else happens.
struct Asks;

impl Engine for Asks {
    fn run(&mut self, plan: &Plan, _: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        use Choice::{Spurious, Thread, Timeout, Value, Waiter};
        run.clear();
        let mut chooser = Chooser::new(&plan.policy);
        let mut questions = vec![
            vec![Value(0), Value(1), Value(2)],
            vec![Thread(0)],
            vec![Waiter(1), Waiter(2)],
            vec![Timeout(false), Timeout(true)],
            vec![Spurious(false), Spurious(true)],
            vec![Thread(0)],
        ];
        let mut value = 0;
        while let Some(open) = questions.pop() {
            let position = run.points().len();
            open.iter().for_each(|&choice| run.open(choice));
            let (current, preemptible, default) = (0, false, 0);
            let scene =
                Scene { alternatives: &open, operations: &[], current, preemptible, default };
            let taken = match plan.prefix.get(position) {
                None => chooser.choose(&scene).unwrap(),
                Some(&choice) => {
                    let index = open.iter().position(|&other| other == choice);
                    index.ok_or(EngineError::Diverged { position, choice })?
                }
            };
            run.push(Point { taken: taken as u32, ..Point::default() });
            match open[taken] {
                Spurious(true) => questions.push(vec![Spurious(false), Spurious(true)]),
                Value(drawn) => value = drawn,
                _ => {}
            }
        }
        if value == 2 {
            let places = ["value".into()];
            run.outcome = Outcome::Failed(Failure::new(FailureKind::Assertion, places, ""));
        }
        Ok(())
    }

    fn program(&self) -> ProgramId {
        "asks".parse().unwrap()
    }

    fn race(&self, _: &Race) -> Failure {
        unreachable!("it has no races")
    }

    fn promote(&mut self, _: &[Race]) -> bool {
        false
    }
}

#[test]
fn unusual_choices_stay_only_where_they_matter() {
    let failures = failures(&mut Asks, 100);
    assert!(failures.iter().any(|(schedule, _)| schedule.len() > 7), "some have wake-ups");
    for (schedule, failure) in failures {
        let shrunk = shrunk(&mut Asks, &schedule, &failure);
        assert_eq!(shrunk.schedule.to_string(), "rs1:asks:0,s-,t-,w1,0,v2");
    }
}
