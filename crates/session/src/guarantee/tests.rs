//! What is claimed, by what a search came to.

use raddle_explore::{BoundCoverage, Endless, Failure, FailureKind, Maxima, Race};

use super::*;

/// Two threads, ten executions, and all of them seen.
fn report() -> Report {
    Report {
        ending: Ending::Done,
        exhausted: true,
        bounds: Vec::new(),
        findings: Vec::new(),
        growth: Vec::new(),
        maxima: Maxima { threads: 2, ..Maxima::default() },
        executions: 10,
        assumptions: 0,
        n_lost: 0,
        lost: None,
        spins: 0,
        endless: Vec::new(),
        promoted: Vec::new(),
        doubts: Vec::new(),
        restarts: 0,
        memory: 0,
    }
}

/// A search that saw everything up to a bound, and something beyond.
fn up_to(bound: u32) -> Report {
    let row = |bound, complete| BoundCoverage {
        bound: Some(bound),
        executions: 5,
        cut: 0,
        lost: 0,
        states: None,
        complete,
    };
    let bounds = (0..=bound + 1).map(|at| row(at, at <= bound)).collect();
    Report { exhausted: false, bounds, ..report() }
}

fn icb(bound: Option<u32>) -> Method {
    Method { kind: StrategyKind::Icb, bound, ..Method::default() }
}

fn bounded(most: u32, unit: (&str, &str)) -> Coverage {
    Coverage::Bounded { unit: [unit.0.to_owned(), unit.1.to_owned()], most }
}

const PREEMPTIONS: (&str, &str) = ("preemption", "preemptions");

#[track_caller]
fn check(report: &Report, method: &Method, expected: (Coverage, bool)) {
    assert_eq!(coverage(report, method, &Terms::default(), true), expected);
}

#[test]
fn all_executions_are_all_only_if_each_was_followed_to_its_end() {
    check(&report(), &icb(None), (Coverage::Every, true));
    let lost = Report { n_lost: 1, ..report() };
    check(&lost, &icb(None), (Coverage::Sampled { n: 10 }, false));
    check(&Report { n_lost: 1, ..up_to(1) }, &icb(Some(1)), (bounded(1, PREEMPTIONS), false));
}

#[test]
fn a_bound_is_reached_if_all_up_to_the_goal_was_seen_and_the_search_was_done() {
    check(&up_to(2), &icb(Some(2)), (bounded(2, PREEMPTIONS), true));
    check(&up_to(1), &icb(Some(2)), (bounded(1, PREEMPTIONS), false));
    check(&up_to(2), &icb(None), (bounded(2, PREEMPTIONS), false));
    let late = Report { ending: Ending::Time, ..up_to(2) };
    check(&late, &icb(Some(2)), (bounded(2, PREEMPTIONS), false));
    let delay = Method { kind: StrategyKind::Delay, ..icb(Some(2)) };
    check(&up_to(2), &delay, (bounded(2, ("delay", "delays")), true));
    let none = Report { bounds: Vec::new(), ..up_to(0) };
    check(&none, &icb(Some(2)), (Coverage::Sampled { n: 10 }, false));
}

#[test]
fn first_steps_are_covered_if_the_search_was_done() {
    let depth = Method { kind: StrategyKind::Depth(7), bound: None, ..Method::default() };
    let cut = Report { exhausted: false, ..report() };
    check(&cut, &depth, (Coverage::FirstSteps { steps: 7 }, true));
    let stopped = Report { ending: Ending::Stopped, ..cut };
    check(&stopped, &depth, (Coverage::Sampled { n: 10 }, false));
}

