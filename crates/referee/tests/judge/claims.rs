//! Each claim, shown and not shown, and claims that make no sense.

use raddle_finding::ReadWitnessType::{self, BeforeWriter, Overwritten, WithoutWriter};
use raddle_referee::{Claim, Transaction};
use raddle_trace::EventId;

use crate::{ACCEPTED, check, check_in, overlapping};

fn race(first: u32, second: u32) -> Option<Claim> {
    Some(Claim::Race { first: EventId(first), second: EventId(second) })
}

fn deadlock(blocked: &[u32]) -> Option<Claim> {
    Some(Claim::Deadlock { blocked: blocked.iter().copied().map(EventId).collect() })
}

/// The accesses `first`, `remote` and `second`, and a transaction that reaches from the one to the
/// other.
fn atomicity(first: u32, remote: u32, second: u32) -> Option<Claim> {
    within(first, remote, second, (first, second))
}

fn within(first: u32, remote: u32, second: u32, (from, to): (u32, u32)) -> Option<Claim> {
    let [first, remote, second] = [first, remote, second].map(EventId);
    let transaction = Transaction { from: EventId(from), to: EventId(to) };
    Some(Claim::Atomicity { first, remote, second, transaction })
}

fn read(
    read: u32,
    writer: Option<u32>,
    challenger: Option<u32>,
    form: ReadWitnessType,
) -> Option<Claim> {
    let [writer, challenger] = [writer, challenger].map(|write| write.map(EventId));
    Some(Claim::Read { read: EventId(read), writer, challenger, form })
}

fn lost_wakeup(wait: u32) -> Option<Claim> {
    Some(Claim::LostWakeup { wait: EventId(wait) })
}

#[test]
fn accesses_that_are_next_race() {
    check("A w x\nB w x", race(0, 1), &[], ACCEPTED);
    check("A w x\nB w x", race(1, 0), &[], ACCEPTED);
    check("A w y\nA w x\nB r x", race(1, 2), &[0], ACCEPTED);
}

#[test]
fn r2_accesses_that_are_not_next_do_not_race() {
    check("A w y\nA w x\nB r x", race(1, 2), &[], "R2 1");
    check("A w x\nB w x", race(0, 1), &[0], "R2 0");
    check("A w x\nB w x", race(0, 1), &[1], "R2 1");
}

#[test]
fn a_common_lock_prevents_a_race() {
    let text = "A acq l\nA w x\nA rel l\nB acq l\nB w x\nB rel l";
    check(text, race(1, 4), &[0, 3], "S3 3");
    check(text, race(1, 4), &[0, 1, 2, 3], "R2 1");
}

#[test]
fn r3_a_thread_races_with_its_first_event_once_it_is_forked() {
    let text = "A fork B\nA w x\nB w x";
    check(text, race(1, 2), &[0], ACCEPTED);
    check("A w x\nA fork B\nB w x", race(0, 2), &[], "R3 2");
}

#[test]
fn r1_a_race_is_between_accesses_that_conflict() {
    check("A w x\nA w x", race(0, 1), &[], "R1 1");
    check("A r x\nB r x", race(0, 1), &[], "R1 1");
    check("A w x\nB w y", race(0, 1), &[], "R1 1");
    check("A w x\nB acq x", race(0, 1), &[], "R1 1");
    check("A w x\nB w x", race(0, 2), &[], "R1 2");
    check("A w x\nB w x", race(u32::MAX, 1), &[], &format!("R1 {}", u32::MAX));
}

#[test]
fn r1_two_atomic_accesses_do_not_race() {
    check("A w.sc x\nB r.rlx x", race(0, 1), &[], "R1 1");
    check("A w.sc x\nB r x", race(0, 1), &[], ACCEPTED);
}

#[test]
fn r1_accesses_that_overlap_in_part_race() {
    let trace = overlapping("A w x\nB w lo\nC w hi");
    check_in(&trace, race(0, 1), &[], ACCEPTED);
    check_in(&trace, race(1, 2), &[], "R1 2");
}

