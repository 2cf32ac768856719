//! Each rule: a trace that breaks it, what strict says, what normalise makes of it, and the near
//! miss that obeys it.

use super::{Mode, Rule, check};
use crate::events::Events;
use crate::format::{notation, sketch};

fn events(text: &str) -> Events {
    sketch(text).unwrap()
}

fn shown(events: &Events) -> String {
    let event = |e: crate::Event| notation(events, e.thread, e.op);
    events.iter().map(event).collect::<Vec<_>>().join(" ")
}

/// `text` breaks `rule` at event `at` and is repaired to `repaired`.
#[track_caller]
fn check_broken(text: &str, rule: Rule, at: u32, repaired: &str) {
    let violation = check(events(text), Mode::Strict).unwrap_err();
    assert_eq!((violation.rule, violation.place.position), (rule, Some(at)), "{violation}");
    let (normalised, repairs) = check(events(text), Mode::Normalise).unwrap();
    assert_eq!(shown(&normalised), repaired);
    assert!(repairs.iter().any(|repair| repair.rule == rule), "{repairs:?}");
    check(normalised, Mode::Strict).unwrap();
}

#[track_caller]
fn check_obeys(text: &str) {
    let before = shown(&events(text));
    let (after, repairs) = check(events(text), Mode::Strict).unwrap();
    assert!(repairs.is_empty());
    assert_eq!(shown(&after), before);
}

#[test]
fn f1_a_thread_acts_after_its_fork() {
    check_broken(
        "A start 0\nB w x\nB fork A\nA w x",
        Rule::ForkFirst,
        0,
        "B|w(x) B|fork(A) A|w(x)",
    );
    check_broken("A w x\nB fork A", Rule::ForkFirst, 0, "A|w(x)");
    check_broken("A w x\nB fork A\nB fork A", Rule::ForkFirst, 0, "A|w(x)");
    check_obeys("B fork A\nA start 0\nA w x");
}

#[test]
fn f2_a_thread_is_forked_once() {
    check_broken("B fork A\nA w x\nB fork A", Rule::ForkOnce, 2, "B|fork(A) A|w(x)");
    check_broken("A w x\nA fork A", Rule::ForkOnce, 1, "A|w(x)");
    check_obeys("B fork A\nB fork C");
}

#[test]
fn j1_a_joined_thread_is_over() {
    check_broken("A w x\nB join A\nA r x", Rule::JoinLast, 1, "A|w(x) A|r(x)");
    check_obeys("A w x\nB join A\nB r x");
}

#[test]
fn j2_a_thread_is_joined_once_by_another() {
    check_broken("A w x\nB join A\nC join A", Rule::JoinOnce, 2, "A|w(x) B|join(A)");
    check_broken("A w x\nA join A", Rule::JoinOnce, 1, "A|w(x)");
}

#[test]
fn j3_only_a_known_thread_is_joined() {
    check_broken("A w x\nA join B", Rule::JoinKnown, 1, "A|w(x)");
    check_obeys("A fork B\nA join B");
}

#[test]
fn b1_b2_begin_is_first_and_end_is_last() {
    check_broken("A w x\nA start 0", Rule::BeginFirst, 1, "A|w(x)");
    check_broken("A exit 0\nA w x", Rule::EndLast, 1, "A|w(x)");
    check_obeys("A start 0\nA w x\nA exit 0");
}

#[test]
fn m1_a_lock_has_one_holder() {
    check_broken("A acq l\nB acq l\nB rel l\nA rel l", Rule::Exclusion, 1, "A|acq(l) A|rel(l)");
    check_obeys("A acq l\nA rel l\nB acq l\nB rel l");
}

#[test]
fn m1_a_thread_that_is_over_has_released_its_locks_before_its_end() {
    check_broken(
        "B fork A\nA acq l\nA exit 0\nB join A\nB acq l",
        Rule::Exclusion,
        4,
        "B|fork(A) A|acq(l) A|rel(l) A|exit(0) B|join(A) B|acq(l)",
    );
}

#[test]
fn m1_readers_share_and_writers_do_not() {
    check_obeys("A acq.sh l\nB acq.sh l\nA rel.sh l\nB rel.sh l\nA acq l");
    let behind = "A acq.sh l\nB acq l\nA rel.sh l\nB w x";
    check_broken(behind, Rule::Exclusion, 1, "A|acq.sh(l) A|rel.sh(l) B|w(x)");
    check_broken(
        "A acq l\nB acq.sh l\nA rel l\nB w x",
        Rule::Exclusion,
        1,
        "A|acq(l) A|rel(l) B|w(x)",
    );
}

