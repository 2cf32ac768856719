//! Recorded traces are well-formed and have names.

use proptest::prelude::*;
use raddle_predict::{Causes, Job, races};
use raddle_trace::Trace;
use raddle_trace::check::Mode;
use raddle_vm::record::{Options, Recorder};
use raddle_vm::{Machine, Settings};

use crate::c::machine;
use crate::support::choices;

const ALL: &str = "pthread_mutex_t m; pthread_cond_t c; pthread_rwlock_t l; pthread_barrier_t b; sem_t s;
    pthread_once_t o; struct { int ready; int items[2]; } q; _Atomic int n; void f(void) { q.items[1] = 5; }
    void *w(void *a) { pthread_once(&o, f); pthread_mutex_lock(&m); q.ready = 1; pthread_cond_broadcast(&c);
      pthread_mutex_unlock(&m); pthread_rwlock_rdlock(&l); int x = q.items[0]; pthread_rwlock_unlock(&l);
      pthread_barrier_wait(&b); sem_post(&s); n += x; if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m);
      int *p = malloc(4); *p = x; free(p); return 0; }
    int main(void) { pthread_t t; sem_init(&s, 0, 0); pthread_barrier_init(&b, 0, 2);
      pthread_create(&t, 0, w, 0); pthread_mutex_lock(&m); struct timespec d = {9, 0};
      while (!q.ready) pthread_cond_timedwait(&c, &m, &d); pthread_mutex_unlock(&m);
      pthread_rwlock_wrlock(&l); q.items[0]++; pthread_rwlock_unlock(&l); pthread_once(&o, f);
      pthread_barrier_wait(&b); sem_wait(&s); int e = 0; atomic_compare_exchange_strong(&n, &e, 2);
      pthread_join(t, 0); return 0; }";

fn record(machine: &mut Machine, picks: &[u8], options: Options) -> Trace {
    let mut recorder = Recorder::with(options);
    let mut picks = picks.iter();
    while let Some(default) = machine.default_choice() {
        let open = choices(machine);
        let choice = picks.next().map_or(default, |&pick| open[pick as usize % open.len()]);
        machine.answer(choice, &mut recorder).unwrap();
    }
    Trace::new(recorder.finish(), Mode::Strict).unwrap()
}

#[test]
fn things_have_names() {
    let mut machine = machine(ALL, &Settings::default());
    let trace = record(&mut machine, &[], Options { stacks: true, ..Options::default() });
    let names = |names: &raddle_trace::Names| {
        (0..names.len() as u32).map(|id| names.get(id).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&trace.tables.threads), ["main", "w#1"]);
    assert!(names(&trace.tables.variables).contains(&"q.items[0]".to_owned()));
    assert!(
        names(&trace.tables.locks).contains(&"m".to_owned()),
        "{:?}",
        names(&trace.tables.locks)
    );
    assert_eq!(names(&trace.tables.conditions), ["c"]);
    let at = names(&trace.tables.locations);
    assert!(at.iter().all(|location| location.contains("program.c:")), "{at:?}");
}

/// How many races there are in the run without preemptions.
fn n_races(source: &str) -> usize {
    let trace = record(&mut machine(source, &Settings::default()), &[], Options::default());
    let job = Job { n_workers: 1, progress: &mut |_, _| true };
    races(&Causes::new(&trace), false, job).unwrap().races.len()
}

#[test]
fn what_once_made_is_there_for_all_who_come_later() {
    let source = "pthread_once_t o; int made, seen[2]; void make(void) { made = 1; }
        void *get(void *p) { pthread_once(&o, make); *(int *)p = made; return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, get, &seen[0]);
          pthread_create(&b, 0, get, &seen[1]); pthread_join(a, 0); pthread_join(b, 0); return 0; }";
    assert_eq!(n_races(source), 0);
    assert!(n_races(&source.replace("pthread_once(&o, make)", "made = 1")) > 0);
}

#[test]
fn what_one_thread_alone_accesses_is_left_out_unless_wanted() {
    let source = "int mine; int main(void) { mine = 1; return mine; }";
    let mut machine = machine(source, &Settings::default());
    assert_eq!(record(&mut machine, &[], Options::default()).len(), 1);
    machine.reset();
    let all = record(&mut machine, &[], Options { local: true, ..Options::default() });
    assert_eq!(all.len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_recorded_trace_is_well_formed(picks in prop::collection::vec(any::<u8>(), 0..120)) {
        let settings = Settings { spurious: true, ..Settings::default() };
        let mut machine = machine(ALL, &settings);
        record(&mut machine, &picks, Options { local: true, branches: true, stacks: true });
    }
}
