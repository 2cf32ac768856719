//! Races and atomicity violations by locks, forks and waits. All accesses write, so that data
//! orders nothing, unless an example says so.

use raddle_predict::{atomicity_queries, race_query};
use raddle_referee::{Claim, Transaction};

use crate::golden::notation::Example;

const FEASIBLE: bool = true;
const INFEASIBLE: bool = false;

#[track_caller]
fn check_race(text: &str, [first, second]: [usize; 2], expected: bool) {
    let example = Example::new(text, &[]);
    let [first, second] = [first, second].map(|n| example.at[n]);
    let query = race_query(&example.trace, first, second);
    assert_eq!(example.is_feasible(&Claim::Race { first, second }, &[query]), expected);
}

#[track_caller]
fn check_atomicity(
    text: &str,
    orders: &[(usize, usize)],
    [first, remote, second]: [usize; 3],
    expected: bool,
) {
    let example = Example::new(text, orders);
    let [first, remote, second] = [first, remote, second].map(|n| example.at[n]);
    let transaction = Transaction { from: first, to: second };
    let claim = Claim::Atomicity { first, remote, second, transaction };
    let queries = atomicity_queries(&example.trace, [first, remote, second]);
    assert_eq!(example.is_feasible(&claim, &queries), expected);
}

#[test]
fn locks_and_a_wait_together_order_what_neither_does_alone() {
    let both = "A acq k; A acq l; A wait.pre c; A rel l;
                B acq l; B notify c; B rel l; B w y;
                A acq l; A wake c; A acq m; A rel k; A rel l; A w x; A rel m;
                B acq k; B w y; B acq m; B rel m; B rel k; B w x; B w z";
    check_race(both, [13, 20], INFEASIBLE);
    let locks = "A acq k; A acq l; A rel l;
                 B acq l; B rel l; B w y;
                 A acq l; A acq m; A rel k; A rel l; A w x; A rel m;
                 B acq k; B w y; B acq m; B rel m; B rel k; B w x; B w z";
    check_race(locks, [10, 17], FEASIBLE);
    let wait = "A wait.pre c; B notify c; B w y; A wake c; A w x; B w y; B w x; B w z";
    check_race(wait, [4, 6], FEASIBLE);
}

#[test]
fn a_lock_that_is_never_released_hinders_nobody_before_it_is_wanted() {
    let text = "A w x; A w v; A acq l; A rel l; B acq l; B w x; B acq k; B rel k";
    check_race(text, [0, 5], FEASIBLE);
    let text = "A w v; A acq l; A rel l; A w x; B acq l; B w x; B acq k; B rel k";
    check_race(text, [3, 5], FEASIBLE);
    let text = "A w v; A acq l; A w x; A rel l; B acq l; B w x; B acq k; B rel k";
    check_race(text, [2, 5], INFEASIBLE);
}

#[test]
fn locks_that_cross_keep_the_last_releases_apart() {
    let text = "A acq k; A acq l; A w v; A rel k; A w x; A rel l;
                B acq l; B acq k; B rel l; B w x; B rel k";
    check_race(text, [4, 9], INFEASIBLE);
}

#[test]
fn a_race_may_be_followed_by_a_deadlock() {
    let text = "A acq l; A w x; A acq k; A rel l; A rel k;
                B acq k; B w x; B acq l; B rel l; B rel k";
    check_race(text, [1, 6], FEASIBLE);
}

#[test]
fn a_child_races_with_what_comes_after_its_fork() {
    let text = "A w v; A fork B; A w v; B w v";
    check_race(text, [0, 3], INFEASIBLE);
    check_race(text, [2, 3], FEASIBLE);
}

#[test]
fn the_remote_thread_of_an_atomicity_violation_runs_on_to_its_unlock() {
    let text = "A acq l; A w v; A rel l; A acq l; A w v; A rel l; B acq l; B w v; B rel l";
    check_atomicity(text, &[], [1, 7, 4], FEASIBLE);
}

#[test]
fn a_transaction_under_one_lock_is_atomic() {
    let text = "A acq l; A w v; A w v; A rel l; B acq l; B w v; B rel l";
    check_atomicity(text, &[], [1, 5, 2], INFEASIBLE);
}

#[test]
fn six_threads_without_a_cycle_can_be_infeasible() {
    let text = "A w v; A w v;
                B acq k; B branch; B branch; B rel k; C acq k; C branch; C branch; C rel k;
                D acq l; D branch; D branch; D rel l; E acq l; E branch; E branch; E rel l; F w v";
    let orders = [(1, 4), (1, 8), (3, 12), (3, 16), (7, 12), (7, 16), (11, 18), (15, 18)];
    check_atomicity(text, &orders, [0, 18, 1], INFEASIBLE);
    check_atomicity(text, &orders[2..], [0, 18, 1], FEASIBLE);
}

#[test]
fn what_was_read_before_a_chop_matters_behind_it() {
    let text = "B w y; B r x; B w z; C w x; C w y; C r z; C w y";
    check_atomicity(text, &[], [4, 0, 6], INFEASIBLE);
    let text = "B w y; B w x; B w z; C w x; C w y; C w z; C w y";
    check_atomicity(text, &[], [4, 0, 6], FEASIBLE);
}
