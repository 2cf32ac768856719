//! Real programs with a stand-in for the runtime, which answers as its environment says.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::mem::offset_of;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use raddle_wire::{Control, OutcomeKind, Phase, RecordingState, Step};

use super::*;
use crate::target::{Output, Stdin, Target};

/// A runtime that maps the control memory, counts accesses, and does what `STUB` says.
const STUB: &str = r#"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char *control;
#define U32(at) (*(unsigned *)(control + (at)))
#define U64(at) (*(unsigned long *)(control + (at)))
static int told(const char *what) {
    const char *stub = getenv("STUB");
    return stub && strstr(stub, what);
}
__attribute__((constructor)) static void init(void) {
    if (!getenv("RADDLE_HOST") || told("absent")) return;
    control = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, 987, 0);
    close(987);
    U32(PHASE) = told("late") ? 2 : 3;
    if (told("late")) _exit(1);
}
void __tsan_init(void) { if (control) U64(N_INSTRUMENTED)++; }
void __tsan_func_entry(void *p) {}
void __tsan_func_exit(void) {}
void __tsan_read4(void *p) { U64(N_ACCESSES)++; }
void __tsan_write4(void *p) { U64(N_ACCESSES)++; }
void __tsan_read8(void *p) { U64(N_ACCESSES)++; }
void __tsan_write8(void *p) { U64(N_ACCESSES)++; }
__attribute__((destructor)) static void fini(void) {
    if (!control) return;
    U32(OUTCOME) = told("outcome") ? 99 : 1;
    U32(EXIT_CODE) = 5;
    U64(EVENT_HASH) = U64(SEED) + 1;
    U64(N_TAKEN) = U64(N_PLAN);
    memcpy(control + U64(TAKEN_OFFSET), control + U64(PLAN_OFFSET), 16 * U64(N_PLAN));
    strcpy(control + MESSAGE, "all is well");
    U32(MESSAGE_LEN) = told("length") ? 4000000000u : 11;
    if (told("length")) U32(N_BLOCKED) = 4000000000u, U64(N_TAKEN) = -1UL;
    if (told("version")) U32(VERSION) = 1;
    if (told("magic")) control[0] = 'X';
    if (told("step")) U32(U64(TAKEN_OFFSET)) = 9, U64(N_TAKEN) = 1;
    if (told("state")) U32(RECORDING) = 3;
    if (told("blind") || told("quiet")) U64(N_ACCESSES) = 0;
    if (told("blind")) U64(N_INSTRUMENTED) = 0;
    if (told("record")) {
        U64(RECORDING_LEN) = write(986, "0123456789", 10);
        if (ftruncate(986, 4096)) U64(RECORDING_LEN) = 0;
    }
    U32(PHASE) = 4;
}
"#;

/// A program that does what its first argument says.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int shared;
int main(int n, char **arguments) {
    const char *what = n > 1 ? arguments[1] : "";
    shared++;
    if (!strcmp(what, "echo"))
        for (int c; (c = getchar()) != EOF;) putchar(c);
    if (!strcmp(what, "loud"))
        for (int i = 0; i < 100000; i++) printf("%4d\n", i % 1000), fprintf(stderr, "%d\n", i % 10);
    if (!strcmp(what, "where")) printf("%p %p\n", (void *)&shared, (void *)&what);
    if (!strcmp(what, "environment"))
        printf("%s|%s|%s", getenv("RADDLE_HOST"), getenv("LD_LIBRARY_PATH"), getenv("EXTRA"));
    if (!strcmp(what, "crash")) abort();
    if (!strcmp(what, "linger")) {
        int child = fork();
        if (child) printf("%d\n", child), fflush(stdout);
        if (child && n > 2) fclose(fopen(arguments[2], "w"));
        sleep(1000);
    }
    if (!strcmp(what, "leave")) {
        int child = fork();
        if (!child) { sleep(1000); _exit(0); }
        printf("%d\n", child);
    }
    return 5;
}
"#;

struct Built {
    _folder: tempfile::TempDir,
    program: PathBuf,
    plain: PathBuf,
    runtime: PathBuf,
}

