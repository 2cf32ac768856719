//! The programs on which Raddle is compared with loom and shuttle: every bug is found at its
//! smallest bound, every correct version is exhausted.

use raddle::{Config, Finding, Search};

#[allow(dead_code, reason = "the benches use more")]
mod peers {
    use raddle::{sync, thread};
    include!("../../../benches/peers/programs.rs");
}

fn first(config: Config, program: fn()) -> Option<Finding> {
    config.unlimited().explore(program).findings.into_iter().next()
}

#[test]
fn every_bug_is_found_with_the_fewest_preemptions() {
    for (name, program, bound) in peers::BROKEN {
        let finding = first(Config::new(), program).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((finding.preemptions, finding.is_minimal), (bound, true), "{name}");
    }
}

/// Without reduction and without shrinking, which the test above relies on.
#[test]
fn no_bug_shows_below_its_bound() {
    for (name, program, bound) in peers::BROKEN {
        let config = Config::new().search(Search::Bounded);
        let found = first(config.clone().bound(bound), program);
        assert_eq!(found.and_then(|found| found.bound), Some(bound), "{name}");
        if let Some(below) = bound.checked_sub(1) {
            assert!(first(config.bound(below), program).is_none(), "{name}");
        }
    }
}

#[test]
fn every_correct_version_is_exhausted() {
    for (name, program) in peers::CORRECT {
        let report = Config::new().search(Search::Reduced).unlimited().explore(program);
        assert!(report.findings.is_empty(), "{name}: {}", report.findings[0]);
        assert!(report.exhausted, "{name}: {}", report.summary());
    }
}

#[test]
fn the_default_says_what_it_covers() {
    for (name, program) in peers::CORRECT {
        let report = Config::new().explore(program);
        assert!(report.findings.is_empty(), "{name}: {}", report.findings[0]);
        assert!(report.exhausted || report.complete_to >= Some(1), "{name}: {}", report.summary());
    }
}

#[test]
fn several_jobs_find_the_same_whatever_their_number() {
    let describe = |program: fn(), jobs: usize| {
        let report = Config::new().jobs(jobs).explore(program);
        let findings: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
        (report.summary(), report.bounds, findings)
    };
    for (name, program, _) in peers::BROKEN {
        let two = describe(program, 2);
        assert_eq!(two.2.len(), 1, "{name}");
        assert_eq!(two, describe(program, 3), "{name}");
        assert_eq!(two, describe(program, 5), "{name}");
    }
    for (name, program) in [peers::CORRECT[1], peers::CORRECT[9], peers::CORRECT[11]] {
        let two = describe(program, 2);
        assert!(two.0.contains("no execution fails"), "{name}: {}", two.0);
        assert_eq!(two, describe(program, 3), "{name}");
    }
}

/// The orders in which three threads can have n sections each: (3n)! / n!³.
#[test]
fn sections_are_executed_once_per_order() {
    for (n, n_orders) in [(1, 6), (2, 90), (3, 1680)] {
        let config = Config::new().search(Search::Reduced).unlimited();
        let report = config.explore(move || peers::sections(n));
        assert_eq!(report.executions, n_orders);
    }
}
