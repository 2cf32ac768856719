//! Semaphores, barriers, tries and calls that happen once: what is found feasible happens on the
//! machine, and what is not does not.
//!
//! A thread of a trace program does what it did in the run, or stops. So the machine tries every
//! schedule, and a thread is left alone from where it does something else than in the run.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use proptest::prelude::*;
use raddle_cfront::ir::{Binary, Kind, Program};
use raddle_finding::{Choice, Schedule};
use raddle_ranges::condition::Condition;
use raddle_ranges::constant;
use raddle_ranges::ctp::{Action, Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;
use raddle_ranges::record::{Recorded, record};
use raddle_ranges::replay::replay;
use raddle_vm::{Event, Machine, Observer, Question, Snapshot, What};

use crate::recorded::merged::random_schedule;
use crate::recorded::support::{program, settings, show};

/// One statement of a thread.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Add(usize),
    /// `g = f * r + c`, where `r` is what the last barrier gave.
    Write(usize, i64, i64),
    Section(usize),
    TryLock(usize),
    Post,
    Take,
    TryTake(usize),
    Barrier,
    Once,
    Wait(usize),
    Signal,
    Broadcast,
}

fn statement(statement: Statement) -> String {
    match statement {
        Statement::Add(g) => format!("g{g} = g{g} + 1;\n"),
        Statement::Write(g, f, c) => format!("g{g} = {f} * r + {c};\n"),
        Statement::Section(g) => {
            format!("pthread_mutex_lock(&m); g{g} = g{g} + 1; pthread_mutex_unlock(&m);\n")
        }
        Statement::TryLock(g) => format!(
            "if (pthread_mutex_trylock(&m) == 0) {{ g{g} = g{g} + 1; pthread_mutex_unlock(&m); }}\n\
             else g{g} = 4;\n"
        ),
        Statement::Post => "sem_post(&s);\n".into(),
        Statement::Take => "sem_wait(&s);\n".into(),
        Statement::TryTake(g) => {
            format!("if (sem_trywait(&s) == 0) g{g} = g{g} + 2; else g{g} = 3;\n")
        }
        Statement::Barrier => "r = pthread_barrier_wait(&b);\n".into(),
        Statement::Once => "pthread_once(&o, body);\n".into(),
        Statement::Wait(g) => format!(
            "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); g{g} = g{g} + 1;\n\
             pthread_mutex_unlock(&m);\n"
        ),
        Statement::Signal => "pthread_cond_signal(&c);\n".into(),
        Statement::Broadcast => "pthread_cond_broadcast(&c);\n".into(),
    }
}

fn text(threads: &[Vec<Statement>], initial: u32) -> String {
    let mut text = "#include <pthread.h>\n#include <semaphore.h>\nint g0, g1 = 1;\n\
                    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                    pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n\
                    pthread_once_t o = PTHREAD_ONCE_INIT;\nsem_t s; pthread_barrier_t b;\n\
                    static void body(void) { g0 = g1; }\n"
        .to_owned();
    for (n, statements) in threads.iter().enumerate() {
        let body: String = statements.iter().map(|&one| statement(one)).collect();
        text.push_str(&format!(
            "static void *t{n}(void *p) {{ int r = 0; (void)r;\n{body}return p; }}\n"
        ));
    }
    text.push_str("int main(void) { pthread_t a, d; (void)d;\n");
    text.push_str(&format!("sem_init(&s, 0, {initial}); pthread_barrier_init(&b, 0, 2);\n"));
    text.push_str("pthread_create(&a, 0, t1, 0);\n");
    if threads.len() > 2 {
        text.push_str("pthread_create(&d, 0, t2, 0);\n");
    }
    text.push_str("t0(0); pthread_join(a, 0);\n");
    if threads.len() > 2 {
        text.push_str("pthread_join(d, 0);\n");
    }
    text.push_str("return 0; }\n");
    text
}

/// What a thread does, without values.
type Deed = (Discriminant<What>, Option<u64>, Option<(u32, u32)>);

/// What threads have done, and what they wrote, as long as they do what is expected.
#[derive(Clone, Default)]
struct Seen {
    expected: Option<Arc<BTreeMap<u32, Vec<Deed>>>>,
    deeds: BTreeMap<u32, Vec<Deed>>,
    written: Vec<(u32, String, i64)>,
    is_other: bool,
}

impl Observer for Seen {
    fn event(&mut self, event: &Event<'_>) {
        if self.is_other || matches!(event.what, What::Request { .. }) {
            return;
        }
        let place = match event.what {
            What::Read { object, offset, .. }
            | What::Write { object, offset, .. }
            | What::Rmw { object, offset, .. } => Some((object, offset)),
            _ => None,
        };
        let deed = (discriminant(&event.what), event.what.address(), place);
        let deeds = self.deeds.entry(event.thread).or_default();
        if let Some(expected) = &self.expected {
            let wanted = expected.get(&event.thread).and_then(|all| all.get(deeds.len()));
            self.is_other = wanted != Some(&deed);
        }
        deeds.push(deed);
        if let What::Write { object, offset, size, value: Some(value), .. } = event.what
            && !self.is_other
        {
            let name = event.view.name(object, offset, size);
            self.written.push((event.thread, name, value as i64));
        }
    }
}

