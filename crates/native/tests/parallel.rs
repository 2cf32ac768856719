//! Real programs whose threads run at once: recorded, put in order, and right whatever ends them.
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use raddle_native::install::Installation;
use raddle_native::launch::{Answer, Request, run};
use raddle_native::recording::{Native, Options, Recording, read};
use raddle_native::symbol::Symbols;
use raddle_native::target::{Output, Target};
use raddle_trace::check::{Mode, check};
use raddle_trace::{EventId, Op};
use raddle_wire::{Flags, OutcomeKind, Threading};

/// Four threads; `TURN` is what each does 200 times, `BEFORE` what happens before they begin.
const PROGRAM: &str = r#"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t b;
sem_t s;
int guarded, racy, turn;
atomic_int atomic, lock;
char *text;
void take_turn(int me) {
    pthread_mutex_lock(&m);
    while (turn % 4 != me) pthread_cond_wait(&c, &m);
    turn++;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
}
void *work(void *p) {
    int me = (long)p;
    for (int i = 0; i < 200; i++) { TURN; }
    return p;
}
int main(void) {
    pthread_t t[4];
    void *result;
    pthread_barrier_init(&b, 0, 4);
    sem_init(&s, 0, 1);
    for (long i = 0; i < 4; i++) pthread_create(t + i, 0, work, (void *)i);
    for (long i = 0; i < 4; i++) { pthread_join(t[i], &result); assert(result == (void *)i); }
    assert(guarded == 0 || guarded == 800);
    return racy & 0;
}
"#;

struct Ran {
    answer: Answer,
    native: Native,
    file_len: u64,
}

fn record(turn: &str, request: Request<'_>) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let runtime = Installation::below(folder.path()).unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    fs::write(path("a.c"), PROGRAM).unwrap();
    let mut command = Command::new("cc");
    command.args(["-g", "-O1", "-fsanitize=thread", "-pthread", "-o", "a", "a.c"]);
    command.arg(format!("-DTURN={turn}")).current_dir(folder.path());
    for option in ["-L", "-B"] {
        command.arg(format!("{option}{}", runtime.directory().display()));
    }
    assert!(command.status().unwrap().success());
    let target = Target::new(OsStr::new(path("a").as_os_str())).unwrap();
    let target = Target { output: Output::Capture, ..target };
    let recording = Some(path("recording"));
    let request = Request { threading: Threading::Parallel, recording, ..request };
    let answer = run(&target, &request, &runtime.runtime(), &AtomicBool::new(false)).unwrap();
    let file_len = fs::metadata(path("recording")).unwrap().len();
    let recording = Recording::open(&path("recording")).unwrap();
    let native = read(&recording, &Options::default(), &mut Symbols::new()).unwrap();
    Ran { answer, native, file_len }
}

/// The program runs to its end, the recording is a trace, and only these variables are guesses.
#[track_caller]
fn check_all(turn: &str, may_guess: &[&str]) -> Native {
    let Ran { answer, native, file_len } = record(turn, Request::default());
    assert_eq!(answer.outcome, OutcomeKind::Exited, "{}", answer.message);
    assert_eq!((answer.exit.code, answer.counts.threads), (0, 5));
    assert_eq!(answer.recording_len, file_len);
    assert_eq!(native.note, None);
    check(native.events.clone(), Mode::Strict).unwrap();
    for &guess in &native.guesses {
        if let Op::Read { var, .. } | Op::ReadModifyWrite { var, .. } = native.events.op(guess) {
            let name = native.events.tables.variables.get(var.0).unwrap();
            assert!(may_guess.contains(&name), "{name} is no guess");
        }
    }
    native
}

fn count(native: &Native, is: impl Fn(Op) -> bool) -> usize {
    (0..native.events.len() as u32).filter(|&e| is(native.events.op(EventId(e)))).count()
}

#[test]
fn what_locks_protect_is_no_guess() {
    let native = check_all("pthread_mutex_lock(&m); guarded++; pthread_mutex_unlock(&m)", &[]);
    assert_eq!(count(&native, |op| matches!(op, Op::Acquire { .. })), 800);
    assert_eq!(count(&native, |op| matches!(op, Op::Release { .. })), 800);
    assert!(native.guesses.is_empty());
}

#[test]
fn every_kind_of_synchronisation_makes_a_trace() {
    for turn in [
        "pthread_rwlock_wrlock(&rw); guarded++; pthread_rwlock_unlock(&rw); \
         pthread_rwlock_rdlock(&rw); assert(guarded); pthread_rwlock_unlock(&rw)",
        "sem_wait(&s); guarded++; sem_post(&s)",
        "if (me == i % 4) guarded += 4; pthread_barrier_wait(&b)",
        "take_turn(me); if (me == 0) guarded += 4",
        "while (atomic_exchange(&lock, 1)); guarded++; atomic_store(&lock, 0)",
        "while (pthread_mutex_trylock(&m)); guarded++; pthread_mutex_unlock(&m)",
    ] {
        check_all(turn, &[]);
    }
}

