//! The referee accepts exactly the reorderings that brute force finds: each legal sequence, and of
//! each event that could come next the longer one if and only if it is legal.

use proptest::prelude::*;
use raddle_referee::reordering;
use raddle_trace::{ThreadId, Trace};

use crate::oracle::{N_THREADS, may_follow};
use crate::small_trace::small_trace;

/// Compares the referee with brute force on all legal sequences, or on the first so many.
fn compare(trace: &Trace) -> Result<(), TestCaseError> {
    let mut left = 3_000;
    let mut stack = vec![Vec::new()];
    while let Some(sequence) = stack.pop() {
        prop_assert!(reordering(trace, &sequence, &[]).is_ok());
        for thread in (0..N_THREADS).map(ThreadId) {
            let own = trace.thread_events(thread).iter();
            let Some(e) = own.copied().find(|e| !sequence.contains(e)) else { continue };
            let mut longer = sequence.clone();
            longer.push(e);
            let judged = reordering(trace, &longer, &[]);
            let legal = may_follow(trace, &sequence, e);
            prop_assert_eq!(judged.is_ok(), legal, "{:?} then {:?}: {:?}", sequence, e, judged);
            left -= 1;
            if legal && left > 0 {
                stack.push(longer);
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_referee_accepts_what_brute_force_finds(trace in small_trace()) {
        compare(&trace)?;
    }
}
