//! Happens-before classes: what stands for states where an engine has none to show (as in CHESS).
//!
//! In: an engine that notes operations. Out: the same engine with fingerprints: two beginnings of
//! runs have equal ones if they differ in the order of independent operations only. Such beginnings
//! lead to the same state, so whatever works with states works with these, on finer ones: the cache
//! at every bound, and coverage.
//!
//! The hash of an event covers its thread's last event and, for each object that it touches, the
//! events there that it has to come after. A beginning is the set of its events: the sum of their
//! hashes.

use std::hash::{Hash, Hasher};

use raddle_finding::{Choice, ProgramId};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::Xxh3;

use crate::engine::{Engine, EngineError, Watch};
use crate::plan::Plan;
use crate::run::{Access, Failure, Race, Run, of_thread};

/// An engine whose states are happens-before classes.
#[derive(Clone, Debug)]
pub struct Classes<E> {
    engine: E,
}

impl<E: Engine> Classes<E> {
    /// With the classes of an engine that notes operations.
    pub fn new(engine: E) -> Classes<E> {
        Classes { engine }
    }

    /// The engine.
    pub fn engine(&self) -> &E {
        &self.engine
    }

    /// The engine, to be used without classes.
    pub fn engine_mut(&mut self) -> &mut E {
        &mut self.engine
    }
}

impl<E: Engine> Engine for Classes<E> {
    /// Runs go to their end: where they have been is known only then.
    fn run(&mut self, plan: &Plan, _: &dyn Watch, run: &mut Run) -> Result<(), EngineError> {
        if !plan.observe.fingerprints {
            return self.engine.run(plan, &(), run);
        }
        let mut plan = plan.clone();
        plan.observe.fingerprints = false;
        plan.observe.operations = true;
        self.engine.run(&plan, &(), run)?;
        let mut past = Past::default();
        run.fingerprints.clear();
        run.fingerprints.push(past.sum);
        for point in 0..run.points().len() {
            past.add(run, point);
            run.fingerprints.push(past.sum);
        }
        Ok(())
    }

    fn program(&self) -> ProgramId {
        self.engine.program()
    }

    fn race(&self, race: &Race) -> Failure {
        self.engine.race(race)
    }

    fn promote(&mut self, races: &[Race]) -> bool {
        self.engine.promote(races)
    }
}

/// What has happened.
#[derive(Debug, Default)]
struct Past {
    sum: u128,
    threads: FxHashMap<u32, u128>,
    objects: FxHashMap<u64, Object>,
    /// What comes after everything, and before everything that follows.
    barrier: u128,
}

/// What has happened to an object.
#[derive(Clone, Copy, Debug, Default)]
struct Object {
    /// The last event that was no read.
    last: u128,
    /// The reads since then, whose order does not matter.
    reads: u128,
}

impl Past {
    fn add(&mut self, run: &Run, point: usize) {
        let taken = run.taken(point);
        // Choices that are no threads' belong to the thread that runs.
        let thread = match taken {
            Choice::Thread(thread) => thread,
            _ => run.points()[point].current,
        };
        let operations = of_thread(run.operations(point), thread);
        let before = self.threads.get(&thread).copied().unwrap_or(0);
        let mut hasher = Xxh3::new();
        (taken, before, self.barrier).hash(&mut hasher);
        for operation in operations.clone() {
            let object = self.objects.get(&operation.object).copied().unwrap_or_default();
            let reads = if operation.access == Access::Read { 0 } else { object.reads };
            match operation.access {
                Access::Local => {}
                Access::Any => (operation.access, self.sum).hash(&mut hasher),
                access => (access, operation.object, object.last, reads).hash(&mut hasher),
            }
        }
        hasher.write_u8(0);
        let event = hasher.digest128();
        for operation in operations {
            let object = self.objects.entry(operation.object).or_default();
            match operation.access {
                Access::Local => {}
                Access::Any => self.barrier = event,
                Access::Read => object.reads = object.reads.wrapping_add(event),
                _ => *object = Object { last: event, reads: 0 },
            }
        }
        self.threads.insert(thread, event);
        self.sum = self.sum.wrapping_add(event);
    }
}
