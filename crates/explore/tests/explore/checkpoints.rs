//! Checkpoints: what was saved is what comes back, and nothing else is taken for one.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::prelude::*;
use raddle_explore::Strategy as _;
use raddle_explore::*;

use crate::model::{Model, ModelEngine};
use crate::models::{Op, bluetooth, listed};
use crate::oracle::any_program;
use crate::racing::Racing;
use crate::strategies::samplers;

const OPTIONS: &str = "points=sync";

fn any_strategies() -> Vec<AnyStrategy> {
    let bounded = [
        Bounded::icb(None),
        Bounded::icb(Some(2)),
        Bounded::delay(Some(2)),
        Bounded::icb(None).split(1, 3).unwrap(),
        Bounded::dfs(),
        Bounded::iterative_depth(3, 2),
    ];
    let cached = [Bounded::icb(None).cached(), Bounded::dfs().cached()];
    let portfolios = [Bounded::icb(None), Bounded::icb(None).cached()];
    let mut all: Vec<AnyStrategy> = bounded.into_iter().chain(cached).map(Into::into).collect();
    all.extend(samplers().map(|sampler| Sample::new(sampler, 9).into()));
    all.extend(portfolios.map(|bounded| Portfolio::new(bounded, 9).into()));
    all
}

fn begin(strategy: AnyStrategy) -> Checkpoint {
    Checkpoint {
        program: "model".parse().unwrap(),
        options: OPTIONS.to_owned(),
        strategy,
        ledger: Ledger::default(),
    }
}

/// Goes on until there were so many runs.
fn go_on(model: &Model, at: &mut Checkpoint, runs: u64, jobs: usize) -> Report {
    let budget = Budget { runs: Some(runs), states: true, ..Budget::default() };
    let mut engines: Vec<_> = (0..jobs).map(|_| ModelEngine::new(model)).collect();
    let stop = AtomicBool::new(false);
    let Checkpoint { strategy, ledger, .. } = at;
    let report = resume(&mut engines, strategy, ledger, &budget, &mut { &stop }).unwrap();
    Report { memory: 0, ..report } // What is allocated is no part of a checkpoint.
}

fn saved_and_loaded(at: &Checkpoint) -> Checkpoint {
    let bytes = at.to_bytes();
    let loaded = Checkpoint::from_bytes(&bytes).unwrap();
    assert_eq!(loaded.to_bytes(), bytes);
    assert_eq!(loaded.strategy, at.strategy);
    assert_eq!(loaded.ledger.spent(), at.ledger.spent());
    loaded.check(&at.program, OPTIONS, &at.strategy).unwrap();
    loaded
}

/// A search that ends after `n` runs, in parts of `part` runs, is the same as at once.
fn parts_are_the_whole(model: &Model, strategy: &AnyStrategy, n: u64, part: u64, jobs: usize) {
    let at_once = go_on(model, &mut begin(strategy.clone()), n, 1);
    let mut at = begin(strategy.clone());
    let mut runs = 0;
    let report = loop {
        runs = n.min(runs + part);
        let report = go_on(model, &mut at, runs, jobs);
        at = saved_and_loaded(&at);
        if runs == n || report.ending == Ending::Done {
            break report;
        }
        assert_eq!((report.ending, report.executions), (Ending::Runs, runs));
    };
    assert_eq!(report, at_once, "{strategy:?} in parts of {part} with {jobs} jobs");
}

