//! What the steps of a transaction do to intervals (P3), and where it is written down.

use super::Run;
use super::round::join_all;
use crate::ctp::StateId;
use crate::interval::Interval;

impl Run<'_> {
    /// The steps of a transaction; false if a guard cannot hold.
    pub(super) fn transfer(&mut self, through: &[StateId], state: &mut [Interval]) -> bool {
        for &id in through {
            let step = self.ctp.step(id);
            if let Some((global, to)) = step.action.read().filter(|_| step.guards.is_empty()) {
                state[self.slots.of(to)] = state[global.0 as usize];
            }
            self.evaluator.wraps = false;
            let plan = self.plans.of(id);
            self.evaluator.run(plan, state);
            for guard in &step.guards {
                if !self.evaluator.assume(guard.condition, true, state) {
                    return false;
                }
            }
            if !step.guards.is_empty() {
                if let Some((global, to)) = step.action.read() {
                    state[self.slots.of(to)] = state[global.0 as usize];
                }
                self.evaluator.run(plan, state);
            }
            self.note(id, state);
        }
        true
    }

    /// Takes down what a step assigns; guards have been passed.
    fn note(&mut self, id: StateId, state: &mut [Interval]) {
        let at = id.0 as usize;
        let merge = |known: &mut Option<Interval>, values: Interval| {
            *known = Some(known.map_or(values, |known| known.join(values)));
        };
        let action = self.ctp.step(id).action;
        if let Some((global, to)) = action.read() {
            let values = state[global.0 as usize];
            state[self.slots.of(to)] = values;
            merge(&mut self.found.read[at], values);
        }
        if let Some((global, value)) = action.written() {
            let kind = self.ctp.globals[global.0 as usize].kind;
            let values = self.evaluator.get(value);
            // What is stored is cut to the size of the memory.
            let values = crate::interval::convert(kind, kind, values).values;
            state[global.0 as usize] = values;
            merge(&mut self.found.written[at], values);
        }
        self.found.reached[at] = true;
        self.found.wraps[at] |= self.evaluator.wraps;
    }

    /// Joins a state into what is known of a node.
    pub(super) fn arrive(&mut self, node: usize, state: &[Interval]) {
        match &mut self.found.nodes[self.states[node].0 as usize] {
            Some(known) => join_all(known, state),
            none => *none = Some(state.into()),
        }
    }
}