#[test]
fn atomic_operations_are_in_their_order() {
    let native = check_all("atomic++; assert(atomic > 0)", &[]);
    assert!(native.guesses.is_empty());
    assert_eq!(count(&native, |op| matches!(op, Op::ReadModifyWrite { .. })), 800);
}

#[test]
fn memory_is_given_back_and_used_again() {
    let turn = "char *p = malloc(40 + i); memset(p, i, 40); p = realloc(p, 4000); \
                pthread_mutex_lock(&m); char *q = text; text = p; pthread_mutex_unlock(&m); free(q)";
    let native = check_all(turn, &[]);
    assert!(count(&native, |op| matches!(op, Op::Free { .. })) > 0);
}

#[test]
fn what_overlaps_is_a_guess() {
    // Sleeping orders nothing: all that a thread does behind the barrier is one block.
    let turn = "if (!i) pthread_barrier_wait(&b); racy++; usleep(100)";
    let native = check_all(turn, &["racy"]);
    assert_eq!(native.guesses.len(), 800);
    let text = native.about_guesses().unwrap();
    assert!(text.contains("of 1 variables"), "{text}");
    let (events, guide) = native.split();
    let all: Vec<_> = (0..events.len() as u32).map(EventId).collect();
    assert!(guide.rests_on_guess(&events, &all));
}

#[test]
fn whatever_ends_the_program_the_recording_is_right() {
    let turn = |end: &str| {
        format!(
            "pthread_mutex_lock(&m); guarded++; if (guarded == 500) {{ {end}; }} \
             pthread_mutex_unlock(&m)"
        )
    };
    let ends = [
        ("exit(3)", OutcomeKind::Exited),
        ("_exit(3)", OutcomeKind::Exited),
        ("abort()", OutcomeKind::Abort),
        ("*(volatile int *)0 = 1", OutcomeKind::Crash),
        ("assert(!me && me)", OutcomeKind::Assertion),
        ("kill(getpid(), SIGKILL); for (;;)", OutcomeKind::None),
    ];
    for (end, outcome) in ends {
        let Ran { answer, native, file_len } = record(&turn(end), Request::default());
        assert_eq!(answer.outcome, outcome, "{end}");
        assert_eq!(answer.recording_len, file_len, "{end}");
        check(native.events.clone(), Mode::Strict).unwrap();
        let n_taken = count(&native, |op| matches!(op, Op::Acquire { .. }));
        assert_eq!(n_taken, 500, "{end}");
    }
}

#[test]
fn a_recording_that_is_full_ends_for_all_threads_at_once() {
    let turn = "for (int k = 0; k < 500; k++) { pthread_mutex_lock(&m); if (!k) guarded++; \
                pthread_mutex_unlock(&m); }";
    let max_recording = 2 << 20;
    let Ran { answer, native, file_len } =
        record(turn, Request { max_recording, ..Request::default() });
    assert_eq!(answer.outcome, OutcomeKind::Exited);
    assert_eq!(answer.recording, raddle_wire::RecordingState::Limit);
    assert!(file_len <= max_recording);
    check(native.events.clone(), Mode::Strict).unwrap();
}

#[test]
fn a_run_that_ends_with_its_recording_can_be_read() {
    let turn = "for (;;) { pthread_mutex_lock(&m); guarded++; pthread_mutex_unlock(&m); }";
    let (max_recording, timeout) = (2 << 20, Some(Duration::from_secs(60)));
    let flags = Flags::ENDS_WITH_RECORDING;
    let Ran { answer, native, file_len } =
        record(turn, Request { max_recording, timeout, flags, ..Request::default() });
    assert_eq!(answer.outcome, OutcomeKind::Limit);
    assert_eq!(answer.recording, raddle_wire::RecordingState::Limit);
    assert_eq!(answer.recording_len, file_len);
    assert!(file_len <= max_recording);
    check(native.events.clone(), Mode::Strict).unwrap();
}

#[test]
fn a_program_that_hangs_is_ended_and_read() {
    let turn = "pthread_mutex_lock(&m); guarded++";
    let timeout = Some(Duration::from_secs(1));
    let Ran { answer, native, .. } = record(turn, Request { timeout, ..Request::default() });
    assert!(answer.timed_out);
    check(native.events.clone(), Mode::Strict).unwrap();
    assert_eq!(count(&native, |op| matches!(op, Op::Acquire { .. })), 1);
    assert!(count(&native, |op| matches!(op, Op::Request { .. })) >= 3);
}