const INVERSION: &str = "A acq l\nA req m\nA acq m\nA rel m\nA rel l\n\
                         B acq m\nB req l\nB acq l\nB rel l\nB rel m";

#[test]
fn threads_that_hold_what_the_other_wants_deadlock() {
    check(INVERSION, deadlock(&[1, 6]), &[0, 5], ACCEPTED);
    check(INVERSION, deadlock(&[7, 2]), &[5, 0, 6, 1], ACCEPTED);
}

#[test]
fn d2_threads_that_go_on_do_not_deadlock() {
    check(INVERSION, deadlock(&[1, 6]), &[0, 5, 1], "D2 1");
}

#[test]
fn d3_a_lock_that_is_not_held_blocks_nobody() {
    let text = "A acq l\nA acq m\nA rel m\nA rel l\nB acq m\nB acq l\nB rel l\nB rel m";
    check(text, deadlock(&[1, 4]), &[0], "D3 1");
    check(text, deadlock(&[4, 1]), &[0], "D3 4");
}

#[test]
fn d1_who_tries_a_lock_does_not_wait_for_it() {
    let text = "A acq l\nA tryacq m\nA rel m\nA rel l\nB acq m\nB req l\nB acq l\nB rel l\nB rel m";
    check(text, deadlock(&[1, 6]), &[0, 4, 5], "D1 1");
    check(INVERSION, deadlock(&[2, 7]), &[0, 1, 5, 6], ACCEPTED);
    let asked = |answer: &str| format!("A acq l\nB acq m\nA req m\n{answer}\nB req l");
    check(&asked("A tryfail m"), deadlock(&[2, 4]), &[0, 1], "D1 2");
    check(&asked("B rel m\nA tryacq m\nA rel m\nB acq m"), deadlock(&[2, 7]), &[0, 1], "D1 2");
    check(&asked(""), deadlock(&[2, 3]), &[0, 1], ACCEPTED);
}

#[test]
fn d1_an_acquire_waits_whether_others_ask_before_theirs_or_not() {
    let text = "A acq l\nA acq m\nA rel m\nA rel l\nB acq m\nB req l\nB acq l\nB rel l\nB rel m";
    check(text, deadlock(&[1, 6]), &[0, 4, 5], ACCEPTED);
    check(text, deadlock(&[1, 5]), &[0, 4], ACCEPTED);
}

#[test]
fn d3_locks_are_held_in_the_order_of_the_cycle() {
    let text = "A acq a\nA acq b\nA rel b\nA rel a\nB acq b\nB acq c\nB rel c\nB rel b\n\
                C acq c\nC acq a";
    check(text, deadlock(&[1, 5, 9]), &[0, 4, 8], ACCEPTED);
    check(text, deadlock(&[1, 9, 5]), &[0, 4, 8], "D3 1");
}

#[test]
fn d3_readers_do_not_block_readers() {
    let shared = "A acq.sh l\nA acq.sh m\nA rel.sh m\nA rel.sh l\nB acq.sh m\nB acq.sh l";
    check(shared, deadlock(&[1, 5]), &[0, 4], "D3 1");
    let writing = "A acq.sh l\nA acq m\nA rel m\nA rel.sh l\nB acq.sh m\nB acq l";
    check(writing, deadlock(&[1, 5]), &[0, 4], ACCEPTED);
}

#[test]
fn d1_a_deadlock_is_between_requests_of_different_threads() {
    check(INVERSION, deadlock(&[]), &[], "D1");
    check(INVERSION, deadlock(&[1]), &[0], "D1 1");
    check(INVERSION, deadlock(&[1, 2]), &[0], "D1 2");
    check(INVERSION, deadlock(&[1, 8]), &[0], "D1 8");
    check(INVERSION, deadlock(&[1, 10]), &[0], "D1 10");
}

