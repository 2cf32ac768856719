//! However runs are made, they are the same runs.

use raddle_wire::board::Model;

use crate::explored::{assert_no_faults, setting};
use crate::harness::facts::Facts;
use crate::harness::search::{FORKED, SPAWNED, THREADS, USUAL};
use crate::harness::{GCC, Workshop, for_each, share};
use raddle_native::target::Target;

/// So many executions with a child for each, and with a process for each.
const N_FORKED: u64 = 200;
const N_SPAWNED: u64 = 20;

/// The programs whose memory cannot be put back after a run, and why.
const FALLBACKS: &[(&str, &str)] = &[];

/// Up to which bound.
const BOUND: u32 = 1;

fn compare(
    workshop: &Workshop,
    (index, facts): (usize, &Facts),
    target: &Target,
) -> Result<(), String> {
    let n_forked = setting("RADDLE_EXPLORED_FORKED", N_FORKED);
    let groups = [(n_forked, &[FORKED, THREADS][..]), (N_SPAWNED, &[SPAWNED][..])];
    for (n_runs, ways) in groups {
        let usual = workshop.explore_to(target, USUAL, BOUND, n_runs)?;
        let fallback = FALLBACKS.iter().find(|(name, _)| *name == facts.name());
        let expected = match fallback {
            Some((_, reason)) => (Model::Fork, Some((*reason).to_owned())),
            None => (Model::Snapshot, None),
        };
        if usual.model != expected {
            return Err(format!("{:?} instead of {expected:?}", usual.model));
        }
        for way in if ways.len() == 1 { ways.to_vec() } else { share(index, ways) } {
            let other = workshop.explore_to(target, way, BOUND, n_runs)?;
            if other.essence() != usual.essence() {
                let (other, usual) = (other.essence(), usual.essence());
                return Err(format!("{way:?}: {other}\ninstead of {usual}"));
            }
        }
    }
    Ok(())
}

#[track_caller]
fn compare_all(all: &[Facts]) {
    let workshop = Workshop::new();
    let all: Vec<_> = all.iter().enumerate().collect();
    let results = for_each(&all, |&(index, facts)| {
        let is_rust = facts.path.extension().is_some_and(|extension| extension == "rs");
        let target = if is_rust {
            workshop.build_rust(&facts.path)?
        } else {
            let more = facts.list("flags");
            let flags: Vec<_> =
                ["-O2", "-fno-inline"].into_iter().chain(more.iter().map(String::as_str)).collect();
            workshop.build(GCC, &facts.path, &flags)?
        };
        compare(&workshop, (index, facts), &target)
            .map_err(|error| format!("{}: {error}", facts.name()))
    });
    assert_no_faults(results);
}

#[test]
fn programs_in_c_have_the_same_runs_in_every_way() {
    compare_all(&Facts::all("c"));
}

#[test]
fn programs_in_cpp_have_the_same_runs_in_every_way() {
    compare_all(&Facts::all("cpp"));
}

#[test]
fn programs_in_rust_have_the_same_runs_in_every_way() {
    compare_all(&Facts::of_rust_binaries());
}
