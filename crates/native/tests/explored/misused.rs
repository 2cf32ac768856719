//! Locks that are unlocked by who does not hold them: the run goes on, unless it must not.

use std::collections::BTreeSet;
use std::path::Path;

use raddle_explore::{Bounded, Engine, Misuse, Next, Run, Strategy};

use crate::harness::search::USUAL;
use crate::harness::{GCC, Workshop};

/// The kinds of what executions end with, each with what they did before that they must not.
fn ends(engine: &mut impl Engine) -> BTreeSet<(String, bool)> {
    let (mut ends, mut run, mut strategy) = (BTreeSet::new(), Run::new(), Bounded::icb(Some(1)));
    while let Next::Ready(id, mut plan) = strategy.next() {
        plan.observe.races = true;
        engine.run(&plan, &(), &mut run).unwrap();
        if engine.promote(&run.races) {
            (ends, strategy) = (BTreeSet::new(), Bounded::icb(Some(1)));
            continue;
        }
        let is_misuse = |misuse: &Misuse| {
            misuse.failure.kind.name() == "misuse"
                && misuse.failure.message.starts_with("unlock of mutex, which ")
                && (misuse.point as usize) < run.points().len()
        };
        assert!(run.misuses.len() <= 1 && run.misuses.iter().all(is_misuse), "{:?}", run.misuses);
        ends.insert((run.outcome.name().to_owned(), !run.misuses.is_empty()));
        strategy.learn(id, &mut run);
    }
    ends
}

#[test]
fn a_misuse_hides_nothing_unless_it_ends_the_run() {
    let workshop = Workshop::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hazards/unlock_foreign.c");
    let target = workshop.build(GCC, &source, &["-O0"]).unwrap();
    let mut engine = workshop.engine(&target, USUAL).unwrap();
    let all = |ends: &[(&str, bool)]| {
        ends.iter().map(|&(kind, is_misused)| (kind.to_owned(), is_misused)).collect()
    };
    let expected: BTreeSet<_> = all(&[("assertion", true), ("passed", true)]);
    assert_eq!(ends(&mut engine), expected);
    engine.end_at_misuse();
    let expected: BTreeSet<_> = all(&[("misuse", false)]);
    assert_eq!(ends(&mut engine), expected);
}
