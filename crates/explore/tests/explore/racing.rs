//! Models with an engine that looks for races.

use raddle_explore::*;
use raddle_finding::{Choice, ProgramId};

use crate::model::{Model, ModelEngine};

/// An engine that looks for races: accesses to a variable that follow each other immediately, one
/// of them a store.
pub struct Racing<'a> {
    engine: ModelEngine<'a>,
    /// Whether it gives fingerprints.
    fingerprints: bool,
}

impl<'a> Racing<'a> {
    pub fn new(model: &'a Model, fingerprints: bool) -> Racing<'a> {
        Racing { engine: ModelEngine::new(model), fingerprints }
    }
}

impl Engine for Racing<'_> {
    fn run(&mut self, plan: &Plan, watch: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        let mut plan = plan.clone();
        plan.observe.fingerprints &= self.fingerprints;
        plan.observe.operations |= plan.observe.races;
        self.engine.run(&plan, watch, run)?;
        if plan.observe.races {
            let of = |point: usize| {
                let taken = run.taken(point);
                run.operations(point).iter().find(|op| Choice::Thread(op.thread) == taken).copied()
            };
            let race = |point: usize| {
                let (one, other) = (of(point - 1)?, of(point)?);
                let plain = matches!(one.access, Access::Read | Access::Write);
                let race = Race {
                    sites: [one.object; 2],
                    callers: [one.object; 2],
                    touches: [Touch::Write; 2],
                    threads: [one.thread, other.thread],
                    starts: [0; 2],
                    object: (0, one.object),
                    bytes: (0, 1),
                    point: point as u32,
                };
                (plain && one.thread != other.thread && one.conflicts(&other)).then_some(race)
            };
            let races: Vec<_> = (1..run.points().len()).filter_map(race).collect();
            for race in races {
                if run.races.iter().all(|known| known.sites != race.sites) {
                    run.races.push(race);
                }
            }
        }
        Ok(())
    }

    fn program(&self) -> ProgramId {
        self.engine.program()
    }

    fn race(&self, race: &Race) -> Trouble {
        let places = vec![format!("variable {}", race.sites[0])];
        Trouble { kind: "race".to_owned(), places, message: String::new() }
    }

    fn promote(&mut self, _: &[Race]) -> bool {
        false
    }
}
