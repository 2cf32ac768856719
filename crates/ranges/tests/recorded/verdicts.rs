//! Which assertions of C programs can fail is as an interpreter finds that tries every interleaving.
//!
//! The interpreter shares nothing with what it judges but the text of the program. It runs the threads
//! one after the other, which shows the path that each takes, and then lets them take these paths in every
//! order: a thread that would take another one stops, and a failed assertion ends the program.
//!
//! The machine interrupts a thread only before what others can notice. What can fail only if a thread is
//! interrupted between a write and an assertion of its own that fails cannot be replayed: it is unknown.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proptest::prelude::*;
use raddle_ranges::analysis::{Inquiry, Verdict, analyse};
use raddle_ranges::constant;
use raddle_ranges::feasible::Options;
use raddle_ranges::graph::GraphKind;
use raddle_ranges::record::record;

use crate::recorded::support::{program, settings};

const N_GLOBALS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Variable {
    Global(usize),
    Local,
}

/// `variable < limit`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Condition(Variable, i32);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Statement {
    /// `to = from + by`, or a constant.
    Set(Variable, Option<Variable>, i32),
    Assert(Condition),
    If(Condition, Vec<Statement>),
    Section(Vec<Statement>),
}

/// What the interpreter does in one go. Values pass through one register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Op {
    Load(usize),
    Store(usize, bool, i32),
    SetLocal(bool, i32),
    TakeLocal,
    Lock,
    Unlock,
    /// The path goes on if the register is less than this, or if it is not.
    Branch(i32, bool),
    /// With its line.
    Assert(i32, usize),
    /// All other threads have ended.
    Join,
}

struct Written {
    text: String,
    n_lines: usize,
    threads: Vec<Vec<Code>>,
}

/// Code with its branches.
#[derive(Clone, Debug)]
enum Code {
    Op(Op),
    If(i32, Vec<Code>),
}

impl Written {
    fn new(threads: &[Vec<Statement>], last: &[Statement]) -> Written {
        let mut written = Written { text: String::new(), n_lines: 0, threads: Vec::new() };
        written.line("#include <assert.h>");
        written.line("#include <pthread.h>");
        written
            .line("static int g0, g1 = 3; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;");
        for (n, statements) in threads.iter().enumerate() {
            written.line(&format!("static void *t{n}(void *p) {{ int r = 0;"));
            let code = written.block(statements);
            written.threads.push(code);
            written.line("(void)r; return p; }");
        }
        written.line("int main(void) { int r = 0; pthread_t t[3];");
        for n in 0..threads.len() {
            written.line(&format!("pthread_create(&t[{n}], 0, t{n}, 0);"));
        }
        for n in 0..threads.len() {
            written.line(&format!("pthread_join(t[{n}], 0);"));
        }
        let mut code = vec![Code::Op(Op::Join)];
        code.extend(written.block(last));
        written.threads.push(code);
        written.line("(void)r; return 0; }");
        written
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
        self.n_lines += 1;
    }

    fn block(&mut self, statements: &[Statement]) -> Vec<Code> {
        let mut code = Vec::new();
        for statement in statements {
            match statement {
                Statement::Set(to, from, by) => {
                    let value = from.map_or(String::new(), |from| format!("{} + ", name(from)));
                    self.line(&format!("{} = {value}{by};", name(*to)));
                    code.extend(from.map(|from| Code::Op(take(from))));
                    let has = from.is_some();
                    code.push(Code::Op(match *to {
                        Variable::Global(g) => Op::Store(g, has, *by),
                        Variable::Local => Op::SetLocal(has, *by),
                    }));
                }
                Statement::Assert(Condition(variable, limit)) => {
                    self.line(&format!("assert({} < {limit});", name(*variable)));
                    code.push(Code::Op(take(*variable)));
                    code.push(Code::Op(Op::Assert(*limit, self.n_lines)));
                }
                Statement::If(Condition(variable, limit), inside) => {
                    self.line(&format!("if ({} < {limit}) {{", name(*variable)));
                    code.push(Code::Op(take(*variable)));
                    let inside = self.block(inside);
                    code.push(Code::If(*limit, inside));
                    self.line("}");
                }
                Statement::Section(inside) => {
                    self.line("pthread_mutex_lock(&m);");
                    code.push(Code::Op(Op::Lock));
                    code.extend(self.block(inside));
                    self.line("pthread_mutex_unlock(&m);");
                    code.push(Code::Op(Op::Unlock));
                }
            }
        }
        code
    }
}

