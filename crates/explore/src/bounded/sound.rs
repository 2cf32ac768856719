//! Whether a saved enumeration can be one that was saved.

use super::{Bounded, Depth, WINDOW};
use crate::backlog::is_encoded;
use crate::checkpoint::{COUNT_MAX, Flaw, ensure};

impl Bounded {
    /// Refuses what no enumeration can come to; `executions` is how many runs it must have learned.
    pub(crate) fn check(&self, executions: u64) -> Result<(), Flaw> {
        let most = self.bound_max.unwrap_or(u32::MAX / 2);
        ensure(self.n_learned == executions, "how many runs were learned")?;
        ensure(self.bound <= most, "its bound")?;
        ensure(self.window.len() <= WINDOW && self.n_out <= self.window.len(), "its window")?;
        ensure(self.window.iter().all(|prefix| is_encoded(prefix)), "a prefix in its window")?;
        ensure(self.part.is_none_or(|part| part.is_sound()), "its part")?;
        ensure(self.depth.is_none_or(Depth::is_sound), "its depth")?;
        let keyed = self.cache.is_some();
        self.levels.iter().try_for_each(|level| level.check(self.n_learned, keyed))
    }

    /// Whether another one looks for the same, however far the two are.
    pub(crate) fn is_like(&self, other: &Bounded) -> bool {
        let depth = |of: &Bounded| of.depth.map(|depth| (depth.n_points_first, depth.step));
        (self.cost, self.bound_max, depth(self)) == (other.cost, other.bound_max, depth(other))
            && self.cache.is_some() == other.cache.is_some()
            && self.part.map(|part| part.of()) == other.part.map(|part| part.of())
    }
}

impl Depth {
    fn is_sound(self) -> bool {
        let Depth { n_points, n_points_first, step, .. } = self;
        let beyond = n_points.checked_sub(n_points_first);
        let whole = |beyond: u32| beyond == 0 || step > 0 && beyond.is_multiple_of(step);
        beyond.is_some_and(whole) && u64::from(n_points) + u64::from(step) < COUNT_MAX
    }
}
