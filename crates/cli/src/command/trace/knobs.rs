//! The knobs of the generator as flags.

use clap::Args;
use clap::builder::BoolishValueParser;
use raddle_generate::Config;

/// Declares a flag for each knob of the same name, and how the flags change a [`Config`].
macro_rules! knobs {
    (
        counts { $($(#[$count_doc:meta])+ $count:ident: $type:ty,)+ }
        switches { $($(#[$switch_doc:meta])+ $switch:ident,)+ }
        probabilities { $($(#[$probability_doc:meta])+ $probability:ident,)+ }
    ) => {
        /// What the trace looks like; what is not given is as the preset has it.
        #[derive(Debug, Args)]
        pub(crate) struct Knobs {
            $($(#[$count_doc])+ #[arg(long, value_name = "N", help_heading = "Size")]
            $count: Option<$type>,)+
            $($(#[$switch_doc])+
            #[arg(long, value_name = "BOOL", help_heading = "Switches")]
            #[arg(num_args = 0..=1, require_equals = true, default_missing_value = "true")]
            #[arg(value_parser = BoolishValueParser::new(), hide_possible_values = true)]
            $switch: Option<bool>,)+
            $($(#[$probability_doc])+
            #[arg(long, value_name = "P", help_heading = "Probabilities, from 0 to 1")]
            $probability: Option<f64>,)+
        }

        impl Knobs {
            /// Turns the knobs that were given.
            pub(crate) fn apply(&self, config: &mut Config) {
                $(config.$count = self.$count.unwrap_or(config.$count);)+
                $(config.$switch = self.$switch.unwrap_or(config.$switch);)+
                $(config.$probability = self.$probability.unwrap_or(config.$probability);)+
            }
        }
    };
}

knobs! {
    counts {
        /// Exact number of events
        events: usize,
        /// Threads, the first one included
        threads: u32,
        /// Locks
        locks: u32,
        /// Variables, not counting those on the heap
        vars: u32,
        /// The same seed and options give the same trace [default: 1]
        seed: u64,
        /// Mean number of events before another thread runs
        burst: u32,
        /// Maximum number of locks that a thread holds at once
        depth: u32,
    }
    switches {
        /// Threads are joined
        join,
        /// Threads have begin and end events
        begin_end,
        /// The trace stops abruptly, with locks held and threads not joined
        truncate,
        /// The lock taken last is released first; otherwise releases also cross
        nested,
        /// Inner locks come later in one order of all locks, so that no cycle of locks exists
        ordered,
        /// Requests come before acquires
        request,
        /// Accesses have values
        values,
    }
    probabilities {
        /// The part of the trace over which forks are spread
        fork_span,
        /// That a thread is forked by any thread instead of the first one
        fork_tree,
        /// That a thread ends before the trace does
        retire,
        /// That a statement is a critical section
        locking,
        /// That a critical section takes its lock in shared mode and only reads
        readers,
        /// That a critical section is skipped, with a failed try, if another thread holds its lock
        trylock,
        /// The part of the variables that more than one thread accesses
        shared,
        /// That an access is of a variable of the thread's own
        local,
        /// That an access of a shared variable is made under the lock that belongs to it
        protect,
        /// That an access writes
        write,
        /// The part of the shared variables, and of the shared accesses, that is atomic
        atomic,
        /// That an atomic access that writes is a read-modify-write
        update,
        /// That a critical section begins with a wait
        wait,
        /// That a wait can time out
        timeout,
        /// That a notify wakes all
        notify_all,
        /// That a statement posts or takes a semaphore
        semaphore,
        /// That a function call is followed by a meeting of some threads at a barrier
        barrier,
        /// That a statement is a transaction
        transaction,
        /// That a branch follows a read
        branch,
        /// That a statement allocates memory or frees it
        alloc,
    }
}