fn name(variable: Variable) -> String {
    match variable {
        Variable::Global(g) => format!("g{g}"),
        Variable::Local => "r".to_owned(),
    }
}

fn take(variable: Variable) -> Op {
    match variable {
        Variable::Global(g) => Op::Load(g),
        Variable::Local => Op::TakeLocal,
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    globals: [i32; N_GLOBALS],
    /// Per thread: how far it is, its register and its local.
    threads: Vec<(usize, i32, i32)>,
    holder: Option<usize>,
}

enum Went {
    On,
    /// It waits, or would take another path.
    Not,
    /// An assertion at this line fails.
    Failed(usize),
}

impl State {
    fn new(n_threads: usize) -> State {
        State { globals: [0, 3], threads: vec![(0, 0, 0); n_threads], holder: None }
    }

    /// One step that others can notice, and what follows that they cannot.
    fn step(&mut self, ops: &[Vec<Op>], t: usize) -> Went {
        let mut went = self.one(ops, t);
        while let Went::On = went {
            let next = ops[t].get(self.threads[t].0);
            let Some(Op::TakeLocal | Op::SetLocal(..) | Op::Branch(..) | Op::Assert(..)) = next
            else {
                break;
            };
            match self.one(ops, t) {
                // It has come this far, and stops.
                Went::Not => break,
                next => went = next,
            }
        }
        went
    }

    fn one(&mut self, ops: &[Vec<Op>], t: usize) -> Went {
        let Some(&op) = ops[t].get(self.threads[t].0) else { return Went::Not };
        let (_, register, local) = &mut self.threads[t];
        let value = |has: bool, by: i32| if has { *register + by } else { by };
        match op {
            Op::Load(g) => *register = self.globals[g],
            Op::TakeLocal => *register = *local,
            Op::Store(g, has, by) => self.globals[g] = value(has, by),
            Op::SetLocal(has, by) => *local = value(has, by),
            Op::Lock if self.holder.is_some() => return Went::Not,
            Op::Lock => self.holder = Some(t),
            Op::Unlock => self.holder = None,
            Op::Branch(limit, taken) if (*register < limit) != taken => return Went::Not,
            Op::Branch(..) => {}
            Op::Assert(limit, line) if *register >= limit => return Went::Failed(line),
            Op::Assert(..) => {}
            Op::Join => {
                let others = self.threads.iter().zip(ops).take(ops.len() - 1);
                if others.into_iter().any(|(&(at, ..), ops)| at < ops.len()) {
                    return Went::Not;
                }
            }
        }
        self.threads[t].0 += 1;
        Went::On
    }
}

/// The paths of all threads if they run one after the other, and the assertion that fails then.
fn paths(threads: &[Vec<Code>]) -> (Vec<Vec<Op>>, Option<usize>) {
    let mut ops = vec![Vec::new(); threads.len()];
    let mut state = State::new(threads.len());
    for (t, code) in threads.iter().enumerate() {
        let mut open: Vec<_> = code.iter().rev().collect();
        while let Some(next) = open.pop() {
            let op = match next {
                Code::Op(op) => *op,
                Code::If(limit, inside) => {
                    let taken = state.threads[t].1 < *limit;
                    open.extend(inside.iter().rev().filter(|_| taken));
                    Op::Branch(*limit, taken)
                }
            };
            ops[t].push(op);
            if let Went::Failed(line) = state.one(&ops, t) {
                return (ops, Some(line));
            }
        }
    }
    (ops, None)
}

/// The lines of assertions that can fail on these paths, if threads are interrupted as on the machine, or
/// anywhere.
fn failures(ops: &[Vec<Op>], anywhere: bool) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![State::new(ops.len())];
    while let Some(state) = open.pop() {
        for t in 0..ops.len() {
            let mut next = state.clone();
            let went = if anywhere { next.one(ops, t) } else { next.step(ops, t) };
            match went {
                Went::On if seen.insert(next.clone()) => open.push(next),
                Went::Failed(line) => {
                    found.insert(line);
                }
                _ => {}
            }
        }
    }
    found
}

