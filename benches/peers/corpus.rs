// The Rust part of the corpus. This text is included where `tool` is Raddle, loom or shuttle, which
// the programs take for `std`, and where `program!` says whether they can. Those whose locks are
// statics do not compile with loom, which makes its locks while a program runs; with shuttle, what
// is in them stays from one execution to the next.

macro_rules! programs {
    ($($name:ident $(unless $peer:ident)*,)*) => {
        $(program! { ($($peer)*)
            mod $name {
                use super::tool as std;
                include!(concat!("../../corpus/rust/", stringify!($name), ".rs"));

                pub fn run() {
                    main();
                }
            }
        })*

        /// Their names, what runs them, if anything does, and their texts.
        pub const CORPUS: [(&str, Option<fn()>, &str); [$(stringify!($name)),*].len()] = [$((
            stringify!($name),
            program!(($($peer)*) $name::run),
            include_str!(concat!("../../corpus/rust/", stringify!($name), ".rs")),
        ),)*];
    };
}

/// Hands the list of the programs to a macro.
macro_rules! for_each_program {
    ($with:ident) => { $with! {
    ab_ba unless loom unless shuttle,
    ab_ba_fixed unless loom unless shuttle,
    bank_atomicity,
    bank_atomicity_fixed,
    bank_race,
    bank_race_fixed,
    barrier_reuse,
    barrier_reuse_fixed,
    bluetooth2,
    bluetooth2_fixed,
    buffer_if,
    buffer_if_fixed,
    buffer_signal,
    buffer_signal_fixed,
    check_then_act,
    check_then_act_fixed,
    connection_pool,
    connection_pool_fixed,
    dining_philosophers,
    dining_philosophers_fixed,
    double_checked,
    double_checked_fixed,
    elevator,
    elevator_fixed,
    file_system,
    file_system_fixed,
    lazy_init,
    lazy_init_fixed,
    lost_wakeup unless loom unless shuttle,
    lost_wakeup_fixed unless loom unless shuttle,
    michael_scott,
    michael_scott_fixed,
    peterson,
    peterson_fixed,
    rcu_swap,
    rcu_swap_fixed,
    reader_writer,
    reader_writer_fixed,
    refcount,
    refcount_fixed,
    reorder_3,
    reorder_3_fixed,
    rwlock_upgrade,
    rwlock_upgrade_fixed,
    semaphore_peek,
    semaphore_peek_fixed,
    seqlock,
    seqlock_fixed,
    shutdown,
    shutdown_fixed,
    spin_lock,
    spin_lock_fixed,
    spsc_off_by_one,
    spsc_off_by_one_fixed,
    spsc_queue,
    spsc_queue_fixed,
    string_buffer,
    string_buffer_fixed,
    token_ring,
    token_ring_fixed,
    transaction_manager,
    transaction_manager_fixed,
    treiber_aba,
    treiber_aba_fixed,
    two_stage,
    two_stage_fixed,
    work_steal_1,
    work_steal_1_fixed,
    work_steal_2,
    work_steal_2_fixed,
    work_steal_3,
    work_steal_3_fixed,
    } };
}

for_each_program! { programs }