/// What the threads do in a run.
fn expected(program: &Arc<Program>, schedule: &Schedule) -> BTreeMap<u32, Vec<Deed>> {
    let mut machine = Machine::new(program.clone(), &settings()).unwrap();
    let mut seen = Seen::default();
    machine.replay(schedule, &mut seen);
    seen.deeds
}

/// All that any schedule writes, of what threads do in a run: thread, number of the write among its
/// own, value.
fn all_written(program: &Arc<Program>, schedule: &Schedule) -> BTreeSet<(u32, String, usize, i64)> {
    let mut found = BTreeSet::new();
    let mut known = HashSet::new();
    let mut machine = Machine::new(program.clone(), &settings()).unwrap();
    let mut first = Snapshot::default();
    machine.save(&mut first);
    let expected = Some(Arc::new(expected(program, schedule)));
    let mut open = vec![(first, Seen { expected, ..Seen::default() })];
    while let Some((at, seen)) = open.pop() {
        machine.restore(&at);
        let choices: Vec<_> = match machine.question() {
            Some(Question::Thread(threads)) => threads.iter().map(|&t| Choice::Thread(t)).collect(),
            Some(Question::Waiter(waiters)) => waiters.iter().map(|&t| Choice::Waiter(t)).collect(),
            _ => continue,
        };
        for choice in choices {
            machine.restore(&at);
            let mut seen = seen.clone();
            machine.answer(choice, &mut seen).unwrap();
            let mut counts = BTreeMap::new();
            for (thread, name, value) in &seen.written {
                let n = counts.entry((*thread, name.clone())).or_insert(0usize);
                *n += 1;
                found.insert((*thread, name.clone(), *n, *value));
            }
            if !seen.is_other && known.insert((machine.fingerprint(), seen.written.clone())) {
                let mut next = Snapshot::default();
                machine.save(&mut next);
                open.push((next, seen));
            }
        }
    }
    found
}

/// Which write of its thread to its global a step is.
fn ordinal(ctp: &Ctp, id: StateId) -> Option<usize> {
    let (global, _) = ctp.step(id).action.written()?;
    let writes = |s: &&StateId| ctp.step(**s).action.written().is_some_and(|(g, _)| g == global);
    Some(ctp.path_to(id).iter().filter(writes).count())
}

/// Checks what the run that the machine makes by default shows, and some others.
#[track_caller]
fn check(threads: &[Vec<Statement>], initial: u32) {
    let text = text(threads, initial);
    let program = program(&text);
    for seed in 0..3 {
        let schedule = (seed > 0).then(|| random_schedule(&program, seed));
        let recorded = record(&program, &settings(), schedule.as_ref()).unwrap();
        check_run(&program, recorded, &text);
    }
}

#[track_caller]
fn check_run(program: &Arc<Program>, recorded: Recorded, text: &str) {
    let found = all_written(program, &recorded.schedule);
    let ctp = constant::propagate(recorded.ctp);
    assert_eq!(ctp.notices, []);
    for kind in [GraphKind::TsgReduced, GraphKind::Ccfg] {
        let graph = Graph::with(&ctp, kind, true);
        let ranges = propagate(&ctp, &graph, 1, u64::MAX).unwrap();
        let narrow = (kind == GraphKind::TsgReduced).then_some(&ranges);
        let mut solver = Solver::new(&ctp, &graph, narrow, Options::default());
        for id in ctp.state_ids() {
            let Some((global, _)) = ctp.step(id).action.written() else { continue };
            let name = &ctp.globals[global.0 as usize].name;
            let thread = ctp.threads[ctp.state(id).thread.0 as usize].number;
            let number = ordinal(&ctp, id).unwrap();
            for value in -3..7i64 {
                let (left, right) = (Condition::Global(global), Condition::Number(value as u64));
                let differs = Condition::binary(Binary::NotEqual, Kind::I64, left, right);
                let query = Query::Breaks(id, differs);
                let possible = found.contains(&(thread, name.clone(), number, value));
                let context =
                    format!("{kind:?} {thread} {name}#{number}={value}\n{text}\n{}", show(&ctp));
                match solver.ask(&query) {
                    Feasibility::Feasible(steps) => {
                        assert!(possible, "{context}");
                        let replayed = replay(program, &settings(), &ctp, &steps, &query).unwrap();
                        assert!(replayed.confirmed, "{context}");
                    }
                    found => {
                        assert_eq!(found, Feasibility::Infeasible);
                        assert!(!possible, "{context}");
                        continue;
                    }
                }
                let interval = ranges.written[id.0 as usize];
                assert!(interval.is_some_and(|i| i.contains(value)), "{interval:?} {context}");
            }
        }
    }
}

