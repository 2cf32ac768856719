//! What the synchronisation primitives do, through the C library.

use raddle_vm::{RemarkKind, Settings};

use crate::machine::c::{all, check_all, holds, machine, run};

const TIME: &str = "struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec += 1;";

#[test]
fn joins_pass_results_and_report_errors() {
    let source = "void *w(void *a) { return (char *)a + 1; }
        int main(void) { pthread_t t; void *r; pthread_create(&t, 0, w, (void *)41);
          assert(pthread_join(t, &r) == 0); assert(pthread_join(t, &r) == ESRCH);
          assert(pthread_join(pthread_self(), 0) == EDEADLK);
          pthread_create(&t, 0, w, 0); assert(pthread_detach(t) == 0);
          assert(pthread_detach(t) == EINVAL); assert(pthread_join(t, 0) == EINVAL);
          return (int)(long)r; }";
    assert_eq!(run(source), "exit 42");
}

#[test]
fn a_self_join_is_remarked() {
    let source = "int main(void) { pthread_join(pthread_self(), 0); return 0; }";
    let mut machine = machine(source, &Settings::default());
    machine.run_default(&mut ());
    assert_eq!(machine.remarks()[0].kind, RemarkKind::SelfJoin);
}

#[test]
fn a_lock_held_at_exit_is_remarked() {
    let source = "pthread_mutex_t m; void *w(void *a) { pthread_mutex_lock(&m); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); return 0; }";
    let mut machine = machine(source, &Settings::default());
    machine.run_default(&mut ());
    assert_eq!(machine.remarks()[0].kind, RemarkKind::HeldAtExit);
}

#[test]
fn the_last_thread_to_end_ends_the_program() {
    let source = "void *w(void *a) { return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_exit(0); }";
    check_all(source, &["exit 0"]);
}

#[test]
fn exit_can_come_before_others_are_done() {
    let source = "void *w(void *a) { assert(0); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); return 0; }";
    check_all(source, &["assertion failed: 0", "exit 0"]);
}

#[test]
fn opposite_lock_orders_can_deadlock() {
    let source = "pthread_mutex_t a, b;
        void *w(void *x) { pthread_mutex_lock(&b); pthread_mutex_lock(&a);
          pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0);
          pthread_mutex_lock(&a); pthread_mutex_lock(&b);
          pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); pthread_join(t, 0); return 0; }";
    check_all(source, &["deadlock of 0 1", "exit 0"]);
}

#[test]
fn kinds_of_mutexes() {
    let source = |kind: &str, body: &str| {
        format!(
            "pthread_mutexattr_t a; pthread_mutex_t m; pthread_mutexattr_init(&a);
            pthread_mutexattr_settype(&a, {kind}); pthread_mutex_init(&m, &a); {body}"
        )
    };
    holds(&source(
        "PTHREAD_MUTEX_RECURSIVE",
        "assert(pthread_mutex_lock(&m) == 0); assert(pthread_mutex_lock(&m) == 0);
         assert(pthread_mutex_trylock(&m) == 0); assert(pthread_mutex_unlock(&m) == 0);
         assert(pthread_mutex_unlock(&m) == 0); assert(pthread_mutex_unlock(&m) == 0);
         assert(pthread_mutex_unlock(&m) == EPERM);",
    ));
    holds(&source(
        "PTHREAD_MUTEX_ERRORCHECK",
        "assert(pthread_mutex_lock(&m) == 0); assert(pthread_mutex_lock(&m) == EDEADLK);
         assert(pthread_mutex_trylock(&m) == EBUSY); assert(pthread_mutex_unlock(&m) == 0);
         assert(pthread_mutex_unlock(&m) == EPERM);",
    ));
    let normal = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }";
    assert_eq!(run(normal), "deadlock of 0");
}

#[test]
fn timed_locks_run_out_only_while_the_lock_is_held() {
    holds(&format!(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; {TIME}
         assert(pthread_mutex_timedlock(&m, &t) == 0);
         assert(pthread_mutex_timedlock(&m, &t) == ETIMEDOUT); pthread_mutex_unlock(&m);
         sem_t s; sem_init(&s, 0, 1); assert(sem_timedwait(&s, &t) == 0);
         assert(sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT);
         struct timespec n; clock_gettime(CLOCK_REALTIME, &n); assert(n.tv_sec >= t.tv_sec);"
    ));
}

const WAITERS: &str = "pthread_mutex_t m; pthread_cond_t c; int n, order;
    void *w(void *a) { pthread_mutex_lock(&m); n++; pthread_cond_wait(&c, &m);
      order = order * 10 + (int)(long)a; pthread_mutex_unlock(&m); return 0; }";

