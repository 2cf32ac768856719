//! Ctrl-C leaves nothing behind.

use std::ffi::CString;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use raddle_needs::{Started, start};

use crate::harness::{Dir, Run};

const SIGHUP: i32 = 1;
pub const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

unsafe extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
    fn mkfifo(path: *const std::ffi::c_char, mode: u32) -> i32;
    fn signal(signal: i32, handler: usize) -> usize;
}

/// A conversion that reads from a pipe in which nothing more comes.
struct Conversion {
    dir: Dir,
    child: Started,
    /// Keeps the pipe open.
    _pipe: File,
}

impl Conversion {
    fn start() -> Conversion {
        let dir = Dir::new();
        dir.file("out.rdl", "old");
        let path = CString::new(dir.path("in.std").as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a string that ends with a zero.
        assert_eq!(unsafe { mkfifo(path.as_ptr(), 0o600) }, 0);
        let mut command = dir.command(["trace", "convert", "in.std", "-o", "out.rdl"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = start(hearing_signals(&mut command));
        let mut pipe = OpenOptions::new().write(true).open(dir.path("in.std")).unwrap();
        pipe.write_all(b"T1|w(x)|1\nT1|w(x)|2\n").unwrap();
        Conversion { dir, child, _pipe: pipe }
    }
}

/// Lets a command receive signals even if the process that runs the tests ignores them.
pub fn hearing_signals(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec only `signal` is called, which is allowed there.
    unsafe {
        command.pre_exec(|| {
            for number in [SIGHUP, SIGINT, SIGTERM] {
                signal(number, 0);
            }
            Ok(())
        })
    }
}

/// Sends a signal and waits for the end.
pub fn stop(child: Started, number: i32) -> Run {
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: the child is ours and was not waited for yet.
    assert_eq!(unsafe { kill(pid, number) }, 0);
    Run::of(child.output())
}

#[test]
fn a_signal_while_the_input_is_read_leaves_nothing() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
        let Conversion { dir, child, _pipe } = Conversion::start();
        assert_eq!(dir.names().len(), 3, "a temporary file is there");
        let run = stop(child, number);
        assert_eq!(run.stderr, "error: interrupted; nothing was written\n");
        assert_eq!(run.stdout, "");
        assert_eq!(dir.names(), ["in.std", "out.rdl"]);
        assert_eq!(fs::read(dir.path("out.rdl")).unwrap(), b"old");
        run.exits(3);
    }
}

#[test]
fn a_signal_while_the_output_is_streamed_says_that_it_is_incomplete() {
    let dir = Dir::new();
    dir.raddle("trace generate --preset 100k -o t.rdl").succeeds();
    let mut command = dir.command(["trace", "convert", "t.rdl", "--to", "std", "-o", "-"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(hearing_signals(&mut command));
    let mut stdout = child.stdout.take().unwrap();
    // More than a pipe holds is still to come.
    stdout.read_exact(&mut [0; 10]).unwrap();
    let run = stop(child, SIGINT).exits(3);
    assert_eq!(run.stderr, "error: interrupted; the output is incomplete\n");
}

/// A prediction that takes a while, from the moment on at which it looks for races.
fn prediction(dir: &Dir, format: &str) -> (Started, BufReader<impl Read>) {
    let mut trace = String::new();
    for n in 0..40_000 {
        writeln!(trace, "T1|w(x{n})|1\nT2|w(x{n})|2").unwrap();
    }
    dir.file("t.std", trace);
    let args = ["predict", "-v", "--all", "--jobs", "1", "--format", format, "t.std"];
    let mut command = dir.command(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(hearing_signals(&mut command));
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("looking for races") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "it ended too early");
    }
    (child, stderr)
}

#[test]
fn a_signal_ends_a_prediction_with_what_is_known() {
    let dir = Dir::new();
    let (child, mut stderr) = prediction(&dir, "json");
    let run = stop(child, SIGINT);
    let mut shown = String::new();
    stderr.read_to_string(&mut shown).unwrap();
    assert!(shown.contains("note: stopping"), "{shown}");
    assert!(shown.contains("warning: interrupted; the results are incomplete"), "{shown}");
    let report = run.json();
    assert_eq!(report["stats"]["race"]["complete"], false);
    assert_eq!(report["stats"]["determinism"]["complete"], false);
    let n_findings = report["findings"].as_array().unwrap().len();
    assert!(n_findings < 40_000);
    run.exits(if n_findings > 0 { 1 } else { 3 });
}

#[test]
fn a_second_signal_ends_a_prediction_at_once() {
    let dir = Dir::new();
    let (child, mut stderr) = prediction(&dir, "text");
    let pid = i32::try_from(child.id()).unwrap();
    // SAFETY: the child is ours and was not waited for yet.
    unsafe {
        kill(pid, SIGINT);
        kill(pid, SIGTERM);
    }
    let run = Run::of(child.output());
    let mut shown = String::new();
    stderr.read_to_string(&mut shown).unwrap();
    // The second one may find that the first one has done it.
    assert!(shown.contains("interrupted"), "{shown}");
    assert!([1, 3].contains(&run.code), "{run:?}");
}
