//! The referee and brute force agree: on which sequences are reorderings, on which claims each of
//! them shows, and thereby brute force with itself on which claims are shown by any.

use proptest::prelude::*;
use raddle_referee::{judge, reordering};
use raddle_trace::{EventId, Sequence, Trace};

use crate::brute_force::claims::{self, frees, shows};
use crate::brute_force::oracle::Oracle;
use crate::brute_force::rules::{Rules, State, events};
use crate::brute_force::small_trace::small_trace;

/// Visits legal sequences, at most so many; false if there are more.
fn visit(
    rules: &Rules,
    free: Option<EventId>,
    mut left: usize,
    mut visitor: impl FnMut(&State, &[EventId]) -> Result<(), TestCaseError>,
) -> Result<bool, TestCaseError> {
    let mut stack = vec![(rules.start(), Vec::new())];
    while let Some((state, sequence)) = stack.pop() {
        if left == 0 {
            return Ok(false);
        }
        left -= 1;
        visitor(&state, &sequence)?;
        for e in rules.next(state.happened).filter(|&e| rules.may_follow(&state, e, free)) {
            let longer = sequence.iter().copied().chain([e]).collect();
            stack.push((rules.after(&state, e), longer));
        }
    }
    Ok(true)
}

/// No read, and each read.
fn all_frees(trace: &Trace) -> impl Iterator<Item = Option<EventId>> + '_ {
    [None].into_iter().chain(events(trace).filter(|&e| trace.code(e).reads()).map(Some))
}

/// The referee accepts each legal sequence, and of each event that could come next the longer one
/// if and only if it is legal.
fn compare_reorderings(trace: &Trace) -> Result<(), TestCaseError> {
    let rules = Rules::new(trace);
    for free in all_frees(trace) {
        visit(&rules, free, 200, |state, sequence| {
            let so_far: Sequence = sequence.iter().copied().collect();
            prop_assert!(reordering(trace, &so_far, free.as_slice()).is_ok());
            for e in rules.next(state.happened) {
                let longer: Sequence = sequence.iter().copied().chain([e]).collect();
                let judged = reordering(trace, &longer, free.as_slice());
                let legal = rules.may_follow(state, e, free);
                prop_assert_eq!(judged.is_ok(), legal, "{:?}: {:?}", longer, judged);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The referee accepts a legal sequence for exactly the claims that it shows.
fn compare_claims(trace: &Trace) -> Result<(), TestCaseError> {
    let (rules, claims) = (Rules::new(trace), claims::all(trace));
    for free in all_frees(trace) {
        visit(&rules, free, 20, |_, sequence| {
            let witness: Sequence = sequence.iter().copied().collect();
            for claim in &claims {
                let allowed = frees(trace, claim).iter().any(|&free| rules.allow(sequence, free));
                let expected = allowed && shows(&rules, claim, sequence);
                let judged = judge(trace, claim, &witness);
                prop_assert_eq!(judged.is_ok(), expected, "{:?}: {:?}", claim, judged);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// A claim is feasible if and only if one of all sequences shows it, where these are not too many.
fn compare_sets(trace: &Trace) -> Result<(), TestCaseError> {
    let (rules, mut oracle) = (Rules::new(trace), Oracle::new(trace));
    let mut claims = claims::all(trace);
    claims.truncate(40);
    for claim in claims {
        let (mut shown, mut all) = (false, true);
        for free in frees(trace, &claim) {
            all &= visit(&rules, free, 500, |_, sequence| {
                shown |= shows(&rules, &claim, sequence);
                Ok(())
            })?;
        }
        let feasible = oracle.is_feasible(&claim);
        prop_assert!(feasible == shown || (feasible && !all), "{:?}: {}", claim, feasible);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_referee_accepts_what_brute_force_finds(trace in small_trace()) {
        compare_reorderings(&trace)?;
    }

    #[test]
    fn the_referee_reads_claims_as_brute_force_does(trace in small_trace()) {
        compare_claims(&trace)?;
    }

    #[test]
    fn states_tell_as_much_as_sequences(trace in small_trace()) {
        compare_sets(&trace)?;
    }
}
