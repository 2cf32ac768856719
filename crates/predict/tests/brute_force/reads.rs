//! A read can see another write exactly if brute force finds a reordering of that type.

use proptest::prelude::*;

use crate::brute_force::claims;
use crate::brute_force::compare::compare_all;
use crate::brute_force::small_trace::{config, small_trace};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn reads_equal_brute_force(trace in small_trace()) {
        compare_all(&trace, &claims::reads(&trace))?;
    }

    #[test]
    fn final_reads_equal_brute_force(trace in small_trace()) {
        compare_all(&trace, &claims::final_reads(&trace))?;
    }
}
