//! Binaries: recording, replaying, confirming, and what is refused.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use raddle_native::compiler::Compiler;
use raddle_native::install::Installation;
use raddle_needs::Started;
use tempfile::TempDir;

use super::harness::{Dir, Run, wait_until};
use super::interrupt::hearing_signals;

/// Writes its number to a file and counts: for ever, or as far as its argument says.
const COUNTER: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int shared;
int main(int n, char **arguments) {
    if (n > 1) {
        FILE *file = fopen(arguments[1], \"w\");
        fprintf(file, \"%d\\n\", (int)getpid());
        fclose(file);
    }
    for (int i = 0; n < 3 || i < atoi(arguments[2]); i++)
        shared++;
    return 0;
}
";

pub(super) struct Built {
    pub(super) folder: TempDir,
    installation: Installation,
}

/// The runtime, and what was built with it.
pub(super) static BUILT: LazyLock<Built> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let installation = Installation::below(folder.path()).unwrap();
    let built = Built { folder, installation };
    fs::write(built.path("counter.c"), COUNTER).unwrap();
    for (name, text) in [("busy", BUSY), ("asked", ASKED), ("deaf", DEAF)] {
        let source = built.path(&format!("{name}.c"));
        fs::write(&source, text).unwrap();
        built.build(&source, name, &[]);
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    built.build(&corpus.join("ab_ba.c"), "ab_ba", &[]);
    built.build(&corpus.join("ab_ba.c"), "ab_ba_other", &["-O2"]);
    built.build(&corpus.join("bank_atomicity.c"), "bank", &["-fno-inline"]);
    built.build(&built.path("counter.c"), "counter", &[]);
    plain(&corpus.join("ab_ba.c"), &built.path("plain"), &[]);
    plain(&corpus.join("ab_ba.c"), &built.path("static"), &["-static"]);
    built
});

impl Built {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn build(&self, source: &Path, name: &str, flags: &[&str]) {
        let mut given: Vec<_> = flags.iter().map(|flag| flag.into()).collect();
        given.extend(["-pthread".into(), "-o".into(), self.path(name).into(), source.into()]);
        let gcc = Compiler::named(OsStr::new("gcc")).unwrap();
        let mut command = gcc.command(&given, self.installation.directory()).unwrap();
        assert!(command.status().unwrap().success());
    }
}

fn plain(source: &Path, program: &Path, flags: &[&str]) {
    let mut gcc = Command::new("gcc");
    gcc.args(flags).arg("-pthread").arg("-o").arg(program).arg(source);
    assert!(gcc.status().unwrap().success());
}

/// A directory with a program in it, by its own name.
pub(super) fn dir(program: &str) -> Dir {
    let dir = Dir::new();
    fs::copy(BUILT.path(program), dir.path(program)).unwrap();
    dir
}

fn command<S: AsRef<OsStr>>(dir: &Dir, args: impl IntoIterator<Item = S>) -> Command {
    let mut command = dir.command(args);
    command.env("RADDLE_CACHE", BUILT.folder.path());
    command
}

pub(super) fn raddle(dir: &Dir, args: &str) -> Run {
    Run::of(command(dir, args.split_whitespace()).output().unwrap())
}

#[track_caller]
fn check_refused(dir: &Dir, args: &str, expected: &str) {
    let run = raddle(dir, args).exits(2);
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn a_run_is_recorded_and_done_again() {
    let dir = dir("ab_ba");
    let run = raddle(&dir, "record ./ab_ba").succeeds();
    assert!(run.stderr.contains("the program ended with status 0"), "{}", run.stderr);
    let again = run.stderr.lines().find_map(|line| line.split_once("to repeat this run: raddle "));
    let again = raddle(&dir, again.unwrap().1).succeeds();
    let hash = |run: &Run| run.stderr.split_once("event hash ").unwrap().1[..16].to_owned();
    assert_eq!(hash(&run), hash(&again));
    assert_eq!(dir.names(), ["ab_ba", "ab_ba.rdl"]);
}

#[test]
fn programs_are_told_the_same() {
    let dir = dir("ab_ba");
    let run = raddle(&dir, "--format json record ./ab_ba -o t.rdl --seed 3 --points all").json();
    assert_eq!(run["schema"], "raddle.record-native/1");
    assert_eq!((&run["complete"], &run["recording"]), (&true.into(), &"t.rdl".into()));
    let again = raddle(&dir, "--format json replay ./ab_ba @t.rdl").json();
    assert_eq!(again["schema"], "raddle.replay-native/1");
    assert_eq!(again["event_hash"], run["event_hash"]);
    assert_eq!(again["run"]["outcome"], run["run"]["outcome"]);
}

#[test]
fn predictions_are_confirmed_by_the_program() {
    let dir = dir("ab_ba");
    raddle(&dir, "record ./ab_ba").succeeds();
    let text = raddle(&dir, "predict --confirm ab_ba.rdl").exits(1).stdout;
    assert!(text.contains("replayed on the program"), "{text}");
    let report = raddle(&dir, "--format json predict --confirm ab_ba.rdl").exits(1).json();
    let all = report["findings"].as_array().unwrap();
    let deadlock = all.iter().find(|finding| finding["property"] == "deadlock").unwrap();
    assert_eq!(
        (&deadlock["verdict"], &deadlock["outcome"]),
        (&"replayed".into(), &"deadlock".into())
    );
    let replay = deadlock["replay"].as_str().unwrap().strip_prefix("raddle ").unwrap();
    let shown = raddle(&dir, replay).exits(1);
    assert!(shown.stderr.contains("deadlock: 3 threads are blocked forever"), "{}", shown.stderr);
}

#[test]
fn functions_that_should_be_atomic_are_looked_at() {
    let dir = dir("bank");
    raddle(&dir, "record ./bank --atomic withdraw").succeeds();
    let text = raddle(&dir, "predict bank.rdl --confirm --property atomicity").exits(1).stdout;
    assert!(text.contains("1 of 1 replayed on the program"), "{text}");
    check_refused(&dir, "record ./bank --atomic deposit", "`deposit` was not called in this run");
}

#[test]
fn what_cannot_be_controlled_is_refused() {
    let plain = dir("plain");
    check_refused(&plain, "record ./plain", "not instrumented");
    raddle(&plain, "record ./plain --preload").succeeds();
    check_refused(&dir("static"), "record ./static", "linked statically");
    let script = Dir::with("script", "#!/bin/sh\n");
    check_refused(&script, "record -- ./script", "not an executable file");
    check_refused(&script, "record -- sh-that-is-not-there", "no such program");
}

#[test]
fn schedules_of_other_programs_are_refused() {
    let dir = dir("ab_ba");
    check_refused(&dir, "replay ./ab_ba rs1:000000:0r5", "does not belong to this program");
    check_refused(&dir, "replay ./ab_ba nonsense", "is not a schedule");
    raddle(&dir, "record ./ab_ba").succeeds();
    fs::copy(BUILT.path("ab_ba_other"), dir.path("ab_ba")).unwrap();
    check_refused(&dir, "replay ./ab_ba @ab_ba.rdl", "rebuilt since");
}

/// Two threads that lock, write and print for ever.
const BUSY: &str = "\
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static FILE *file;
static void *work(void *none) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        fprintf(file, \"%d\\n\", shared++);
        pthread_mutex_unlock(&mutex);
    }
    return none;
}
int main(void) {
    pthread_t other;
    file = fopen(\"/dev/null\", \"w\");
    pthread_create(&other, 0, work, 0);
    work(0);
}
";

/// Records a program into at most 64 KiB.
fn record_little(dir: &Dir, program: &str, options: &str, arguments: &[&str]) -> Run {
    let fixed = ["record", program, "-o", "t.rdl", "--max-size", "64KiB", "--timeout", "100s"];
    let given = fixed.into_iter().chain(options.split_whitespace()).chain(["--"]);
    let mut command = command(dir, given.chain(arguments.iter().copied()));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Run::of_started(raddle_needs::start(&mut command))
}

/// It ends where the recording is full, which can be read.
#[track_caller]
fn check_full(program: &str, options: &str, arguments: &[&str]) {
    let dir = dir(program);
    let run = record_little(&dir, &format!("./{program}"), options, arguments).exits(3);
    let reached = "the recording has reached its maximum size (`--max-size`); the program was \
                   terminated (";
    assert!(run.stderr.contains(reached), "{}", run.stderr);
    assert!(!run.stderr.contains("to repeat this run"), "{}", run.stderr);
    // The host adds how the program was started.
    let len = dir.read("t.rdl").len();
    assert!((60_000..70_000).contains(&len), "{len}");
    raddle(&dir, "trace info t.rdl").succeeds();
}

#[test]
fn a_program_ends_when_its_recording_is_full() {
    for options in ["", "--own-threads", "--points all", "--parallel"] {
        check_full("counter", options, &[]);
        check_full("counter", options, &["number", "100000"]);
        check_full("busy", options, &[]);
    }
    check_full("busy", "--seed 1", &[]);
    let run = record_little(&dir("counter"), "./counter", "", &["number", "100"]).succeeds();
    assert!(run.stderr.contains("the program ended with status 0"), "{}", run.stderr);
    let help = raddle(&Dir::new(), "record --help").succeeds().stdout;
    assert!(help.contains("[default: 1GiB]"), "{help}");
}

#[test]
fn where_a_recording_is_full_is_the_same_in_every_run() {
    let dir = dir("busy");
    let run = || record_little(&dir, "./busy", "--format json", &[]).exits(3).json();
    let [first, again] = [run(), run()];
    assert_eq!((&first["run"]["outcome"], &first["complete"]), (&"limit".into(), &false.into()));
    assert_eq!(first["event_hash"], again["event_hash"]);
    assert_eq!(first["run"]["events"], again["run"]["events"]);
    let info = raddle(&dir, "--format json trace info t.rdl").succeeds().json();
    assert_eq!(info["threads"]["total"], 2);
}

/// Records the counter that counts for ever, until it runs; the command, and the counter's number.
fn start(dir: &Dir) -> (Started, String) {
    start_recording(dir, "counter")
}

/// Records a program that writes its number to a file, until it has.
fn start_recording(dir: &Dir, program: &str) -> (Started, String) {
    let program = format!("./{program}");
    let mut command = command(dir, ["record", &program, "--timeout", "100s", "--", "number"]);
    hearing_signals(&mut command);
    let mut host = raddle_needs::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    let mut number = String::new();
    wait_until(&mut host, "the program runs", || {
        number = fs::read_to_string(dir.path("number")).unwrap_or_default();
        number.ends_with('\n')
    });
    (host, number.trim().to_owned())
}

fn kill(process: &str) {
    signal("KILL", process);
}

fn signal(name: &str, process: &str) {
    // The shell's own: a bare machine has no program of that name.
    let line = format!("kill -{name} \"$0\"");
    let status = Command::new("sh").args(["-c", &line, process]).status().unwrap();
    assert!(status.success());
}

#[test]
fn what_was_recorded_before_a_kill_can_be_read() {
    let dir = dir("counter");
    let (host, counter) = start(&dir);
    kill(&counter);
    let run = Run::of(host.output()).exits(3);
    assert!(run.stderr.contains("the program was killed"), "{}", run.stderr);
    assert!(
        run.stderr.contains("1 thread, ") && !run.stderr.contains(" 0 events"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("event hash"), "{}", run.stderr);
    let info = raddle(&dir, "trace info counter.rdl").succeeds();
    assert!(info.stderr.contains("was cut off"), "{}", info.stderr);
}

/// Ends as it wants when it is asked to, after a handler interrupted a wait for a condition and a read.
const ASKED: &str = "\
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
static atomic_int stop, n_handled, waits;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int pipes[2];
static void ask(int signal) { stop = signal; }
static void handle(int signal) { n_handled += signal == SIGUSR1; }
static void *wait_for(void *unused) {
    pthread_mutex_lock(&mutex);
    waits++;
    while (!stop) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    return unused;
}
static void *read_it(void *unused) {
    char byte;
    waits++;
    return read(pipes[0], &byte, 1) == -1 && errno == EINTR ? 0 : unused;
}
int main(int n, char **arguments) {
    struct sigaction action = {.sa_handler = ask};
    sigaction(SIGTERM, &action, 0);
    sigaction(SIGINT, &action, 0);
    action.sa_handler = handle;
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, 0);
    pthread_t waiter, reader;
    void *was_read;
    if (pipe(pipes)) return 2;
    pthread_create(&waiter, 0, wait_for, 0);
    pthread_create(&reader, 0, read_it, &n);
    while (waits < 2) usleep(1000);
    usleep(1000);
    pthread_kill(waiter, SIGUSR1);
    pthread_kill(reader, SIGUSR1);
    pthread_join(reader, &was_read);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR1);
    if (n < 2) kill(getpid(), SIGTERM);
    else {
        FILE *file = fopen(arguments[1], \"w\");
        fprintf(file, \"%d\\n\", (int)getpid());
        fclose(file);
    }
    while (!stop) usleep(1000);
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_join(waiter, 0);
    printf(\"handled %d, %s, stopped by %d\\n\", n_handled, was_read ? \"read\" : \"interrupted\", stop);
    return 0;
}
";

#[test]
fn handlers_run_between_operations() {
    let dir = dir("asked");
    for options in ["", "--own-threads", "--seed 3", "--points all"] {
        let run = raddle(&dir, &format!("record ./asked -o t.rdl {options}")).succeeds();
        assert_eq!(run.stdout, "handled 4, interrupted, stopped by 15\n", "{options}");
        raddle(&dir, "trace validate t.rdl").succeeds();
        let (_, again) = run.stderr.split_once("to repeat this run: ").unwrap();
        let line = format!("export RADDLE_CACHE='{}'; {again}", BUILT.folder.path().display());
        assert_eq!(dir.shell(&line).succeeds().stdout, run.stdout, "{options}");
    }
}

#[test]
fn signals_reach_the_program_that_is_recorded() {
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let dir = dir("asked");
        let (host, _) = start_recording(&dir, "asked");
        signal(name, &host.id().to_string());
        let run = Run::of(host.output()).succeeds();
        assert_eq!(run.stdout, format!("handled 4, interrupted, stopped by {number}\n"));
        assert!(
            run.stderr.contains(&format!("passed SIG{name} on to the program")),
            "{}",
            run.stderr
        );
        assert!(run.stderr.contains("this run cannot be repeated exactly"), "{}", run.stderr);
        raddle(&dir, "trace validate asked.rdl").succeeds();
    }
}

#[test]
fn a_second_signal_ends_the_program_that_is_recorded() {
    let dir = dir("deaf");
    let (mut host, _) = start_recording(&dir, "deaf");
    signal("TERM", &host.id().to_string());
    // Two signals at once would be one.
    let heard = || dir.read("number").ends_with(b"heard\n");
    wait_until(&mut host, "the program has heard the first signal", heard);
    signal("TERM", &host.id().to_string());
    let run = Run::of(host.output()).exits(3);
    assert!(run.stderr.contains("interrupted; the program was terminated"), "{}", run.stderr);
    raddle(&dir, "trace info deaf.rdl").succeeds();
}

/// Counts for ever, whatever it hears.
const DEAF: &str = "\
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int shared;
static volatile sig_atomic_t n_heard;
static void hear(int signal) { n_heard++; }
int main(int n, char **arguments) {
    FILE *file = fopen(arguments[1], \"w\");
    int n_said = 0;
    signal(SIGTERM, hear);
    fprintf(file, \"%d\\n\", (int)getpid());
    fflush(file);
    for (;;) {
        shared++;
        if (n_heard > n_said) {
            n_said = n_heard;
            fprintf(file, \"heard\\n\");
            fflush(file);
        }
    }
}
";

#[test]
fn the_program_ends_with_the_command() {
    let dir = dir("counter");
    let (mut host, counter) = start(&dir);
    kill(&host.id().to_string());
    host.wait().unwrap();
    let is_gone = || {
        let stat = fs::read_to_string(format!("/proc/{counter}/stat"));
        stat.map_or(true, |stat| stat.contains(") Z "))
    };
    let ended = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        is_gone()
    });
    assert!(ended, "{counter} still runs");
}

#[test]
fn names_of_files_may_be_anything() {
    let dir = Dir::new();
    for name in ["a b", "it's", "-o", "new\nline", "$(id)", "ü"] {
        fs::copy(BUILT.path("ab_ba"), dir.path(name)).unwrap();
        let file = format!("./{name}");
        let run = command(&dir, ["record", &file, "-o", "t.rdl"]).output().unwrap();
        let run = Run::of(run).succeeds();
        let (_, again) = run.stderr.split_once("to repeat this run: ").unwrap();
        let line = format!("export RADDLE_CACHE='{}'; {again}", BUILT.folder.path().display());
        dir.shell(&line).succeeds();
    }
}