#[test]
fn each_of_the_five_patterns_is_an_atomicity_violation() {
    for pattern in ["r w r", "r w w", "w r w", "w w r", "w w w"] {
        check(&accesses(pattern), atomicity(0, 2, 1), &[0, 2, 1], ACCEPTED);
    }
}

#[test]
fn a1_the_other_three_patterns_are_not() {
    check(&accesses("r r r"), atomicity(0, 2, 1), &[0, 2, 1], "A1 2");
    check(&accesses("r r w"), atomicity(0, 2, 1), &[0, 2, 1], "A1 2");
    check(&accesses("w r r"), atomicity(0, 2, 1), &[0, 2, 1], "A1 2");
}

/// The first and the last access by one thread, then the remote one by another.
fn accesses(pattern: &str) -> String {
    let [first, remote, second] = [0, 2, 4].map(|at| &pattern[at..=at]);
    format!("A {first} x\nA {second} x\nB {remote} x")
}

#[test]
fn a2_the_remote_access_happens_in_between() {
    check("A r x\nA w x\nB w x", atomicity(0, 2, 1), &[0, 1, 2], "A2 2");
    check("A w x\nA w x\nB w x", atomicity(0, 2, 1), &[2, 0, 1], "A2 2");
    check("A w x\nA w x\nB w x", atomicity(0, 2, 1), &[0, 2], "A2 1");
    check("A w x\nA w x\nB w x", atomicity(0, 2, 1), &[0, 1], "A2 2");
}

#[test]
fn only_the_read_of_the_pattern_is_free() {
    check("A r x\nA r x\nB w x", atomicity(0, 2, 1), &[2, 0, 1], "V 0");
    check("A w x\nA r y\nA w x\nB w y\nB r x", atomicity(0, 4, 2), &[0, 3, 1, 4, 2], "V 1");
    check("A w x\nA r y\nA w x\nB w y\nB r x", atomicity(0, 4, 2), &[0, 1, 3, 4, 2], ACCEPTED);
}

#[test]
fn a_read_modify_write_counts_as_what_makes_the_pattern() {
    check("A rmw x\nA r x\nB w x", atomicity(0, 2, 1), &[0, 2, 1], ACCEPTED);
    check("A rmw x\nA rmw x\nB r x", atomicity(0, 2, 1), &[0, 2, 1], ACCEPTED);
    check("A rmw x\nA r x\nB r x", atomicity(0, 2, 1), &[0, 2, 1], "A1 2");
}

#[test]
fn a_read_modify_write_is_free_as_a_read_only() {
    check("A r x\nA w x\nB rmw x", atomicity(0, 2, 1), &[0, 2, 1], "V 2");
    check("A r x\nB rmw x\nA w x", atomicity(0, 1, 2), &[0, 1, 2], ACCEPTED);
}

#[test]
fn of_three_read_modify_writes_one_is_free() {
    check("A rmw x\nB rmw x\nA rmw x", atomicity(0, 1, 2), &[0, 1, 2], ACCEPTED);
    check("A rmw x\nA rmw x\nB rmw x", atomicity(0, 2, 1), &[0, 2, 1], "V 2");
    check("A rmw x\nC rmw x\nA rmw x\nB rmw x", atomicity(0, 3, 2), &[0, 1, 3, 2], "V 3");
    check("A rmw x\nC rmw x\nB rmw x\nA rmw x", atomicity(0, 2, 3), &[0, 2, 1, 3], "V 2");
}

#[test]
fn a1_both_accesses_are_of_the_transaction() {
    let text = "A w x\nA w x\nA w x\nB w x";
    check(text, within(0, 3, 2, (0, 2)), &[0, 3, 1, 2], ACCEPTED);
    check(text, within(0, 3, 2, (1, 2)), &[0, 3, 1, 2], "A1 0");
    check(text, within(0, 3, 2, (0, 1)), &[0, 3, 1, 2], "A1 2");
    check(text, within(0, 3, 2, (0, 3)), &[0, 3, 1, 2], "A1 3");
    check(text, within(0, 3, 2, (0, 9)), &[0, 3, 1, 2], "A1 9");
    check(text, within(2, 3, 0, (0, 2)), &[0, 3, 1, 2], "A1 0");
    check(text, within(0, 0, 0, (0, 2)), &[0], "A1 0");
    check(text, within(0, 1, 2, (0, 2)), &[0, 1, 2], "A1 1");
    check("A w x\nA w y\nB w x", atomicity(0, 2, 1), &[0, 2, 1], "A1 2");
}

