//! The sequential program of a specification, executed on the machine.
//!
//! In: a program and the statements inside `if(*)`. Out: for a witness, whether the execution that
//! it describes ends with the same result (S1, Theorem 2, by doing it); and whether any of some
//! executions fails an assertion (Appendix C).
//!
//! The program is changed as little as possible: before a run that stands inside `if(*)` it asks for
//! a nondeterministic value and goes on behind the run if that is 0. Threads are executed one after
//! the other: one runs until it ends or waits for those it has created.
//!
//! - Q1: a thread that waits lets the next thread begin that has not begun; which one is a choice.
//! - Q2: whether a run is left out is a choice. In a loop that would be one without end: after
//!   [`N_SKIPS`] runs that a thread has left out, it leaves none out any more.
//! - Q3: an execution in which no thread can go on, or that goes on for too long, says nothing.

mod choices;
mod values;

use std::sync::Arc;

use raddle_cfront::ir::{Function, Nondet, Op, Operands, Primitive, Program, Reg};
use raddle_finding::Choice;
use raddle_vm::{Machine, Outcome, Question, Settings};
use rustc_hash::FxHashMap;

use crate::check::Witness;
use crate::outline::Outline;
use crate::statement::Candidate;
use crate::trace::Trace;
use choices::{Enumerated, Scripted};

pub use values::same_values;

/// How many runs of statements a thread leaves out when executions are enumerated.
pub const N_SKIPS: u32 = 2;

/// Transitions after which an execution is given up.
const N_STEPS_MAX: u64 = 20_000_000;

/// What sequential executions have shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Functional {
    /// An assertion fails, or the program does something else that it must not: what, and where.
    Fails(String),
    /// None of so many executions fails; `all` says whether there are no others, Q2 aside.
    Holds {
        /// How many were executed.
        n_orders: u32,
        /// Whether these were all.
        all: bool,
    },
}

/// The sequential program.
pub struct Sequential {
    program: Arc<Program>,
    settings: Settings,
    /// The statements that each added question is about: by function and transition.
    questions: FxHashMap<(u32, u32), Candidate>,
}

/// Who decides.
trait Decide {
    /// Which of these threads begins.
    fn thread(&mut self, threads: &[u32]) -> u32;
    /// Whether a thread executes statements that it may leave out.
    fn executes(&mut self, thread: u32, statements: Candidate) -> bool;
}

impl Sequential {
    /// The program in which these statements stand inside `if(*)`.
    pub fn new(
        program: &Program,
        outline: &Outline,
        settings: &Settings,
        specification: &[Candidate],
    ) -> Sequential {
        let mut changed = program.clone();
        let mut questions = FxHashMap::default();
        let mut runs = specification.to_vec();
        // What begins with a larger run asks for that first.
        runs.sort_by_key(|run| outline.lists.size(run));
        for run in runs {
            let (id, code) = outline.code(program, &run);
            let function = &mut changed.functions[id.0 as usize];
            let at = ask(function, code.start, code.end);
            questions.insert((id.0, at), run);
        }
        let mut settings = settings.clone();
        settings.n_steps_max = settings.n_steps_max.min(N_STEPS_MAX);
        settings.nondet_kinds.push((Nondet::Bool, (0, 1)));
        Sequential { program: Arc::new(changed), settings, questions }
    }

    /// Executes what a witness describes; none if no thread can go on.
    pub fn replay(&self, trace: &Trace, witness: &Witness) -> Option<Machine> {
        let mut scripted = Scripted::new(trace, witness);
        let machine = self.execute(&mut scripted)?;
        matches!(machine.outcome(), Some(Outcome::Exited(_))).then_some(machine)
    }

    /// Tries executions, at most so many.
    pub fn try_all(&self, n_orders_max: u32) -> Functional {
        let mut choices = Enumerated::default();
        let mut n_orders = 0;
        while n_orders < n_orders_max {
            n_orders += 1;
            if let Some(machine) = self.execute(&mut choices)
                && let Some(Outcome::Fault(fault)) = machine.outcome()
            {
                return Functional::Fails(fault.to_string());
            }
            if !choices.advance() {
                return Functional::Holds { n_orders, all: true };
            }
        }
        Functional::Holds { n_orders, all: false }
    }

    fn execute(&self, decide: &mut dyn Decide) -> Option<Machine> {
        let mut machine = Machine::new(self.program.clone(), &self.settings).ok()?;
        let mut begun = vec![0];
        while let Some(question) = machine.question() {
            let choice = match question {
                Question::Thread(threads) => {
                    Choice::Thread(next(&machine, threads, &mut begun, decide))
                }
                Question::Value { .. } => self.value(&machine, decide)?,
                _ => machine.default_choice()?,
            };
            machine.answer(choice, &mut ()).ok()?;
        }
        Some(machine)
    }

    /// Q2, or a value that the program itself asks for.
    fn value(&self, machine: &Machine, decide: &mut dyn Decide) -> Option<Choice> {
        let thread = machine.current();
        let site = machine.stack(thread).first()?.site;
        match self.questions.get(&(site.function.0, site.op)) {
            Some(&run) => Some(Choice::Value(decide.executes(thread, run).into())),
            None => machine.default_choice(),
        }
    }
}

/// Q1: the current thread goes on if it can, then those that have begun, the last first.
fn next(machine: &Machine, open: &[u32], begun: &mut Vec<u32>, decide: &mut dyn Decide) -> u32 {
    let current = machine.current();
    if open.contains(&current) && begun.contains(&current) {
        return current;
    }
    if let Some(&last) = begun.iter().rev().find(|thread| open.contains(thread)) {
        return last;
    }
    let chosen = if let [only] = open { *only } else { decide.thread(open) };
    begun.push(chosen);
    chosen
}

/// Puts a question before a transition; answers where it is asked.
fn ask(function: &mut Function, start: u32, end: u32) -> u32 {
    let register = Reg(function.n_registers);
    function.n_registers += 1;
    let length = function.code.len() as u32;
    let mut at = length;
    let (span, statement) = (function.spans[start as usize], function.statement_of[start as usize]);
    let original = function.code[start as usize];
    let mut added = Vec::new();
    let behind = match end < length {
        true => end,
        false => {
            // Behind the last statement a function returns.
            added.push(Op::Return { value: None });
            at += 1;
            length
        }
    };
    let no_arguments = Operands::default();
    added.extend([
        Op::Primitive {
            call: Primitive::Nondet(Nondet::Bool),
            arguments: no_arguments,
            result: Some(register),
        },
        Op::Branch { condition: register, yes: at + 2, no: behind },
        original,
        Op::Jump { to: start + 1 },
    ]);
    function.spans.extend(added.iter().map(|_| span));
    function.statement_of.extend(added.iter().map(|_| statement));
    function.code.extend(added);
    function.code[start as usize] = Op::Jump { to: at };
    at
}
