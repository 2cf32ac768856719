//! What POSIX leaves open, and what it does not: small C programs, run by every schedule.
//!
//! Each test gives the outcomes that POSIX allows, and the search over all choices has to find
//! these, all of them and no others. States that were seen before are not visited again.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options;
use raddle_finding::Choice;
use raddle_vm::{Machine, Outcome, Question, Settings, Snapshot};

const HEADERS: &str = "#include <errno.h>\n#include <pthread.h>\n#include <semaphore.h>\n\
    #include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <threads.h>\n\
    #include <unistd.h>\n\
    static pthread_t t[3];\n\
    static void go(int i, void *(*f)(void *)) { pthread_create(&t[i], 0, f, (void *)(long)i); }\n\
    static void wait_for(int n) { for (int i = 0; i < n; i++) pthread_join(t[i], 0); }\n\
    static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
    static const struct timespec past;\n";

/// All outcomes of a program, with what it wrote.
fn outcomes(body: &str, settings: &Settings) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("program.c");
    std::fs::write(&file, format!("{HEADERS}{body}")).unwrap();
    let program = compile(&[file], &Options::default()).map_err(|error| error.to_string());
    let mut machine = Machine::new(Arc::new(program.unwrap().program), settings).unwrap();
    let (mut found, mut seen) = (BTreeSet::new(), HashSet::new());
    let mut open: Vec<(Snapshot, Choice)> = Vec::new();
    loop {
        match choices(&machine) {
            None => {
                found.insert(outcome(&machine));
            }
            Some(choices) => {
                if seen.insert((machine.fingerprint(), machine.output().to_vec())) {
                    let mut here = Snapshot::default();
                    machine.save(&mut here);
                    open.extend(choices.into_iter().map(|choice| (here.clone(), choice)));
                }
            }
        }
        assert!(seen.len() < 200_000, "too many states");
        let Some((state, choice)) = open.pop() else { return found };
        machine.restore(&state);
        machine.answer(choice, &mut ()).unwrap();
    }
}

fn choices(machine: &Machine) -> Option<Vec<Choice>> {
    Some(match machine.question()? {
        Question::Thread(threads) => threads.iter().map(|&t| Choice::Thread(t)).collect(),
        Question::Waiter(waiters) => waiters.iter().map(|&t| Choice::Waiter(t)).collect(),
        Question::Timeout => vec![Choice::Timeout(false), Choice::Timeout(true)],
        Question::Spurious => vec![Choice::Spurious(false), Choice::Spurious(true)],
        Question::Value { low, high } => (low..=high).map(Choice::Value).collect(),
        Question::Input(values) => values.iter().map(|&value| Choice::Value(value)).collect(),
    })
}

fn outcome(machine: &Machine) -> String {
    let text = String::from_utf8_lossy(machine.output()).into_owned();
    let end = match machine.outcome().unwrap() {
        Outcome::Exited(0) => String::new(),
        Outcome::Exited(status) => format!("exit {status}"),
        Outcome::Deadlock(blocked) => format!("deadlock of {}", blocked.len()),
        Outcome::Fault(fault) => format!("fault: {fault}"),
        other => format!("{other:?}"),
    };
    let kinds: Vec<String> = machine.remarks().iter().map(|r| format!("{:?}", r.kind)).collect();
    [text, end, kinds.join(" ")].iter().filter(|part| !part.is_empty()).fold(String::new(), join)
}

fn join(all: String, part: &String) -> String {
    if all.is_empty() { part.clone() } else { format!("{all} {part}") }
}

/// The outcomes are these by the default settings.
#[track_caller]
fn check(body: &str, expected: &[&str]) {
    check_with(body, &Settings::default(), expected);
}

#[track_caller]
fn check_with(body: &str, settings: &Settings, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|&text| text.to_owned()).collect();
    assert_eq!(outcomes(body, settings), expected);
}

fn spurious() -> Settings {
    Settings { spurious: true, ..Settings::default() }
}

fn no_timeouts() -> Settings {
    Settings { timeouts: false, ..Settings::default() }
}