const READ: &str = "A w x\nB r x\nC w x";

#[test]
fn n3_type_1_the_writer_comes_after_the_read() {
    check(READ, read(1, Some(0), Some(2), BeforeWriter), &[2, 1, 0], ACCEPTED);
    check(READ, read(1, Some(0), None, BeforeWriter), &[1, 0], ACCEPTED);
    check(READ, read(1, Some(0), Some(2), BeforeWriter), &[2, 1], "N3 1");
    check(READ, read(1, Some(0), Some(2), BeforeWriter), &[1, 2, 0], "N3 1");
    check("B r x\nA w x", read(0, None, Some(1), BeforeWriter), &[1, 0], "N3 0");
}

#[test]
fn n3_type_2_the_challenger_comes_after_the_writer() {
    check(READ, read(1, Some(0), Some(2), Overwritten), &[0, 2, 1], ACCEPTED);
    check("B r x\nA w x", read(0, None, Some(1), Overwritten), &[1, 0], ACCEPTED);
    check(READ, read(1, Some(0), Some(2), Overwritten), &[2, 0, 1], "N3 1");
    check(READ, read(1, Some(0), Some(2), Overwritten), &[2, 1], "N3 1");
    check(READ, read(1, Some(0), None, Overwritten), &[0, 1], "N3 1");
}

#[test]
fn n3_type_3_the_writer_is_absent() {
    check(READ, read(1, Some(0), Some(2), WithoutWriter), &[2, 1], ACCEPTED);
    check(READ, read(1, Some(0), None, WithoutWriter), &[1], ACCEPTED);
    check(READ, read(1, Some(0), Some(2), WithoutWriter), &[0, 2, 1], "N3 1");
    check(READ, read(1, Some(0), Some(2), WithoutWriter), &[1], "N3 1");
    check("B r x\nA w x", read(0, None, Some(1), WithoutWriter), &[1, 0], "N3 0");
}

#[test]
fn n2_the_read_happens() {
    check(READ, read(1, Some(0), Some(2), WithoutWriter), &[2], "N2 1");
}

#[test]
fn only_the_read_in_question_is_free() {
    let text = "A w x\nB r x\nB r x";
    check(text, read(1, Some(0), None, WithoutWriter), &[1], ACCEPTED);
    check(text, read(2, Some(0), None, WithoutWriter), &[1, 2], "V 1");
}

#[test]
fn n1_the_writer_was_read_and_the_challenger_is_another_write() {
    check(READ, read(0, None, Some(2), Overwritten), &[2, 0], "N1 0");
    check(READ, read(1, None, Some(2), Overwritten), &[2, 1], "N1 1");
    check(READ, read(1, Some(2), Some(0), Overwritten), &[2, 0, 1], "N1 2");
    check(READ, read(1, Some(0), Some(0), Overwritten), &[0, 1], "N1 0");
    check(READ, read(1, Some(0), Some(1), Overwritten), &[0, 1], "N1 1");
    check(READ, read(1, Some(0), Some(3), Overwritten), &[0, 1], "N1 3");
    check(READ, read(3, Some(0), Some(2), Overwritten), &[0, 1], "N1 3");
    check("B r x\nC w x", read(0, None, None, Overwritten), &[0], "N1");
    check("B rmw x\nC w x", read(0, None, Some(0), Overwritten), &[0], "N1 0");
    check("A w x\nB r x\nC w y", read(1, Some(0), Some(2), Overwritten), &[0, 2, 1], "N1 2");
}