fn check(threads: &[Vec<Statement>], last: &[Statement]) {
    let written = Written::new(threads, last);
    let (ops, failed) = paths(&written.threads);
    let (possible, anywhere) = (failures(&ops, false), failures(&ops, true));
    assert!(failed.is_none_or(|line| possible.contains(&line)));
    let (program, settings) = (program(&written.text), settings());
    let recorded = record(&program, &settings, None).unwrap();
    let own: Vec<_> = recorded.failure(&program).into_iter().collect();
    let ctp = constant::propagate(recorded.ctp);
    for kind in [GraphKind::Ccfg, GraphKind::Tsg, GraphKind::TsgReduced] {
        let analysed = analyse(&ctp, kind, 1, u64::MAX).unwrap();
        let mut inquiry = Inquiry::new(&program, &settings, &ctp, &analysed, Options::default());
        let verdicts: BTreeMap<_, _> = inquiry
            .own_assertions(&own)
            .unwrap()
            .into_iter()
            .map(|(line, verdict)| (line.unwrap().line as usize, verdict))
            .collect();
        let lines = |is: fn(&Verdict) -> bool| {
            let those = verdicts.iter().filter(|(_, verdict)| is(verdict));
            those.map(|(line, _)| *line).collect::<BTreeSet<_>>()
        };
        let refuted = lines(|verdict| matches!(verdict, Verdict::Refuted(_)));
        let unknown = lines(|verdict| matches!(verdict, Verdict::Unknown(_)));
        let context = || format!("{kind:?} {verdicts:?}\n{}", written.text);
        assert_eq!(refuted, possible, "{}", context());
        assert_eq!(unknown, &anywhere - &possible, "{}", context());
    }
}

fn any_variable() -> impl Strategy<Value = Variable> {
    prop_oneof![3 => (0..N_GLOBALS).prop_map(Variable::Global), 1 => Just(Variable::Local)]
}

fn any_statement() -> impl Strategy<Value = Statement> {
    let condition = || (any_variable(), 0..6i32).prop_map(|(v, limit)| Condition(v, limit));
    let simple = prop_oneof![
        4 => (any_variable(), prop::option::of(any_variable()), -1..4i32)
            .prop_map(|(to, from, by)| Statement::Set(to, from, by)),
        2 => condition().prop_map(Statement::Assert),
    ];
    let inside = prop::collection::vec(simple.clone(), 1..=3);
    prop_oneof![
        5 => simple,
        2 => (condition(), inside.clone()).prop_map(|(c, inside)| Statement::If(c, inside)),
        3 => inside.prop_map(Statement::Section),
    ]
}

fn any_thread(n: usize) -> impl Strategy<Value = Vec<Statement>> {
    prop::collection::vec(any_statement(), 1..=n)
}

proptest! {
    #![proptest_config(crate::cases::cases(40))]
    #[test]
    fn two_threads(threads in prop::collection::vec(any_thread(4), 2..=2), last in any_thread(2)) {
        check(&threads, &last);
    }

    #[test]
    fn three_threads(threads in prop::collection::vec(any_thread(2), 3..=3), last in any_thread(1)) {
        check(&threads, &last);
    }
}
