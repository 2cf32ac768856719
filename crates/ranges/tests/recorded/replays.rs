//! What is found feasible happens on the machine, and what is not does not.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use proptest::prelude::*;
use raddle_cfront::ir::{Binary, Kind, Program};
use raddle_finding::Choice;
use raddle_ranges::condition::Condition;
use raddle_ranges::constant;
use raddle_ranges::ctp::{Action, Ctp};
use raddle_ranges::feasible::{Feasibility, Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::propagate;
use raddle_ranges::replay::replay;
use raddle_vm::{Event, Machine, Observer, Question, Snapshot, What};

use crate::recorded::support::{ctp, program, settings};

/// One statement of a thread.
#[derive(Clone, Copy, Debug)]
enum Statement {
    Read(usize),
    Write(usize, i64, i64),
    Section(usize),
}

fn text(threads: &[Vec<Statement>]) -> String {
    let mut text = "#include <pthread.h>\nint g0, g1 = 1;\n\
                    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        .to_owned();
    for (n, statements) in threads.iter().enumerate() {
        text.push_str(&format!("static void *t{n}(void *p) {{ int r = 0;\n"));
        for statement in statements {
            text.push_str(&match *statement {
                Statement::Read(g) => format!("r = g{g};\n"),
                Statement::Write(g, f, c) => format!("g{g} = {f} * r + {c};\n"),
                Statement::Section(g) => {
                    format!("pthread_mutex_lock(&m); g{g} = g{g} + 1; pthread_mutex_unlock(&m);\n")
                }
            });
        }
        text.push_str("return p; }\n");
    }
    text.push_str("int main(void) { pthread_t a;\npthread_create(&a, 0, t1, 0); t0(0);\n");
    text.push_str("pthread_join(a, 0); return 0; }\n");
    text
}

/// The values that each thread writes, by line, in one run.
#[derive(Clone, Default)]
struct Written(Vec<(u32, String, i64)>);

impl Observer for Written {
    fn event(&mut self, event: &Event<'_>) {
        if let What::Write { object, offset, size, value: Some(value), .. } = event.what {
            let name = event.view.name(object, offset, size);
            self.0.push((event.thread, name, value as i64));
        }
    }
}

/// All that any schedule writes: thread, number of the write among its own, value.
fn all_written(program: &Arc<Program>) -> BTreeSet<(u32, String, usize, i64)> {
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut machine = Machine::new(program.clone(), &settings()).unwrap();
    let mut first = Snapshot::default();
    machine.save(&mut first);
    let mut open = vec![(first, Written::default())];
    while let Some((at, written)) = open.pop() {
        machine.restore(&at);
        let Some(Question::Thread(threads)) = machine.question() else { continue };
        let threads = threads.to_vec();
        for thread in threads {
            machine.restore(&at);
            let mut written = written.clone();
            machine.answer(Choice::Thread(thread), &mut written).unwrap();
            let mut counts = std::collections::BTreeMap::new();
            for (thread, name, value) in &written.0 {
                let n = counts.entry((*thread, name.clone())).or_insert(0usize);
                *n += 1;
                found.insert((*thread, name.clone(), *n, *value));
            }
            if seen.insert((machine.fingerprint(), written.0.clone())) {
                let mut next = Snapshot::default();
                machine.save(&mut next);
                open.push((next, written));
            }
        }
    }
    found
}

fn check(threads: &[Vec<Statement>]) {
    let program = program(&text(threads));
    let found = all_written(&program);
    let ctp = constant::propagate(ctp(&program));
    let graph = Graph::with(&ctp, GraphKind::TsgReduced, true);
    let ranges = propagate(&ctp, &graph, 1, u64::MAX).unwrap();
    let mut solver = Solver::new(&ctp, &graph, Some(&ranges), Options::default());
    for id in ctp.state_ids() {
        let Action::Write { global, .. } = ctp.step(id).action else { continue };
        let name = &ctp.globals[global.0 as usize].name;
        let thread = ctp.threads[ctp.state(id).thread.0 as usize].number;
        let number = ordinal(&ctp, id, global);
        for value in -3..5i64 {
            let (left, right) = (Condition::Global(global), Condition::Number(value as u64));
            let differs = Condition::binary(Binary::NotEqual, Kind::I64, left, right);
            let query = Query::Breaks(id, differs);
            let possible = found.contains(&(thread, name.clone(), number, value));
            match solver.ask(&query) {
                Feasibility::Feasible(steps) => {
                    assert!(possible, "{name}={value}\n{}", text(threads));
                    let replayed = replay(&program, &settings(), &ctp, &steps, &query).unwrap();
                    assert!(replayed.confirmed, "{name}={value}\n{}", text(threads));
                }
                found => {
                    assert_eq!(found, Feasibility::Infeasible);
                    assert!(!possible, "{thread} {name}#{number}={value}\n{}", text(threads));
                }
            }
        }
    }
}

/// Which write of its thread to this global a step is.
fn ordinal(
    ctp: &Ctp,
    id: raddle_ranges::ctp::StateId,
    global: raddle_ranges::ctp::GlobalId,
) -> usize {
    let writes = |s: &&raddle_ranges::ctp::StateId| {
        ctp.step(**s).action.written().is_some_and(|(g, _)| g == global)
    };
    ctp.path_to(id).iter().filter(writes).count()
}

fn any_thread() -> impl Strategy<Value = Vec<Statement>> {
    let statement = prop_oneof![
        (0..2usize).prop_map(Statement::Read),
        (0..2usize, 0i64..=1, -1i64..=2).prop_map(|(g, f, c)| Statement::Write(g, f, c)),
        (0..2usize).prop_map(Statement::Section),
    ];
    prop::collection::vec(statement, 1..4)
}

proptest! {
    #![proptest_config(crate::cases::cases(24))]
    #[test]
    fn answers_are_those_of_the_machine(threads in [any_thread(), any_thread()]) {
        check(&threads);
    }
}

/// An assertion that fails ends the program: steps that others would take behind it are not replayed.
#[test]
fn an_assertion_that_fails_before_others_go_on_is_replayed() {
    let program = program(
        "#include <assert.h>\n#include <pthread.h>\nint ready, limit;\n\
         static void *make(void *p) { ready = 1; limit = 100; return p; }\n\
         static void *use(void *p) {\nif (ready)\nassert(limit == 100);\nreturn p; }\n\
         int main(void) { pthread_t a, b;\n\
         pthread_create(&a, 0, make, 0); pthread_create(&b, 0, use, 0);\n\
         pthread_join(a, 0); pthread_join(b, 0); return 0; }\n",
    );
    let ctp = ctp(&program);
    for kind in [GraphKind::Ccfg, GraphKind::Tsg, GraphKind::TsgReduced] {
        let graph = Graph::with(&ctp, kind, true);
        let mut solver = Solver::new(&ctp, &graph, None, Options::default());
        let guards = ctp.state_ids().flat_map(|state| {
            (0..ctp.step(state).guards.len()).map(move |number| Query::Fails(state, number))
        });
        let mut n_found = 0;
        for query in guards {
            let Feasibility::Feasible(steps) = solver.ask(&query) else { continue };
            let replayed = replay(&program, &settings(), &ctp, &steps, &query).unwrap();
            assert!(replayed.confirmed, "{kind:?}: {query:?}: {steps:?}");
            n_found += 1;
        }
        assert_eq!(n_found, 2, "the branch and the assertion");
    }
}
