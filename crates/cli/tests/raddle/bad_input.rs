//! Bad input: a clear error with its position, exit code 2, nothing on the standard output.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;

use raddle_needs::start;

use crate::harness::{Dir, GOOD, Run};

/// Reads `content` and expects `expected` on stderr.
#[track_caller]
fn check(name: &str, content: impl AsRef<[u8]>, expected: &str) {
    let dir = Dir::with(name, content);
    for command in ["info", "validate"] {
        let run = dir.raddle(&format!("trace {command} {name}")).exits(2);
        assert_eq!(run.stderr, format!("{expected}\n"), "{command}");
        assert_eq!(run.stdout, "", "{command}");
    }
    let run = dir.raddle(&format!("trace convert {name} -o out.rdl")).exits(2);
    assert_eq!(run.stderr, format!("{expected}\n"));
    assert_eq!(dir.names(), [name], "convert leaves nothing");
}

#[test]
fn an_empty_file_has_no_event() {
    check(
        "t.std",
        "",
        "error: cannot read `t.std`
 |
 = caused by: the trace is empty: it has no event",
    );
}

#[test]
fn a_missing_file_is_named() {
    let run = Dir::new().raddle("trace info t.std").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: cannot read `t.std`
     |
     = caused by: No such file or directory (os error 2)
    ");
}

#[test]
fn a_directory_is_no_trace() {
    let run = Dir::new().raddle("trace info .").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: cannot read `.`
     |
     = caused by: it is a directory
    ");
}

#[test]
fn an_unknown_operation_is_shown_in_its_line() {
    check(
        "t.std",
        "T1|w(x)|1\n\n# a remark\nT1|frob(x)|2\n",
        "error: unknown operation `frob`
 --> t.std:4:4
  |
4 | T1|frob(x)|2
  |    ^^^^",
    );
}

#[test]
fn a_file_that_ends_inside_a_line_is_rejected() {
    check(
        "t.std",
        "T1|w(x)|1\nT1|w(",
        "error: expected `|` and a location after the operation
 --> t.std:2:6
  |
2 | T1|w(
  |      ^",
    );
}

#[test]
fn binary_garbage_is_recognised() {
    let garbage: Vec<u8> = (0..3000u32).map(|n| (n * n % 251) as u8).collect();
    let run = Dir::with("t.std", garbage).raddle("trace validate t.std").exits(2);
    assert!(run.stderr.contains("this is not text"), "{}", run.stderr);
    assert!(run.stderr.contains("t.std:1:"), "{}", run.stderr);
}

#[test]
fn a_release_without_acquire_is_rejected() {
    check(
        "t.std",
        "T1|w(x)|1\nT1|rel(m)|2\n",
        "error[M2]: the trace is not well-formed
 --> t.std:2:1
  |
2 | T1|rel(m)
  | ^^^^^^^^^ T1 does not hold m
  |
  = note: rule M2: a lock is released by the thread that holds it, in the mode it is held
  = help: use --normalise to repair this and list every repair",
    );
}

#[test]
fn a_thread_that_is_joined_twice_is_rejected() {
    check(
        "t.std",
        "T0|fork(T1)|1\nT1|w(x)|2\nT0|join(T1)|3\nT0|join(T1)|4\n",
        "error[J2]: the trace is not well-formed
 --> t.std:4:1
  |
4 | T0|join(T1)
  | ^^^^^^^^^^^ T1 was joined before
  |
  = note: rule J2: a thread is joined at most once, by another thread
  = help: use --normalise to repair this and list every repair",
    );
}

#[test]
fn too_many_threads_are_refused_at_the_first_that_is_too_many() {
    let trace: String = (0..70_000).map(|t| format!("T{t}|w(x)|1\n")).collect();
    check(
        "t.std",
        trace,
        "error: more than 65536 threads
     --> t.std:65537:1
      |
65537 | T65536|w(x)|1
      | ^^^^^^",
    );
}

#[test]
fn a_line_of_several_megabytes_is_refused() {
    let line = "x".repeat(3 << 20);
    check(
        "t.std",
        format!("T1|w(x)|1\nT1|w({line})|2\n"),
        "error: the line is longer than 1048576 bytes\n--> t.std:2:1048577",
    );
}

#[test]
fn a_line_of_300_megabytes_ends_the_reading_at_once() {
    let dir = Dir::new();
    File::create(dir.path("t.std")).unwrap().set_len(300 << 20).unwrap();
    let run = dir.raddle("trace validate t.std").exits(2);
    assert!(run.stderr.contains("longer than 1048576 bytes"), "{}", run.stderr);
}

#[test]
fn an_endless_line_on_the_standard_input_is_not_read_to_its_end() {
    let dir = Dir::new();
    let mut command = dir.command(["trace", "validate", "-"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(&mut command);
    let mut stdin = child.stdin.take().unwrap();
    let chunk = vec![b'x'; 1 << 20];
    let mut written = 0;
    // Fails as soon as the command has ended.
    while stdin.write_all(&chunk).is_ok() {
        written += 1;
        assert!(written < 64, "a line of 64 MiB was swallowed");
    }
    let run = Run::of(child.output()).exits(2);
    assert!(run.stderr.contains("<stdin>:1:1048577"), "{}", run.stderr);
}

#[test]
fn names_that_are_no_text_are_refused() {
    let run = Dir::with("t.std", b"T1|w(x)|1\nT1|w(\xff\xfe)|2\n").raddle("trace info t.std");
    assert!(run.stderr.contains("not valid UTF-8\n --> t.std:2:6"), "{}", run.stderr);
    run.exits(2);
}

#[test]
fn a_trace_that_does_not_fit_is_refused_before_it_is_read() {
    let dir = Dir::with("t.std", GOOD.repeat(100));
    let run = dir.raddle("trace info --max-memory 1KiB t.std").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: cannot read `t.std`
     |
     = caused by: the trace needs about 43.8 KiB of memory for 801 events or more, and 1.0 KiB may be used; split the trace, or raise the limit
     = help: --max-memory sets the limit; the default is the free memory
    ");
}

#[test]
fn a_truncated_gzip_file_is_an_error() {
    let dir = Dir::with("t.std", GOOD.repeat(50));
    dir.raddle("trace convert t.std --normalise -o t.std.gz").succeeds();
    let bytes = dir.read("t.std.gz");
    dir.file("cut.std.gz", &bytes[..bytes.len() / 2]);
    let run = dir.raddle("trace validate cut.std.gz").exits(2);
    assert!(run.stderr.starts_with("error: cannot read `cut.std.gz`"), "{}", run.stderr);
}

#[test]
fn an_rdl_file_of_another_version_is_refused() {
    let dir = Dir::with("t.std", GOOD);
    dir.raddle("trace convert t.std -o t.rdl").succeeds();
    let mut bytes = dir.read("t.rdl");
    bytes[8] = 99;
    dir.file("t.rdl", bytes);
    let run = dir.raddle("trace validate t.rdl").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: cannot read `t.rdl`
     |
     = caused by: at byte 0: the file has format version 99; this program reads version 1
    ");
}