static BUILT: LazyLock<Built> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("stub.c"), STUB).unwrap();
    fs::write(path("a.c"), PROGRAM).unwrap();
    let offsets = [
        ("PHASE", offset_of!(Control, phase)),
        ("OUTCOME", offset_of!(Control, outcome)),
        ("EXIT_CODE", offset_of!(Control, exit_code)),
        ("EVENT_HASH", offset_of!(Control, event_hash)),
        ("SEED", offset_of!(Control, seed)),
        ("N_TAKEN", offset_of!(Control, n_taken)),
        ("N_PLAN", offset_of!(Control, n_plan)),
        ("TAKEN_OFFSET", offset_of!(Control, taken_offset)),
        ("PLAN_OFFSET", offset_of!(Control, plan_offset)),
        ("MESSAGE", Control::MESSAGE_OFFSET),
        ("MESSAGE_LEN", offset_of!(Control, message_len)),
        ("N_BLOCKED", offset_of!(Control, n_blocked)),
        ("VERSION", offset_of!(Control, version)),
        ("RECORDING", offset_of!(Control, recording)),
        ("RECORDING_LEN", offset_of!(Control, recording_len)),
        ("N_ACCESSES", offset_of!(Control, n_accesses)),
        ("N_INSTRUMENTED", offset_of!(Control, n_instrumented)),
    ];
    let defines: Vec<_> = offsets.iter().map(|(name, at)| format!("-D{name}={at}")).collect();
    let cc = |arguments: &[&str]| {
        let mut command = Command::new("cc");
        command.args(arguments).args(&defines).current_dir(folder.path());
        assert!(command.status().unwrap().success());
    };
    let soname = "-Wl,-soname,libraddle_runtime.so";
    cc(&["-shared", "-fPIC", "-w", soname, "-o", "libraddle_runtime.so", "stub.c"]);
    cc(&["-fsanitize=thread", "-c", "a.c"]);
    cc(&["-o", "a", "-Wl,--no-as-needed", "a.o", "-L.", "-lraddle_runtime"]);
    cc(&["-o", "plain", "a.c"]);
    let (program, plain) = (path("a"), path("plain"));
    Built { program, plain, runtime: path("libraddle_runtime.so"), _folder: folder }
});

fn target(argument: &str, stub: &str) -> Target {
    let mut target = Target::new(BUILT.program.as_os_str()).unwrap();
    target.arguments = vec![argument.into()];
    target.environment = vec![("STUB".into(), Some(stub.into()))];
    target.output = Output::Capture;
    target
}

fn launch(target: &Target, request: &Request<'_>) -> Result<Answer, LaunchError> {
    run(target, request, &BUILT.runtime, &AtomicBool::new(false))
}

fn output(answer: &Answer) -> String {
    String::from_utf8(answer.output.clone().unwrap().0).unwrap()
}

#[test]
fn a_request_goes_in_and_an_answer_comes_out() {
    let plan = [Step::thread(0, 7), Step::waiter(3), Step::thread(1, u64::MAX)];
    let request = Request { plan: &plan, seed: Some(41), ..Request::default() };
    let answer = launch(&target("", ""), &request).unwrap();
    assert_eq!((answer.phase, answer.outcome), (Phase::Ended, OutcomeKind::Exited));
    assert_eq!((answer.exit.status.code(), answer.exit.code, answer.exit.signal), (Some(5), 5, 0));
    assert_eq!((answer.taken, answer.taken_complete), (plan.to_vec(), true));
    assert_eq!(answer.message, "all is well");
    assert_eq!(answer.event_hash, 42);
    assert!(answer.counts.accesses > 0);
    assert!(!answer.timed_out && !answer.interrupted);
}

#[test]
fn the_environment_is_set_for_the_child_alone() {
    let mut target = target("environment", "");
    target.environment.push(("EXTRA".into(), Some("more".into())));
    target.environment.push(("LD_LIBRARY_PATH".into(), Some("mine".into())));
    let text = output(&launch(&target, &Request::default()).unwrap());
    let folder = BUILT.runtime.parent().unwrap().display().to_string();
    assert_eq!(text, format!("{VERSION}|{folder}:mine|more"));
    assert_eq!(std::env::var_os(raddle_wire::ENVIRONMENT), None);
}

#[test]
fn input_is_closed_or_a_file() {
    let mut target = target("echo", "");
    assert_eq!(output(&launch(&target, &Request::default()).unwrap()), "");
    target.stdin = Stdin::File(BUILT.runtime.with_file_name("a.c"));
    assert_eq!(output(&launch(&target, &Request::default()).unwrap()), PROGRAM);
    target.stdin = Stdin::File("/nonexistent/file".into());
    assert!(matches!(launch(&target, &Request::default()), Err(LaunchError::File { .. })));
}

#[test]
fn output_of_any_length_is_captured() {
    let answer = launch(&target("loud", ""), &Request::default()).unwrap();
    let (out, err) = answer.output.unwrap();
    assert_eq!((out.len(), err.len()), (500_000, 200_000));
}

#[test]
fn addresses_are_the_same_in_every_run_if_it_says_so() {
    let runs: Vec<_> =
        (0..3).map(|_| launch(&target("where", ""), &Request::default()).unwrap()).collect();
    if runs[0].fixed_addresses {
        assert_eq!(output(&runs[0]), output(&runs[1]));
        assert_eq!(output(&runs[0]), output(&runs[2]));
    } else {
        assert!(output(&runs[0]) != output(&runs[1]) || output(&runs[0]) != output(&runs[2]));
    }
}

#[test]
fn a_recording_has_the_length_that_is_in_use() {
    let path = BUILT.runtime.with_file_name("recording");
    fs::write(&path, "an old recording").unwrap();
    let request = Request { recording: Some(path.clone()), ..Request::default() };
    let answer = launch(&target("", "record"), &request).unwrap();
    assert_eq!((answer.recording, answer.recording_len), (RecordingState::Whole, 10));
    assert_eq!(fs::read(&path).unwrap(), b"0123456789");
}