#[test]
fn nothing_is_checked_without_an_execution_that_counts_or_a_second_thread() {
    #[track_caller]
    fn check(report: &Report, is_controlled: bool, expected: Option<&str>) {
        let (coverage, _) = coverage(report, &icb(None), &Terms::default(), is_controlled);
        let why = match &coverage {
            Coverage::Nothing { why } => Some(why.as_str()),
            _ => None,
        };
        assert_eq!(why, expected);
    }
    let alone = Report { maxima: Maxima { threads: 1, ..Maxima::default() }, ..report() };
    let one = "the program never runs a second thread, so there is nothing to interleave";
    check(&alone, true, Some(one));
    check(&Report { assumptions: 1, ..alone.clone() }, true, None);
    check(&Report { n_lost: 1, ..alone.clone() }, true, None);
    check(&Report { executions: 0, ..alone }, true, None);
    if !Defect::AssumptionsCount.is_there() {
        let all = Report { assumptions: 10, ..report() };
        check(&all, true, Some("every execution ended in a false assumption"));
    }
    check(&Report { assumptions: 9, ..report() }, true, None);
    check(&report(), false, Some("the program is not determined by the schedule alone"));
}

#[test]
fn inputs_count_like_preemptions_where_they_are_drawn() {
    let inputs = Restriction::Inputs { values: "0, 1".to_owned() };
    let terms = Terms { restrictions: vec![inputs], ..Terms::default() };
    let of = |method: &Method| coverage(&up_to(2), method, &terms, true);
    assert_eq!(of(&icb(Some(2))), (bounded(2, WITH_INPUTS), true));
    let delay = Method { kind: StrategyKind::Delay, ..icb(Some(2)) };
    assert_eq!(of(&delay), (bounded(2, ("delay", "delays")), true));
}

#[test]
fn races_restrict_what_is_covered_unless_accesses_are_points() {
    #[track_caller]
    fn check(races: Races, terms: Terms, expected: Option<&str>) {
        let all = restrictions(&report(), &icb(None), races, &terms);
        let expected = expected.map(|why| Restriction::Races { why: why.to_owned() });
        assert_eq!(all, Vec::from_iter(expected));
    }
    let seen = Terms::default;
    check(Races::Promoted, seen(), None);
    check(Races::Ignored, seen(), Some("they were not checked for"));
    check(Races::Reported, seen(), Some("threads are not interrupted at racing accesses"));
    check(Races::Ignored, Terms { all_points: true, ..seen() }, None);
    let blind = "the program is not instrumented, so its accesses are not seen";
    check(Races::Promoted, Terms { is_blind: true, ..seen() }, Some(blind));
}

#[test]
fn parts_endless_loops_and_doubts_are_restrictions() {
    let endless = Endless { place: "a.c:3".to_owned(), operations: 5 };
    let report = Report { endless: vec![endless], doubts: vec![doubt(), doubt()], ..report() };
    let method = Method { part: Some((2, 3)), ..icb(None) };
    let all = restrictions(&report, &method, Races::Promoted, &Terms::default());
    let expected = [
        Restriction::Part { part: 2, n: 3 },
        Restriction::Endless { place: "a.c:3".to_owned(), operations: 5 },
        Restriction::Doubts { pairs: 2 },
    ];
    assert_eq!(all, expected);
}

fn doubt() -> Doubt {
    let race = Race {
        sites: [0; 2],
        callers: [0; 2],
        touches: [raddle_explore::Touch::Write; 2],
        threads: [0, 1],
        starts: [0; 2],
        object: (0, 0),
        bytes: (0, 1),
        point: 0,
        in_doubt: true,
        ordered_by_c11: false,
    };
    let places = ["a.c:3".to_owned().into(), "b.c:4".to_owned().into()];
    Doubt { race, failure: Failure::race(places, "nothing orders them", false) }
}

#[test]
fn more_is_covered_by_the_next_bound_other_inputs_and_wake_ups() {
    #[track_caller]
    fn check(coverage: Coverage, restrictions: &[Restriction], terms: Terms, expected: &str) {
        let guarantee = Guarantee::new(coverage, restrictions.to_vec());
        let found = more(&guarantee, &icb(Some(2)), &terms);
        assert_eq!(found.unwrap_or_default(), expected);
    }
    let inputs = Restriction::Inputs { values: "0".to_owned() };
    let wake_ups = Restriction::WakeUps;
    check(Coverage::Every, &[], Terms::default(), "");
    let next = "to cover more: --bound 3, --bound all";
    check(bounded(2, PREEMPTIONS), &[], Terms::default(), next);
    check(bounded(0, PREEMPTIONS), &[], Terms::default(), next);
    check(bounded(4, PREEMPTIONS), &[], Terms::default(), "to cover more: --bound 5, --bound all");
    let both = "to cover more: --nondet LOW..HIGH, --spurious";
    check(Coverage::Every, &[wake_ups.clone(), inputs.clone()], Terms::default(), both);
    // Processes have no option for wake-ups.
    let processes = Terms { model: Some(("fork", None)), ..Terms::default() };
    check(Coverage::Every, &[wake_ups], processes, "");
}

