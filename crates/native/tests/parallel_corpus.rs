//! Threads at once, and then under control: what recordings of the corpus predict is what the programs
//! do when they are steered there.

use crate::harness::facts::Facts;
use crate::harness::predict::{Subject, passed};
use crate::harness::{GCC, Workshop, for_each};

/// So many runs are made of each program.
const N_RUNS: usize = 3;

/// How many predictions there were, and how many of them were shown, of one program.
fn tally(workshop: &Workshop, facts: &Facts) -> Result<(usize, usize), String> {
    let more = facts.list("flags");
    let flags = ["-O1", "-fno-inline"].into_iter().chain(more.iter().map(String::as_str));
    let target = workshop.build(GCC, &facts.path, &flags.collect::<Vec<_>>())?;
    let atomic = facts.list("atomic").into_iter().collect();
    let subject = Subject { workshop, target, atomic, is_whole: false };
    let expected = facts.list("predict");
    let (mut n_predicted, mut n_shown) = (0, 0);
    for _ in 0..N_RUNS {
        let (answer, path) = subject.record_parallel()?;
        let found = if passed(&answer) { subject.each_prediction(&path)? } else { Vec::new() };
        std::fs::remove_file(&path).unwrap();
        n_predicted += found.len();
        for (kind, _) in found.iter().filter(|(_, shown)| shown.is_ok()) {
            assert!(expected.contains(*kind), "{}: {kind} is shown", facts.name());
            n_shown += 1;
        }
    }
    Ok((n_predicted, n_shown))
}

#[test]
fn programs_do_what_runs_at_once_predict() {
    let (workshop, all) = (Workshop::new(), Facts::all("c"));
    let results = for_each(&all, |facts| tally(&workshop, facts).unwrap());
    let of = |pick: fn(&(usize, usize)) -> usize| results.iter().map(pick).sum::<usize>();
    let (n_predicted, n_shown) = (of(|tally| tally.0), of(|tally| tally.1));
    let missed = all.iter().zip(&results).filter(|(_, (predicted, shown))| shown < predicted);
    let missed: Vec<_> =
        missed.map(|(facts, tally)| format!("{}: {tally:?}", facts.name())).collect();
    // Some rest on a guess about who wrote what.
    assert!(n_shown * 10 >= n_predicted * 9, "{n_shown} of {n_predicted}: {missed:?}");
    // How threads meet is up to the system, but many programs predict something always.
    let n_programs = results.iter().filter(|tally| tally.1 > 0).count();
    assert!(n_programs >= 8, "{n_programs} programs predict something");
}
