//! The example of S1, Figs. 1–4: two iterations of a reduction by compare-and-swap.

use std::collections::{BTreeMap, BTreeSet};

use raddle_ndseq::check::check;
use raddle_ndseq::depend::Dependence;
use raddle_ndseq::infer::{Inference, Inferred, Options, Reading};
use raddle_ndseq::relevant::relevant;
use raddle_ndseq::statement::{Candidate, Lists};
use raddle_ndseq::trace::{EventId, Trace};

use crate::specifications::brute;
use crate::specifications::raw::{Raw, parse, trace};

const FIGURE_3: &str = "
1 assign 2 [] [done@1] A:0:A1
1 branch 3 [done@1] [] A:1:A1
1 assign 5 [x] [prev@1] A:1:A1 B:0:B1.1
1 assign 6 [prev@1] [curr@1] A:1:A1 B:1:B1.1
2 assign 2 [] [done@2] A:0:A2
2 branch 3 [done@2] [] A:1:A2
2 assign 5 [x] [prev@2] A:1:A2 B:0:B2.1
2 assign 6 [prev@2] [curr@2] A:1:A2 B:1:B2.1
2 assign 7 [x prev@2 curr@2] [x c@2] A:1:A2 B:2:B2.1
2 branch 8 [c@2] [] A:1:A2 B:3:B2.1
2 assign 9 [] [done@2] A:1:A2 B:3:B2.1 C:0:C2.1
2 branch 3 [done@2] [] A:1:A2
1 assign 7 [x prev@1 curr@1] [c@1] A:1:A1 B:2:B1.1
1 branch 8 [c@1] [] A:1:A1 B:3:B1.1
1 branch 3 [done@1] [] A:1:A1
1 assign 5 [x] [prev@1] A:1:A1 B:0:B1.2
1 assign 6 [prev@1] [curr@1] A:1:A1 B:1:B1.2
1 assign 7 [x prev@1 curr@1] [x c@1] A:1:A1 B:2:B1.2
1 branch 8 [c@1] [] A:1:A1 B:3:B1.2
1 assign 9 [] [done@1] A:1:A1 B:3:B1.2 C:0:C1.2
1 branch 3 [done@1] [] A:1:A1
";

/// The statements of Fig. 1: lines 2 and 3–11, 5 to 8–10, and 9.
fn sizes() -> BTreeMap<String, Vec<u32>> {
    let sizes = [("A", vec![1, 6]), ("B", vec![1, 1, 1, 2]), ("C", vec![1])];
    sizes.into_iter().map(|(name, sizes)| (name.to_owned(), sizes)).collect()
}

fn figure_3() -> (Vec<Raw>, Trace, Lists) {
    let events = parse(FIGURE_3);
    let (trace, lists) = trace(&events, &["x"], &sizes());
    (events, trace, lists)
}

/// The lines of a run.
fn lines(candidate: &Candidate) -> &'static str {
    match (candidate.list.0, candidate.first, candidate.last) {
        (0, 0, 0) => "2",
        (0, 0, 1) => "2-11",
        (0, 1, 1) => "3-11",
        (1, 0, 0) => "5",
        (1, 0, 1) => "5-6",
        (1, 0, 2) => "5-7",
        (1, 0, 3) => "5-10",
        (1, 1, 1) => "6",
        (1, 1, 2) => "6-7",
        (1, 1, 3) => "6-10",
        (1, 2, 2) => "7",
        (1, 2, 3) => "7-10",
        (1, 3, 3) => "8-10",
        (2, 0, 0) => "9",
        _ => unreachable!("there are no other runs"),
    }
}

/// Events as the figure numbers them.
fn numbers(events: impl Iterator<Item = EventId>) -> Vec<u32> {
    events.map(|event| event.0 + 1).collect()
}

fn all(events: &[Raw]) -> BTreeSet<usize> {
    (0..events.len()).collect()
}

fn lines_5_to_10(lists: &Lists) -> Candidate {
    lists.candidates().find(|candidate| lines(candidate) == "5-10").unwrap()
}

#[test]
fn the_program_has_fourteen_candidates() {
    let (_, _, lists) = figure_3();
    let found: BTreeSet<_> = lists.candidates().map(|candidate| lines(&candidate)).collect();
    let expected = "2 2-11 3-11 5 5-6 5-7 5-10 6 6-7 6-10 7 7-10 8-10 9";
    assert_eq!(found, expected.split(' ').collect());
}

