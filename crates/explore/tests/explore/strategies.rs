//! Strategies beside iterative context bounding; jobs, budgets, save and resume.

use std::sync::atomic::AtomicBool;

use raddle_explore::*;

use crate::golden::explore;
use crate::model::{Model, ModelEngine};
use crate::models::{ab_ba, bluetooth, file_system, straight};

fn run(model: &Model, strategy: &mut dyn Strategy, budget: &Budget, jobs: usize) -> Report {
    let mut engines: Vec<_> = (0..jobs).map(|_| ModelEngine::new(model)).collect();
    search(&mut engines, strategy, budget, &AtomicBool::new(false)).unwrap()
}

fn runs(n: u64) -> Budget {
    Budget { runs: Some(n), states: true, ..Budget::default() }
}

/// What of a report must not depend on jobs or interruptions.
fn essence(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    (report.ending, report.bounds.clone(), report.findings.clone(), report.maxima)
}

#[test]
fn any_number_of_jobs_gives_the_same_report() {
    let model = bluetooth(2, false);
    let budgets =
        [runs(1), runs(300), runs(5000), Budget { findings: Some(1), ..Budget::default() }];
    for budget in &budgets {
        let strategies =
            [Bounded::icb(Some(3)), Bounded::icb(None).cached(), Bounded::delay(Some(2))];
        for strategy in strategies {
            let alone = run(&model, &mut strategy.clone(), budget, 1);
            for jobs in [2, 3] {
                let together = run(&model, &mut strategy.clone(), budget, jobs);
                assert_eq!(essence(&together), essence(&alone));
            }
        }
        for strategy in [Reduced::all(), Reduced::bounded(Some(3))] {
            let alone = run(&model, &mut strategy.clone(), budget, 1);
            for jobs in [2, 3] {
                let together = run(&model, &mut strategy.clone(), budget, jobs);
                assert_eq!(essence(&together), essence(&alone));
            }
        }
        for sampler in samplers() {
            let budget = Budget { runs: Some(200), ..*budget };
            let alone = run(&model, &mut Sample::new(sampler, 7), &budget, 1);
            let together = run(&model, &mut Sample::new(sampler, 7), &budget, 3);
            assert_eq!(essence(&together), essence(&alone));
        }
    }
}

/// All samplers that there are.
pub(crate) fn samplers() -> impl Iterator<Item = Sampler> {
    STRATEGIES.iter().filter_map(|entry| match entry.name.parse() {
        Ok(StrategyKind::Sample(sampler)) => Some(sampler),
        _ => None,
    })
}

#[test]
fn interrupted_saved_and_resumed_is_uninterrupted() {
    let model = bluetooth(2, false);
    for whole in [Bounded::icb(Some(4)), Bounded::icb(None).cached(), Bounded::delay(Some(3))] {
        let at_once = run(&model, &mut whole.clone(), &runs(u64::MAX), 1);
        let mut strategy = whole;
        let (mut executions, mut reports) = (0, Vec::new());
        while reports.last() != Some(&Ending::Done) {
            let report = run(&model, &mut strategy, &runs(500), 2);
            executions += report.executions;
            reports.push(report.ending);
            let saved = serde_json::to_string(&strategy).unwrap();
            let resumed: Bounded = serde_json::from_str(&saved).unwrap();
            assert_eq!(serde_json::to_string(&resumed).unwrap(), saved);
            strategy = resumed;
        }
        assert_eq!(executions, at_once.executions);
        assert_eq!(strategy.is_exhausted(), at_once.exhausted);
    }
}

#[test]
fn a_reduced_search_goes_on_where_it_was_saved() {
    let model = bluetooth(2, false);
    for whole in [Reduced::all(), Reduced::bounded(Some(3))] {
        let at_once = run(&model, &mut whole.clone(), &runs(u64::MAX), 1);
        assert!(at_once.memory > 0);
        let (mut strategy, mut executions) = (whole, 0);
        loop {
            let report = run(&model, &mut strategy, &runs(7), 2);
            executions += report.executions;
            let saved = serde_json::to_string(&strategy).unwrap();
            strategy = serde_json::from_str(&saved).unwrap();
            assert_eq!(serde_json::to_string(&strategy).unwrap(), saved);
            if report.ending == Ending::Done {
                break;
            }
        }
        assert_eq!(executions, at_once.executions);
        assert_eq!(strategy.is_exhausted(), at_once.exhausted);
        strategy.restart();
        let again = run(&model, &mut strategy, &runs(u64::MAX), 1);
        assert_eq!(essence(&again), essence(&at_once));
    }
}

