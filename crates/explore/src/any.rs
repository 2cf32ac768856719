//! Any strategy that can be saved: what a checkpoint holds.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::bounded::Bounded;
use crate::checkpoint::Flaw;
use crate::engine::Watch;
use crate::portfolio::Portfolio;
use crate::reduced::Reduced;
use crate::run::Run;
use crate::sample::Sample;
use crate::strategy::{Next, PlanId, Strategy};

/// Declares the enum, and what each variant does alike.
macro_rules! any_strategy {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Any strategy that can be saved.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum AnyStrategy {
            $($(#[$doc])* $name($name),)*
        }

        impl AnyStrategy {
            fn get(&self) -> &dyn Strategy {
                match self {
                    $(AnyStrategy::$name(strategy) => strategy,)*
                }
            }

            fn get_mut(&mut self) -> &mut dyn Strategy {
                match self {
                    $(AnyStrategy::$name(strategy) => strategy,)*
                }
            }

            /// Refuses what no search can come to; `executions` is how many runs it must have learned.
            pub(crate) fn check(&self, executions: u64) -> Result<(), Flaw> {
                match self {
                    $(AnyStrategy::$name(strategy) => strategy.check(executions),)*
                }
            }

            /// Whether another one looks for the same, however far the two are.
            pub(crate) fn is_like(&self, other: &AnyStrategy) -> bool {
                match (self, other) {
                    $((AnyStrategy::$name(one), AnyStrategy::$name(other)) => one.is_like(other),)*
                    _ => false,
                }
            }
        }

        $(impl From<$name> for AnyStrategy {
            fn from(strategy: $name) -> AnyStrategy {
                AnyStrategy::$name(strategy)
            }
        })*
    };
}

any_strategy! {
    /// Enumerates in the order of a cost.
    Bounded,
    /// Enumerates what is not equivalent.
    Reduced,
    /// Draws executions.
    Sample,
    /// Draws and enumerates.
    Portfolio,
}

#[deny(clippy::missing_trait_methods, reason = "a default would not be what the strategy does")]
impl Strategy for AnyStrategy {
    fn next(&mut self) -> Next {
        self.get_mut().next()
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        self.get_mut().learn(id, run);
    }

    fn fits(&self, run: &Run) -> bool {
        self.get().fits(run)
    }

    fn watch(&self) -> Arc<dyn Watch> {
        self.get().watch()
    }

    fn repeats_first(&self) -> bool {
        self.get().repeats_first()
    }

    fn has_next(&self) -> bool {
        self.get().has_next()
    }

    fn restart(&mut self) {
        self.get_mut().restart();
    }

    fn rewind(&mut self) {
        self.get_mut().rewind();
    }

    fn bound(&self) -> Option<u32> {
        self.get().bound()
    }

    fn bound_of(&self, id: PlanId) -> Option<u32> {
        self.get().bound_of(id)
    }

    fn is_exhausted(&self) -> bool {
        self.get().is_exhausted()
    }

    fn memory(&self) -> usize {
        self.get().memory()
    }
}
