//! The interval metric: how many bits it takes to distinguish the values (Ganai & Wang, Sec. 4.3).

use crate::ctp::Ctp;
use crate::graph::Graph;
use crate::interval::Interval;
use crate::propagate::Ranges;
use crate::slots::Slots;

/// Bits over all assignments and, for globals, over all beginnings of transactions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    /// Those of locals (RB_l).
    pub local: u64,
    /// Those of globals (RB_g).
    pub global: u64,
}

/// The metric of ranges. A bit count is ⌈log2(u − l + 1)⌉; what is not reached has none.
pub fn bits(ctp: &Ctp, graph: &Graph, ranges: &Ranges) -> Bits {
    let slots = Slots::new(ctp);
    let mut bits = Bits::default();
    for id in ctp.state_ids() {
        let at = id.0 as usize;
        let action = ctp.step(id).action;
        // At a node, what arrives by a switch counts, too.
        let value = |place: usize, own: Option<Interval>| match &ranges.nodes[at] {
            Some(node) if own.is_some() => u64::from(node[place].bits()),
            _ => own.map_or(0, |own| u64::from(own.bits())),
        };
        if let Some((_, to)) = action.read() {
            bits.local += value(slots.of(to), ranges.read[at]);
        }
        if let Some((global, _)) = action.written() {
            bits.global += value(global.0 as usize, ranges.written[at]);
        }
    }
    for transaction in &graph.transactions {
        if let Some(node) = &ranges.nodes[transaction.from.0 as usize] {
            let all = node[..ctp.globals.len()].iter().map(|values| u64::from(values.bits()));
            bits.global += all.sum::<u64>();
        }
    }
    bits
}