fn any_thread(most: usize) -> impl Strategy<Value = Vec<Statement>> {
    let statement = prop_oneof![
        2 => (0..2usize).prop_map(Statement::Add),
        2 => (0..2usize, 0i64..=1, -1i64..=2).prop_map(|(g, f, c)| Statement::Write(g, f, c)),
        1 => (0..2usize).prop_map(Statement::Section),
        2 => (0..2usize).prop_map(Statement::TryLock),
        2 => Just(Statement::Post),
        2 => Just(Statement::Take),
        2 => (0..2usize).prop_map(Statement::TryTake),
        2 => Just(Statement::Barrier),
        1 => Just(Statement::Once),
        2 => (0..2usize).prop_map(Statement::Wait),
        2 => Just(Statement::Signal),
        1 => Just(Statement::Broadcast),
    ];
    prop::collection::vec(statement, 1..=most)
}

proptest! {
    #![proptest_config(crate::cases::cases(40))]
    #[test]
    fn two_threads(threads in prop::collection::vec(any_thread(4), 2..=2), initial in 0u32..2) {
        check(&threads, initial);
    }

    #[test]
    fn three_threads(threads in prop::collection::vec(any_thread(2), 3..=3), initial in 0u32..2) {
        check(&threads, initial);
    }
}

use Statement::{
    Add, Barrier, Broadcast, Once, Post, Section, Signal, Take, TryLock, TryTake, Wait, Write,
};

#[test]
fn a_take_needs_a_post() {
    check(&[vec![Take, Add(0)], vec![Write(0, 0, 2), Post, Add(0)]], 0);
    check(&[vec![Take, Add(0), Take, Add(0)], vec![Write(0, 0, 2), Post, Add(0), Post]], 1);
}

#[test]
fn a_try_fails_when_nothing_is_left() {
    check(&[vec![TryTake(0), Post], vec![Write(0, 0, 1), Post, TryTake(0)]], 0);
    check(&[vec![TryTake(0), TryTake(1)], vec![Post, Add(0)]], 1);
}

#[test]
fn arrivals_are_complete_before_anyone_goes_on() {
    check(&[vec![Add(0), Barrier, Add(0)], vec![Add(0), Barrier, Add(0)]], 0);
    check(&[vec![Barrier, Write(0, 1, 0), Barrier], vec![Add(0), Barrier, Write(0, 1, 1)]], 0);
}

#[test]
fn a_barrier_of_two_takes_three_threads_in_any_pairs() {
    check(&[vec![Barrier, Write(0, 1, 0)], vec![Barrier, Add(0)], vec![Barrier, Add(1)]], 0);
}

#[test]
fn a_lock_is_tried_while_somebody_has_it() {
    let threads = [vec![TryLock(0), Add(1)], vec![Section(1), Add(0)]];
    let text = text(&threads, 0);
    let program = program(&text);
    let run = |seed| record(&program, &settings(), Some(&random_schedule(&program, seed))).unwrap();
    let fails = |run: &Recorded| {
        let is = |action| matches!(action, Action::TryFails { .. });
        run.ctp.states.iter().any(|state| is(state.step.action))
    };
    let failed = (0..100).map(run).find(fails).expect("some run fails to get the lock");
    check_run(&program, failed, &text);
}

/// Checks a run, of some, in which so many waits were ended.
#[track_caller]
fn check_waits(threads: &[Vec<Statement>], n_ended: usize) {
    let text = text(threads, 0);
    let program = program(&text);
    let run = |seed| record(&program, &settings(), Some(&random_schedule(&program, seed))).unwrap();
    let ended = |run: &Recorded| {
        let is = |action| matches!(action, Action::Acquire { woken: Some(_), .. });
        run.ctp.states.iter().filter(|state| is(state.step.action)).count() == n_ended
    };
    check_run(&program, (0..300).map(run).find(ended).expect("some run ends them"), &text);
}

#[test]
fn a_signal_ends_one_wait() {
    check_waits(&[vec![Signal, Add(0), Signal], vec![Wait(0)], vec![Wait(0)]], 2);
    check_waits(&[vec![Broadcast, Add(0)], vec![Wait(0)], vec![Wait(0)]], 2);
    check_waits(&[vec![Add(0), Signal], vec![Wait(0)]], 1);
}

#[test]
fn what_happens_once_is_over_for_everyone_else() {
    check(&[vec![Add(1), Once, Add(0)], vec![Once, Add(0)]], 0);
}