/// Two threads wait; `main` holds the mutex when both do, then does what `wake` says.
fn two_waiters(wake: &str) -> String {
    format!(
        "static int waiting, woken;
         static void *f(void *i) {{
             pthread_mutex_lock(&m);
             waiting++;
             pthread_cond_wait(&c, &m);
             printf(\"%ld\", (long)i);
             if (!woken++) pthread_cond_signal(&c);
             pthread_mutex_unlock(&m);
             return 0;
         }}
         int main(void) {{
             go(0, f); go(1, f);
             pthread_mutex_lock(&m);
             if (waiting < 2) exit(0);
             {wake}
             pthread_mutex_unlock(&m);
             wait_for(2);
         }}"
    )
}

#[test]
fn a_signal_wakes_either_waiter() {
    check(&two_waiters("pthread_cond_signal(&c);"), &["", "01", "10"]);
}

#[test]
fn a_broadcast_wakes_all_in_any_order() {
    check(&two_waiters("woken = 1; pthread_cond_broadcast(&c);"), &["", "01", "10"]);
}

#[test]
fn without_a_signal_waiters_wait_for_ever() {
    check(&two_waiters(""), &["", "deadlock of 3"]);
}

#[test]
fn a_signal_without_waiters_is_lost() {
    check(
        "static void *f(void *i) {
             pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);
             putchar('w');
             return 0;
         }
         int main(void) { go(0, f); pthread_cond_signal(&c); wait_for(1); }",
        &["w", "deadlock of 2"],
    );
}

const LONELY_WAIT: &str = "int main(void) {
    pthread_mutex_lock(&m);
    printf(\"%d\", pthread_cond_wait(&c, &m));
    return pthread_mutex_unlock(&m);
}";

#[test]
fn a_wait_may_end_for_no_reason_only_if_asked_for() {
    check(LONELY_WAIT, &["deadlock of 1"]);
    check_with(LONELY_WAIT, &spurious(), &["0"]);
}

const TIMED_WAIT: &str = "static int done;
    static void *f(void *i) {
        pthread_mutex_lock(&m);
        done = 1;
        pthread_cond_signal(&c);
        pthread_mutex_unlock(&m);
        return 0;
    }
    int main(void) {
        struct timespec at;
        clock_gettime(CLOCK_REALTIME, &at);
        at.tv_sec += 5;
        pthread_mutex_lock(&m);
        go(0, f);
        int error = pthread_cond_timedwait(&c, &m, &at);
        printf(\"%s%d\", error == ETIMEDOUT ? \"timeout\" : \"\", done);
        pthread_mutex_unlock(&m);
        wait_for(1);
    }";

#[test]
fn a_timeout_may_come_before_the_signal_and_after_it() {
    check(TIMED_WAIT, &["timeout0", "timeout1", "1"]);
}

#[test]
fn a_timeout_waits_for_the_signal_if_timeouts_are_off() {
    check_with(TIMED_WAIT, &no_timeouts(), &["1"]);
}

#[test]
fn a_timed_wait_may_wake_up_for_no_reason() {
    check_with(TIMED_WAIT, &spurious(), &["timeout0", "timeout1", "0", "1"]);
}

#[test]
fn a_mutex_goes_to_any_waiter() {
    check(
        "static void *f(void *i) {
             pthread_mutex_lock(&m);
             printf(\"%ld\", (long)i);
             pthread_mutex_unlock(&m);
             return 0;
         }
         int main(void) {
             pthread_mutex_lock(&m);
             go(0, f); go(1, f); go(2, f);
             pthread_mutex_unlock(&m);
             wait_for(3);
         }",
        &["012", "021", "102", "120", "201", "210"],
    );
}

#[test]
fn a_timed_lock_runs_out_or_gets_the_mutex() {
    let body = "static void *f(void *i) {
             int error = pthread_mutex_timedlock(&m, &past);
             printf(error == ETIMEDOUT ? \"timeout\" : \"locked\");
             if (!error) pthread_mutex_unlock(&m);
             return 0;
         }
         int main(void) {
             pthread_mutex_lock(&m); go(0, f); pthread_mutex_unlock(&m); wait_for(1);
         }";
    check(body, &["timeout", "locked"]);
    check_with(body, &no_timeouts(), &["locked"]);
}

#[test]
fn try_lock_depends_on_the_schedule() {
    check(
        "static void *f(void *i) {
             int error = pthread_mutex_trylock(&m);
             printf(error == EBUSY ? \"busy\" : \"free\");
             if (!error) pthread_mutex_unlock(&m);
             return 0;
         }
         int main(void) {
             go(0, f); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); wait_for(1);
         }",
        &["busy", "free"],
    );
}

#[test]
fn neither_readers_nor_writers_are_preferred() {
    check(
        "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
         static void *r(void *i) {
             pthread_rwlock_rdlock(&l); putchar('r'); pthread_rwlock_unlock(&l); return 0;
         }
         static void *w(void *i) {
             pthread_rwlock_wrlock(&l); putchar('w'); pthread_rwlock_unlock(&l); return 0;
         }
         int main(void) {
             pthread_rwlock_wrlock(&l); go(0, r); go(1, w); pthread_rwlock_unlock(&l); wait_for(2);
         }",
        &["rw", "wr"],
    );
}

