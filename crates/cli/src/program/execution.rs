//! One run: choices are made, the program's output is passed on while it comes.

use std::io::{self, Write};
use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::{Choice, Schedule};
use raddle_vm::{Machine, Observer, Question, Settings};

use crate::context::Context;
use crate::diagnostic::Diagnostic;

/// Who makes the choices after those of the schedule.
pub(crate) enum Chooser {
    /// No thread is interrupted while it can go on.
    Default,
    /// At random, by a seed.
    Random(fastrand::Rng),
    /// The run ends with the schedule.
    Stop,
}

/// What became of the choices of a run.
pub(crate) struct Taken {
    /// The choices.
    pub(crate) schedule: Schedule,
    /// The first choice of the given schedule that did not fit.
    pub(crate) misfit: Option<String>,
    /// Whether the user stopped the run.
    pub(crate) stopped: bool,
}

/// A machine for the program.
pub(crate) fn machine(program: Arc<Program>, settings: &Settings) -> Result<Machine, Diagnostic> {
    Machine::new(program, settings)
        .map_err(|error| Diagnostic::error("the program cannot be run").because(&error))
}

/// Refuses a schedule of another program.
pub(crate) fn check_program(schedule: &Schedule, machine: &Machine) -> Result<(), Diagnostic> {
    schedule.check_program(&machine.program_id()).map_err(|error| {
        Diagnostic::error("the schedule does not belong to this program")
            .because(&error)
            .help("the sources, the macros or the data model differ from those it was created with")
    })
}

/// Runs to the end, first by the schedule, then as the chooser says.
pub(crate) fn run<O: Observer>(
    machine: &mut Machine,
    given: Option<&Schedule>,
    mut chooser: Chooser,
    observer: &mut O,
    context: &Context,
) -> Taken {
    let deferral = context.interrupt.defer_signal();
    let mut output = Output { passed_on: !context.is_json(), n_written: 0 };
    let mut schedule = Schedule::new(machine.program_id());
    let mut given = given.into_iter().flat_map(Schedule::choices).enumerate();
    let (mut misfit, mut stopped) = (None, false);
    while machine.outcome().is_none() && !stopped {
        let choice = match given.next().filter(|_| misfit.is_none()) {
            Some((position, choice)) if machine.answer(choice, observer).is_err() => {
                let asked = machine.question().map(|question| question.to_string());
                let asked = asked.unwrap_or_default();
                misfit =
                    Some(format!("choice {} is {choice}, but the run needs {asked}", position + 1));
                continue;
            }
            Some((_, choice)) => choice,
            None if matches!(chooser, Chooser::Stop) => break,
            None => {
                let choice = choose(machine, &mut chooser);
                machine.answer(choice, observer).expect("what is chosen is open");
                choice
            }
        };
        schedule.push(choice);
        output.pass_on(machine);
        stopped = context.interrupt.is_asked();
    }
    output.pass_on(machine);
    drop(deferral);
    Taken { schedule, misfit, stopped }
}

fn choose(machine: &Machine, chooser: &mut Chooser) -> Choice {
    let default = || machine.default_choice().expect("the run is not over");
    let Chooser::Random(rng) = chooser else { return default() };
    match machine.question() {
        Some(Question::Thread(threads)) => Choice::Thread(threads[rng.usize(..threads.len())]),
        Some(Question::Waiter(waiters)) => Choice::Waiter(waiters[rng.usize(..waiters.len())]),
        Some(Question::Timeout) => Choice::Timeout(rng.bool()),
        Some(Question::Spurious) => Choice::Spurious(rng.bool()),
        Some(Question::Value { low, high }) => Choice::Value(rng.i64(low..=high)),
        Some(Question::Input(values)) => Choice::Value(values[rng.usize(..values.len())]),
        None => default(),
    }
}

/// The program's own output goes where it would go without Raddle.
struct Output {
    passed_on: bool,
    n_written: usize,
}

impl Output {
    /// A reader that has gone is no error here: the results do not depend on it.
    fn pass_on(&mut self, machine: &Machine) {
        if !self.passed_on {
            return;
        }
        for (fd, part) in machine.output_parts().skip(self.n_written) {
            self.n_written += 1;
            let _ = match fd {
                2 => io::stderr().write_all(part),
                _ => io::stdout().write_all(part).and_then(|()| io::stdout().flush()),
            };
        }
    }
}