#[test]
fn a_signal_asks_which_of_several_waiters_it_wakes() {
    let source = format!("{WAITERS} int main(void) {{ pthread_t t[2];
        pthread_create(&t[0], 0, w, (void *)1); pthread_create(&t[1], 0, w, (void *)2);
        for (int i = 0; i < 2;) {{ pthread_mutex_lock(&m); i = n; pthread_mutex_unlock(&m); sched_yield(); }}
        pthread_cond_signal(&c); while (!order) sched_yield(); int first = order;
        pthread_cond_signal(&c); pthread_join(t[0], 0); pthread_join(t[1], 0); return first; }}");
    assert_eq!(run(&source), "exit 1");
    let mut machine = machine(&source, &Settings::default());
    while let Some(choice) = machine.default_choice() {
        let choice = match choice {
            raddle_finding::Choice::Waiter(1) => raddle_finding::Choice::Waiter(2),
            other => other,
        };
        machine.answer(choice, &mut ()).unwrap();
    }
    assert_eq!(crate::machine::support::describe(machine.outcome().unwrap()), "exit 2");
}

#[test]
fn a_signal_before_the_wait_is_lost() {
    let source = "pthread_mutex_t m; pthread_cond_t c;
        void *w(void *a) { pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); pthread_mutex_lock(&m);
          pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }";
    check_all(source, &["deadlock of 0", "exit 0"]);
    let settings = Settings { spurious: true, ..Settings::default() };
    assert_eq!(all(source, &settings), ["exit 0".to_owned()].into());
}

#[test]
fn a_broadcast_wakes_everybody() {
    let source = format!("{WAITERS} int main(void) {{ pthread_t t[2];
        pthread_create(&t[0], 0, w, (void *)1); pthread_create(&t[1], 0, w, (void *)2);
        for (int i = 0; i < 2;) {{ pthread_mutex_lock(&m); i = n; pthread_mutex_unlock(&m); sched_yield(); }}
        pthread_cond_broadcast(&c); pthread_join(t[0], 0); pthread_join(t[1], 0);
        return order > 10 ? 0 : 1; }}");
    assert_eq!(run(&source), "exit 0");
}

#[test]
fn a_timed_wait_runs_out_or_is_signalled_or_both() {
    let source = format!(
        "pthread_mutex_t m; pthread_cond_t c; int done;
        void *w(void *a) {{ pthread_mutex_lock(&m); done = 1; pthread_cond_signal(&c);
          pthread_mutex_unlock(&m); return 0; }}
        int main(void) {{ pthread_t h; {TIME} pthread_mutex_lock(&m); pthread_create(&h, 0, w, 0);
          int r = pthread_cond_timedwait(&c, &m, &t); int seen = done; pthread_mutex_unlock(&m);
          return r == 0 ? seen : r == ETIMEDOUT ? 10 + seen : 99; }}"
    );
    check_all(&source, &["exit 1", "exit 10", "exit 11"]);
    let settings = Settings { timeouts: false, ..Settings::default() };
    assert_eq!(all(&source, &settings), ["exit 1".to_owned()].into());
    let settings = Settings { spurious: true, ..Settings::default() };
    let found = all(&source, &settings);
    assert_eq!(found, ["exit 0", "exit 1", "exit 10", "exit 11"].map(String::from).into());
}

#[test]
fn a_deadline_in_the_past_runs_out() {
    holds(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
         struct timespec t = {0, 0}; pthread_mutex_lock(&m);
         assert(pthread_cond_timedwait(&c, &m, &t) == ETIMEDOUT); pthread_mutex_unlock(&m);",
    );
}

#[test]
fn who_blocks_in_an_atomic_section_lets_others_go_on() {
    let source = "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
        sem_t s; void *w(void *a) { sem_post(&s); return 0; }
        int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_create(&t, 0, w, 0);
          __VERIFIER_atomic_begin(); sem_wait(&s); __VERIFIER_atomic_end(); pthread_join(t, 0); return 0; }";
    check_all(source, &["exit 0"]);
}

#[test]
fn readers_share_and_writers_do_not() {
    holds(
        "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
         assert(pthread_rwlock_rdlock(&l) == 0); assert(pthread_rwlock_tryrdlock(&l) == 0);
         assert(pthread_rwlock_trywrlock(&l) == EBUSY); pthread_rwlock_unlock(&l);
         pthread_rwlock_unlock(&l); assert(pthread_rwlock_wrlock(&l) == 0);
         assert(pthread_rwlock_wrlock(&l) == EDEADLK); assert(pthread_rwlock_rdlock(&l) == EDEADLK);
         assert(pthread_rwlock_tryrdlock(&l) == EBUSY); pthread_rwlock_unlock(&l);
         assert(pthread_rwlock_destroy(&l) == 0);",
    );
}

