//! Damaged and unfinished `.rdl` files: what can be read is read, and the rest is not hidden.

use crate::harness::{Dir, GOOD};

/// Bytes of the block that marks the end of a file.
const END_MARK: usize = 32;

/// `GOOD` in a file that was cut off before its end mark, as a crash leaves it.
fn unfinished() -> Dir {
    let dir = Dir::with("good.std", GOOD);
    dir.raddle("trace convert good.std -o whole.rdl").succeeds();
    let bytes = dir.read("whole.rdl");
    dir.file("t.rdl", &bytes[..bytes.len() - END_MARK]);
    dir
}

/// `GOOD` in a file that was cut inside its end mark.
fn torn() -> Dir {
    let dir = unfinished();
    let bytes = dir.read("whole.rdl");
    dir.file("t.rdl", &bytes[..bytes.len() - 5]);
    dir
}

#[test]
fn info_shows_what_an_unfinished_file_has_and_exits_with_3() {
    let run = unfinished().raddle("trace info t.rdl").exits(3);
    assert!(run.stdout.contains("\nevents                8\n"), "{}", run.stdout);
    insta::assert_snapshot!(run.stderr, @"
    error: the file was not finished: it ends after 8 events without its end mark; what was recorded after them is lost
    --> t.rdl
    ");
}

#[test]
fn info_says_where_a_torn_file_is_damaged() {
    let dir = torn();
    let run = dir.raddle("trace info --format json t.rdl").exits(3);
    let offset = dir.read("whole.rdl").len() - END_MARK;
    let expected = format!("error: the file is damaged at byte {offset}: the file ends inside");
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    let loss = &run.json()["loss"];
    assert_eq!(loss["offset"], offset);
    assert_eq!(loss["bytes"], END_MARK - 5);
    assert_eq!(loss["events_read"], 8);
}

#[test]
fn convert_saves_what_can_be_read_and_exits_with_3() {
    let dir = torn();
    let run = dir.raddle("trace convert t.rdl -o saved.std").exits(3);
    assert_eq!(dir.text("saved.std"), GOOD);
    assert!(run.stderr.contains("error: the file is damaged at byte"), "{}", run.stderr);
}

#[test]
fn validate_rejects_an_unfinished_file() {
    let dir = unfinished();
    let run = dir.raddle("trace validate t.rdl").exits(2);
    insta::assert_snapshot!(run.stdout, @"damaged: t.rdl: 8 events, 2 threads, 1 lock, 1 variable could be read");
    assert!(run.stderr.contains("error: the file was not finished"), "{}", run.stderr);
    let json = dir.raddle("trace validate --format json t.rdl").exits(2).json();
    assert_eq!(json["result"], "damaged");
    assert_eq!(json["problem"]["kind"], "damage");
}

#[test]
fn a_file_that_is_damaged_before_its_first_event_cannot_be_read() {
    let dir = unfinished();
    let mut bytes = dir.read("whole.rdl");
    bytes[60] ^= 0xff;
    dir.file("t.rdl", &bytes);
    for command in ["info t.rdl", "validate t.rdl", "convert t.rdl -o x.std"] {
        let run = dir.raddle(&format!("trace {command}")).exits(2);
        assert!(run.stderr.contains("caused by: at byte 16: the checksum"), "{}", run.stderr);
    }
}

#[test]
fn the_event_of_a_violation_in_rdl_is_named_by_its_position() {
    let dir = Dir::with("good.std", GOOD);
    dir.raddle("trace convert good.std -o t.rdl").succeeds();
    // Locks that are released in the order of taking them are fine until nesting is claimed.
    dir.file("x.std", "T1|acq(a)|1\nT1|acq(b)|2\nT1|rel(a)|3\nT1|rel(b)|4\n");
    dir.raddle("trace convert x.std -o x.rdl").succeeds();
    let run = dir.raddle("trace validate --nested x.rdl").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error[N1]: the trace is not well-formed
    --> x.rdl
     |
     = note: event 2, `T1|rel(a)`: T1 took b after a and still holds it
     = note: rule N1: where nesting is claimed, the lock taken last is released first
     = help: use --normalise to repair this and list every repair
    ");
}
