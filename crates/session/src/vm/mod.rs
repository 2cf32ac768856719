//! C programs, on Raddle's own machine.

mod assertions;
pub mod ending;
mod evidence;
mod forecast;
mod sites;
mod steer;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use raddle_cfront::ir::{Op, Primitive, Program};
use raddle_explore::{EngineError, Failure, Race};
use raddle_finding::{Finding, Restriction, Schedule};
use raddle_vm::{Inputs, Machine, Points, Settings, VmEngine};

use crate::assertion::Assertion;
use crate::error::Error;
use crate::exploration::Entry;
use crate::forecast::{Allowance, Forecast};
use crate::observer::Observer;
use crate::subject::{Gathered, Subject, Terms};

pub use steer::{Effort, Observed, observe};

/// A program, and the settings of its machine.
pub struct Source {
    /// The program.
    pub program: Arc<Program>,
    /// The settings of its machine: arguments, limits, points.
    pub settings: Settings,
}

impl Subject for Source {
    type Engine = VmEngine;

    fn engines(&self, n: usize) -> Result<Vec<VmEngine>, Error> {
        let machine = Machine::new(self.program.clone(), &self.settings)
            .map_err(|error| Error::Program(error.into()))?;
        Ok((0..n).map(|_| VmEngine::new(machine.clone())).collect())
    }

    fn stop_when(&self, engine: &mut VmEngine, stop: Arc<AtomicBool>) {
        engine.stop_when(stop);
    }

    fn gather(
        &self,
        engine: &mut VmEngine,
        schedule: &Schedule,
        failure: &Failure,
        stop: &Arc<AtomicBool>,
    ) -> Result<Gathered, Error> {
        let settings = engine.machine().settings();
        evidence::gather(&self.program, settings, schedule, failure, stop)
    }

    fn as_found(&self, schedule: &Schedule, promoted: &[Race]) -> Schedule {
        let mut settings = self.settings.clone();
        settings.promote(promoted);
        let program = settings.identity(&self.program);
        schedule.clone().of(program)
    }

    fn is_controlled(&self) -> bool {
        true
    }

    fn broken(&self, _engines: &[VmEngine], error: EngineError) -> Error {
        Error::Search(error)
    }

    fn line(&self, file: &str, line: u32) -> Option<String> {
        self.program.sources.line(file, line).map(str::to_owned)
    }

    fn assertions(&self) -> Option<Vec<Assertion>> {
        assertions::assertions(&self.program, &self.settings)
    }

    fn forecast(
        &self,
        allowance: &Allowance,
        observer: &mut dyn Observer,
    ) -> Result<Option<Forecast>, Error> {
        forecast::forecast(self, allowance, observer)
    }

    fn adopt(&self, predicted: &Finding, stop: &Arc<AtomicBool>) -> Result<Option<Entry>, Error> {
        forecast::adopt(self, predicted, stop)
    }

    fn terms(&self, engines: &[VmEngine]) -> Terms {
        let settings = engines.first().map_or(&self.settings, |e| e.machine().settings());
        let mut more = Vec::new();
        if settings.symmetry {
            more.push(
                "threads with the same function and argument are interchangeable until they run"
                    .to_owned(),
            );
        }
        let mut restrictions = Vec::new();
        if settings.spurious {
            more.push("waits on condition variables may end spuriously".to_owned());
        } else if calls(&self.program, is_wait) {
            restrictions.push(Restriction::WakeUps);
        }
        if calls(&self.program, |call| matches!(call, Primitive::Nondet(_))) {
            let values = match settings.nondet {
                Some((low, high)) => format!("{low}..{high}"),
                None => inputs(&self.program),
            };
            restrictions.push(Restriction::Inputs { values });
        }
        Terms {
            all_points: settings.points == Points::All,
            n_promoted: settings.promoted.len(),
            is_blind: false,
            restrictions,
            limit: "they take more transitions than --max-steps allows".to_owned(),
            more,
            model: None,
        }
    }
}

/// Whether something in the program makes such a call.
fn calls(program: &Program, is_such: impl Fn(Primitive) -> bool) -> bool {
    let mut ops = program.functions.iter().flat_map(|function| &function.code);
    ops.any(|op| matches!(*op, Op::Primitive { call, .. } if is_such(call)))
}

fn is_wait(call: Primitive) -> bool {
    matches!(call, Primitive::CondWait | Primitive::CondTimedWait)
}

/// The values that nondeterministic choices have.
fn inputs(program: &Program) -> String {
    let inputs = Inputs::new(program);
    let mut values: Vec<i64> = Vec::new();
    for value in inputs.sets().iter().flat_map(|(_, values)| values) {
        if !values.contains(value) {
            values.push(*value);
        }
    }
    let list: Vec<_> = values.iter().map(i64::to_string).collect();
    list.join(", ")
}
