//! The Rust programs of the corpus, as they are, with this crate in the place of `std`: those that
//! fail do so as they say, with the fewest preemptions; their twins are exhausted.

#![allow(clippy::unwrap_used, reason = "tests")]

use raddle::{Config, Search};

macro_rules! programs {
    ($($name:ident $file:literal,)*) => {$(
        mod $name {
            use raddle as std;

            include!(concat!("../../../corpus/rust/", $file));

            pub fn run() {
                main();
            }
        }
    )*};
}

programs! {
    ab_ba "ab_ba.rs",
    ab_ba_fixed "ab_ba_fixed.rs",
    check_then_act "check_then_act.rs",
    check_then_act_fixed "check_then_act_fixed.rs",
    lost_wakeup "lost_wakeup.rs",
    lost_wakeup_fixed "lost_wakeup_fixed.rs",
}

#[track_caller]
fn fails(program: fn(), kind: &str, preemptions: u32) {
    let report = Config::new().explore(program);
    let finding = report.findings.first().unwrap();
    assert_eq!((finding.kind.as_str(), finding.preemptions), (kind, preemptions));
    let config = Config::new().search(Search::Bounded).unlimited();
    let found = config.clone().bound(preemptions).explore(program);
    assert_eq!(found.findings[0].bound, Some(preemptions));
    if let Some(below) = preemptions.checked_sub(1) {
        assert!(config.bound(below).explore(program).findings.is_empty());
    }
}

#[track_caller]
fn passes(program: fn()) {
    let report = Config::new().explore(program);
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    assert!(report.exhausted);
}

#[test]
fn opposite_orders_deadlock() {
    fails(ab_ba::run, "deadlock", 1);
    passes(ab_ba_fixed::run);
}

#[test]
fn what_was_checked_may_not_hold_any_more() {
    fails(check_then_act::run, "panic", 1);
    passes(check_then_act_fixed::run);
}

#[test]
fn a_wait_for_what_has_happened_never_ends() {
    fails(lost_wakeup::run, "deadlock", 1);
    passes(lost_wakeup_fixed::run);
}
