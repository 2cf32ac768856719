//! Traces to learn from: runs of a program that differ where threads meet.
//!
//! In: a program, how runs are drawn and how many. Out: their traces, and the data races in them,
//! which S1 assumes away. Runs are drawn by a strategy of `explore`, race-directed by default, and
//! executed again by the recorder.

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_explore::{Engine, EngineError, Failure, Next, Outcome, Run, Strategy};
use raddle_finding::Schedule;
use raddle_vm::{Machine, Settings, SetupError, VmEngine};

use crate::record::{Recorded, Recorder, Recording, Unstructured};

/// Runs cannot become traces.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// The program cannot be run.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A run went wrong.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Threads are not structured.
    #[error(transparent)]
    Unstructured(#[from] Unstructured),
}

/// A run and its trace.
#[derive(Debug)]
pub struct Lesson {
    /// The trace.
    pub recorded: Recorded,
    /// What repeats it.
    pub schedule: Schedule,
    /// The last state of the machine.
    pub machine: Machine,
}

/// Runs, and what was wrong with some.
#[derive(Debug, Default)]
pub struct Lessons {
    /// The runs that ended well.
    pub lessons: Vec<Lesson>,
    /// The data races, each once.
    pub races: Vec<Failure>,
    /// Runs that did not end well, and how.
    pub failed: Vec<(Schedule, Outcome)>,
}

/// Records the runs that a strategy draws, up to `n`; runs that are alike are recorded once.
pub fn learn(
    program: &Arc<Program>,
    settings: &Settings,
    strategy: &mut dyn Strategy,
    n: usize,
    recording: Recording<'_>,
) -> Result<Lessons, LearnError> {
    let mut engine = VmEngine::new(Machine::new(program.clone(), settings)?);
    let mut found = Lessons::default();
    let mut run = Run::new();
    let mut seen = Vec::new();
    for _ in 0..n {
        let Next::Ready(id, mut plan) = strategy.next() else { break };
        plan.observe.races = true;
        engine.run(&plan, &(), &mut run)?;
        let schedule = run.schedule(engine.program());
        for race in &run.races {
            let failure = engine.race(race);
            if !found.races.iter().any(|known| known.places == failure.places) {
                found.races.push(failure);
            }
        }
        strategy.learn(id, &mut run);
        if run.outcome != Outcome::Passed {
            found.failed.push((schedule, run.outcome.clone()));
            continue;
        }
        if seen.contains(&schedule) {
            continue;
        }
        let mut machine = Machine::new(program.clone(), settings)?;
        let mut recorder = Recorder::new(recording);
        machine.replay(&schedule, &mut recorder);
        found.lessons.push(Lesson {
            recorded: recorder.finish()?,
            schedule: schedule.clone(),
            machine,
        });
        seen.push(schedule);
    }
    Ok(found)
}
