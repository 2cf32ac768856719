//! Each code and what becomes of it.

use std::fs;

use raddle_trace::EventId;
use raddle_wire::{Code, Record};

use super::{Build, PC, check_all, shown};
use crate::recording::{Options, ReadError, Recording, is_recording};

const M: u64 = 0x7000;
const C: u64 = 0x7100;

#[test]
fn accesses_have_their_kind_and_order() {
    let build = Build::new()
        .read(0x1000)
        .write(0x1000)
        .counted(Code::ReadRange, 0x2000, 100)
        .counted(Code::WriteRange, 0x3000, 70_000)
        .with(Code::AtomicLoad, 0x1010, 0)
        .with(Code::AtomicLoad, 0x1010, 1)
        .with(Code::AtomicStore, 0x1010, 3)
        .with(Code::AtomicUpdate, 0x1010, 4)
        .with(Code::AtomicMiss, 0x1010, 4)
        .with(Code::AtomicMiss, 0x1010, 3)
        .with(Code::AtomicLoad, 0x1010, 5);
    let native = check_all(
        &build,
        "main|r(0x1000) main|w(0x1000) main|r(0x2000) main|w(0x3000) main|r.rlx(0x1010) \
         main|r.acq(0x1010) main|w.rel(0x1010) main|rmw.ar(0x1010) main|r.acq(0x1010) \
         main|r.rlx(0x1010) main|r.sc(0x1010)",
    );
    let sizes: Vec<_> = native.events.tables.ranges().map(|(_, range)| range.size).collect();
    assert_eq!(sizes, [4, 100, 70_000, 4]);
}

#[test]
fn values_belong_to_the_record_before_them() {
    let value = |build: Build, value| build.record(Record::valued(Code::Value, value));
    let (own, x, y) = (0x2000, 0x1000, 0x1008);
    // Thread 0 has `own` for itself, and its reads are held back.
    let build = value(Build::new().read(x), 7);
    let build = value(build.read(own), 1);
    let build = value(build.read(y), u64::MAX);
    let build = build.read(x);
    let build = value(build.write(x), 8);
    let build = build.with(Code::AtomicUpdate, y, 5).record(Record::valued(Code::Found, 2));
    let build = value(build, 1 << 48).on(1).does(Code::Lock, M);
    // What belongs to nothing is left out.
    let build = value(build, 9).write(x).write(y);
    let native = build.read_with(Options::default());
    assert_eq!(
        shown(&native),
        "main|r(0x1000) main|r(0x1008) main|r(0x1000) main|w(0x1000) main|rmw(0x1008) \
         thread#1|acq(0x7000) thread#1|w(0x1000) thread#1|w(0x1008)",
    );
    let known = |event: u32| native.events.value(EventId(event));
    let values: Vec<_> = (0..8).map(known).collect();
    assert_eq!(values[..5], [Some(7), Some(u64::MAX), None, Some(8), Some(1 << 48)]);
    assert_eq!(values[5..], [None; 3]);
    let found: Vec<_> = (0..8).filter_map(|event| native.events.found(EventId(event))).collect();
    assert_eq!(found, [2]);
    assert_eq!(native.positions[..5], [1, 3, 4, 5, 6], "values are no events");
}

#[test]
fn threads_fork_begin_end_and_join() {
    let build = Build::new()
        .does(Code::Begin, 0)
        .does(Code::Fork, 1)
        .on(1)
        .does(Code::Begin, 0)
        .write(0x1000)
        .does(Code::End, 0)
        .on(0)
        .does(Code::Join, 1)
        .does(Code::End, 0);
    let expected = "main|start(0) main|fork(thread#1) thread#1|start(0) thread#1|w(0x1000) \
                    thread#1|exit(0) main|join(thread#1) main|exit(0)";
    let native = check_all(&build, expected);
    assert_eq!(native.positions, [1, 2, 1, 2, 3, 3, 4]);
}

#[test]
fn threads_may_have_any_number() {
    let build = Build::new().on(7).write(0x1000).on(3).write(0x1000);
    let native = check_all(&build, "thread#7|w(0x1000) thread#3|w(0x1000)");
    assert_eq!(native.threads, [0, 7, 3]);
}

