//! Reads that say nothing new.

use raddle_wire::{Code, Record};

use super::{Build, PC, shown};

/// Thread 1 does this to shared memory; what it does is kept.
#[track_caller]
fn check(build: impl Fn(Build) -> Build, expected: &str) {
    let shared = Build::new().write(8).write(64).on(1);
    let native = build(shared).read_with(Default::default());
    let text = shown(&native).replace("thread#1|", "");
    assert_eq!(text.strip_prefix("main|w(0x8) main|w(0x40)").unwrap().trim_start(), expected);
}

fn reads(build: Build, address: u64, n: usize) -> Build {
    (0..n).fold(build, |build, _| build.read(address))
}

#[test]
fn of_equal_reads_three_are_kept() {
    check(|b| reads(reads(b, 64, 1), 8, 9), "r(0x40) r(0x8) r(0x8) r(0x8)");
}

#[test]
fn a_write_of_the_thread_begins_a_new_stretch() {
    check(
        |b| reads(reads(b, 8, 5).write(64), 8, 5),
        "r(0x8) r(0x8) r(0x8) w(0x40) r(0x8) r(0x8) r(0x8)",
    );
}

#[test]
fn memory_of_the_thread_alone_ends_no_stretch() {
    check(|b| reads(reads(b.read(64), 8, 5).write(512), 8, 5), "r(0x40) r(0x8) r(0x8) r(0x8)");
}

#[test]
fn a_switch_ends_a_stretch() {
    check(
        |b| reads(reads(b.read(64), 8, 4).on(0).on(1), 8, 1),
        "r(0x40) r(0x8) r(0x8) r(0x8) r(0x8)",
    );
}

#[test]
fn writes_and_atomics_are_all_kept() {
    let atomics = |b: Build| (0..4).fold(b, |b, _| b.with(Code::AtomicLoad, 8, 0));
    check(|b| atomics(b).read(64), "r.rlx(0x8) r.rlx(0x8) r.rlx(0x8) r.rlx(0x8) r(0x40)");
    check(|b| (0..4).fold(b.read(64), |b, _| b.write(8)), "r(0x40) w(0x8) w(0x8) w(0x8) w(0x8)");
}

#[test]
fn another_place_in_the_code_is_another_read() {
    let from = |pc| Record::new(Code::Read, 8, 4, pc, 0);
    check(
        |b| (0..6).fold(b.read(64), |b, n| b.record(from(PC + n))),
        "r(0x40) r(0x8) r(0x8) r(0x8) r(0x8) r(0x8) r(0x8)",
    );
}
