//! Several runs as one trace program: it can do what each of them can, and nothing that the program
//! cannot.

use std::sync::Arc;

use proptest::prelude::*;
use raddle_cfront::ir::{Binary, Kind, Program};
use raddle_finding::{Choice, Schedule};
use raddle_ranges::condition::Condition;
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::merge::merge;
use raddle_ranges::record::{Recorded, record_all};
use raddle_ranges::replay::replay;
use raddle_vm::{Machine, Question};

use crate::recorded::support::{program, settings};

/// One statement of a thread.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Write(usize, i64),
    Add(usize),
    /// Writes one or the other, as the value of the first says.
    Branch(usize, i64),
    /// The same with a thread of its own on one side.
    Fork(usize),
}

fn text(threads: &[Vec<Statement>; 2]) -> String {
    let mut text = "#include <pthread.h>\nint g0, g1 = 1;\n\
                    static void *leaf(void *p) { g1 = 4; return p; }\n"
        .to_owned();
    for (n, statements) in threads.iter().enumerate() {
        text.push_str(&format!("static void *t{n}(void *p) {{ pthread_t a; (void)a;\n"));
        for statement in statements {
            text.push_str(&match *statement {
                Statement::Write(g, value) => format!("g{g} = {value};\n"),
                Statement::Add(g) => format!("g{g} = g{g} + 1;\n"),
                Statement::Branch(g, value) => {
                    format!("if (g{g} > {value}) g0 = 2; else g1 = 3;\n")
                }
                Statement::Fork(g) => format!(
                    "if (g{g} > 1) {{ pthread_create(&a, 0, leaf, 0); pthread_join(a, 0); }}\n"
                ),
            });
        }
        text.push_str("return p; }\n");
    }
    text.push_str("int main(void) { pthread_t a;\npthread_create(&a, 0, t1, 0); t0(0);\n");
    text.push_str("pthread_join(a, 0); g0 = g0 + 0; g1 = g1 + 0; return 0; }\n");
    text
}

/// A run in which any thread goes next.
pub fn random_schedule(program: &Arc<Program>, seed: u64) -> Schedule {
    let mut machine = Machine::new(program.clone(), &settings()).unwrap();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut schedule = Schedule::new(machine.program_id());
    while let Some(Question::Thread(threads)) = machine.question() {
        let choice = Choice::Thread(threads[rng.usize(..threads.len())]);
        machine.answer(choice, &mut ()).unwrap();
        schedule.push(choice);
    }
    schedule
}

/// Which values the step into a state may write.
fn written(solver: &mut Solver<'_>, ctp: &Ctp, state: StateId) -> Vec<i64> {
    let Some((global, _)) = ctp.step(state).action.written() else { return Vec::new() };
    let mut found = Vec::new();
    for value in -1..6i64 {
        let (left, right) = (Condition::Global(global), Condition::Number(value as u64));
        let query =
            Query::Breaks(state, Condition::binary(Binary::NotEqual, Kind::I64, left, right));
        if matches!(solver.ask(&query), Feasibility::Feasible(_)) {
            found.push(value);
        }
    }
    found
}

/// Some runs of a program, merged; and each with what its states have become.
fn merged(program: &Arc<Program>, n_runs: u64) -> (Ctp, Vec<(Ctp, Vec<StateId>)>) {
    let schedules = (1..n_runs).map(|seed| Some(random_schedule(program, seed)));
    let schedules: Vec<_> = std::iter::once(None).chain(schedules).collect();
    let runs = record_all(program, &settings(), &schedules, &[]).unwrap();
    let mut merged = runs[0].ctp.clone();
    let place = |run: Recorded| {
        let places = merge(&mut merged, &run.ctp);
        (run.ctp, places)
    };
    let single = runs.into_iter().skip(1).map(place).collect();
    (merged, single)
}

/// Whatever is written in some execution of merged runs, the program can write there.
fn check_replays(program: &Arc<Program>, merged: &Ctp, context: &str) {
    let graph = Graph::with(merged, GraphKind::Ccfg, true);
    let mut solver = Solver::new(merged, &graph, None, Options::default());
    for state in merged.state_ids() {
        let Some((global, _)) = merged.step(state).action.written() else { continue };
        for value in 0..6u64 {
            let (left, right) = (Condition::Global(global), Condition::Number(value));
            let other = Condition::binary(Binary::NotEqual, Kind::I64, left, right);
            let query = Query::Breaks(state, other);
            if let Feasibility::Feasible(steps) = solver.ask(&query) {
                let replayed = replay(program, &settings(), merged, &steps, &query).unwrap();
                assert!(replayed.confirmed, "{state:?} {value} {steps:?}\n{context}");
            }
        }
    }
}

