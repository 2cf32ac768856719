//! Recorded traces are well-formed and have names.

use proptest::prelude::*;
use raddle_predict::{Causes, Job, races};
use raddle_trace::check::Mode;
use raddle_trace::{EventId, Op, Trace};
use raddle_vm::record::{Options, Recorder};
use raddle_vm::{Machine, Points, Settings};

use crate::machine::c::machine;
use crate::machine::support::choices;

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

/// Two threads copy texts, and one compares them.
const TEXTS: &str = "char title[16], other[8]; void *w(void *p) { strcpy(title, \"hello\"); strcat(title, p); return 0; }
    int main(void) { pthread_t t; pthread_create(&t, 0, w, \" you\"); strncpy(other, \"hey\", 6);
      int same = strcmp(title, other); pthread_join(t, 0); return same == 9; }";

/// Accesses to arrays as text: `w title[0..6] = hello\0`.
fn texts(trace: &Trace) -> Vec<String> {
    let access = |event: EventId| {
        let (what, var) = match trace.op(event) {
            Op::Read { var, .. } => ("r", var),
            Op::Write { var, .. } => ("w", var),
            _ => return None,
        };
        let name = trace.tables.variables.get(var.0).filter(|name| name.contains('['))?;
        let value = trace.value(event).map(|value| value.to_string());
        let value = trace.block(event).map(|block| block.escape_ascii().to_string()).or(value);
        Some(format!("{what} {name} = {}", value?))
    };
    (0..trace.len() as u32).map(EventId).filter_map(access).collect()
}

/// Who reads and writes how many bytes of what.
fn bytes(trace: &Trace) -> std::collections::BTreeMap<(u32, bool, String), u32> {
    let mut counts = std::collections::BTreeMap::new();
    for event in (0..trace.len() as u32).map(EventId) {
        let (Op::Read { var, .. } | Op::Write { var, .. }) = trace.op(event) else { continue };
        let range = trace.tables.range(var).unwrap();
        let region = trace.tables.regions.get(range.region).unwrap().to_owned();
        let is_write = matches!(trace.op(event), Op::Write { .. });
        *counts.entry((trace.thread(event).0, is_write, region)).or_insert(0) += range.size;
    }
    counts
}

#[test]
fn what_functions_for_text_do_is_one_step() {
    let options = Options { local: true, story: true, ..Options::default() };
    let trace = record(&mut machine(TEXTS, &Settings::default()), &[], options);
    let expected = [
        r"w other[0..6] = hey\x00\x00\x00",
        "r title[0] = 0",
        "r other[0] = 104",
        r"w title[0..6] = hello\x00",
        r"r title[0..6] = hello\x00",
        r"w title[5..10] =  you\x00",
    ];
    assert_eq!(texts(&trace), expected);
    let apart = record(
        &mut machine(TEXTS, &Settings::default()),
        &[],
        Options { local: true, ..Options::default() },
    );
    assert!(texts(&apart).contains(&"w title[5] = 32".to_owned()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_recorded_trace_is_well_formed(picks in prop::collection::vec(any::<u8>(), 0..120)) {
        let settings = Settings { spurious: true, ..Settings::default() };
        let mut machine = machine(ALL, &settings);
        let options = Options { local: true, branches: true, stacks: true, story: false };
        record(&mut machine, &picks, options);
    }

    #[test]
    fn a_story_has_every_byte_whoever_comes_in_between(
        picks in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let settings = Settings { points: Points::All, ..Settings::default() };
        let mut machine = machine(TEXTS, &settings);
        let story = record(&mut machine, &picks, Options { local: true, story: true, ..Options::default() });
        machine.reset();
        let all = record(&mut machine, &picks, Options { local: true, ..Options::default() });
        prop_assert_eq!(bytes(&story), bytes(&all));
    }
}
