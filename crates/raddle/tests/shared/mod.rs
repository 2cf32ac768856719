//! What tests share: all that a closure comes to, and what is found in it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use raddle::{Config, Report, Search};

/// What a closure comes to in any execution, each once, in order. All executions are made: nothing
/// is left out by reduction.
#[track_caller]
#[allow(dead_code, reason = "not every test uses it")]
pub fn outcomes<F: Fn() -> String + Send + Sync + 'static>(config: Config, f: F) -> Vec<String> {
    let all = collect(config.clone().search(Search::Bounded), &Arc::new(f));
    all.into_iter().collect()
}

/// The same with and without reduction.
#[track_caller]
#[allow(dead_code, reason = "not every test uses it")]
pub fn check<F: Fn() -> String + Send + Sync + 'static>(f: F, expected: &[&str]) {
    let f = Arc::new(f);
    for search in [Search::Bounded, Search::Reduced, Search::Portfolio] {
        let found = collect(Config::new().search(search), &f);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{search:?}");
    }
}

#[track_caller]
fn collect<F: Fn() -> String + Send + Sync + 'static>(
    config: Config,
    f: &Arc<F>,
) -> BTreeSet<String> {
    let all = Arc::new(Mutex::new(BTreeSet::new()));
    let (inside, f) = (all.clone(), f.clone());
    let report = config.unlimited().quiet().explore(move || {
        let outcome = f();
        inside.lock().unwrap().insert(outcome);
    });
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    assert!(report.exhausted, "{}", report.summary());
    std::mem::take(&mut *all.lock().unwrap())
}

/// The one thing that is found.
#[track_caller]
#[allow(dead_code, reason = "not every test uses it")]
pub fn finding(report: &Report) -> (&str, &str) {
    let finding = report.findings.first().expect("something is wrong");
    (&finding.kind, &finding.message)
}
