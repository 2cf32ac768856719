//! A program that is killed leaves every record behind, wherever the stage of the recording is.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use raddle_native::install::Installation;
use raddle_native::launch::{self, Request};
use raddle_native::target::{Output, Target};
use raddle_wire::{Code, HEADER_LEN, Phase, RECORD_LEN, Record};

/// Writes to one variable as often as its argument says, and kills itself.
const PROGRAM: &str = "
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
volatile int x;
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    for (int i = 0; i < n; i++) x = i;
    kill(getpid(), SIGKILL);
    return 0;
}
";

/// Builds the program in a folder.
fn build(folder: &Path) -> Target {
    let (source, program) = (folder.join("killed.c"), folder.join("killed"));
    fs::write(&source, PROGRAM).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-g", "-O1", "-fsanitize=thread"]).arg(&source).arg("-o").arg(&program);
    assert!(gcc.status().unwrap().success());
    Target { output: Output::Capture, ..Target::new(program.as_os_str()).unwrap() }
}

/// How many writes of 4 bytes a recording has before the first record that was never written.
fn n_writes(path: &Path) -> usize {
    let bytes = fs::read(path).unwrap();
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let records = bytes[HEADER_LEN..].chunks_exact(RECORD_LEN);
    let records = records.map(|bytes| Record { head: word(bytes, 0), tail: word(bytes, 8) });
    let written = records.take_while(|record| *record != Record::default());
    written.filter(|record| record.code() == Some(Code::Write) && record.detail() == 4).count()
}

#[test]
fn every_record_is_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let target = build(folder.path());
    let installation = Installation::below(folder.path()).unwrap();
    let path = folder.path().join("killed.rdl");
    // A stage has room for 8,192 records: within the first one, around its end, and far behind.
    let around = (8000..8192).step_by(3);
    for n in [0, 1, 100, 50_000].into_iter().chain(around) {
        let target = Target { arguments: vec![n.to_string().into()], ..target.clone() };
        let request = Request { recording: Some(path.clone()), ..Request::default() };
        let runtime = installation.runtime();
        let answer = launch::run(&target, &request, &runtime, &AtomicBool::new(false)).unwrap();
        assert_eq!((answer.phase, answer.exit.signal), (Phase::Running, 9), "{n}");
        assert_eq!(n_writes(&path), n, "of {n}");
    }
}