#[test]
fn events_depend_on_each_other_as_in_the_figure() {
    let (events, trace, _) = figure_3();
    let flow = Dependence::new(&trace);
    let mut found = BTreeSet::new();
    for event in trace.events() {
        flow.visit(event, |source| {
            found.insert((source.index(), event.index()));
        });
    }
    #[rustfmt::skip]
    let expected = [
        (1, 2), (1, 15), (3, 4), (3, 13), (4, 13), (5, 6), (7, 8), (7, 9), (8, 9), (9, 3), (9, 10),
        (9, 13), (9, 16), (9, 18), (11, 12), (13, 14), (16, 17), (16, 18), (17, 18), (18, 7),
        (18, 9), (18, 19), (20, 21),
    ];
    let expected: BTreeSet<(usize, usize)> =
        expected.iter().map(|&(a, b): &(usize, usize)| (a - 1, b - 1)).collect();
    assert_eq!(found, expected);
    assert_eq!(brute::dependences(&events), expected);
}

#[test]
fn five_conflicts_make_four_cycles() {
    let (events, trace, _) = figure_3();
    let found = brute::conflicts(&events, &all(&events));
    let expected = [(3, 9), (7, 18), (9, 13), (9, 16), (9, 18)];
    assert_eq!(found, expected.map(|(a, b)| (a - 1, b - 1)));
    let mut cycles = BTreeSet::new();
    for &(a, b) in expected.iter().filter(|&&(a, _)| events[a - 1].thread == 0) {
        for &(c, d) in expected.iter().filter(|&&(c, _)| events[c - 1].thread == 1) {
            cycles.insert(BTreeSet::from([a, b, c, d]));
        }
    }
    let four = [vec![3, 7, 9, 18], vec![3, 9, 13], vec![3, 9, 16], vec![3, 9, 18]];
    assert_eq!(cycles, four.map(|cycle| cycle.into_iter().collect()).into());
    let Err(found) = check(&Dependence::new(&trace), &[]).verdict else {
        panic!("there is a cycle")
    };
    for cycle in found {
        let cycle = cycle.events().iter().map(|event| event.index() + 1).collect();
        assert!(cycles.contains(&cycle), "{cycle:?}");
    }
}

#[test]
fn without_a_specification_everything_is_relevant() {
    let (_, trace, _) = figure_3();
    let found = relevant(&Dependence::new(&trace), &[]).events;
    assert_eq!(numbers(found.iter()), (1..=21).collect::<Vec<_>>());
}

#[test]
fn with_lines_5_to_10_four_events_are_irrelevant_and_the_rest_is_serialisable() {
    let (events, trace, lists) = figure_3();
    let flow = Dependence::new(&trace);
    let checked = check(&flow, &[lines_5_to_10(&lists)]);
    let irrelevant = trace.events().filter(|&event| !checked.relevant.has(event));
    assert_eq!(numbers(irrelevant), [3, 4, 13, 14]);
    let counts: BTreeSet<_> = checked.relevant.iter().map(EventId::index).collect();
    let left = brute::conflicts(&events, &counts);
    assert_eq!(left, [(7, 18), (9, 16), (9, 18)].map(|(a, b)| (a - 1, b - 1)));
    let witness = checked.verdict.unwrap();
    let order: Vec<_> = witness.order.iter().map(|t| t.0).filter(|&t| t > 0).collect();
    assert_eq!(order, [2, 1], "iteration 2, then iteration 1: Fig. 4");
    let skipped: Vec<_> = witness.blocks.iter().map(|block| block.relevant).collect();
    assert_eq!(skipped.iter().filter(|relevant| !**relevant).count(), 1);
}

/// All optima, one after the other.
fn optima(options: Options) -> Vec<Vec<&'static str>> {
    let (_, trace, lists) = figure_3();
    let traces = [trace];
    let mut inference = Inference::new(&traces, &lists, options);
    let mut found: Vec<Vec<&str>> = Vec::new();
    while let Inferred::Specification(best) = inference.solve() {
        if found.first().is_some_and(|first| first.len() < best.len()) {
            break;
        }
        found.push(best.iter().map(lines).collect());
        inference.block(&best);
    }
    found
}

#[test]
fn the_formal_reading_leaves_four_optima_and_the_largest_comes_first() {
    let ungrouped = Options { group: false, ..Options::default() };
    for options in [ungrouped, Options { slice: false, group: false, ..ungrouped }] {
        assert_eq!(optima(options), [["5-10"], ["6-10"], ["7-10"], ["8-10"]]);
    }
}

#[test]
fn if_everything_must_be_covered_one_optimum_is_left() {
    let options = Options { group: false, reading: Reading::All, ..Options::default() };
    assert_eq!(optima(options), [["5-10"]]);
}

#[test]
fn groups_do_not_change_the_answer() {
    assert_eq!(optima(Options::default())[0], ["5-10"]);
}

#[test]
fn brute_force_agrees() {
    let (events, _, lists) = figure_3();
    let names = ["A", "B", "C"];
    let run = |c: Candidate| (names[c.list.0 as usize].to_owned(), c.first, c.last);
    let candidates: Vec<_> = lists.candidates().map(run).collect();
    let found = brute::optima(&[events], &["x"], &candidates);
    assert_eq!(found.len(), 4);
    assert!(found.contains(&vec![("B".to_owned(), 0, 3)]));
}
