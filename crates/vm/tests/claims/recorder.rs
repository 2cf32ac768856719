//! An engine that remembers how programs ended.

use raddle_explore::{Engine, EngineError, Outcome as End, Plan, Race, Run, Trouble, Watch};
use raddle_finding::ProgramId;
use raddle_vm::{Outcome, VmEngine};

use crate::enumerate::Outcomes;
use crate::program::N_LINES;

/// The machine, and with which numbers programs ended on it, each with the fewest preemptions.
pub struct Recorder {
    pub engine: VmEngine,
    pub found: Outcomes,
}

impl Recorder {
    pub fn new(engine: VmEngine) -> Recorder {
        Recorder { engine, found: Outcomes::new() }
    }
}

/// What an outcome is called: assertions by their threads.
pub fn name(trouble: &Trouble) -> String {
    let line = |place: &String| place.split(':').nth(1).and_then(|line| line.parse::<usize>().ok());
    match trouble.kind.as_str() {
        "assertion" => {
            let line = trouble.places.first().and_then(line).unwrap_or(0);
            format!("assertion {}", line / N_LINES)
        }
        kind => kind.to_owned(),
    }
}

impl Engine for Recorder {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        self.engine.run(plan, watch, run)?;
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

    fn race(&self, race: &Race) -> Trouble {
        self.engine.race(race)
    }

    fn knows(&self, race: &Race) -> bool {
        self.engine.knows(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.engine.promote(races)
    }

    fn is_coarse(&self) -> bool {
        self.engine.is_coarse()
    }

    fn refine(&mut self) {
        self.engine.refine();
    }
}
