//! The execution that an assignment describes.

use super::Solver;
use super::query::Query;
use crate::ctp::StateId;

impl Solver<'_> {
    /// The steps that answer a query: what comes behind the last one that was asked for is not wanted.
    /// The program may be over by then.
    pub(super) fn steps(&self, query: &Query) -> Vec<StateId> {
        let mut steps = self.execution();
        let asked = match query {
            Query::Fails(state, _) | Query::Leaves(state, _) => self.needed(*state),
            _ => query.steps(),
        };
        if let Some(last) = steps.iter().rposition(|step| asked.contains(step)) {
            steps.truncate(last + 1);
        }
        steps
    }

    /// What happens right before a step: the one before it or the fork of its thread, and the ends of
    /// those that it joins.
    fn needed(&self, state: StateId) -> Vec<StateId> {
        let of = self.ctp.state(state);
        let before = of.parent.filter(|&before| self.ctp.state(before).parent.is_some());
        let forks = &self.rules.forks[of.thread.0 as usize];
        let mut needed = before.map_or_else(|| forks.clone(), |before| vec![before]);
        for thread in &of.step.joins {
            needed.extend(&self.rules.ends[thread.0 as usize]);
        }
        needed
    }

    /// The steps of the assignment that was found, in order.
    fn execution(&self) -> Vec<StateId> {
        let mut of_element: Vec<Vec<StateId>> = Vec::new();
        for id in self.ctp.state_ids().filter(|&id| self.ctp.state(id).parent.is_some()) {
            let element = self.element[id.0 as usize] as usize;
            if of_element.len() <= element {
                of_element.resize(element + 1, Vec::new());
            }
            if self.clauses.value(self.happens[id.0 as usize]) {
                of_element[element].push(id);
            }
        }
        let sequence = self.order.sequence(&self.clauses);
        let steps = sequence.iter().flat_map(|&element| of_element.get(element as usize));
        steps.flatten().copied().collect()
    }
}
