//! Tests that do the same for each file of a folder: one case for each, so that it can be run alone.

/// A test for each name, which passes it to a function, and the names. Whoever declares them compares them with what
/// there is.
macro_rules! cases {
    ($check:path; $($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                $check(stringify!($name));
            }
        )+

        #[allow(dead_code, reason = "lists that are used several times are compared once")]
        pub(super) const CASES: &[&str] = &[$(stringify!($name)),+];
    };
}

/// Cases for the programs of the corpus in C that fail. Each has a repaired twin, whose name ends in `_fixed`.
macro_rules! programs {
    ($check:path) => {
        $crate::cases::cases! { $check;
            ab_ba bank_atomicity bank_race barrier_reuse bluetooth bluetooth2 buffer_if buffer_signal
            connection_pool dining_philosophers double_checked elevator file_system lazy_init
            lost_wakeup michael_scott peterson rcu_swap reader_writer refcount reorder_3
            rwlock_upgrade semaphore_peek seqlock shutdown spin_lock spsc_off_by_one spsc_queue
            string_buffer token_ring transaction_manager treiber_aba two_stage work_steal_1
            work_steal_2 work_steal_3
        }
    };
}

pub(crate) use {cases, programs};
