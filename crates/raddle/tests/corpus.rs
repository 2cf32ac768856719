//! The Rust programs of the corpus, as they are, with this crate in the place of `std`: those that
//! fail do so as they say, with the fewest preemptions; their twins are exhausted.

use std::fs;
use std::path::Path;

use crate::rust_corpus::programs;
use raddle::{Config, Search};

#[test]
fn every_program_is_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/rust");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    files.sort();
    assert_eq!(programs().map(|program| program.name).collect::<Vec<_>>(), files);
}

#[test]
fn every_bug_is_found_with_the_fewest_preemptions() {
    for (program, bound) in programs().filter_map(|it| it.bound().map(|bound| (it, bound))) {
        let (name, shows) = (program.name, program.fact("shows"));
        assert!(program.fact("kinds").split(", ").any(|kind| kind == shows), "{name}");
        let report = program.explore(Config::new());
        let finding = report.findings.first().unwrap_or_else(|| panic!("{name}"));
        let found = (finding.kind.as_str(), finding.preemptions, finding.is_minimal);
        assert_eq!(found, (shows, bound, true), "{name}");
        assert_eq!(report.threads.to_string(), program.fact("threads"), "{name}");
    }
}

/// Scouts preempt threads where it matters; `treiber_aba` takes two preemptions in the right places, and
/// enumerating comes to them after more than a hundred executions.
#[test]
fn bugs_show_within_a_few_executions() {
    let config = Config::new().shrink(false).story(false);
    let broken: Vec<_> = programs().filter(|program| program.bound().is_some()).collect();
    let found = |program: &crate::rust_corpus::Program| {
        let report = program.explore(config.clone());
        let finding = report.findings.first().unwrap_or_else(|| panic!("{}", program.name));
        assert_eq!(finding.kind, program.fact("shows"), "{}", program.name);
        report.executions
    };
    let counts: Vec<_> = broken.iter().map(found).collect();
    let aba = broken.iter().position(|program| program.name == "treiber_aba").unwrap();
    assert!(counts[aba] < 15, "{counts:?}");
    assert!(counts.iter().sum::<u64>() < 4 * counts.len() as u64, "{counts:?}");
}

/// Without reduction and without shrinking, which the test above relies on.
#[test]
fn no_bug_shows_below_its_bound() {
    let config = Config::new().search(Search::Bounded).shrink(false).unlimited();
    for (program, bound) in programs().filter_map(|it| it.bound().map(|bound| (it, bound))) {
        let name = program.name;
        let found = program.explore(config.clone().bound(bound));
        let finding = found.findings.first().unwrap_or_else(|| panic!("{name}"));
        let (kind, shown) = (finding.kind.as_str(), finding.bound);
        assert_eq!((kind, shown), (program.fact("shows"), Some(bound)), "{name}");
        if let Some(below) = bound.checked_sub(1) {
            let report = program.explore(config.clone().bound(below));
            assert!(report.findings.is_empty(), "{name}: {}", report.findings[0]);
            assert_eq!(report.complete_to, Some(below), "{name}: {}", report.summary());
        }
    }
}

#[test]
fn every_twin_is_exhausted() {
    let twins: Vec<_> = programs().filter(|program| program.fact("verdict") == "clean").collect();
    assert_eq!(twins.len() * 2, programs().count());
    for program in twins {
        let name = program.name;
        let report = program.explore(Config::new());
        assert!(report.findings.is_empty(), "{name}: {}", report.findings[0]);
        assert!(report.exhausted && report.lost == 0, "{name}: {}", report.summary());
        assert_eq!(report.threads.to_string(), program.fact("threads"), "{name}");
    }
}

/// Without reduction, which the test above relies on.
#[test]
fn no_twin_fails_with_two_preemptions() {
    let config = Config::new().search(Search::Bounded).unlimited().bound(2);
    for program in programs().filter(|program| program.fact("verdict") == "clean") {
        let report = program.explore(config.clone());
        assert!(report.findings.is_empty(), "{}: {}", program.name, report.findings[0]);
        assert_eq!(report.complete_to, Some(2), "{}: {}", program.name, report.summary());
    }
}
