//! From an order of events back to steps.

use raddle_trace::EventId;
use raddle_wire::{Code, Record, Step};

use super::Build;
use crate::recording::{Options, Passes};

#[track_caller]
fn check(build: &Build, order: &[u32], expected: &[Step]) {
    let native = build.read_with(Options::default());
    let order: Vec<_> = order.iter().map(|&e| EventId(e)).collect();
    let (events, guide) = native.split();
    assert_eq!(guide.steer(&events, &order, &[], &Passes::default()), expected);
}

#[test]
fn the_observed_order_is_what_was_recorded() {
    let build = Build::new().does(Code::Fork, 1).write(8).write(64).write(8).on(1).write(8).on(0);
    let all = [Step::thread(0, 4), Step::thread(1, 1), Step::thread(0, 1)];
    check(&build.write(8), &[0, 1, 2, 3, 4], &all);
}

#[test]
fn what_is_not_in_the_trace_comes_right_before_what_is() {
    let build = Build::new().write(64).write(8).write(72).write(8).on(1).write(128).write(8);
    check(&build, &[2, 0, 1], &[Step::thread(1, 2), Step::thread(0, 4)]);
    check(&build, &[0, 2, 1], &[Step::thread(0, 2), Step::thread(1, 2), Step::thread(0, 2)]);
    check(&build, &[0], &[Step::thread(0, 2)]);
}

#[test]
fn events_that_no_schedule_counts_take_no_step() {
    let build = Build::new().on(1).does(Code::Begin, 0).does(Code::Request, 8).does(Code::Lock, 8);
    check(&build, &[0, 1], &[Step::thread(1, 1)]);
    check(&build, &[0, 1, 2], &[Step::thread(1, 2)]);
}

#[test]
fn threads_have_the_numbers_of_the_runtime() {
    let build = Build::new().on(9).write(8).on(5).write(8);
    check(&build, &[1, 0], &[Step::thread(5, 1), Step::thread(9, 1)]);
}

#[test]
fn a_notify_says_whom_it_wakes_where_there_is_a_choice() {
    let wait = |build: Build, thread: u64| {
        build.on(thread).does(Code::Lock, 64).does(Code::Wait, 8).does(Code::Unlock, 64)
    };
    let build =
        wait(wait(Build::new(), 1), 2).on(0).with(Code::Notify, 8, 3).with(Code::Notify, 8, 2);
    let both = [Step::thread(1, 3), Step::thread(2, 3), Step::waiter(2), Step::thread(0, 2)];
    check(&build, &[0, 1, 2, 3, 4, 5, 6, 7], &both);
    check(&build, &[3, 4, 5, 6], &[Step::thread(2, 3), Step::thread(0, 1)]);
}

#[test]
fn asking_for_a_lock_is_not_having_it() {
    let build = Build::new().record(Record::new(Code::Lock, 8, 0, 0, 0));
    check(&build, &[0], &[]);
    check(&build, &[0, 1], &[Step::thread(0, 1)]);
}
