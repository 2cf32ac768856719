//! Which reads can see another write: of all that can be asked, exactly the listed is feasible.

use raddle_finding::ReadWitnessType::{self, BeforeWriter, Overwritten, WithoutWriter};
use raddle_predict::read_query;
use raddle_referee::Claim;
use raddle_trace::{EventId, Op, VarId};

use crate::golden::notation::Example;

/// The form, the writer, the challenger and the read, as numbers in the text.
type Row = (ReadWitnessType, Option<usize>, Option<usize>, usize);

const INITIAL: Option<usize> = None;

/// The variable that an event reads, and the one that it writes.
fn access(example: &Example, n: usize) -> (Option<VarId>, Option<VarId>) {
    match example.trace.op(example.at[n]) {
        Op::Read { var, .. } => (Some(var), None),
        Op::Write { var, .. } => (None, Some(var)),
        _ => (None, None),
    }
}

/// All that can be asked about the reads of an example.
fn possible(example: &Example) -> Vec<Row> {
    let mut rows = Vec::new();
    for read in 0..example.at.len() {
        let Some(var) = access(example, read).0 else { continue };
        let writes = |&n: &usize| access(example, n).1 == Some(var);
        let writer = (0..read).rfind(writes);
        let others = (0..example.at.len()).filter(writes).map(Some).chain([INITIAL]);
        for challenger in others.filter(|&c| c != writer) {
            let row = |form| (form, writer, challenger, read);
            rows.extend([BeforeWriter, Overwritten, WithoutWriter].map(row));
        }
    }
    rows
}

#[track_caller]
fn is_feasible(example: &Example, (form, writer, challenger, read): Row) -> bool {
    let event = |n: usize| -> EventId { example.at[n] };
    let (read, writer, challenger) = (event(read), writer.map(event), challenger.map(event));
    let query = read_query(&example.trace, read, writer, challenger, form);
    example.is_feasible(&Claim::Read { read, writer, challenger, form }, &[query])
}

#[track_caller]
fn check(text: &str, orders: &[(usize, usize)], n_possible: usize, expected: &[Row]) {
    let example = Example::new(text, orders);
    let mut rows = possible(&example);
    assert_eq!(rows.len(), n_possible);
    rows.retain(|&row| is_feasible(&example, row));
    rows.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(rows, expected);
}

#[test]
fn a_lock_prevents_the_race_but_not_the_other_order() {
    let text = "A acq l; A w x; A rel l; B acq l; B r x; B rel l";
    let expected = [(BeforeWriter, Some(1), INITIAL, 4), (WithoutWriter, Some(1), INITIAL, 4)];
    check(text, &[], 3, &expected);
}

#[test]
fn a_read_under_a_lock_fixes_what_is_read_behind_it() {
    let text = "A w a; A w a; A acq l; A w b; A rel l; B acq l; B r b; B rel l; B r a";
    let expected = [(BeforeWriter, Some(3), INITIAL, 6), (WithoutWriter, Some(3), INITIAL, 6)];
    check(text, &[], 9, &expected);
}

#[test]
fn two_pairs_of_sections_can_each_be_ordered_and_not_both() {
    let text = "A w v; A r v;
                B acq k; B branch; B branch; B rel k; C acq k; C branch; C branch; C rel k;
                D acq l; D branch; D branch; D rel l; E acq l; E branch; E branch; E rel l; F w v";
    let orders = [(1, 4), (1, 8), (3, 12), (3, 16), (7, 12), (7, 16), (11, 18), (15, 18)];
    check(text, &orders, 6, &[]);
}

const INTERVENING: &str = "B w v; A w v; B r v; B r v";

#[test]
fn a_read_before_keeps_other_writes_away() {
    let expected = [
        (BeforeWriter, Some(1), INITIAL, 2),
        (WithoutWriter, Some(1), INITIAL, 2),
        (BeforeWriter, Some(1), Some(0), 2),
        (Overwritten, Some(1), Some(0), 2),
        (WithoutWriter, Some(1), Some(0), 2),
    ];
    check(INTERVENING, &[], 12, &expected);
}

#[test]
fn no_write_comes_between_a_write_and_its_read() {
    let example = Example::new(INTERVENING, &[]);
    assert!(!is_feasible(&example, (Overwritten, Some(1), Some(0), 3)));
}

#[test]
fn a_section_that_is_not_needed_may_stay_open() {
    let text = "B r v; B acq l; B rel l; A acq l; A w v; A rel l";
    check(text, &[(1, 5)], 3, &[(Overwritten, INITIAL, Some(4), 0)]);
}

#[test]
fn a_writer_before_its_read_in_one_thread_is_never_absent() {
    check("A w v; A w v; A r v; B branch", &[], 6, &[]);
}

#[test]
fn fork_and_join_leave_no_choice() {
    let text = "A w x; A branch; B r x; B w y; A branch; A r y";
    check(text, &[(1, 2), (3, 4)], 6, &[]);
    check("A w x; A fork B; B r x; B w y; A join B; A r y", &[], 6, &[]);
}