#[test]
fn n1_writer_and_challenger_meet_in_a_cell() {
    let trace = overlapping("A w x\nB w lo\nC w hi\nD r x\nE w hi");
    check_in(&trace, read(3, Some(1), Some(0), BeforeWriter), &[0, 3, 1], ACCEPTED);
    check_in(&trace, read(3, Some(1), Some(4), Overwritten), &[1, 4, 3], "N1 4");
    check_in(&trace, read(3, Some(2), Some(4), Overwritten), &[2, 4, 3], ACCEPTED);
}

const WAIT: &str = "A wait.pre c\nB notify c\nA wake c";

#[test]
fn a_notify_before_the_wait_is_lost() {
    check(WAIT, lost_wakeup(0), &[1, 0], ACCEPTED);
    check("A wait.pre c\nB notifyAll c\nA wake c", lost_wakeup(0), &[1, 0], ACCEPTED);
}

#[test]
fn l2_a_notify_after_the_wait_is_not_lost() {
    check(WAIT, lost_wakeup(0), &[0, 1], "L2 1");
    check(WAIT, lost_wakeup(0), &[0], "L2 1");
    check(WAIT, lost_wakeup(0), &[1], "L2 0");
}

#[test]
fn l2_a_lock_around_test_and_wait_keeps_the_notify() {
    let text = "A acq l\nA r x\nA wait.pre c\nA rel l\nB acq l\nB w x\nB notify c\nB rel l\n\
                A acq l\nA wake c\nA rel l";
    check(text, lost_wakeup(2), &[4, 5, 6, 7, 0, 1, 2], "V 1");
    check(text, lost_wakeup(2), &[0, 1, 4, 5, 6, 2], "S3 4");
    check(text, lost_wakeup(2), &[0, 1, 2, 3, 4, 5, 6], "L2 6");
}

#[test]
fn l3_a_wake_up_that_happens_was_not_lost_which_s6_and_l2_demand_already() {
    check(WAIT, lost_wakeup(0), &[1, 0, 2], "S6 1");
    check(WAIT, lost_wakeup(0), &[0, 1, 2], "L2 1");
}

#[test]
fn l4_a_notify_that_is_left_can_end_the_wait() {
    let text = format!("{WAIT}\nC notify c\nC notify d");
    check(&text, lost_wakeup(0), &[1, 0], "L4 3");
    check(&text, lost_wakeup(0), &[3, 1, 0], ACCEPTED);
    let own = format!("{WAIT}\nA notify c");
    check(&own, lost_wakeup(0), &[1, 0], ACCEPTED);
}

#[test]
fn l5_a_notify_after_the_wait_ends_it_unless_another_wait_is_there_for_it() {
    check(&format!("{WAIT}\nC notify c"), lost_wakeup(0), &[1, 0, 3], "L5 3");
    let single = format!("{WAIT}\nD wait.pre c\nC notify c\nD wake c");
    check(&single, lost_wakeup(0), &[1, 0, 3, 4, 5], ACCEPTED);
    check(&single, lost_wakeup(0), &[1, 0, 4, 3], "L5 4");
    let all = format!("{WAIT}\nD wait.pre c\nC notifyAll c\nD wake c");
    check(&all, lost_wakeup(0), &[1, 0, 3, 4, 5], "L5 4");
}

#[test]
fn l1_only_a_wait_that_a_notify_ended_can_lose_it() {
    check(WAIT, lost_wakeup(1), &[1, 0], "L1 1");
    check(WAIT, lost_wakeup(2), &[1, 0], "L1 2");
    check(WAIT, lost_wakeup(3), &[1, 0], "L1 3");
    check("B notify c\nA wait.pre c\nA wake.timeout c", lost_wakeup(1), &[0, 1], "L1 1");
    check("B notify c\nA wait.pre c", lost_wakeup(1), &[0, 1], "L1 1");
}