#[test]
fn spin_locks_exclude() {
    holds(
        "pthread_spinlock_t l; pthread_spin_init(&l, 0); assert(pthread_spin_lock(&l) == 0);
         assert(pthread_spin_trylock(&l) == EBUSY); assert(pthread_spin_unlock(&l) == 0);
         assert(pthread_spin_destroy(&l) == 0);",
    );
}

#[test]
fn one_thread_at_a_barrier_is_the_serial_one() {
    let source = "pthread_barrier_t b; _Atomic int serial, before; int bad;
        void *w(void *a) { before++; if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;
          if (before != 2) bad = 1; return 0; }
        int main(void) { pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, w, 0);
          w(0); pthread_join(t, 0); pthread_barrier_destroy(&b); return 10 * bad + serial; }";
    check_all(source, &["exit 1"]);
    holds("pthread_barrier_t b; assert(pthread_barrier_init(&b, 0, 0) == EINVAL);");
}

#[test]
fn semaphores_count() {
    holds(
        "sem_t s; int v; assert(sem_init(&s, 0, 1) == 0); assert(sem_wait(&s) == 0);
         assert(sem_trywait(&s) == -1 && errno == EAGAIN); assert(sem_post(&s) == 0);
         assert(sem_getvalue(&s, &v) == 0 && v == 1); assert(sem_destroy(&s) == 0);
         assert(sem_init(&s, 0, 0x80000000u) == -1 && errno == EINVAL);",
    );
}

#[test]
fn once_runs_once_and_others_wait() {
    let source = "pthread_once_t o = PTHREAD_ONCE_INIT; int n; void f(void) { sched_yield(); n++; }
        void *w(void *a) { pthread_once(&o, f); assert(n == 1); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); w(0); pthread_join(t, 0); return n; }";
    check_all(source, &["exit 1"]);
}

#[test]
fn values_come_from_the_range_or_are_zero() {
    let source = "extern int __VERIFIER_nondet_int(void);
        int main(void) { return __VERIFIER_nondet_int(); }";
    let none = Settings { small_inputs: false, ..Settings::default() };
    let mut zero = machine(source, &none);
    zero.run_default(&mut ());
    assert_eq!(zero.remarks()[0].kind, RemarkKind::NondetZero);
    let settings = Settings { nondet: Some((3, 9)), ..Settings::default() };
    assert_eq!(all(source, &settings), ["exit 3", "exit 9"].map(String::from).into());
}

/// The values that a type has without a range, in a program with these statements.
#[track_caller]
fn check_inputs(ty: &str, body: &str, expected: &[i64]) {
    let source = format!(
        "extern {ty} __VERIFIER_nondet_{ty}(void);
        int main(void) {{ {ty} x = __VERIFIER_nondet_{ty}(); {body} return 0; }}"
    );
    let machine = machine(&source, &Settings::default());
    let [(_, values)] = machine.inputs().sets() else { panic!("one type is asked for") };
    assert_eq!(values, expected);
}

#[test]
fn values_without_a_range_are_few_and_those_that_the_program_compares_with() {
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    check_inputs("int", "", &[0, 1, -1, least, most]);
    let body = "if (x > 41 || x == 100000000) return 1; switch (x) { case 7: return 2; }";
    check_inputs("int", body, &[0, 1, -1, least, most, 41, 100_000_000, 7]);
    // What the type cannot hold, and what is only computed with, is not among them.
    check_inputs("char", "if (x == 1000) return 1; x = x + 55;", &[0, 1, -1, -128, 127]);
    check_inputs("unsigned", "", &[0, 1, i64::from(u32::MAX)]);
}

#[test]
fn each_value_without_a_range_can_be_chosen_and_zero_comes_first() {
    let source = "extern int __VERIFIER_nondet_int(void);
        int main(void) { int x = __VERIFIER_nondet_int(); if (x == 41) return 2; return x == 0; }";
    let settings = Settings::default();
    assert_eq!(all(source, &settings), ["exit 0", "exit 1", "exit 2"].map(String::from).into());
    let mut first = machine(source, &settings);
    first.run_default(&mut ());
    assert_eq!(crate::machine::support::describe(first.outcome().unwrap()), "exit 1");
}

#[test]
fn a_false_assumption_ends_the_run() {
    let source =
        "extern void __VERIFIER_assume(int); int main(void) { __VERIFIER_assume(0); return 1; }";
    assert_eq!(run(source), "Assumption");
}