#[test]
fn m1_a_thread_that_does_nothing_behind_an_acquire_waits_for_the_lock() {
    let waits = "A|acq(l) B|req(l) A|rel(l)";
    check_broken("A acq l\nB acq l\nA rel l", Rule::Exclusion, 1, waits);
    check_broken("A acq l\nB req l\nB acq l\nA rel l", Rule::Exclusion, 2, waits);
    check_broken(
        "A acq l\nB acq.sh l\nA rel l\nB exit 0",
        Rule::Exclusion,
        1,
        "A|acq(l) B|req.sh(l) A|rel(l)",
    );
    // No release is made up for a thread that may hold the lock to this day, unless it has ended.
    check_broken("A acq l\nB acq l", Rule::Exclusion, 1, "A|acq(l) B|req(l)");
    check_broken(
        "A acq l\nB acq l\nB w x",
        Rule::Exclusion,
        1,
        "A|acq(l) A|rel(l) B|acq(l) B|w(x)",
    );
    // One that only tried waits for nothing.
    check_broken("A acq l\nB tryacq l\nA rel l", Rule::Exclusion, 1, "A|acq(l) A|rel(l)");
}

#[test]
fn m1_threads_that_wait_for_each_other_release_nothing() {
    check_broken(
        "A acq l\nB acq k\nA acq k\nB acq l\nA exit 0\nB exit 0",
        Rule::Exclusion,
        2,
        "A|acq(l) B|acq(k) A|req(k) B|req(l)",
    );
}

#[test]
fn m1_a_thread_that_wakes_up_waits_for_its_lock_as_any_other() {
    let back = "A acq l\nA rel l\nA wait l\nB acq l\nB notify l\nB r x\nA acq l\nB r x";
    check_broken(
        back,
        Rule::Exclusion,
        6,
        "A|acq(l) A|wait(l) A|rel(l) B|acq(l) B|notify(l) B|r(x) A|req(l) B|r(x)",
    );
}

#[test]
fn m2_a_lock_is_released_by_its_holder_in_its_mode() {
    check_broken("A rel l\nA w x", Rule::Held, 0, "A|w(x)");
    check_broken("A acq l\nB rel l\nA rel l", Rule::Held, 1, "A|acq(l) A|rel(l)");
    check_broken("A acq.sh l\nA rel l", Rule::Held, 1, "A|acq.sh(l) A|rel.sh(l)");
}

#[test]
fn m3_reentrant_scopes_collapse_to_the_outermost() {
    check_broken(
        "A req l\nA acq l\nA req l\nA acq l\nA w x\nA rel l\nA r x\nA rel l",
        Rule::NotReentrant,
        3,
        "A|req(l) A|acq(l) A|w(x) A|r(x) A|rel(l)",
    );
}

#[test]
fn m4_a_try_fails_on_a_lock_that_is_held() {
    check_broken("A tryfail l\nA w x", Rule::TryHeld, 0, "A|w(x)");
    check_broken("B acq.sh l\nA tryfail.sh l", Rule::TryHeld, 1, "B|acq.sh(l)");
    check_obeys("B acq l\nA tryfail l");
}

#[test]
fn m5_a_request_is_answered_next() {
    check_broken("A req l\nA w x\nA acq l", Rule::RequestThenAcquire, 1, "A|w(x) A|acq(l)");
    check_obeys("B acq l\nA req l\nB rel l\nA acq l\nB req l");
    check_obeys("B acq l\nA req l\nB rel l\nA tryacq l");
}

#[test]
fn m5_a_request_behind_which_a_thread_only_ends_stays() {
    check_broken("A acq l\nB req l\nB exit 0", Rule::RequestThenAcquire, 2, "A|acq(l) B|req(l)");
    check_broken(
        "A acq l\nB w x\nB begin t\nB w x\nB req l\nB end t",
        Rule::RequestThenAcquire,
        5,
        "A|acq(l) B|w(x) B|begin(t) B|w(x) B|req(l)",
    );
    check_broken(
        "A acq l\nB req l\nB w x\nB exit 0",
        Rule::RequestThenAcquire,
        2,
        "A|acq(l) B|w(x) B|exit(0)",
    );
}

/// Which events that repairs leave out may have been waits for locks.
#[track_caller]
fn check_hidden(text: &str, expected: &[&str]) {
    let (_, repairs) = check(events(text), Mode::Normalise).unwrap();
    let hidden = repairs.iter().filter(|repair| repair.hides_wait);
    assert_eq!(hidden.map(|r| r.place.event.as_str()).collect::<Vec<_>>(), expected, "{repairs:?}");
}

#[test]
fn a_repair_says_that_it_leaves_out_a_wait_for_a_lock() {
    check_hidden("A acq l\nB acq l\nB w x\nA rel l", &["B|acq(l)"]);
    check_hidden("A acq l\nB req l\nB acq l\nB w x\nA rel l", &["B|acq(l)"]);
    check_hidden("A acq l\nB req l\nB w x\nA rel l", &["B|req(l)"]);
    check_hidden("A acq.sh l\nA acq l\nA rel l\nA rel.sh l", &["A|acq(l)"]);
    // The acquire that follows, or the request that stays, says it; and a try waits for nothing.
    check_hidden("A req l\nA w x\nA acq l", &[]);
    check_hidden("A acq l\nB acq l\nA rel l", &[]);
    check_hidden("A acq l\nB tryacq l\nB w x\nA rel l", &[]);
    check_hidden("A acq l\nA acq l\nA rel l\nA rel l", &[]);
    check_hidden("A acq l\nB req l\nB exit 0", &[]);
}