#[test]
fn locks_have_their_mode() {
    let build = Build::new()
        .with(Code::Lock, M, 1)
        .on(1)
        .with(Code::TryFail, M, 0)
        .with(Code::Lock, M, 1)
        .with(Code::Unlock, M, 1)
        .with(Code::Request, M, 0)
        .on(0)
        .with(Code::Unlock, M, 1)
        .on(1)
        .does(Code::Lock, M)
        .does(Code::Unlock, M);
    let expected = "main|acq.sh(0x7000) thread#1|tryfail(0x7000) thread#1|acq.sh(0x7000) \
                    thread#1|rel.sh(0x7000) thread#1|req(0x7000) main|rel.sh(0x7000) \
                    thread#1|acq(0x7000) thread#1|rel(0x7000)";
    check_all(&build, expected);
}

#[test]
fn r1_a_lock_that_is_taken_again_for_reading_is_taken_once() {
    let read = |code| Record::new(code, M, 0, PC, 1);
    let build = Build::new()
        .record(read(Code::Lock))
        .record(read(Code::Request))
        .record(read(Code::Lock))
        .record(read(Code::Unlock))
        .on(1)
        .with(Code::TryFail, M, 0)
        .on(0)
        .record(read(Code::Unlock))
        .on(1)
        .does(Code::Lock, M);
    let expected = "main|req.sh(0x7000) main|acq.sh(0x7000) thread#1|tryfail(0x7000) \
                    main|rel.sh(0x7000) thread#1|acq(0x7000)";
    check_all(&build, expected);
}

#[test]
fn r2_an_exception_gives_a_once_back() {
    let build = Build::new()
        .does(Code::OnceEnter, M)
        .does(Code::Order, M)
        .on(1)
        .with(Code::Order, M, 1)
        .does(Code::OnceEnter, M)
        .does(Code::OnceDone, M);
    let native = build.read_with(Options { locals: true, ..Options::default() });
    let text = shown(&native);
    assert_eq!(text.matches("|acq(").count(), 2, "{text}");
    assert_eq!(text.matches("|rel(").count(), 2, "{text}");
}

#[test]
fn r9_who_waits_for_a_lock_asks_and_who_tries_says_so() {
    let lock = |detail| Build::new().record(Record::new(Code::Lock, M, detail, PC, 0));
    check_all(&lock(0), "main|req(0x7000) main|acq(0x7000)");
    check_all(&lock(1), "main|tryacq(0x7000)");
}

/// Thread 0 waits on C with M held; no thread has woken it.
fn waiting() -> Build {
    Build::new().does(Code::Lock, M).does(Code::Wait, C).does(Code::Unlock, M)
}

#[test]
fn a_wait_is_four_events_and_its_wake_up_names_the_notify() {
    let build = waiting().on(1).with(Code::Notify, C, 1).on(0).does(Code::Lock, M);
    let build = build.does(Code::Wake, C).does(Code::Unlock, M);
    let native = check_all(
        &build,
        "main|acq(0x7000) main|wait(0x7100) main|rel(0x7000) thread#1|notify(0x7100) \
         main|acq(0x7000) main|wake(0x7100) main|rel(0x7000)",
    );
    assert_eq!(native.events.waker(EventId(5)), Some(EventId(3)));
}

#[test]
fn a_wake_up_may_have_another_reason() {
    let end = |build: Build, extra| build.does(Code::Lock, M).with(Code::Wake, C, extra);
    let text = |build: &Build| shown(&build.all());
    assert!(text(&end(waiting(), 1)).ends_with("wake.timeout(0x7100)"));
    assert!(text(&end(waiting(), 0)).ends_with("wake.spurious(0x7100)"));
    let idle = waiting().on(1).with(Code::Notify, C, 0).on(0);
    assert!(text(&end(idle, 0)).ends_with("wake.spurious(0x7100)"));
    let elsewhere = waiting().on(1).with(Code::NotifyAll, C + 64, 0).on(0);
    assert!(text(&end(elsewhere, 0)).ends_with("wake.spurious(0x7100)"));
}

#[test]
fn notify_all_wakes_those_who_wait_at_that_moment() {
    let mut build = Build::new();
    for thread in 0..2 {
        build = build.on(thread).does(Code::Lock, M).does(Code::Wait, C).does(Code::Unlock, M);
    }
    build = build.on(2).does(Code::NotifyAll, C);
    build = build.on(3).does(Code::Lock, M).does(Code::Wait, C).does(Code::Unlock, M);
    for thread in 0..2 {
        build = build.on(thread).does(Code::Lock, M).does(Code::Wake, C).does(Code::Unlock, M);
    }
    build = build.on(3).does(Code::Lock, M).does(Code::Wake, C);
    let native = build.all();
    raddle_trace::check::check(native.events.clone(), raddle_trace::check::Mode::Strict).unwrap();
    let wakes: Vec<_> = (0..native.events.len() as u32).map(EventId).collect();
    let wakers: Vec<_> = wakes.iter().filter_map(|&wake| native.events.waker(wake)).collect();
    assert_eq!(wakers, [EventId(6), EventId(6)]);
    assert!(shown(&native).ends_with("thread#3|wake.spurious(0x7100)"));
}

