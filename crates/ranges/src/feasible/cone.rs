//! The cone of influence: which reads a value depends on.
//!
//! In: expressions whose values matter. Out: literals for the order of the reads that they are computed
//! from, through whatever writes, and of these writes. They are made before the words, since solvers
//! look at the first variables first: values follow from orders, and an order that is nearly that of the
//! run, which most answers are, is found without a search.

use super::Solver;
use crate::ctp::StateId;
use crate::expr::{Expr, ExprId};

impl Solver<'_> {
    /// The orders that the values of expressions depend on.
    pub(super) fn order_cone(&mut self, mut open: Vec<ExprId>) {
        while let Some(id) = open.pop() {
            let is_new = !std::mem::replace(&mut self.in_cone[id.0 as usize], true);
            if is_new && self.values.is_open(id) {
                open.extend(self.ctp.exprs.parts(id));
                if let Expr::Local(local) = self.ctp.exprs.get(id)
                    && let Some(read) = self.read_of[local.0 as usize]
                {
                    self.order_read(read, &mut open);
                }
            }
        }
    }

    /// The orders that decide what a step reads, and the values that it can read.
    fn order_read(&mut self, read: StateId, values: &mut Vec<ExprId>) {
        let Some((global, _)) = self.ctp.step(read).action.read() else { return };
        if self.counters[global.0 as usize].is_some() {
            return;
        }
        let (own, is_last) = self.own_write(read, global);
        values.extend(own.and_then(|own| self.ctp.step(own).action.written()).map(|(_, v)| v));
        let thread = self.ctp.state(read).thread;
        let all = self.writes.clone();
        let others = all[global.0 as usize].of.iter().filter(|(other, _)| *other != thread);
        for write in others.filter(|_| !is_last).flat_map(|(_, writes)| writes) {
            values.push(write.value);
            self.before(write.state, read);
            if let Some(own) = own {
                self.before(write.state, own);
            }
        }
    }
}
