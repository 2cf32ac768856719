//! Accesses race exactly if brute force finds a reordering that stops before both.

use proptest::prelude::*;

use crate::brute_force::claims;
use crate::brute_force::compare::compare_all;
use crate::brute_force::small_trace::{config, small_trace};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn races_equal_brute_force(trace in small_trace()) {
        compare_all(&trace, &claims::races(&trace))?;
    }
}
