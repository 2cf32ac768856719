//! Results on the standard output, everything else on stderr, whatever these are.

use std::io::Read;
use std::process::Stdio;

use raddle_needs::start;

use crate::harness::{Dir, GOOD};

/// A trace whose text is larger than any pipe holds.
fn large() -> Dir {
    let dir = Dir::new();
    dir.raddle("trace generate --preset 100k -o t.rdl").succeeds();
    dir
}

#[test]
fn a_reader_that_goes_early_is_no_error() {
    let dir = large();
    let mut command = dir.command(["trace", "convert", "t.rdl", "--to", "std", "-o", "-"]);
    let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.output();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_violation_is_a_violation_even_if_nobody_reads_about_it() {
    let dir = Dir::with("t.std", "T1|rel(m)|1\n");
    let mut command = dir.command(["trace", "validate", "--format", "json", "t.std"]);
    let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::null()));
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[cfg(target_os = "linux")]
mod full {
    use std::fs::OpenOptions;

    use super::*;

    #[test]
    fn a_full_disk_is_an_error_for_convert() {
        let dir = Dir::with("t.std", GOOD);
        let run = dir.raddle("trace convert t.std --to rdl -o /dev/full").exits(2);
        insta::assert_snapshot!(run.stderr, @"
        error: cannot write `/dev/full`
         |
         = caused by: No space left on device (os error 28)
        ");
    }

    #[test]
    fn a_full_disk_is_an_error_for_every_result() {
        let dir = Dir::with("t.std", GOOD);
        let commands = [
            "trace info t.std",
            "trace info --format json t.std",
            "trace validate t.std",
            "trace convert t.std --to rdl -o -",
            "completions bash",
        ];
        for words in commands {
            let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
            let mut command = dir.command(words.split_whitespace());
            let output = command.stdout(full).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{words}: {stderr}");
            let expected = "error: cannot write to the standard output\n |\n = caused by: No space";
            assert!(stderr.starts_with(expected), "{words}: {stderr}");
        }
    }

    #[test]
    fn a_closed_stderr_does_not_matter() {
        let dir = Dir::with("t.std", "T1|rel(m)|1\n");
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = dir.command(["trace", "validate", "t.std"]);
        assert_eq!(command.stderr(full).status().unwrap().code(), Some(2));
    }
}