#[test]
fn readers_share_and_writers_do_not() {
    check(
        "static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
         static int inside, most;
         static void *r(void *i) {
             pthread_rwlock_rdlock(&l);
             pthread_mutex_lock(&m); if (++inside > most) most = inside; pthread_mutex_unlock(&m);
             pthread_mutex_lock(&m); inside--; pthread_mutex_unlock(&m);
             pthread_rwlock_unlock(&l);
             return 0;
         }
         static void *w(void *i) {
             pthread_rwlock_wrlock(&l);
             if (inside) putchar('!');
             pthread_rwlock_unlock(&l);
             return 0;
         }
         int main(void) { go(0, r); go(1, r); go(2, w); wait_for(3); printf(\"%d\", most); }",
        &["1", "2"],
    );
}

#[test]
fn any_thread_is_the_serial_one() {
    check(
        "static pthread_barrier_t b;
         static void *f(void *i) {
             if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) printf(\"%ld\", (long)i);
             return 0;
         }
         int main(void) {
             pthread_barrier_init(&b, 0, 3); go(0, f); go(1, f); f((void *)2); wait_for(2);
             pthread_barrier_destroy(&b);
         }",
        &["0", "1", "2"],
    );
}

#[test]
fn a_barrier_for_more_threads_than_there_are_is_a_deadlock() {
    check(
        "static pthread_barrier_t b;
         static void *f(void *i) { pthread_barrier_wait(&b); return 0; }
         int main(void) { pthread_barrier_init(&b, 0, 3); go(0, f); f(0); wait_for(1); }",
        &["deadlock of 2"],
    );
}

#[test]
fn a_post_wakes_any_waiter() {
    check(
        "static sem_t s;
         static void *f(void *i) { sem_wait(&s); printf(\"%ld\", (long)i); sem_post(&s); return 0; }
         int main(void) { sem_init(&s, 0, 0); go(0, f); go(1, f); sem_post(&s); wait_for(2); }",
        &["01", "10"],
    );
}

#[test]
fn a_timed_wait_on_a_semaphore_runs_out_or_gets_it() {
    check(
        "static sem_t s;
         static void *f(void *i) { sem_post(&s); return 0; }
         int main(void) {
             sem_init(&s, 0, 0); go(0, f);
             printf(sem_timedwait(&s, &past) ? \"timeout\" : \"got\");
             wait_for(1);
         }",
        &["timeout", "got"],
    );
}

#[test]
fn once_runs_once_and_all_wait_for_it() {
    check(
        "static pthread_once_t o = PTHREAD_ONCE_INIT;
         static int ready;
         static void init(void) { putchar('i'); sched_yield(); ready = 1; }
         static void *f(void *i) { pthread_once(&o, init); putchar('0' + ready); return 0; }
         int main(void) { go(0, f); go(1, f); wait_for(2); }",
        &["i11"],
    );
}

#[test]
fn a_join_waits_for_the_end_before_and_after_it() {
    check(
        "static void *f(void *i) { putchar('f'); return (void *)7; }
         int main(void) {
             void *result;
             go(0, f); sched_yield(); pthread_join(t[0], &result); printf(\"%ld\", (long)result);
         }",
        &["f7"],
    );
}

#[test]
fn a_try_join_is_busy_or_done() {
    check(
        "int pthread_tryjoin_np(pthread_t, void **);
         static void *f(void *i) { return 0; }
         int main(void) {
             go(0, f); int error = pthread_tryjoin_np(t[0], 0);
             printf(error == EBUSY ? \"busy\" : error ? \"?\" : \"done\");
             if (error) wait_for(1);
         }",
        &["busy", "done"],
    );
}

#[test]
fn two_joins_of_each_other_are_a_deadlock() {
    check(
        "static void *f(void *i) {
             pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
             pthread_join(t[1 - (long)i], 0);
             return 0;
         }
         int main(void) {
             pthread_mutex_lock(&m); go(0, f); go(1, f); pthread_mutex_unlock(&m); pthread_exit(0);
         }",
        &["deadlock of 2"],
    );
}

#[test]
fn an_unlock_by_another_thread_is_a_fault() {
    check(
        "static void *f(void *i) { pthread_mutex_unlock(&m); return 0; }
         int main(void) { pthread_mutex_lock(&m); go(0, f); wait_for(1); }",
        &["fault: unlock of m, which another thread holds"],
    );
}

#[test]
fn an_unlock_by_another_thread_is_an_error_if_the_mutex_checks() {
    check(
        "static pthread_mutex_t e;
         static void *f(void *i) { printf(\"%d\", pthread_mutex_unlock(&e) == EPERM); return 0; }
         int main(void) {
             pthread_mutexattr_t a;
             pthread_mutexattr_init(&a);
             pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
             pthread_mutex_init(&e, &a);
             pthread_mutex_lock(&e); go(0, f); wait_for(1); pthread_mutex_unlock(&e);
         }",
        &["1"],
    );
}

#[test]
fn an_unlock_without_a_lock_is_a_fault() {
    check(
        "int main(void) { pthread_mutex_unlock(&m); }",
        &["fault: unlock of m, which no thread holds"],
    );
}

#[test]
fn locks_in_opposite_orders_deadlock_in_some_schedules() {
    check(
        "static void *f(void *i) {
             pthread_mutex_t *a = i ? &m : &n, *b = i ? &n : &m;
             pthread_mutex_lock(a); pthread_mutex_lock(b);
             pthread_mutex_unlock(b); pthread_mutex_unlock(a);
             return 0;
         }
         int main(void) { go(0, f); go(1, f); wait_for(2); }",
        &["", "deadlock of 3"],
    );
}

#[test]
fn locks_in_one_order_do_not_deadlock() {
    check(
        "static void *f(void *i) {
             pthread_mutex_lock(&m); pthread_mutex_lock(&n);
             pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);
             return 0;
         }
         int main(void) { go(0, f); go(1, f); wait_for(2); }",
        &[""],
    );
}

#[test]
fn a_normal_mutex_locked_twice_is_a_deadlock() {
    check("int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); }", &["deadlock of 1"]);
}

#[test]
fn a_mutex_that_is_held_must_not_be_destroyed() {
    check(
        "static void *f(void *i) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return 0; }
         int main(void) { go(0, f); pthread_mutex_destroy(&m); wait_for(1); }",
        &["", "fault: m is destroyed while it is held", "fault: use of m, which was destroyed"],
    );
}

#[test]
fn a_condition_with_waiters_must_not_be_destroyed() {
    check(
        "static void *f(void *i) {
             pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return 0;
         }
         int main(void) { go(0, f); pthread_cond_destroy(&c); exit(0); }",
        &[
            "",
            "fault: c is destroyed while threads wait for it",
            "fault: use of c, which was destroyed",
        ],
    );
}

#[test]
fn a_wait_needs_the_mutex() {
    check(
        "int main(void) { pthread_cond_wait(&c, &m); }",
        &["fault: wait on a condition without holding m"],
    );
}

#[test]
fn a_lock_held_at_the_end_of_a_thread_is_remarked() {
    check(
        "static void *f(void *i) { pthread_mutex_lock(&m); return 0; }
         int main(void) { go(0, f); wait_for(1); printf(\"%d\", pthread_mutex_trylock(&m) == EBUSY); }",
        &["1 HeldAtExit"],
    );
}

#[test]
fn the_end_of_main_ends_the_others() {
    check(
        "static void *f(void *i) { putchar('f'); fflush(stdout); return 0; }
         int main(void) { go(0, f); return 3; }",
        &["exit 3", "f exit 3"],
    );
}

#[test]
fn main_may_leave_the_others_running() {
    check(
        "static void *f(void *i) { putchar('f'); return 0; }
         int main(void) { go(0, f); pthread_exit(0); }",
        &["f"],
    );
}

#[test]
fn exit_by_any_thread_ends_the_program() {
    check(
        "static void *f(void *i) { exit(4); }
         int main(void) { go(0, f); return 3; }",
        &["exit 3", "exit 4"],
    );
}

#[test]
fn a_detached_thread_runs_or_does_not() {
    check(
        "static void *f(void *i) { putchar('f'); return 0; }
         int main(void) {
             go(0, f); pthread_detach(t[0]);
             printf(\"%d\", pthread_join(t[0], 0) != 0);
         }",
        &["1", "1f", "f1"],
    );
}

#[test]
fn an_increment_that_is_not_atomic_loses_updates() {
    let body = |of: &str| {
        format!(
            "static {of} x;
             static void *f(void *i) {{ x = x + 1; return 0; }}
             int main(void) {{ go(0, f); go(1, f); wait_for(2); printf(\"%d\", (int)x); }}"
        )
    };
    check(&body("atomic_int"), &["1", "2"]);
}

#[test]
fn an_atomic_increment_loses_none() {
    check(
        "static atomic_int x;
         static void *f(void *i) { x++; return 0; }
         int main(void) { go(0, f); go(1, f); wait_for(2); printf(\"%d\", x); }",
        &["2"],
    );
}

#[test]
fn one_of_two_compare_and_swaps_wins() {
    check(
        "static atomic_int x;
         static void *f(void *i) {
             int expected = 0;
             if (atomic_compare_exchange_strong(&x, &expected, 1 + (int)(long)i)) printf(\"%ld\", (long)i);
             return 0;
         }
         int main(void) { go(0, f); go(1, f); wait_for(2); printf(\" %d\", x); }",
        &["0 1", "1 2"],
    );
}
