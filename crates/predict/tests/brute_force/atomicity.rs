//! Three accesses happen in an order that breaks atomicity exactly if brute force finds it.

use proptest::prelude::*;

use crate::brute_force::claims;
use crate::brute_force::compare::compare_all;
use crate::brute_force::small_trace::{config, small_trace};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn atomicity_violations_equal_brute_force(trace in small_trace()) {
        compare_all(&trace, &claims::atomicity_violations(&trace))?;
    }
}
