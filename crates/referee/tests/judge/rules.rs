//! Rules P, S1–S10 and V, by their numbers.

use raddle_referee::reordering;
use raddle_trace::EventId;

use crate::{ACCEPTED, check, check_in, overlapping, sequence, trace};

#[test]
fn p_a_thread_skips_nothing() {
    let text = "A w x\nA w y\nA w z";
    check(text, None, &[0, 2], "P 2");
    check(text, None, &[1], "P 1");
    check(text, None, &[0, 1], ACCEPTED);
}

#[test]
fn p_a_thread_keeps_its_order() {
    check("A w x\nB w y\nA w z", None, &[1, 2, 0], "P 2");
    check("A w x\nB w y\nA w z", None, &[1, 0, 2], ACCEPTED);
}

#[test]
fn p_an_event_happens_once() {
    check("A w x\nA w y", None, &[0, 0], "P 0");
    check("A w x\nA w y", None, &[0, 1, 1], "P 1");
}

#[test]
fn p_events_are_of_the_trace() {
    check("A w x", None, &[0, 1], "P 1");
    check("A w x", None, &[u32::MAX - 1], &format!("P {}", u32::MAX - 1));
    check("A w x", None, &[], ACCEPTED);
}

#[test]
fn s1_a_thread_begins_after_its_fork() {
    check("A fork B\nB w x", None, &[1], "S1 1");
    check("A fork B\nB w x", None, &[0, 1], ACCEPTED);
}

#[test]
fn s1_a_thread_that_nobody_forked_begins_at_any_time() {
    check("A w x\nB w y", None, &[1], ACCEPTED);
}

#[test]
fn s2_a_join_comes_after_the_last_event() {
    let text = "A fork B\nB w x\nB w y\nA join B";
    check(text, None, &[0, 1, 3], "S2 3");
    check(text, None, &[0, 1, 2, 3], ACCEPTED);
}

#[test]
fn s3_a_lock_has_one_holder() {
    let text = "A acq l\nA rel l\nB acq l";
    check(text, None, &[0, 2], "S3 2");
    check(text, None, &[0, 1, 2], ACCEPTED);
    check(text, None, &[2], ACCEPTED);
    check(text, None, &[2, 0], "S3 0");
}

#[test]
fn s3_a_request_does_not_wait() {
    check("A acq l\nA rel l\nB req l\nB acq l", None, &[0, 2], ACCEPTED);
    check("A acq l\nA rel l\nB req l\nB acq l", None, &[0, 2, 3], "S3 3");
}

#[test]
fn s3_readers_share_a_lock_with_readers_only() {
    let text = "A acq.sh l\nB acq.sh l\nA rel.sh l\nB rel.sh l\nC acq l\nC rel l";
    check(text, None, &[1, 0], ACCEPTED);
    check(text, None, &[0, 1, 2, 4], "S3 4");
    check(text, None, &[4, 0], "S3 0");
    check(text, None, &[1, 3, 4, 5, 0], ACCEPTED);
}

#[test]
fn s4_a_try_fails_on_a_lock_that_is_held() {
    let text = "A acq l\nB tryfail l\nA rel l";
    check(text, None, &[1], "S4 1");
    check(text, None, &[0, 2, 1], "S4 1");
    check(text, None, &[0, 1], ACCEPTED);
}

#[test]
fn s4_a_shared_try_fails_on_a_writer_only() {
    let text = "A acq l\nB tryfail.sh l\nA rel l\nC acq.sh l";
    check(text, None, &[3, 1], "S4 1");
    check(text, None, &[0, 1], ACCEPTED);
    check("A acq l\nB tryfail l\nA rel l\nC acq.sh l", None, &[3, 1], ACCEPTED);
}

#[test]
fn s5_a_wake_up_needs_its_notify() {
    let text = "A wait.pre c\nB notify c\nA wake c";
    check(text, None, &[0, 2], "S5 2");
    check(text, None, &[0, 1, 2], ACCEPTED);
}

#[test]
fn s5_another_notify_does_not_do() {
    let text = "A wait.pre c\nB notify c\nA wake c\nC notify c";
    check(text, None, &[0, 3, 2], "S5 2");
}

#[test]
fn s6_a_notify_comes_after_the_wait_that_it_ends() {
    let text = "A wait.pre c\nB notify c\nA wake c";
    check(text, None, &[1, 0, 2], "S6 1");
    check(text, None, &[1, 0], ACCEPTED);
    check(text, None, &[1], ACCEPTED);
}

