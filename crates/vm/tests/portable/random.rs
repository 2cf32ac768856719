//! Findings in random programs.

use std::collections::BTreeMap;

use raddle_explore::{Bounded, Sample, Sampler, Strategy};
use raddle_vm::Settings;

use crate::portable::program::generate;
use crate::portable::support::{explore, program, settings_of, shows_again};

/// How many programs; `RADDLE_PORTABLE` asks for more.
fn n_programs() -> u64 {
    std::env::var("RADDLE_PORTABLE").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

#[test]
fn what_is_found_with_few_points_shows_with_all() {
    let mut kinds = BTreeMap::<String, u32>::new();
    for seed in 0..n_programs() {
        let source = generate(seed);
        println!("seed {seed}:\n{source}");
        let program = program(&source);
        let settings = Settings {
            // Every other program has threads that are stopped anywhere.
            n_steps_between_points: if seed % 2 == 0 { 100_000 } else { 13 },
            n_steps_max: 20_000,
            nondet: Some((0, 2)),
            spurious: seed % 3 == 0,
            ..Settings::default()
        };
        let strategies: [&mut dyn Strategy; 2] =
            [&mut Bounded::icb(Some(1)), &mut Sample::new(Sampler::Random, seed)];
        for (strategy, runs) in strategies.into_iter().zip([200, 20]) {
            let report = explore(&program, &settings, strategy, runs);
            for found in &report.findings {
                let settings = settings_of(&program, &settings, &report, found);
                shows_again(&program, &settings, found);
                *kinds.entry(found.failure.kind.to_string()).or_default() += 1;
            }
        }
    }
    println!("{kinds:?}");
    for kind in ["assertion", "deadlock", "livelock", "race"] {
        let n = kinds.get(kind).copied().unwrap_or(0);
        assert!(u64::from(n) > n_programs() / 20, "{kind}: {n}");
    }
}
