//! Witnesses of nondeterministic reads: the paper's answers on its figures, and on the traces where
//! they are wrong.
//!
//! A row is the type of the witness, writer, read and challenger (`-` is the initial value), then
//! what the paper's algorithm says: `cyclic`, `feasible` or `infeasible`, with the number of choices
//! if there are some.

use raddle_published::reads;
use raddle_published::reads::{PaperVerdict, Witness, WitnessType, witness};
use raddle_trace::EventId;

use crate::trace;

#[track_caller]
fn check(text: &str, edges: &[(u32, u32)], rows: &[&str]) -> Vec<PaperVerdict> {
    let trace = trace(text);
    let edges: Vec<_> = edges.iter().map(|&(a, b)| (EventId(a), EventId(b))).collect();
    let mut verdicts = Vec::new();
    for row in rows {
        let words: Vec<&str> = row.split_whitespace().collect();
        let event = |word: &str| word.parse().ok().map(EventId);
        let asked = Witness {
            kind: WitnessType::ALL[words[0].parse::<usize>().unwrap() - 1],
            writer: event(words[1]),
            read: event(words[2]).unwrap(),
            challenger: event(words[3]),
        };
        let verdict = witness(&trace, &edges, &asked);
        assert_eq!(show(&verdict), words[4..].join(" "), "{row}");
        verdicts.push(verdict);
    }
    if edges.is_empty() {
        assert_eq!(reads(&trace, &mut |_| true).n_possible, rows.len() as u64);
    }
    verdicts
}

fn show(verdict: &PaperVerdict) -> String {
    let answer = match (verdict.is_cyclic, verdict.feasible) {
        (true, _) => "cyclic",
        (_, Some(true)) => "feasible",
        (_, Some(false)) => "infeasible",
        (_, None) => "capped",
    };
    match verdict.n_choices {
        0 => answer.to_string(),
        n => format!("{answer} {n}"),
    }
}

#[test]
fn a_race_free_trace_can_have_a_nondeterministic_read() {
    let text = "T0 acq l; T0 w x; T0 rel l; T1 acq l; T1 r x; T1 rel l";
    let rows = ["1 1 4 - feasible", "2 1 4 - cyclic", "3 1 4 - feasible"];
    check(text, &[], &rows);
}

#[test]
fn an_induced_edge_closes_the_cycle_of_figure_5() {
    let text = "T0 w A; T0 w A; T0 acq l; T0 w B; T0 rel l; T1 acq l; T1 r B; T1 rel l; T1 r A";
    let rows = [
        "1 3 6 - feasible",
        "2 3 6 - cyclic",
        "3 3 6 - feasible",
        "1 1 8 - cyclic",
        "2 1 8 - cyclic",
        "3 1 8 - feasible",
        "1 1 8 0 cyclic",
        "2 1 8 0 cyclic",
        "3 1 8 0 feasible",
    ];
    check(text, &[], &rows);
}

#[test]
fn all_four_choice_graphs_of_figure_6_are_cyclic() {
    let text = "T0 w v; T0 r v; T1 acq l1; T1 branch; T1 branch; T1 rel l1; T2 acq l1; T2 branch; T2 branch; T2 rel l1; T3 acq l2; T3 branch; T3 branch; T3 rel l2; T4 acq l2; T4 branch; T4 branch; T4 rel l2; T5 w v";
    let rows = [
        "1 0 1 - cyclic",
        "2 0 1 - cyclic",
        "3 0 1 - feasible",
        "1 0 1 18 cyclic",
        "2 0 1 18 infeasible 2",
        "3 0 1 18 infeasible 2",
    ];
    check(text, &[(1, 4), (1, 8), (3, 12), (3, 16), (7, 12), (7, 16), (11, 18), (15, 18)], &rows);
}

#[test]
fn a_write_that_intervenes_goes_unnoticed() {
    let text = "T1 w v; T0 w v; T1 r v; T1 r v";
    let rows = [
        "1 1 2 - feasible",
        "2 1 2 - cyclic",
        "3 1 2 - feasible",
        "1 1 2 0 feasible",
        "2 1 2 0 feasible",
        "3 1 2 0 feasible",
        "1 1 3 - cyclic",
        "2 1 3 - cyclic",
        "3 1 3 - feasible",
        "1 1 3 0 cyclic",
        "2 1 3 0 feasible",
        "3 1 3 0 feasible",
    ];
    check(text, &[], &rows);
}

#[test]
fn scope_ends_that_the_witness_does_not_need_close_cycles() {
    let text = "T1 r v; T1 acq l; T1 rel l; T0 acq l; T0 w v; T0 rel l";
    let rows = ["1 - 0 4 cyclic", "2 - 0 4 cyclic", "3 - 0 4 cyclic"];
    check(text, &[(1, 5)], &rows);
}

#[test]
fn an_absent_writer_is_not_missed() {
    let text = "T0 w v; T0 w v; T0 r v; T1 branch";
    let rows = [
        "1 1 2 - cyclic",
        "2 1 2 - cyclic",
        "3 1 2 - feasible",
        "1 1 2 0 cyclic",
        "2 1 2 0 cyclic",
        "3 1 2 0 feasible",
    ];
    check(text, &[], &rows);
}

#[test]
fn join_does_not_rule_out_an_absent_writer() {
    let text = "T0 w x; T0 branch; T1 r x; T1 w y; T0 branch; T0 r y";
    let rows = [
        "1 0 2 - cyclic",
        "2 0 2 - cyclic",
        "3 0 2 - feasible",
        "1 3 5 - cyclic",
        "2 3 5 - cyclic",
        "3 3 5 - feasible",
    ];
    check(text, &[(1, 2), (3, 4)], &rows);
}