#[test]
fn n1_nesting_is_checked_where_it_is_claimed() {
    let crossing = "A acq l\nA acq k\nA rel l\nA rel k";
    check_obeys(crossing);
    let mut claimed = sketch(crossing).unwrap();
    claimed.claims.nested_locks = true;
    assert_eq!(check(claimed.clone(), Mode::Strict).unwrap_err().rule, Rule::Nested);
    let (normalised, repairs) = check(claimed, Mode::Normalise).unwrap();
    assert!(!normalised.claims.nested_locks);
    assert_eq!(repairs.len(), 1);
}

#[test]
fn w1_a_waiting_thread_only_handles_locks() {
    check_broken("A wait.pre c\nA w x", Rule::OneWait, 1, "A|wait(c) A|wake.spurious(c) A|w(x)");
    check_obeys("A acq l\nA wait.pre c\nA rel l\nB notify c\nA req l\nA acq l\nA wake c");
}

#[test]
fn w2_a_wake_up_follows_a_wait() {
    check_broken("A wake c\nA w x", Rule::WakeAfterWait, 0, "A|w(x)");
}

#[test]
fn w3_a_wake_up_has_its_notify() {
    check_broken("A wait.pre c\nA wake c", Rule::Notified, 1, "A|wait(c) A|wake.spurious(c)");
    check_obeys("A wait.pre c\nA wake.timeout c");
}

#[test]
fn w4_a_notify_wakes_one_and_notify_all_wakes_all() {
    check_broken(
        "A wait.pre c\nB wait.pre c\nC notify c\nA wake c\nB wake c",
        Rule::NotifyWakesOne,
        4,
        "A|wait(c) B|wait(c) C|notifyAll(c) A|wake(c) B|wake(c)",
    );
    check_obeys("A wait.pre c\nB wait.pre c\nC notifyAll c\nA wake c\nB wake c");
}

#[test]
fn s1_a_semaphore_without_declared_count_starts_with_what_the_trace_needs() {
    let (normalised, _) = check(events("A take s\nA take s\nA post s"), Mode::Strict).unwrap();
    assert_eq!(normalised.tables.initial(crate::SemaphoreId(0)), Some(2));
}

#[test]
fn s1_a_declared_count_is_checked() {
    let mut declared = events("A take s\nA post s\nA take s\nA take s");
    declared.tables.set_initial(crate::SemaphoreId(0), 1);
    let violation = check(declared.clone(), Mode::Strict).unwrap_err();
    assert_eq!((violation.rule, violation.place.position), (Rule::CountAboveZero, Some(3)));
    let (normalised, repairs) = check(declared, Mode::Normalise).unwrap();
    assert_eq!(normalised.tables.initial(crate::SemaphoreId(0)), Some(2));
    assert_eq!(repairs.len(), 1);
}

#[test]
fn r1_r2_a_barrier_is_left_by_those_who_arrived() {
    check_broken("A leave b\nA w x", Rule::LeaveAfterArrive, 0, "A|w(x)");
    check_broken("A arrive b\nA w x", Rule::ArriveOnce, 1, "A|arrive(b) A|leave(b) A|w(x)");
    check_obeys("A arrive b\nB arrive b\nB leave b\nA leave b\nB arrive b");
}

#[test]
fn r3_a_barrier_waits_for_its_parties() {
    let mut early = events("A arrive b\nA leave b\nB arrive b");
    early.tables.set_parties(crate::BarrierId(0), 2);
    assert_eq!(check(early.clone(), Mode::Strict).unwrap_err().rule, Rule::AllArrived);
    let (normalised, _) = check(early, Mode::Normalise).unwrap();
    assert_eq!(shown(&normalised), "B|arrive(b)");
}

#[test]
fn t1_transactions_nest() {
    check_broken("A w x\nA end t\nA w x", Rule::TransactionsNest, 1, "A|w(x) A|w(x)");
    check_broken(
        "A w x\nA begin t\nA begin u\nA end t\nA end u\nA end t",
        Rule::TransactionsNest,
        3,
        "A|w(x) A|begin(t) A|begin(u) A|end(u) A|end(t)",
    );
}

#[test]
fn x1_ids_out_of_range_are_refused_in_both_modes() {
    let mut wild = events("A w x");
    wild.objects[0] = 7;
    for mode in [Mode::Strict, Mode::Normalise] {
        assert_eq!(check(wild.clone(), mode).unwrap_err().rule, Rule::KnownObject);
    }
}

#[test]
fn a_violation_names_line_event_and_rule() {
    let violation = check(events("A acq l\nB rel l"), Mode::Strict).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "line 2: `B|rel(l)`: B does not hold l (rule M2: a lock is released by the thread that \
         holds it, in the mode it is held)"
    );
}