fn check(threads: &[Vec<Statement>; 2]) {
    let context = text(threads);
    let program = program(&context);
    let (merged, single) = merged(&program, 5);
    check_replays(&program, &merged, &context);
    for kind in [GraphKind::Ccfg, GraphKind::TsgReduced] {
        let graph = Graph::with(&merged, kind, true);
        let mut solver = Solver::new(&merged, &graph, None, Options::default());
        for (run, places) in &single {
            let graph = Graph::with(run, kind, true);
            let mut own = Solver::new(run, &graph, None, Options::default());
            for state in run.state_ids() {
                let place = places[state.0 as usize];
                let here = written(&mut own, run, state);
                let there = written(&mut solver, &merged, place);
                let has_all = here.iter().all(|value| there.contains(value));
                assert!(has_all, "{kind:?} {state:?} {here:?} {there:?}\n{context}");
            }
        }
    }
}

fn any_thread() -> impl Strategy<Value = Vec<Statement>> {
    let statement = prop_oneof![
        2 => (0..2usize, -1i64..=2).prop_map(|(g, v)| Statement::Write(g, v)),
        2 => (0..2usize).prop_map(Statement::Add),
        3 => (0..2usize, 0i64..=2).prop_map(|(g, v)| Statement::Branch(g, v)),
        1 => (0..2usize).prop_map(Statement::Fork),
    ];
    prop::collection::vec(statement, 1..4)
}

proptest! {
    #![proptest_config(crate::cases::cases(32))]
    #[test]
    fn merged_runs_have_the_executions_of_each(threads in [any_thread(), any_thread()]) {
        check(&threads);
    }
}

/// What is overwritten on one path is left to be read on the other one.
#[test]
fn a_write_is_lost_on_one_way_only() {
    let program = program(
        "#include <pthread.h>\nint x, y;\n\
         static void *f(void *p) { x = 1; if (y) x = 2; return p; }\n\
         int main(void) { pthread_t a; pthread_create(&a, 0, f, 0);\n\
         y = 1; pthread_join(a, 0); x = x + 2; return 0; }\n",
    );
    let (merged, _) = merged(&program, 8);
    assert!(merged.has_branches());
    let graph = Graph::with(&merged, GraphKind::TsgReduced, true);
    let mut solver = Solver::new(&merged, &graph, None, Options::default());
    let mut values: Vec<i64> = Vec::new();
    for state in merged.state_ids().filter(|&state| merged.state(state).thread.0 == 0) {
        let of_x = |(global, _)| Some(global) == merged.global("x");
        if merged.step(state).action.written().is_some_and(of_x) {
            values.extend(written(&mut solver, &merged, state));
        }
    }
    assert_eq!(values, [3, 4]);
}

/// The thread is the same whichever is created first: by its creator and the place.
#[test]
fn threads_created_in_other_orders_are_the_same() {
    let program = program(
        "#include <pthread.h>\nint x, y;\n\
         static void *odd(void *p) { x = 1; return p; }\n\
         static void *even(void *p) { y = 2; return p; }\n\
         static void *f(void *p) { pthread_t a; y = y + 1;\n\
         pthread_create(&a, 0, odd, 0); pthread_join(a, 0); return p; }\n\
         int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); x = x + 1;\n\
         pthread_create(&b, 0, even, 0); pthread_join(a, 0); pthread_join(b, 0);\n\
         x = x + y; return 0; }\n",
    );
    let (merged, single) = merged(&program, 9);
    let third = |ctp: &Ctp| ctp.threads.iter().find(|t| t.number == 2).unwrap().name.clone();
    let names: std::collections::BTreeSet<_> = single.iter().map(|(run, _)| third(run)).collect();
    assert_eq!(names.len(), 2, "runs create them in both orders");
    let mut names: Vec<_> = merged.threads.iter().map(|thread| &thread.name[..]).collect();
    names.sort_unstable();
    assert_eq!(names, ["even", "f", "main", "odd"]);
    assert!(!merged.has_branches());
    check_replays(&program, &merged, "");
}

/// Two threads that are created at the same place are distinguished by their order there.
#[test]
fn threads_created_in_a_loop_are_different() {
    let program = program(
        "#include <pthread.h>\nint x;\n\
         static void *f(void *p) { x = x + (int)(long)p; return p; }\n\
         int main(void) { pthread_t t[2]; for (long i = 0; i < 2; i++)\n\
         pthread_create(&t[i], 0, f, (void *)(i + 1));\n\
         for (int i = 0; i < 2; i++) pthread_join(t[i], 0); x = x + 0; return 0; }\n",
    );
    let (merged, _) = merged(&program, 6);
    assert_eq!(merged.threads.len(), 3);
    assert!(!merged.has_branches());
    let all: std::collections::BTreeSet<_> = merged.threads.iter().map(|t| &t.origin).collect();
    assert_eq!(all.len(), 3);
    check_replays(&program, &merged, "");
}
