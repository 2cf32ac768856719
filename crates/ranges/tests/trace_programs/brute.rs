//! Small random programs, and everything that they can do, by trying every interleaving.
//!
//! It has its own idea of programs and of what steps do; it shares nothing with what it judges but
//! the text of a program.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use proptest::prelude::*;

pub const N_GLOBALS: usize = 3;
pub const GLOBALS: [&str; N_GLOBALS] = ["X", "Y", "Z"];

/// One step. A local is the thread's one and only register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    Read(usize),
    /// `global = factor * local + constant`
    Write(usize, i64, i64),
    Lock(usize),
    Unlock(usize),
    /// The step behind it happens only if the local is less than this.
    AssumeLess(i64),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    pub initial: [i64; N_GLOBALS],
    pub threads: Vec<Vec<Op>>,
}

/// The text of a program.
pub fn text(program: &Program) -> String {
    let globals = GLOBALS.iter().zip(program.initial).map(|(name, v)| format!("{name}={v}"));
    let mut text = globals.collect::<Vec<_>>().join(" ");
    for (t, ops) in program.threads.iter().enumerate() {
        let mut local = None;
        let mut steps = Vec::new();
        for (n, op) in ops.iter().enumerate() {
            let value = |factor: i64, constant: i64| match local {
                Some(at) if factor == 1 => format!("r{t}_{at}+{constant}"),
                Some(at) if factor != 0 => format!("{factor}*r{t}_{at}+{constant}"),
                _ => format!("{constant}"),
            };
            steps.push(match *op {
                Op::Read(g) => {
                    local = Some(n);
                    format!("r{t}_{n}={}", GLOBALS[g])
                }
                Op::Write(g, factor, constant) => {
                    format!("{}={}", GLOBALS[g], value(factor, constant)).replace("+-", "-")
                }
                Op::Lock(l) => format!("lock L{l}"),
                Op::Unlock(l) => format!("unlock L{l}"),
                Op::AssumeLess(limit) => format!("assume {}<{limit}", value(1, 0)),
            });
        }
        text.push_str(&format!("\nt{t}: {}", steps.join("; ")));
    }
    text
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Machine {
    globals: [i64; N_GLOBALS],
    locals: Vec<i64>,
    at: Vec<usize>,
    holder: [Option<usize>; 2],
}

impl Machine {
    fn new(program: &Program) -> Machine {
        let n = program.threads.len();
        Machine { globals: program.initial, locals: vec![0; n], at: vec![0; n], holder: [None; 2] }
    }

    /// The thread takes its next step; what it assigned, or none if it cannot.
    fn step(&mut self, program: &Program, t: usize) -> Option<Option<i64>> {
        let ops = &program.threads[t];
        let mut at = self.at[t];
        while let Some(Op::AssumeLess(limit)) = ops.get(at) {
            if self.locals[t] >= *limit {
                return None;
            }
            at += 1;
        }
        let mut assigned = None;
        match *ops.get(at)? {
            Op::Read(g) => {
                self.locals[t] = self.globals[g];
                assigned = Some(self.locals[t]);
            }
            Op::Write(g, factor, constant) => {
                self.globals[g] = factor * self.locals[t] + constant;
                assigned = Some(self.globals[g]);
            }
            Op::Lock(l) if self.holder[l].is_some() => return None,
            Op::Lock(l) => self.holder[l] = Some(t),
            Op::Unlock(l) => self.holder[l] = None,
            Op::AssumeLess(_) => unreachable!("skipped"),
        }
        self.at[t] = at + 1;
        Some(assigned)
    }
}

/// The number of the step at a position, guards not counted.
pub fn n_steps(ops: &[Op]) -> usize {
    ops.iter().filter(|op| !matches!(op, Op::AssumeLess(_))).count()
}

/// All values that the steps of threads assign, by thread and number of the step (from 1).
pub fn values(program: &Program) -> BTreeMap<(usize, usize), BTreeSet<i64>> {
    let mut found: BTreeMap<_, BTreeSet<i64>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let mut open = vec![Machine::new(program)];
    while let Some(machine) = open.pop() {
        if !seen.insert(machine.clone()) {
            continue;
        }
        for t in 0..program.threads.len() {
            let mut next = machine.clone();
            if let Some(assigned) = next.step(program, t) {
                if let Some(value) = assigned {
                    let step = n_steps(&program.threads[t][..next.at[t]]);
                    found.entry((t, step)).or_default().insert(value);
                }
                open.push(next);
            }
        }
    }
    found
}

/// The values of all globals right behind steps, by thread and number of the step (from 1).
pub fn moments(program: &Program) -> BTreeSet<(Place, [i64; N_GLOBALS])> {
    let mut found = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![Machine::new(program)];
    while let Some(machine) = open.pop() {
        if !seen.insert(machine.clone()) {
            continue;
        }
        for t in 0..program.threads.len() {
            let mut next = machine.clone();
            if next.step(program, t).is_some() {
                found.insert(((t, n_steps(&program.threads[t][..next.at[t]])), next.globals));
                open.push(next);
            }
        }
    }
    found
}

/// Which thread goes when, in every complete or stuck interleaving without guards.
pub fn schedules(program: &Program) -> Vec<Vec<usize>> {
    fn go(program: &Program, machine: &Machine, taken: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        let mut stuck = true;
        for t in 0..program.threads.len() {
            let mut next = machine.clone();
            if next.step(program, t).is_some() {
                stuck = false;
                taken.push(t);
                go(program, &next, taken, all);
                taken.pop();
            }
        }
        if stuck {
            all.push(taken.clone());
        }
    }
    let mut all = Vec::new();
    go(program, &Machine::new(program), &mut Vec::new(), &mut all);
    all
}

/// Programs of so many threads; sections of locks are nested properly.
pub fn any_program(
    n_threads: std::ops::RangeInclusive<usize>,
    n_ops: usize,
    guards: bool,
) -> impl Strategy<Value = Program> {
    let op = prop_oneof![
        4 => (0..N_GLOBALS).prop_map(Op::Read),
        4 => (0..N_GLOBALS, -1i64..=2, -2i64..=3).prop_map(|(g, f, c)| Op::Write(g, f, c)),
        2 => (0..2usize).prop_map(Op::Lock),
        2 => (0..2usize).prop_map(Op::Unlock),
        if guards { 2 } else { 0 } => (-1i64..4).prop_map(Op::AssumeLess),
    ];
    let thread = prop::collection::vec(op, 1..=n_ops).prop_map(repair);
    let threads = prop::collection::vec(thread, n_threads);
    ([-1i64..3, -1i64..3, -1i64..3], threads)
        .prop_map(|(initial, threads)| Program { initial, threads })
}

/// Programs of so many threads that mostly count, under a lock, and sometimes write.
pub fn any_counting(
    n_threads: std::ops::RangeInclusive<usize>,
    n_blocks: usize,
) -> impl Strategy<Value = Program> {
    let block = prop_oneof![
        5 => (0..2usize, -2i64..=2).prop_map(|(g, by)| {
            vec![Op::Lock(0), Op::Read(g), Op::Write(g, 1, by), Op::Unlock(0)]
        }),
        1 => (0..N_GLOBALS).prop_map(|g| vec![Op::Read(g)]),
        1 => (0..N_GLOBALS, 0i64..=1).prop_map(|(g, f)| vec![Op::Write(g, f, 1)]),
    ];
    let thread = prop::collection::vec(block, 1..=n_blocks).prop_map(|blocks| blocks.concat());
    prop::collection::vec(thread, n_threads)
        .prop_map(|threads| Program { initial: [1, 0, 0], threads })
}

/// Two threads that change globals by turns of reading and writing, without a lock: changes get lost.
pub fn any_racing(n_blocks: usize) -> impl Strategy<Value = Program> {
    let block = prop_oneof![
        6 => (-5i64..=5).prop_map(|by| vec![Op::Read(0), Op::Write(0, 1, by)]),
        1 => Just(vec![Op::Read(1), Op::Write(0, 1, 0)]),
        1 => Just(vec![Op::Read(0), Op::Write(1, 1, 1)]),
        1 => (0i64..9).prop_map(|limit| vec![Op::Read(0), Op::AssumeLess(limit), Op::Write(0, 1, 1)]),
    ];
    let thread = prop::collection::vec(block, 1..=n_blocks).prop_map(|blocks| blocks.concat());
    prop::collection::vec(thread, 2..=2).prop_map(|threads| Program { initial: [0, 1, 0], threads })
}

/// Two threads, of which one looks at a global several times in a section, behind guards, and the other
/// writes it in sections of its own: what is behind a guard that fails does not happen.
pub fn any_guarded(n_writes: usize) -> impl Strategy<Value = Program> {
    let section = |inside: &[Op]| [&[Op::Lock(0)], inside, &[Op::Unlock(0)]].concat();
    let look = (0i64..9).prop_map(|limit| [Op::Read(0), Op::AssumeLess(limit)]);
    let looking = (prop::collection::vec(look, 2..=3), any::<bool>()).prop_map(
        move |(looks, writes_first)| {
            let mut inside = looks.concat();
            inside.push(Op::Write(1, 1, 0));
            let first = writes_first.then_some(Op::Write(0, 0, 4));
            first.into_iter().chain(section(&inside)).collect()
        },
    );
    let write = (0i64..9).prop_map(move |value| section(&[Op::Write(0, 0, value)]));
    let writing = prop::collection::vec(write, 1..=n_writes).prop_map(|writes| writes.concat());
    (0i64..9, looking, writing)
        .prop_map(|(x, a, b)| Program { initial: [x, 0, 0], threads: vec![a, b] })
}

/// Drops unlocks and locks that do not fit, and guards with nothing behind them.
fn repair(ops: Vec<Op>) -> Vec<Op> {
    let mut held = [false; 2];
    let mut kept: Vec<Op> = Vec::new();
    for op in ops {
        match op {
            Op::Lock(l) if held[l] => continue,
            Op::Unlock(l) if !held[l] => continue,
            Op::Lock(l) => held[l] = true,
            Op::Unlock(l) => held[l] = false,
            _ => {}
        }
        kept.push(op);
    }
    for (l, held) in held.into_iter().enumerate() {
        if held {
            kept.push(Op::Unlock(l));
        }
    }
    while matches!(kept.last(), Some(Op::AssumeLess(_))) {
        kept.pop();
    }
    if kept.is_empty() {
        kept.push(Op::Read(0));
    }
    kept
}

/// A step of a thread, by its number from 1.
pub type Place = (usize, usize);

/// Lets threads take their steps in this order; what each step assigned, if they can.
pub fn run(program: &Program, threads: &[usize]) -> Option<Vec<(Place, Option<i64>)>> {
    let mut machine = Machine::new(program);
    let step = |&t: &usize| {
        let assigned = machine.step(program, t)?;
        Some(((t, n_steps(&program.threads[t][..machine.at[t]])), assigned))
    };
    threads.iter().map(step).collect()
}

/// How many steps a thread can take at most.
pub fn reached(program: &Program, thread: usize) -> usize {
    let mut seen = HashSet::new();
    let mut open = vec![Machine::new(program)];
    let mut most = 0;
    while let Some(machine) = open.pop() {
        if !seen.insert(machine.clone()) {
            continue;
        }
        most = most.max(n_steps(&program.threads[thread][..machine.at[thread]]));
        for t in 0..program.threads.len() {
            let mut next = machine.clone();
            if next.step(program, t).is_some() {
                open.push(next);
            }
        }
    }
    most
}