#[test]
fn s6_a_notify_for_all_comes_after_each_wait_whose_wake_up_happens() {
    let text = "A wait.pre c\nB wait.pre c\nC notifyAll c\nA wake c\nB wake c";
    check(text, None, &[0, 2, 1, 3, 4], "S6 2");
    check(text, None, &[0, 2, 1, 3], ACCEPTED);
    check(text, None, &[1, 0, 2, 4, 3], ACCEPTED);
}

#[test]
fn s7_other_wake_ups_need_only_their_wait_which_p_demands_already() {
    let text = "B notify c\nA wait.pre c\nA wake.timeout c\nA wait.pre c\nA wake.spurious c";
    check(text, None, &[2], "P 2");
    check(text, None, &[1, 2, 3, 4], ACCEPTED);
}

#[test]
fn s8_a_semaphore_is_taken_above_zero() {
    let text = "A post s\nB take s\nA post s\nB take s";
    check(text, None, &[1], "S8 1");
    check(text, None, &[0, 1, 3], "S8 3");
    check(text, None, &[0, 2, 1, 3], ACCEPTED);
}

#[test]
fn s8_the_initial_count_can_be_taken() {
    check("B take s\nA post s\nB take s", None, &[0], ACCEPTED);
    check("B take s\nA post s\nB take s", None, &[0, 2], "S8 2");
}

#[test]
fn s9_a_barrier_is_left_when_all_have_arrived() {
    let text = "A arrive b\nB arrive b\nA leave b\nB leave b";
    check(text, None, &[0, 2], "S9 2");
    check(text, None, &[1, 0, 3], ACCEPTED);
}

#[test]
fn s10_generations_of_a_barrier_come_one_after_the_other() {
    let text = "A arrive b\nA leave b\nB arrive b\nB leave b\nC arrive b";
    check(text, None, &[2], "S10 2");
    check(text, None, &[0, 4], "S10 4");
    check(text, None, &[0, 2, 4], ACCEPTED);
}

#[test]
fn s10_other_barriers_do_not_matter() {
    check("A arrive b\nA leave b\nB arrive d", None, &[2], ACCEPTED);
}

#[test]
fn v_a_read_sees_the_same_write() {
    let text = "A w x\nB r x\nC w x";
    check(text, None, &[1], "V 1");
    check(text, None, &[0, 2, 1], "V 1");
    check(text, None, &[2, 0, 1], ACCEPTED);
}

#[test]
fn v_a_read_sees_the_initial_value_again() {
    check("A r x\nB w x", None, &[1, 0], "V 0");
    check("A r x\nB w y", None, &[1, 0], ACCEPTED);
}

#[test]
fn v_a_read_modify_write_reads_before_it_writes() {
    let text = "A rmw x\nB rmw x\nC r x";
    check(text, None, &[1], "V 1");
    check(text, None, &[0, 2], "V 2");
    check(text, None, &[0, 1, 2], ACCEPTED);
}

#[test]
fn v_a_read_sees_the_same_write_in_each_cell() {
    let trace = overlapping("A w x\nB w lo\nC w hi\nD r x");
    check_in(&trace, None, &[0, 1, 3], "V 3");
    check_in(&trace, None, &[0, 2, 3], "V 3");
    check_in(&trace, None, &[1, 0, 2, 3], "V 3");
    check_in(&trace, None, &[2, 1, 3], ACCEPTED);
}

#[test]
fn v_free_reads_see_anything_and_other_reads_do_not() {
    let trace = trace("A w x\nB r x\nB r x");
    let with_free = |free: &[u32]| {
        let free: Vec<_> = free.iter().copied().map(EventId).collect();
        reordering(&trace, &sequence(&[1, 2]), &free)
    };
    assert_eq!(with_free(&[1]).map_err(|o| o.event()), Err(Some(EventId(2))));
    assert_eq!(with_free(&[1, 2, 99]), Ok(()));
}

#[test]
fn an_objection_says_where_and_why() {
    let trace = trace("A acq l\nB acq m\nA rel l\nB rel m\nB acq l");
    let objection = reordering(&trace, &sequence(&[0, 1, 3, 4]), &[]).expect_err("A holds l");
    assert_eq!(
        objection.to_string(),
        "event 4 cannot happen at place 3: A holds l \
         (rule S3: a lock is taken while no other thread holds it against that)"
    );
}
