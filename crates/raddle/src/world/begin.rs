//! How executions begin: what stays from the last one, and what they have to repeat.

use std::sync::Arc;

use raddle_explore::{Outcome, Plan, Policy};

use super::enabled::Who;
use super::{Announced, Cells, Orders, World};

impl World {
    /// Becomes a new one that has the memory of this one, and its fibers. What `begin` sets is left.
    pub(crate) fn renew(&mut self) {
        self.forget_trail();
        self.run.clear();
        self.last.clear();
        self.prefix.clear();
        self.kept.clear();
        self.orders = Orders::default();
        self.cells = Cells::default();
        self.follows_clocks = false;
        (self.outcome, self.divergence) = (Outcome::Passed, None);
        (self.refusal, self.tale) = (None, None);
        self.table = Arc::default();
    }

    /// Begins an execution. `run` has the first `n_shared` points, which are those of the last one.
    pub(crate) fn begin(&mut self, epoch: u64, plan: &Plan, n_shared: usize) {
        self.epoch = epoch;
        self.n_threads = 0;
        self.current = 0;
        self.objects.clear();
        if self.follows_clocks {
            super::clock::clear(&mut self.orders);
        }
        self.cells.clear();
        self.at = 0;
        self.n_shared = n_shared;
        self.n_compared = n_shared + 1;
        self.prefix.clone_from(&plan.prefix);
        self.counts_preemptions = plan.counts_preemptions;
        self.chooser.begin(&plan.policy);
        self.observe = plan.observe;
        self.who = Who::default();
        let draws = plan.observe.ends_only && matches!(plan.policy, Policy::Random { .. });
        self.draws = draws && self.tale.is_none();
        self.keeps_trail = crate::engine::is_built_upon(plan);
        let most = plan.n_points_max.map_or(usize::MAX, |most| most as usize);
        self.n_points_max = most;
        let n_points = most.min(self.rules.n_points_max);
        self.n_drawn_max = n_points.saturating_sub(plan.prefix.len());
        (self.n_changes, self.changed_at) = (0, 0);
        self.follows_rule = crate::engine::is_built_upon(plan);
        self.patience = super::tired::patience(&plan.policy);
        self.drawn_from = super::tired::drawn_from(&plan.policy);
        (self.n_aside, self.n_restless, self.n_stuck) = (0, 0, 0);
        self.stretch = 0;
        self.in_rounds.clear();
        self.rounds_end = usize::MAX;
        (self.path, self.follows_path) = (0, self.table.is_used());
        (self.trial, self.plans_trial) = (None, false);
        self.watches = self.table.watches();
        self.n_spins = 0;
        self.now = 0;
        self.n_waits = 0;
        self.portable.clear();
        self.counted.clear();
        self.n_dropping = 0;
        self.is_over = false;
        self.is_torn = false;
        self.is_followed = self.tale.is_some();
        self.outcome = Outcome::Passed;
        self.divergence = None;
    }

    /// The execution that begins has to announce all of this.
    pub(crate) fn expect(&mut self, trail: &[Announced]) {
        self.trail.clear();
        self.trail.extend_from_slice(trail);
        self.n_compared = trail.len();
    }

    /// What was announced, point by point.
    pub(crate) fn trail(&self) -> &[Announced] {
        &self.trail
    }

    /// Forgets what was announced in the last execution: the next one need not be like it.
    pub(crate) fn forget_trail(&mut self) {
        self.trail.clear();
    }
}
