//! `raddle trace convert`

use std::fs;

use crate::harness::{Dir, GOOD};

#[track_caller]
fn converts(dir: &Dir, args: &str) {
    dir.raddle(&format!("trace convert {args}")).succeeds();
}

#[test]
fn text_to_native_and_back_is_the_same_text() {
    let dir = Dir::with("a.std", GOOD);
    converts(&dir, "a.std -o b.rdl");
    converts(&dir, "b.rdl -o c.std");
    assert_eq!(dir.text("c.std"), GOOD);
}

#[test]
fn every_format_and_compression_reads_back() {
    let dir = Dir::with("a.std", GOOD);
    let endings = ["std", "std.gz", "std.zst", "rdl", "rdl.gz", "rdl.zst"];
    for ending in endings {
        converts(&dir, &format!("a.std -o b.{ending}"));
        converts(&dir, &format!("b.{ending} -o back.std"));
        assert_eq!(dir.text("back.std"), GOOD, "{ending}");
        let json = dir.raddle(&format!("trace info --format json b.{ending}")).succeeds().json();
        let compression = match ending.rsplit_once('.').map(|(_, last)| last) {
            Some("gz") => "gzip",
            Some("zst") => "zstd",
            _ => "none",
        };
        assert_eq!(json["compression"], compression, "{ending}");
        assert_eq!(json["format"], &ending[..3], "{ending}");
    }
}

