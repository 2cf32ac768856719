//! Which memory is kept, and what belongs to what.

use raddle_trace::check::{Mode, check};
use raddle_wire::Code;

use super::{Build, shown};
use crate::recording::Options;

/// What is kept unless everything is asked for.
#[track_caller]
fn check_kept(build: &Build, expected: &str) {
    let native = build.read_with(Options::default());
    assert_eq!(shown(&native), expected);
    check(native.events, Mode::Strict).unwrap();
}

#[test]
fn memory_of_one_thread_is_left_out() {
    let build = Build::new().write(0x1000).write(0x2000).on(1).read(0x2000).read(0x3000);
    check_kept(&build, "main|w(0x2000) thread#1|r(0x2000)");
}

#[test]
fn memory_is_shared_eight_bytes_at_a_time() {
    let build = Build::new().write(0x1000).write(0x1010).on(1).read(0x1004).read(0x1018);
    check_kept(&build, "main|w(0x1000) thread#1|r(0x1004)");
}

#[test]
fn a_range_shares_what_it_touches() {
    let build = Build::new().write(0x1000).write(0x9000).on(1);
    let build = build.counted(Code::ReadRange, 0x800, 0x2000);
    check_kept(&build, "main|w(0x1000) thread#1|r(0x800)");
}

#[test]
fn positions_count_what_is_left_out() {
    let build = Build::new().write(8).write(0x2000).on(1).write(16).write(24).write(0x2000);
    let native = build.read_with(Options::default());
    assert_eq!(native.positions, [2, 3]);
}

#[test]
fn memory_that_is_allocated_again_is_other_memory() {
    let build = Build::new().alloc(0x1000, 64).write(0x1008).does(Code::Free, 0x1000);
    let build = build.alloc(0x1000, 32).write(0x1008).on(1).write(0x1008).does(Code::Free, 0x1000);
    check_kept(
        &build,
        "main|alloc(heap) main|w(heap+8) main|free(heap) \
         main|alloc(heap#2) main|w(heap#2+8) thread#1|w(heap#2+8) \
         thread#1|free(heap#2)",
    );
}

#[test]
fn allocations_of_one_thread_are_left_out() {
    let build = Build::new().alloc(0x1000, 64).write(0x1008).does(Code::Free, 0x1000);
    check_kept(&build.on(1).alloc(0x2000, 8).write(0x2000), "");
}

#[test]
fn whoever_frees_memory_touches_it() {
    let build = Build::new().alloc(0x1000, 64).write(0x1008).on(1).does(Code::Free, 0x1000);
    check_kept(&build, "main|alloc(heap) main|w(heap+8) thread#1|free(heap)");
}

#[test]
fn a_late_access_is_one_to_what_was_freed() {
    let build = Build::new().alloc(0x1000, 64).does(Code::Free, 0x1000).on(1).read(0x1010);
    check_kept(&build, "main|alloc(heap) main|free(heap) thread#1|r(heap+16)");
}

#[test]
fn locks_in_memory_that_is_used_again_are_other_locks() {
    let used =
        |build: Build| build.alloc(0x1000, 64).does(Code::Lock, 0x1000).does(Code::Free, 0x1000);
    let native = used(used(Build::new())).read_with(Options::default());
    assert_eq!(shown(&native), "main|acq(heap) main|acq(heap#2)");
    check(native.events, Mode::Strict).unwrap();
}

#[test]
fn accesses_of_other_sizes_overlap() {
    let build = Build::new().counted(Code::WriteRange, 0x1000, 16).write(0x1000).on(1);
    let native = build.read(0x1008).read(0x1000).all();
    let trace = raddle_trace::Trace::new(native.events, Mode::Strict).unwrap();
    assert_eq!(trace.n_cells(), 4);
}
