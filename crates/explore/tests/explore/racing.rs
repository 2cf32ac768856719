//! Models with an engine that looks for races.

use std::sync::atomic::AtomicBool;

use raddle_explore::*;
use raddle_finding::{Choice, ProgramId};

use crate::model::{Model, ModelEngine};
use crate::models::{Op, listed};

/// An engine that looks for races: accesses to a variable that follow each other immediately, one
/// of them a store.
pub struct Racing<'a> {
    engine: ModelEngine<'a>,
    /// Whether it gives fingerprints.
    fingerprints: bool,
    /// Races of which the later access is before this point are in doubt.
    pub certain_from: u32,
    /// Before this point they are races by the release sequences of C++20 only.
    pub by_both_from: u32,
}

impl<'a> Racing<'a> {
    pub fn new(model: &'a Model, fingerprints: bool) -> Racing<'a> {
        Racing { engine: ModelEngine::new(model), fingerprints, certain_from: 0, by_both_from: 0 }
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
                    in_doubt: (point as u32) < self.certain_from,
                    ordered_by_c11: (point as u32) < self.by_both_from,
                };
                (plain && one.thread != other.thread && one.conflicts(&other)).then_some(race)
            };
            let races: Vec<_> = (1..run.points().len()).filter_map(race).collect();
            for race in races {
                let covers = |known: &Race| {
                    known.sites == race.sites && known.ordered_by_c11 <= race.ordered_by_c11
                };
                if !run.races.iter().any(covers) {
                    run.races.push(race);
                }
            }
        }
        Ok(())
    }

    fn program(&self) -> ProgramId {
        self.engine.program()
    }

    fn race(&self, race: &Race) -> Failure {
        let places = [format!("variable {}", race.sites[0]).into()];
        Failure::race(places, "nothing orders them", race.ordered_by_c11)
    }

    fn promote(&mut self, _: &[Race]) -> bool {
        false
    }
}

/// A race in doubt is no finding, and is kept as a doubt until a run shows it for certain.
#[test]
fn doubts_end_when_a_race_is_certain() {
    let model = listed(vec![vec![Op::Store(0), Op::Load(1)], vec![Op::Load(0), Op::Store(1)]]);
    let explore = |certain_from| {
        let mut engines = [Racing { certain_from, ..Racing::new(&model, false) }];
        let budget = Budget { races: Races::Reported, ..Budget::default() };
        let mut strategy = Bounded::icb(None);
        let report = search(&mut engines, &mut strategy, &budget, &AtomicBool::new(false)).unwrap();
        (report.findings.len(), report.doubts.len())
    };
    assert_eq!(explore(0), (2, 0));
    assert_eq!(explore(u32::MAX), (0, 2));
    // The race of variable 0 can only be between the first two steps; the other one comes later, too.
    assert_eq!(explore(2), (1, 1));
}

/// A race by the newer release sequences only says so until a run shows it by all of them; by the older ones it is none.
#[test]
fn what_is_a_race_by_all_release_sequences_is_worth_more() {
    let model = listed(vec![vec![Op::Store(0), Op::Load(1)], vec![Op::Load(0), Op::Store(1)]]);
    let explore = |by_both_from, release_sequence| {
        let mut engines = [Racing { by_both_from, ..Racing::new(&model, false) }];
        let budget = Budget { races: Races::Reported, release_sequence, ..Budget::default() };
        let mut strategy = Bounded::icb(None);
        let report = search(&mut engines, &mut strategy, &budget, &AtomicBool::new(false)).unwrap();
        let by_c11 = |found: &&Found| {
            let says = found.failure.message.contains("C11");
            assert_eq!(says, found.failure.ordered_by_c11);
            assert_eq!(found.race.map(|race| race.ordered_by_c11), Some(says));
            says
        };
        (report.findings.len(), report.findings.iter().filter(by_c11).count())
    };
    use ReleaseSequence::{C11, Cpp20};
    assert_eq!((explore(0, Cpp20), explore(0, C11)), ((2, 0), (2, 0)));
    assert_eq!((explore(u32::MAX, Cpp20), explore(u32::MAX, C11)), ((2, 2), (0, 0)));
    assert_eq!((explore(2, Cpp20), explore(2, C11)), ((2, 1), (1, 0)));
}
