//! A notify can come too early exactly if brute force finds that it can.

use proptest::prelude::*;

use crate::brute_force::claims;
use crate::brute_force::compare::compare_all;
use crate::brute_force::small_trace::{config, small_trace};

proptest! {
    #![proptest_config(config())]

    #[test]
    fn lost_wakeups_equal_brute_force(trace in small_trace()) {
        compare_all(&trace, &claims::lost_wakeups(&trace))?;
    }
}
