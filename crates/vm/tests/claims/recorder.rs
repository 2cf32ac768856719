//! An engine that remembers how programs ended.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use raddle_explore::{Engine, EngineError, Failure, Outcome as End, Plan, Race, Run, Watch};
use raddle_finding::{Choice, Location, ProgramId};
use raddle_vm::{Outcome, VmEngine};

use crate::enumerate::Outcomes;
use crate::program::N_LINES;

/// The machine, and with which numbers programs ended on it, each with the fewest preemptions.
pub struct Recorder {
    pub engine: VmEngine,
    pub found: Outcomes,
    /// What was open at each point, by the choices before it.
    open: HashMap<u64, Vec<Choice>>,
}

impl Recorder {
    pub fn new(engine: VmEngine) -> Recorder {
        Recorder { engine, found: Outcomes::new(), open: HashMap::new() }
    }

    /// Strategies plan by what earlier runs with the same choices had open.
    fn compare_points(&mut self, run: &Run) {
        let mut before = DefaultHasher::new();
        for (point, choice) in run.choices().enumerate() {
            let now = run.alternatives(point);
            let known = self.open.entry(before.finish()).or_insert_with(|| now.to_vec());
            assert_eq!(known, now, "what is open at point {point} follows from the choices before");
            choice.hash(&mut before);
        }
    }
}

/// What an outcome is called: assertions by their threads.
pub fn name(failure: &Failure) -> String {
    let line = |place: &Location| place.line.map(|line| line as usize);
    match failure.kind.name() {
        "assertion" => {
            let line = failure.places.first().and_then(line).unwrap_or(0);
            format!("assertion {}", line / N_LINES)
        }
        kind => kind.to_owned(),
    }
}

impl Engine for Recorder {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        self.engine.run(plan, watch, run)?;
        self.compare_points(run);
        if run.outcome == End::Passed {
            let Some(Outcome::Exited(status)) = self.engine.machine().outcome() else {
                panic!("{:?}", self.engine.machine().outcome());
            };
            let choices = run.choices().enumerate();
            let cost = choices.map(|(point, choice)| run.cost(point, choice)).sum();
            let known = self.found.entry(format!("exit {status}")).or_insert(cost);
            *known = cost.min(*known);
        }
        Ok(())
    }

    fn program(&self) -> ProgramId {
        self.engine.program()
    }

    fn race(&self, race: &Race) -> Failure {
        self.engine.race(race)
    }

    fn knows(&self, race: &Race) -> bool {
        self.engine.knows(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.open.clear();
        self.engine.promote(races)
    }

    fn is_coarse(&self) -> bool {
        self.engine.is_coarse()
    }

    fn refine(&mut self) {
        self.open.clear();
        self.engine.refine();
    }
}