#[test]
fn a_crash_has_its_signal() {
    let answer = launch(&target("crash", ""), &Request::default()).unwrap();
    assert_eq!((answer.phase, answer.outcome), (Phase::Running, OutcomeKind::None));
    assert_eq!(answer.exit.signal, libc::SIGABRT);
}

/// Whether a process runs; one that was ended and not yet collected does not.
fn is_alive(process: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(process).join("stat"));
    stat.is_ok_and(|stat| !stat.rsplit_once(") ").unwrap().1.starts_with('Z'))
}

#[track_caller]
fn check_ended(answer: &Answer) {
    let text = output(answer);
    let child = text.trim();
    assert!(!child.is_empty());
    let gone = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        !is_alive(child)
    });
    assert!(gone, "process {child} is still there");
    assert_eq!(answer.exit.signal, libc::SIGKILL);
}

#[test]
fn a_run_that_takes_too_long_is_ended_with_what_it_started() {
    let request = Request { timeout: Some(Duration::from_millis(1500)), ..Request::default() };
    let answer = launch(&target("linger", ""), &request).unwrap();
    assert!(answer.timed_out && !answer.interrupted);
    check_ended(&answer);
}

#[test]
fn an_interrupt_ends_a_run() {
    let interrupted = AtomicBool::new(false);
    let (request, mut target) = (Request::default(), target("linger", ""));
    let ready = BUILT.runtime.with_file_name("ready");
    target.arguments.push(ready.clone().into());
    let answer = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&target, &request, &BUILT.runtime, &interrupted).unwrap());
        while !ready.exists() && !running.is_finished() {
            std::thread::sleep(Duration::from_millis(10));
        }
        interrupted.store(true, std::sync::atomic::Ordering::Relaxed);
        running.join().unwrap()
    });
    assert!(answer.interrupted && !answer.timed_out);
    check_ended(&answer);
}

#[test]
fn a_process_that_is_left_behind_does_not_hold_us_up() {
    let answer = launch(&target("leave", ""), &Request::default()).unwrap();
    assert_eq!(answer.phase, Phase::Ended);
    // It still runs and has our pipes; this shows that it was not waited for.
    let left = output(&answer);
    assert!(is_alive(left.trim()));
    // SAFETY: ends the process that the program of this test has started.
    unsafe { libc::kill(left.trim().parse().unwrap(), libc::SIGKILL) };
}

#[track_caller]
fn check_refused(target: &Target, request: &Request<'_>, expected: &str) {
    let refused = launch(target, request).unwrap_err().to_string();
    assert!(refused.contains(expected), "{refused}");
}

#[test]
fn a_runtime_that_has_no_control_is_an_error() {
    let usual = Request::default();
    check_refused(&target("", "absent"), &usual, "before the runtime was loaded");
    check_refused(&target("", "late"), &usual, "after the C library");
    check_refused(&target("", "blind"), &usual, "no instrumented accesses");
    check_refused(&target("", "version"), &usual, "has version 1");
}

#[test]
fn a_run_without_an_access_is_none_without_control() {
    let answer = launch(&target("", "quiet"), &Request::default()).unwrap();
    assert_eq!((answer.outcome, answer.counts.accesses), (OutcomeKind::Exited, 0));
}

#[test]
fn what_a_target_scribbles_is_an_error_or_cut_to_size() {
    let usual = Request::default();
    check_refused(&target("", "outcome"), &usual, "the outcome is 99");
    check_refused(&target("", "step"), &usual, "a step is 9");
    check_refused(&target("", "state"), &usual, "the state of the recording is 3");
    check_refused(&target("", "magic"), &usual, "overwrote");
    let answer = launch(&target("", "length"), &usual).unwrap();
    assert_eq!(answer.message.len(), raddle_wire::MESSAGE_MAX);
    assert_eq!(answer.blocked.len(), raddle_wire::BLOCKED_MAX);
    assert!(!answer.taken_complete);
}

#[test]
fn plain_programs_run_with_the_runtime_put_in() {
    let plain = Target { program: BUILT.plain.clone(), ..target("", "") };
    check_refused(&plain, &Request::default(), "not instrumented");
    let request = Request { preload: true, ..Request::default() };
    let answer = launch(&plain, &request).unwrap();
    assert_eq!((answer.phase, answer.counts.accesses), (Phase::Ended, 0));
    let gone = BUILT.runtime.with_file_name("gone.so");
    let refused = run(&plain, &request, &gone, &AtomicBool::new(false)).unwrap_err().to_string();
    assert!(refused.contains("before the runtime was loaded"), "{refused}");
    assert!(refused.contains("cannot be preloaded"), "{refused}");
}

#[test]
fn what_is_no_program_of_ours_is_refused() {
    let truth = Target::new(OsStr::new("true")).unwrap();
    check_refused(&truth, &Request::default(), "not instrumented");
    let script = BUILT.runtime.with_file_name("script");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let script = Target::new(&OsString::from(script)).unwrap();
    check_refused(&script, &Request { preload: true, ..Request::default() }, "a script");
}
