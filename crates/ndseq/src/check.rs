//! The check of a given specification.
//!
//! In: a trace, and the statements inside `if(*)`. Out: whether the relevant events can be
//! serialised (S1, Theorem 2). If so, the order of transactions and the executions of `if(*)` that
//! are skipped are a witness: an execution of the sequential program with the same result.

use crate::conflict::{Cycle, Serial, serialise};
use crate::depend::Dependence;
use crate::relevant::{Block, relevant};
use crate::slice::Events;
use crate::statement::Candidate;
use crate::trace::TransactionId;

/// What the check of one trace has shown.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The relevant events.
    pub relevant: Events,
    /// The witness, or the cycles of relevant events.
    pub verdict: Result<Witness, Vec<Cycle>>,
}

/// An execution of the sequential program.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Transactions; siblings are executed in this order.
    pub order: Vec<TransactionId>,
    /// The executions of `if(*)`, with whether each is executed.
    pub blocks: Vec<Block>,
}

impl Witness {
    /// The executions of `if(*)` around one.
    pub fn ancestors(&self, block: &Block) -> impl Iterator<Item = &Block> {
        let outer = |block: &Block| self.blocks.get(block.parent as usize);
        std::iter::successors(outer(block), move |block| outer(block))
    }
}

/// Checks a trace against a specification.
pub fn check(flow: &Dependence<'_>, specification: &[Candidate]) -> Checked {
    let found = relevant(flow, specification);
    let verdict = match serialise(flow.trace(), &found.events) {
        Serial::Order(order) => Ok(Witness { order, blocks: found.blocks }),
        Serial::Cycles(cycles) => Err(cycles),
    };
    Checked { relevant: found.events, verdict }
}