#[test]
fn a_bound_that_the_budget_ends_is_not_complete() {
    let report = run(&straight(2, 3), &mut Bounded::icb(None), &runs(5), 1);
    let rows: Vec<_> = report.bounds.iter().map(|row| (row.executions, row.complete)).collect();
    assert_eq!(rows, [(2, true), (3, false)]);
    assert_eq!((report.ending, report.exhausted), (Ending::Runs, false));
    assert_eq!(report.complete_to(), Some(0));
    let report = run(&straight(2, 3), &mut Bounded::icb(None), &runs(6), 1);
    assert_eq!(report.complete_to(), Some(1));
}

#[test]
fn a_search_can_be_stopped_and_limited() {
    let model = straight(3, 3);
    let mut engines = [ModelEngine::new(&model)];
    let stop = AtomicBool::new(true);
    let mut strategy = Bounded::dfs();
    let report = search(&mut engines, &mut strategy, &Budget::default(), &stop).unwrap();
    assert_eq!((report.ending, report.executions), (Ending::Stopped, 0));
    let little = Budget { memory: Some(1), ..Budget::default() };
    let report = run(&model, &mut Bounded::dfs(), &little, 1);
    assert_eq!(report.ending, Ending::Memory);
    let no_time = Budget { time: Some(std::time::Duration::ZERO), ..Budget::default() };
    assert_eq!(run(&model, &mut Bounded::dfs(), &no_time, 1).ending, Ending::Time);
}

#[test]
fn nobody_to_run_is_an_error() {
    let engines: &mut [ModelEngine<'_>] = &mut [];
    let stop = AtomicBool::new(false);
    assert!(search(engines, &mut Bounded::dfs(), &Budget::default(), &stop).is_err());
}

#[test]
fn a_depth_cuts_runs_and_iteration_removes_the_cuts() {
    let model = straight(2, 3);
    let report = explore(&model, &mut Bounded::depth(2));
    let row = report.bounds[0];
    assert_eq!((row.bound, row.executions, row.cut), (Some(2), 4, 4));
    assert_eq!((row.states, report.exhausted), (Some(1 + 2 + 3), false));
    let report = explore(&model, &mut Bounded::iterative_depth(2, 2));
    let rows: Vec<_> = report.bounds.iter().map(|row| (row.bound.unwrap(), row.cut)).collect();
    assert_eq!(rows, [(2, 4), (4, 14), (6, 0)]);
    assert_eq!(report.bounds[2].executions, 20);
    assert!(report.exhausted);
}

#[test]
fn without_delays_there_is_one_execution() {
    let report = explore(&file_system(3, 2, 4, false), &mut Bounded::delay(Some(1)));
    assert_eq!(report.bounds[0].executions, 1);
    assert!(report.bounds[1].executions > 1 && !report.exhausted);
    let report = explore(&ab_ba(), &mut Bounded::delay(None));
    assert_eq!((report.findings[0].bound, report.executions), (Some(1), 6));
}

#[test]
fn every_sampler_finds_what_one_preemption_shows() {
    for model in [ab_ba(), bluetooth(1, false)] {
        for sampler in samplers() {
            let report = run(&model, &mut Sample::new(sampler, 1), &runs(500), 1);
            assert_eq!(report.findings.len(), 1, "{sampler:?}");
        }
    }
}

#[test]
fn an_execution_of_a_sampler_can_be_run_alone() {
    let model = bluetooth(2, false);
    for sampler in samplers() {
        let mut sample = Sample::new(sampler, 3);
        let report = run(&model, &mut sample, &runs(500), 2);
        let found = &report.findings[0];
        let mut again = Run::new();
        ModelEngine::new(&model).run(&sample.plan(found.execution), &(), &mut again).unwrap();
        assert_eq!(again.schedule("model".parse().unwrap()), found.schedule);
    }
}

#[test]
fn another_seed_draws_other_executions() {
    let model = straight(3, 3);
    let first = |seed| {
        let mut run = Run::new();
        let plans = (0..20).map(|number| Sample::new(Sampler::Random, seed).plan(number));
        plans
            .map(|plan| {
                ModelEngine::new(&model).run(&plan, &(), &mut run).unwrap();
                run.choices().collect::<Vec<_>>()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(first(1), first(1));
    assert_ne!(first(1), first(2));
}

#[test]
fn a_choice_that_is_not_open_is_an_error() {
    use raddle_finding::Choice;
    let plan = Plan { prefix: vec![Choice::Thread(0), Choice::Thread(9)], ..Plan::default() };
    let model = straight(2, 2);
    let error = ModelEngine::new(&model).run(&plan, &(), &mut Run::new()).unwrap_err();
    assert_eq!(error, EngineError::Diverged { position: 1, choice: Choice::Thread(9) });
}