#[test]
fn a_search_can_be_interrupted_at_any_run() {
    let model = bluetooth(1, false);
    for strategy in any_strategies() {
        for part in (1..20).chain([59, 60, 61, 64, 65, 66, 127, 128, 130]) {
            parts_are_the_whole(&model, &strategy, 140, part, 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn parts_of_any_search_are_the_whole(program in any_program(), part in 1..150u64) {
        let model = listed(program);
        for strategy in any_strategies() {
            for jobs in [1, 2] {
                parts_are_the_whole(&model, &strategy, 300, part, jobs);
            }
        }
    }

    #[test]
    fn forged_bytes_do_no_harm(
        program in any_program(),
        which in 0..16usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let model = listed(program);
        let strategies: Vec<_> = any_strategies().into_iter().chain(reduced()).collect();
        let begun = &strategies[which % strategies.len()];
        let mut at = begin(begun.clone());
        go_on(&model, &mut at, 30, 1);
        let bytes = at.to_bytes();
        let mut payload = bytes[28..].to_vec();
        for (index, byte) in changes {
            *index.get_mut(&mut payload) = byte;
        }
        go_on_forged(&model, &sealed(&bytes[..12], &payload), begun);
    }

    #[test]
    fn no_bytes_are_a_checkpoint_by_chance(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Checkpoint::from_bytes(&bytes).is_err());
        let mut begun = begin(Bounded::dfs().into()).to_bytes();
        begun.truncate(12);
        begun.extend(bytes);
        prop_assert!(Checkpoint::from_bytes(&begun).is_err());
    }
}

/// Some checkpoints in the middle of a search.
fn examples() -> Vec<Vec<u8>> {
    let model = bluetooth(1, false);
    let strategies = [
        Bounded::icb(None).cached().into(),
        Sample::new(Sampler::Surw, 1).into(),
        Portfolio::new(Bounded::icb(None), 1).into(),
    ];
    let saved = |strategy: AnyStrategy| {
        let mut at = begin(strategy);
        go_on(&model, &mut at, 25, 1);
        at.to_bytes()
    };
    strategies.map(saved).into()
}

#[test]
fn damage_is_noticed() {
    for bytes in examples() {
        assert!(Checkpoint::from_bytes(&bytes).is_ok());
        for position in 0..bytes.len() {
            for change in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[position] ^= change;
                let error = Checkpoint::from_bytes(&damaged).unwrap_err();
                let fits = match position {
                    0..8 => error == CheckpointError::Foreign,
                    8..12 => matches!(error, CheckpointError::Version { .. }),
                    12..20 => matches!(
                        error,
                        CheckpointError::Truncated { .. } | CheckpointError::TooLong { .. }
                    ),
                    _ => matches!(error, CheckpointError::Damaged { .. }),
                };
                assert!(fits, "{error} at {position}");
            }
        }
    }
}

#[test]
fn what_is_missing_or_too_much_is_noticed() {
    for bytes in examples() {
        assert_eq!(Checkpoint::from_bytes(&[]), Err(CheckpointError::Foreign));
        for length in 1..bytes.len() {
            let error = Checkpoint::from_bytes(&bytes[..length]).unwrap_err();
            let CheckpointError::Truncated { found, expected } = error else { panic!("{error}") };
            assert_eq!(found, length as u64);
            assert!(expected == bytes.len() as u64 || length < 28);
        }
        let longer = [&bytes[..], &[0]].concat();
        assert_eq!(Checkpoint::from_bytes(&longer), Err(CheckpointError::TooLong { extra: 1 }));
    }
}

/// A payload behind the first 12 bytes of a checkpoint, with the right length and checksum.
fn sealed(header: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = header.to_vec();
    bytes.extend((payload.len() as u64).to_le_bytes());
    let checksum = xxhash_rust::xxh3::xxh3_64(&[&bytes[..], payload].concat());
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// Goes on with a forged checkpoint for some runs, as far as it is accepted; answers with whether it
/// was, at first and to the end.
fn go_on_forged(model: &Model, bytes: &[u8], begun: &AnyStrategy) -> [bool; 2] {
    let Ok(mut at) = Checkpoint::from_bytes(bytes) else { return [false; 2] };
    if at.check(&"model".parse().unwrap(), OPTIONS, begun).is_err() {
        return [false; 2];
    }
    let runs = at.ledger.executions() + 40;
    let budget = Budget { runs: Some(runs), states: true, ..Budget::default() };
    let stop = AtomicBool::new(false);
    let Checkpoint { strategy, ledger, .. } = &mut at;
    let mut engines = [ModelEngine::new(model)];
    let report = resume(&mut engines, strategy, ledger, &budget, &mut { &stop });
    if let Ok(report) = &report {
        // What is shown of it.
        for found in &report.findings {
            assert!(found.promoted <= report.promoted.len());
            assert!(found.schedule.choices().count() as u64 == found.schedule.len());
        }
        report.bounds.iter().filter_map(|row| row.bound).for_each(|bound| {
            report.theorem_1(bound);
        });
        Checkpoint::from_bytes(&at.to_bytes()).unwrap();
    }
    [true, report.is_ok()]
}

/// Every byte of the payload is changed, and the checksum made right: that is refused, or the search
/// goes on in some way, but nothing panics and everything ends.
#[test]
fn forged_checkpoints_do_no_harm() {
    let model = bluetooth(1, false);
    let (mut n_refused, mut n_misfits) = (0, 0);
    for begun in any_strategies().into_iter().chain(reduced()) {
        let mut at = begin(begun.clone());
        go_on(&model, &mut at, 25, 1);
        let bytes = at.to_bytes();
        assert_eq!(go_on_forged(&model, &bytes, &begun), [true, true]);
        for position in 28..bytes.len() {
            for change in [1, 2, 0x40, 0x80, 0xff] {
                let mut payload = bytes[28..].to_vec();
                payload[position - 28] ^= change;
                let forged = sealed(&bytes[..12], &payload);
                let [accepted, whole] = go_on_forged(&model, &forged, &begun);
                n_refused += u32::from(!accepted);
                n_misfits += u32::from(accepted && !whole);
            }
        }
    }
    assert!(n_refused > 1_000 && n_misfits > 20, "{n_refused} {n_misfits}");
}

fn reduced() -> [AnyStrategy; 2] {
    [Reduced::all().into(), Reduced::bounded(Some(2)).into()]
}

/// Payloads that are no checkpoint, with the right checksum: they ask for more than there is.
#[test]
fn a_payload_without_meaning_is_unreadable() {
    let header = &begin(Bounded::dfs().into()).to_bytes()[..12];
    for payload in [vec![], vec![0xff; 300], [&[1, b'm'], &[0xff; 9][..]].concat()] {
        let error = Checkpoint::from_bytes(&sealed(header, &payload)).unwrap_err();
        assert!(matches!(error, CheckpointError::Unreadable(_)), "{error}");
    }
}

#[test]
fn another_version_program_or_other_options_are_refused() {
    let at = begin(Bounded::dfs().into());
    let mut bytes = at.to_bytes();
    bytes[8] = 99;
    assert_eq!(Checkpoint::from_bytes(&bytes), Err(CheckpointError::Version { found: 99 }));
    let program = "model".parse().unwrap();
    assert_eq!(at.check(&program, OPTIONS, &at.strategy), Ok(()));
    let error = at.check(&program, "points=all", &at.strategy).unwrap_err();
    assert!(matches!(error, CheckpointError::Options { .. }));
    let error = at.check(&"other".parse().unwrap(), OPTIONS, &at.strategy).unwrap_err();
    assert!(matches!(error, CheckpointError::Program(_)));
    let error = at.check(&program, OPTIONS, &Bounded::icb(None).into()).unwrap_err();
    assert!(matches!(error, CheckpointError::Impossible(_)));
}

/// What was found is one finding still, and is counted on.
#[test]
fn races_are_counted_on() {
    let model = listed(vec![vec![Op::Store(0), Op::Load(1)], vec![Op::Load(0), Op::Store(1)]]);
    let go_on = |at: &mut Checkpoint, runs| {
        let budget = Budget { runs: Some(runs), races: Races::Reported, ..Budget::default() };
        let (mut engines, stop) = ([Racing::new(&model, false)], AtomicBool::new(false));
        let Checkpoint { strategy, ledger, .. } = at;
        resume(&mut engines, strategy, ledger, &budget, &mut { &stop }).unwrap()
    };
    let at_once = go_on(&mut begin(Bounded::icb(None).into()), u64::MAX);
    assert_eq!(at_once.findings.len(), 2);
    for part in 1..6 {
        let mut at = begin(Bounded::icb(None).into());
        go_on(&mut at, part);
        let report = go_on(&mut saved_and_loaded(&at), u64::MAX);
        assert_eq!(Report { memory: 0, ..report }, Report { memory: 0, ..at_once.clone() });
    }
}

#[test]
fn time_goes_on_where_it_was() {
    let model = bluetooth(2, false);
    let mut at = begin(Bounded::icb(None).into());
    go_on(&model, &mut at, 100, 1);
    let before = at.ledger.spent();
    assert!(before > Duration::ZERO);
    let mut at = saved_and_loaded(&at);
    go_on(&model, &mut at, 200, 1);
    assert!(at.ledger.spent() > before);
    assert!(!at.strategy.is_exhausted());
}
