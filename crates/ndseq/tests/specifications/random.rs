//! On random small traces the check and the optimum are those of brute force.

use std::collections::BTreeMap;

use proptest::prelude::*;
use raddle_ndseq::check::check;
use raddle_ndseq::depend::Dependence;
use raddle_ndseq::infer::{Inference, Inferred, Options};
use raddle_ndseq::statement::Candidate;
use raddle_ndseq::trace::EventId;

use crate::specifications::brute::{self, Run};
use crate::specifications::raw::{Raw, trace};

/// What one statement does: which globals and locals it reads and writes, whether it branches.
#[derive(Clone, Debug)]
struct Step {
    reads: Vec<&'static str>,
    writes: Vec<&'static str>,
    branch: bool,
}

fn step() -> impl Strategy<Value = Step> {
    let names = prop::sample::subsequence(vec!["x", "y", "a@", "b@"], 0..=2);
    let targets = prop::sample::subsequence(vec!["x", "y", "a@", "b@"], 1..=1);
    (names, targets, prop::bool::weighted(0.3)).prop_map(|(reads, writes, branch)| match branch {
        // A branch reads locals only and writes nothing.
        true => Step {
            reads: reads.into_iter().filter(|n| n.ends_with('@')).collect(),
            writes: vec![],
            branch,
        },
        false => Step { reads, writes, branch },
    })
}

/// A thread runs the outer list O of two statements; the second is a loop around the list L of three,
/// executed once or twice.
#[derive(Clone, Debug)]
struct Plan {
    first: Step,
    rounds: Vec<Vec<(u32, Step)>>,
}

fn plan() -> impl Strategy<Value = Plan> {
    let round = prop::collection::vec((0u32..3, step()), 1..4).prop_map(|mut steps| {
        steps.sort_by_key(|(position, _)| *position);
        steps
    });
    (step(), prop::collection::vec(round, 1..3)).prop_map(|(first, rounds)| Plan { first, rounds })
}

fn own(names: &[&str], thread: u32) -> Vec<String> {
    let own = |name: &&str| match name.ends_with('@') {
        true => format!("{name}{thread}"),
        false => (*name).to_owned(),
    };
    names.iter().map(own).collect()
}

/// The events of a thread.
fn events(plan: &Plan, thread: u32) -> Vec<Raw> {
    let outer = |position| ("O".to_owned(), position, format!("O{thread}"));
    let event = |step: &Step, path: Vec<(String, u32, String)>| Raw {
        thread,
        branch: step.branch,
        reads: own(&step.reads, thread),
        writes: own(&step.writes, thread),
        path,
        control: None,
    };
    let mut found = vec![event(&plan.first, vec![outer(0)])];
    for (round, steps) in plan.rounds.iter().enumerate() {
        let inner = |position| ("L".to_owned(), position, format!("L{thread}.{round}"));
        for (position, step) in steps {
            found.push(event(step, vec![outer(1), inner(*position)]));
        }
    }
    found
}

/// Mixes the events of threads; `order` says who is next.
fn mixed(threads: Vec<Vec<Raw>>, order: &[usize]) -> Vec<Raw> {
    let mut left: Vec<_> = threads.into_iter().map(|t| t.into_iter().peekable()).collect();
    let mut found = Vec::new();
    for &at in order {
        let n = left.len();
        let next = (0..n).map(|k| (at + k) % n).find(|&t| left[t].peek().is_some());
        found.extend(next.and_then(|t| left[t].next()));
    }
    left.into_iter().for_each(|rest| found.extend(rest));
    found
}

fn traces() -> impl Strategy<Value = Vec<Vec<Raw>>> {
    let one = (prop::collection::vec(plan(), 2..4), prop::collection::vec(0usize..3, 24));
    let one = one.prop_map(|(plans, order)| {
        let threads = plans.iter().zip(0..).map(|(plan, thread)| events(plan, thread)).collect();
        mixed(threads, &order)
    });
    prop::collection::vec(one, 1..3)
}

fn sizes() -> BTreeMap<String, Vec<u32>> {
    BTreeMap::from([("L".to_owned(), vec![1, 1, 1]), ("O".to_owned(), vec![1, 4])])
}

fn named(candidate: &Candidate) -> Run {
    let name = ["L", "O"][candidate.list.0 as usize];
    (name.to_owned(), candidate.first, candidate.last)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn relevance_and_serialisability_are_those_of_the_definitions(
        raw in traces(), chosen in prop::collection::vec(any::<prop::sample::Index>(), 0..3)
    ) {
        for raw in &raw {
            let (trace, lists) = trace(raw, &["x"], &sizes());
            let candidates: Vec<_> = lists.candidates().collect();
            let mut given: Vec<Candidate> = Vec::new();
            for index in &chosen {
                let candidate = *index.get(&candidates);
                if !given.contains(&candidate) && !given.iter().any(|g| g.overlaps(&candidate)) {
                    given.push(candidate);
                }
            }
            let names: Vec<_> = given.iter().map(named).collect();
            let checked = check(&Dependence::new(&trace), &given);
            let expected = brute::relevant(raw, &["x"], &names);
            let found: Vec<_> = checked.relevant.iter().map(EventId::index).collect();
            prop_assert_eq!(&found, &expected.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(checked.verdict.is_err(), brute::has_cycle(raw, &expected));
        }
    }

    #[test]
    fn the_optimum_is_that_of_brute_force(raw in traces()) {
        let made: Vec<_> = raw.iter().map(|raw| trace(raw, &["x"], &sizes())).collect();
        let lists = made[0].1.clone();
        let traces: Vec<_> = made.into_iter().map(|(trace, _)| trace).collect();
        let candidates: Vec<_> = lists.candidates().map(|c| named(&c)).collect();
        let expected = brute::optima(&raw, &["x"], &candidates);
        for slice in [false, true] {
            let options = Options { slice, group: false, ..Options::default() };
            match Inference::new(&traces, &lists, options).solve() {
                Inferred::Specification(best) => {
                    let mut best: Vec<_> = best.iter().map(named).collect();
                    best.sort_unstable();
                    let sorted = |mut set: Vec<Run>| { set.sort_unstable(); set };
                    let expected: Vec<_> = expected.iter().cloned().map(sorted).collect();
                    prop_assert!(expected.contains(&best), "{:?} is not among {:?}", best, expected);
                }
                Inferred::None(cycles) => {
                    prop_assert!(expected.is_empty(), "{:?} would do", expected);
                    prop_assert!(!cycles.is_empty());
                }
                Inferred::Unknown => prop_assert!(false, "there is no limit"),
            }
        }
        // Groups may cost more, never less, and what they give is a specification.
        match Inference::new(&traces, &lists, Options::default()).solve() {
            Inferred::Specification(best) => {
                prop_assert!(!expected.is_empty() && best.len() >= expected[0].len());
                let names: Vec<_> = best.iter().map(named).collect();
                for raw in &raw {
                    prop_assert!(!brute::has_cycle(raw, &brute::relevant(raw, &["x"], &names)));
                }
            }
            Inferred::None(_) => {}
            Inferred::Unknown => prop_assert!(false, "there is no limit"),
        }
    }
}