#[test]
fn compressed_output_is_what_other_programs_read() {
    use std::io::Read;
    let dir = Dir::with("a.std", GOOD);
    converts(&dir, "a.std -o b.std.gz");
    converts(&dir, "a.std -o b.std.zst");
    let mut text = String::new();
    flate2::read::GzDecoder::new(&dir.read("b.std.gz")[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, GOOD);
    assert_eq!(zstd::decode_all(&dir.read("b.std.zst")[..]).unwrap(), GOOD.as_bytes());
}

#[test]
fn options_say_what_the_name_does_not() {
    let dir = Dir::with("a.std", GOOD);
    converts(&dir, "a.std --to rdl -o b");
    converts(&dir, "b --to std --compress gzip -o c");
    converts(&dir, "c -o d.std --compress none");
    assert_eq!(dir.text("d.std"), GOOD);
    assert!(dir.read("c").starts_with(&[0x1f, 0x8b]));
}

#[test]
fn what_the_name_does_not_say_must_be_said() {
    let dir = Dir::with("a.std", GOOD);
    let run = dir.raddle("trace convert a.std -o b.txt").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: cannot determine the format from the name `b.txt`
     |
     = help: use --to std or --to rdl, or a name that ends in .std or .rdl
    ");
    dir.raddle("trace convert a.std -o -").exits(2);
    assert_eq!(dir.names(), ["a.std"]);
}

#[test]
fn an_option_must_not_contradict_the_name() {
    let dir = Dir::with("a.std", GOOD);
    let run = dir.raddle("trace convert a.std --to rdl -o b.std").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: `--to rdl` contradicts the name `b.std`, which means std
     |
     = help: omit the option, or change the name of the output
    ");
    let run = dir.raddle("trace convert a.std --compress zstd -o b.std.gz").exits(2);
    assert!(run.stderr.contains("`--compress zstd` contradicts"), "{}", run.stderr);
    assert_eq!(dir.names(), ["a.std"]);
}

#[test]
fn the_standard_output_holds_the_trace_and_nothing_else() {
    let dir = Dir::with("a.std", GOOD);
    for format in ["text", "json"] {
        let run = dir.raddle(&format!("trace convert a.std --to std -o - --format {format}"));
        assert_eq!(run.stdout, GOOD);
        assert_eq!(run.stderr, "");
        run.succeeds();
    }
}

#[test]
fn the_note_goes_to_stderr_and_can_be_silenced() {
    let dir = Dir::with("a.std", GOOD);
    let run = dir.raddle("trace convert a.std -o b.std").succeeds();
    assert_eq!(run.stdout, "");
    insta::assert_snapshot!(run.stderr, @"note: wrote b.std (STD text): 8 events in 154 bytes, 19.2 bytes per event");
    assert_eq!(dir.raddle("trace convert a.std -o b.std --quiet").succeeds().stderr, "");
    assert_eq!(dir.raddle("-q trace convert a.std -o b.std").succeeds().stderr, "");
}

#[test]
fn json_reports_what_was_written() {
    let dir = Dir::with("a.std", "T1|w(x)|1\nT1|rel(m)|2\n");
    let run = dir.raddle("trace convert --normalise a.std -o b.std --format json").succeeds();
    insta::assert_snapshot!(run.stdout, @r#"
    {
      "schema": "raddle.trace-convert/1",
      "file": "a.std",
      "output": {
        "file": "b.std",
        "format": "std",
        "compression": "none",
        "bytes": 10
      },
      "events": 1,
      "repairs": [
        {
          "rule": "M2",
          "action": "dropped",
          "event": "T1|rel(m)",
          "position": 1,
          "line": 2,
          "detail": "T1 does not hold m"
        }
      ],
      "not_held": {
        "values": 0,
        "stacks": 0,
        "ranges": 0,
        "counts": 0,
        "escaped_names": 0
      },
      "loss": null
    }
    "#);
    assert_eq!(run.stderr, "");
}

#[test]
fn repairs_are_listed_even_when_quiet() {
    let dir = Dir::with("a.std", "T1|w(x)|1\nT1|rel(m)|2\n");
    dir.raddle("trace convert a.std -o b.std").exits(2);
    assert_eq!(dir.names(), ["a.std"], "a rejected trace is not written");
    let run = dir.raddle("trace convert --normalise -q a.std -o b.std").succeeds();
    insta::assert_snapshot!(run.stderr, @"
    warning: the trace is well-formed after 1 repair
    --> a.std
     |
     = note: line 2: `T1|rel(m)`: dropped (M2: T1 does not hold m)
    ");
    assert_eq!(dir.text("b.std"), "T1|w(x)|1\n");
}

#[test]
fn what_text_cannot_hold_is_said() {
    let dir = Dir::new();
    dir.raddle("trace generate --preset tiny --values --wait 0 -o a.rdl").succeeds();
    let run = dir.raddle("trace convert a.rdl -o a.std").succeeds();
    assert!(
        run.stderr.contains("warning: STD text cannot represent all of this trace"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains(" values omitted"), "{}", run.stderr);
    let run = dir.raddle("trace convert a.rdl -o b.rdl").succeeds();
    assert!(!run.stderr.contains("warning"), "{}", run.stderr);
}

#[test]
fn the_input_is_not_overwritten() {
    let dir = Dir::with("a.std", GOOD);
    let run = dir.raddle("trace convert a.std -o ./a.std").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: `a.std` is both input and output
     |
     = help: -o must name another file
    ");
    assert_eq!(dir.text("a.std"), GOOD);
}

#[cfg(unix)]
#[test]
fn the_input_is_not_overwritten_through_a_link() {
    let dir = Dir::with("a.std", GOOD);
    std::os::unix::fs::symlink("a.std", dir.path("link.std")).unwrap();
    dir.raddle("trace convert a.std -o link.std").exits(2);
    dir.raddle("trace convert link.std -o a.std").exits(2);
    assert_eq!(dir.text("a.std"), GOOD);
}

#[test]
fn an_older_output_is_replaced_when_the_new_one_is_complete() {
    let dir = Dir::with("a.std", GOOD);
    dir.file("b.std", "old");
    dir.file("bad.std", "T1|rel(m)|1\n");
    dir.raddle("trace convert bad.std -o b.std").exits(2);
    assert_eq!(dir.text("b.std"), "old");
    converts(&dir, "a.std -o b.std");
    assert_eq!(dir.text("b.std"), GOOD);
    assert_eq!(dir.names(), ["a.std", "b.std", "bad.std"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay_what_they_are() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = Dir::with("a.std", GOOD);
    dir.file("real.std", "old");
    fs::set_permissions(dir.path("real.std"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.std", dir.path("link.std")).unwrap();
    converts(&dir, "a.std -o link.std");
    assert_eq!(dir.text("real.std"), GOOD);
    assert!(fs::symlink_metadata(dir.path("link.std")).unwrap().is_symlink());
    let mode = |name| fs::metadata(dir.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("real.std"), 0o640);
    converts(&dir, "a.std -o new.std");
    assert_eq!(mode("new.std"), mode("a.std"), "a new file is like any other");
}

#[test]
fn an_output_that_cannot_be_made_is_an_error_before_the_input_is_read() {
    let dir = Dir::with("bad.std", "nonsense");
    dir.file("dir.std/file", "");
    for out in ["missing/b.std", "dir.std"] {
        let run = dir.raddle(&format!("trace convert bad.std -o {out}")).exits(2);
        let expected = format!("error: cannot write `{out}`\n");
        assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    }
}
