//! Names and places, from a program that is compiled here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use raddle_trace::{EventId, StackId};
use raddle_wire::{Code, Record, TextKind};

use super::Build;
use crate::recording::{Native, Options, read};
use crate::symbol::Symbols;

const LOAD: u64 = 0x5555_5000_0000;

const SOURCE: &str = "\
#include <pthread.h>
struct { long balance; pthread_mutex_t lock; } account;
__attribute__((noinline)) void *worker(void *p) {
    account.balance++;
    return p;
}
int helper(void) {
    worker(0);
    return 1;
}
";

/// A program, and its module record.
struct Program {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Program {
    fn new() -> Program {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("bank.c"), SOURCE).unwrap();
        let mut command = Command::new("cc");
        command.args(["-g", "-O1", "-shared", "-fPIC", "-o", "bank.so", "bank.c"]);
        assert!(command.current_dir(folder.path()).status().unwrap().success());
        let path = folder.path().join("bank.so");
        Program { _folder: folder, path }
    }

    fn build(&self) -> Build {
        let mut text = LOAD.to_le_bytes().to_vec();
        text.extend((LOAD + 0x10_0000).to_le_bytes());
        text.extend(self.path.to_str().unwrap().bytes());
        Build::new().text(TextKind::Module, &text)
    }

    fn address(&self, name: &str) -> u64 {
        let bytes = fs::read(&self.path).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let symbol = file.symbols().find(|s| s.name() == Ok(name)).unwrap();
        LOAD + symbol.address()
    }
}

fn native(build: &Build, options: Options) -> Native {
    read(&build.open(), &options, &mut Symbols::new()).unwrap()
}

fn file_and_line(native: &Native, location: u32) -> String {
    let text = native.events.tables.locations.get(location).unwrap();
    Path::new(text).file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn globals_locks_places_and_threads_have_the_names_of_the_source() {
    let program = Program::new();
    let (account, worker) = (program.address("account"), program.address("worker"));
    let build = program
        .build()
        .record(Record::new(Code::Read, account, 8, worker + 1, 0))
        .does(Code::Lock, account + 8)
        .does(Code::Fork, 1)
        .does(Code::Fork, 2)
        .on(1)
        .text(TextKind::ThreadStart, &worker.to_le_bytes())
        .on(2)
        .text(TextKind::ThreadStart, &worker.to_le_bytes())
        .on(3)
        .text(TextKind::ThreadName, b"logger")
        .does(Code::Fork, 4)
        .text(TextKind::Child, &[4, worker].map(u64::to_le_bytes).concat());
    let native = native(&build, Options { locals: true, stacks: false, ..Options::default() });
    let tables = &native.events.tables;
    assert_eq!(tables.variables.iter().collect::<Vec<_>>(), ["account.balance"]);
    assert_eq!(tables.locks.iter().collect::<Vec<_>>(), ["account.lock"]);
    let threads: Vec<_> = tables.threads.iter().collect();
    assert_eq!(threads, ["main", "worker#1", "worker#2", "logger#1", "worker#3"]);
    let location = native.events.location(EventId(0)).unwrap();
    assert_eq!(file_and_line(&native, location.0), "bank.c:3");
}

#[test]
fn heap_objects_are_named_after_the_place_that_asked_for_them() {
    let program = Program::new();
    let pc = program.address("worker") + 1;
    let alloc = |build: Build, at| {
        let build = build.record(Record::new(Code::Alloc, at, 0, pc, 0));
        build.does(Code::Extent, 64).write(at + 8).write(at)
    };
    let build = alloc(alloc(program.build(), 0x1000), 0x2000);
    let native = native(&build, Options { locals: true, stacks: false, ..Options::default() });
    let names: Vec<_> = native.events.tables.variables.iter().collect();
    let expected = ["bank.c:3+8", "bank.c:3", "bank.c:3#2+8", "bank.c:3#2"];
    assert_eq!(names, expected.map(|place| format!("heap@{place}")));
    assert_eq!(native.events.tables.regions.get(0), Some("heap@bank.c:3"));
}

#[test]
fn pieces_of_one_name_and_other_sizes_are_told_apart() {
    let program = Program::new();
    let account = program.address("account");
    let byte = Record::new(Code::Read, account, 1, 0, 0);
    let word = Record::new(Code::Read, account, 8, 0, 0);
    let build = program.build().record(word).record(byte).record(word);
    let native = native(&build, Options { locals: true, stacks: false, ..Options::default() });
    let names: Vec<_> = native.events.tables.variables.iter().collect();
    assert_eq!(names, ["account.balance", "account.balance (1 byte)"]);
}

#[test]
fn stacks_have_every_caller() {
    let program = Program::new();
    let (worker, helper) = (program.address("worker"), program.address("helper"));
    let account = program.address("account");
    let access = Record::new(Code::Write, account, 8, worker + 1, 0);
    let build = program.build().does(Code::Enter, helper + 1).record(access);
    let build = build.does(Code::Exit, 0).record(access);
    let native = native(&build, Options { locals: true, stacks: true, ..Options::default() });
    let lines = |event: u32| {
        let mut stack: Option<StackId> = native.events.stack(EventId(event));
        let mut lines = Vec::new();
        while let Some(frame) = stack.and_then(|stack| native.events.tables.frame(stack)) {
            lines.push(file_and_line(&native, frame.location));
            stack = frame.caller;
        }
        lines
    };
    assert_eq!(lines(0), ["bank.c:3", "bank.c:7"]);
    assert_eq!(lines(1), ["bank.c:3"]);
}