#[test]
fn semaphores_count_from_their_initial_value() {
    let build = Build::new().counted(Code::SemaphoreInit, 0x10, 2);
    let build = build.does(Code::Take, 0x10).does(Code::Take, 0x10).does(Code::Post, 0x10);
    let again = build.counted(Code::SemaphoreInit, 0x10, 1).does(Code::Take, 0x10);
    let native =
        check_all(&again, "main|take(0x10) main|take(0x10) main|post(0x10) main|take(0x10#2)");
    let initial = |n| native.events.tables.initial(raddle_trace::SemaphoreId(n));
    assert_eq!((initial(0), initial(1)), (Some(2), Some(1)));
}

#[test]
fn barriers_know_their_parties() {
    let build = Build::new().counted(Code::BarrierInit, 0x20, 2).does(Code::Arrive, 0x20).on(1);
    let build = build.does(Code::Arrive, 0x20).does(Code::Leave, 0x20).on(0);
    let native = check_all(
        &build.does(Code::Leave, 0x20),
        "main|arrive(0x20) thread#1|arrive(0x20) thread#1|leave(0x20) main|leave(0x20)",
    );
    assert_eq!(native.events.tables.parties(raddle_trace::BarrierId(0)), Some(2));
}

#[test]
fn once_is_a_lock_and_a_variable() {
    let build = Build::new().does(Code::OnceEnter, 0x30).write(0x1000).does(Code::OnceDone, 0x30);
    let native = check_all(
        &build.on(1).does(Code::OncePass, 0x30).read(0x1000),
        "main|acq(0x30) main|w(0x1000) main|w.rel(0x30) main|rel(0x30) thread#1|acq(0x30) \
         thread#1|r.acq(0x30) thread#1|rel(0x30) thread#1|r(0x1000)",
    );
    assert_eq!(native.positions, [1, 2, 3, 3, 1, 1, 1, 2]);
}

#[test]
fn what_orders_threads_unseen_is_an_atomic_variable() {
    let build = Build::new().with(Code::Order, 0x40, 0).on(1).with(Code::Order, 0x40, 1);
    check_all(&build, "main|rmw.ar(order of 0x40) thread#1|r.acq(order of 0x40)");
}

#[test]
fn only_the_strongest_fence_is_an_event() {
    let build = Build::new().with(Code::Fence, 0, 4).with(Code::Fence, 0, 5).write(0x1000);
    let native = check_all(&build, "main|rmw(fence) main|w(0x1000)");
    assert_eq!(native.positions, [2, 3]);
}

#[test]
fn an_event_behind_the_mark_is_a_guess() {
    let build = Build::new().read(8).does(Code::Unordered, 0).does(Code::Pass, 0).on(1).read(8);
    let native = build.on(0).read(8).does(Code::Unordered, 0).read(16).read(24).all();
    assert_eq!(native.guesses, [EventId(2), EventId(3)]);
    let text = native.about_guesses().unwrap();
    assert!(text.starts_with("2 reads of 2 variables"), "{text}");
    let (events, guide) = native.split();
    let rests = |order: [u32; 3]| guide.rests_on_guess(&events, &order.map(EventId));
    assert!(!rests([0, 2, 1]) && rests([0, 2, 3]));
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let open = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        Recording::open(&path).map(drop).unwrap_err()
    };
    assert!(matches!(open(b""), ReadError::NotARecording));
    assert!(matches!(open(&[7; 100]), ReadError::NotARecording));
    let good = Build::new().bytes;
    assert!(is_recording(&good) && !is_recording(b"RADDLE"));
    let mut newer = good.clone();
    newer[8] = 99;
    assert!(matches!(open(&newer), ReadError::Version { found: 99 }));
    assert!(matches!(open(&good[..40]), ReadError::NotARecording));
    assert!(matches!(Recording::open(&folder.path().join("gone")), Err(ReadError::Open { .. })));
}