/// The conditions that there are, but for those that are always there.
#[track_caller]
fn check_conditions(
    report: &Report,
    method: &Method,
    races: Races,
    terms: Terms,
    expected: &[&str],
) {
    let budget = Budget { races, ..Budget::default() };
    let all = conditions(report, method, &budget, &terms);
    assert_eq!(all[0], "memory is sequentially consistent, and time is virtual");
    assert_eq!(all[1], "executions that never end are found if nothing can end them");
    assert_eq!(all[2..], *expected);
}

const PLAIN: &str = "threads are interrupted before synchronisation and atomic accesses";

#[test]
fn conditions_say_where_threads_are_interrupted() {
    let method = Method { is_cached: false, ..icb(None) };
    let check = |races, terms, expected: &[&str]| {
        check_conditions(&report(), &method, races, terms, expected);
    };
    let checked = "every execution was checked for data races";
    check(Races::Ignored, Terms::default(), &[PLAIN]);
    check(Races::Reported, Terms::default(), &[PLAIN]);
    check(Races::Promoted, Terms::default(), &[PLAIN, checked]);
    let promoted = |n_promoted| Terms { n_promoted, ..Terms::default() };
    let one =
        "threads are interrupted before synchronisation, atomic accesses and 1 access that races";
    let two =
        "threads are interrupted before synchronisation, atomic accesses and 2 accesses that race";
    check(Races::Promoted, promoted(1), &[one, checked]);
    check(Races::Promoted, promoted(2), &[two, checked]);
    let all = Terms { all_points: true, ..Terms::default() };
    check(Races::Promoted, all, &["threads are interrupted before every access to shared memory"]);
    let blind = "threads are interrupted only before synchronisation: the program is not instrumented, \
                 and none of its accesses is seen";
    check(Races::Promoted, Terms { is_blind: true, ..Terms::default() }, &[blind]);
}

#[test]
fn conditions_say_what_counts_as_one_and_what_does_not_count() {
    let plain = Method { is_cached: false, ..icb(None) };
    let check = |report: &Report, method: &Method, terms: Terms, expected: &[&str]| {
        let expected = [&[PLAIN], expected].concat();
        check_conditions(report, method, Races::Ignored, terms, &expected);
    };
    let none = Terms::default;
    let reduced = Method { is_reduced: true, ..plain };
    let same_order = "executions that differ in the order of independent operations count as one";
    check(&report(), &reduced, none(), &[same_order]);
    let cached = Method { is_cached: true, ..plain };
    check(&report(), &cached, none(), &["states with equal 128-bit hashes count as one"]);
    let more = Terms { more: vec!["threads are alike".to_owned()], ..none() };
    check(&report(), &plain, more, &["threads are alike"]);
    let assumed = Report { assumptions: 2, ..report() };
    let two = "2 executions do not count: an assumption of the program was false";
    check(&assumed, &plain, none(), &[two]);
    let lost = |outcome| Report { n_lost: 1, lost: Some(outcome), ..report() };
    let limit = || Terms { limit: "it took too many steps".to_owned(), ..none() };
    let steps = "1 execution was not followed to the end: it took too many steps";
    check(&lost(Outcome::Steps), &plain, limit(), &[steps]);
    let unsupported = |places: &[&str]| {
        let places = places.iter().map(|&place| place.into());
        Outcome::Unsupported(Failure::new(FailureKind::Crash, places, "no `goto`"))
    };
    let nowhere = "1 execution was not followed to the end: no `goto`";
    check(&lost(unsupported(&[])), &plain, limit(), &[nowhere]);
    let somewhere = "1 execution was not followed to the end: no `goto` at a.c:1, a.c:2";
    check(&lost(unsupported(&["a.c:1", "a.c:2"])), &plain, limit(), &[somewhere]);
}
