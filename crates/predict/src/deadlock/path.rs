//! Cycles: goes along kinds of waits and combines their instances.
//!
//! In: the graph of kinds, which says which can follow which, and how many steps may be taken. Out: cycles of waits of
//! different threads, in the observed order, each given to a closure. It says whether it spent effort on the cycle: of
//! one cycle of kinds, that many instances are tried.

use raddle_trace::EventId;
use rustc_hash::FxHashMap;

use super::Graph;

/// Instances of one cycle of kinds that effort is spent on.
const MAX_INSTANCES: u64 = 10_000;

/// Cycles of kinds with the same first kind that are looked at.
const MAX_CYCLES: u64 = 100_000;

/// Goes along kinds of waits.
pub(super) struct Paths<'a> {
    graph: &'a Graph<'a>,
    /// Pairs of kinds, and whether some of their instances are not kept apart by the order.
    meetings: FxHashMap<(usize, usize), bool>,
    counts: Counts,
    /// How many more instances of a cycle of kinds effort may be spent on.
    left: u64,
    /// How many more waits may be added to a path.
    steps: &'a mut u64,
}

/// How many cycles of kinds there are.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub n_cycles: u64,
    /// Those of which not all instances were looked at; one more if there are more cycles.
    pub n_cut: u64,
}

impl<'a> Paths<'a> {
    /// Takes so many steps at most, and counts them down.
    pub(super) fn new(graph: &'a Graph<'a>, steps: &'a mut u64) -> Paths<'a> {
        Paths { graph, meetings: FxHashMap::default(), counts: Counts::default(), left: 0, steps }
    }

    /// Whether one more step may be taken.
    fn goes_on(&mut self) -> bool {
        let is_left = *self.steps > 0;
        *self.steps -= u64::from(is_left);
        is_left
    }

    /// Visits the cycles in which a kind is the least.
    pub(super) fn cycles<E>(
        mut self,
        least: usize,
        visit: &mut impl FnMut(&[EventId]) -> Result<bool, E>,
    ) -> Result<Counts, E> {
        self.extend(&mut vec![least], visit)?;
        self.counts.n_cut += u64::from(self.counts.n_cycles >= MAX_CYCLES);
        Ok(self.counts)
    }

    /// Goes on with a path of kinds, the first of which is the least.
    fn extend<E>(
        &mut self,
        path: &mut Vec<usize>,
        visit: &mut impl FnMut(&[EventId]) -> Result<bool, E>,
    ) -> Result<(), E> {
        let graph = self.graph;
        let Some(&last) = path.last() else { return Ok(()) };
        let next = &graph.next[last];
        for &next in &next[next.partition_point(|&next| next < path[0])..] {
            if self.counts.n_cycles >= MAX_CYCLES || !self.goes_on() {
                return Ok(());
            }
            if next == path[0] && path.len() > 1 {
                self.counts.n_cycles += 1;
                self.left = MAX_INSTANCES;
                self.instances(path, &mut Vec::new(), visit)?;
                self.counts.n_cut += u64::from(self.left == 0);
            } else if next > path[0] && path.iter().all(|&p| self.can_meet(p, next)) {
                path.push(next);
                self.extend(path, visit)?;
                path.pop();
            }
        }
        Ok(())
    }

    /// True if two kinds can be part of one cycle, as far as pairs go.
    fn can_meet(&mut self, first: usize, second: usize) -> bool {
        let graph = self.graph;
        graph.kinds[first].can_meet(&graph.kinds[second])
            && *self.meetings.entry((first, second)).or_insert_with(|| {
                let instances = &graph.kinds[first].instances;
                instances.iter().any(|&e| !graph.stretch(second, e).is_empty())
            })
    }

    /// Visits the instances of a cycle of kinds that begin with some.
    fn instances<E>(
        &mut self,
        path: &[usize],
        chosen: &mut Vec<EventId>,
        visit: &mut impl FnMut(&[EventId]) -> Result<bool, E>,
    ) -> Result<(), E> {
        if chosen.len() == path.len() {
            self.left -= u64::from(visit(chosen)?);
            return Ok(());
        }
        let graph = self.graph;
        let kind = path[chosen.len()];
        let instances = match chosen.first() {
            Some(&first) => graph.stretch(kind, first),
            None => &graph.kinds[kind].instances,
        };
        for &instance in instances {
            let apart = |&other: &EventId| !graph.stretch(kind, other).contains(&instance);
            if self.left == 0 || !self.goes_on() {
                break;
            }
            if chosen.iter().skip(1).any(apart) {
                continue;
            }
            chosen.push(instance);
            self.instances(path, chosen, visit)?;
            chosen.pop();
        }
        Ok(())
    }
}
