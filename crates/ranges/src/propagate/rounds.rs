//! Rounds of one transaction (P1 with B = 1).

use std::ops::ControlFlow;

use rustc_hash::FxHashSet;

use super::Run;
use super::edges::{Edge, Join};
use super::round::{Round, join_all};
use crate::interval::Interval;

/// How many states that a transaction has seen are compared with the next one.
const N_ALIKE: usize = 16;

impl Run<'_> {
    /// All rounds, or as many as change anything.
    pub(super) fn rounds(&mut self, n_rounds: usize) -> ControlFlow<()> {
        let mut last = self.start();
        let mut joins = Round::new(self.joins.all.len(), self.slots.width());
        for _ in 0..n_rounds {
            self.refresh(&mut joins, &last);
            let mut next = last.clone();
            next.changed.fill(false);
            // Only the ends of transactions are known behind a round.
            self.roots.iter().for_each(|&root| next.known[root] = false);
            for edge in 0..self.edges.len() {
                if self.edges[edge].sources.iter().any(|&c| last.changed[c]) {
                    self.advance(edge, &last, &joins, &mut next)?;
                }
            }
            for &root in &self.roots {
                next.changed[root] = last.known[root];
            }
            if !next.changed.contains(&true) {
                break;
            }
            last = next;
        }
        ControlFlow::Continue(())
    }

    /// The joins with a part that has changed.
    fn refresh(&self, joins: &mut Round, last: &Round) {
        for (index, join) in self.joins.all.iter().enumerate() {
            match join {
                Join::Nodes(members) => {
                    joins.changed[index] = members.iter().any(|&node| last.changed[node]);
                    if joins.changed[index] {
                        joins.known[index] = false;
                        let known = members.iter().filter(|&&node| last.known[node]);
                        known.for_each(|&node| joins.add(index, last.at(node)));
                    }
                }
                &Join::Both(first, second) => {
                    joins.changed[index] = joins.changed[first] || joins.changed[second];
                    if joins.changed[index] {
                        joins.join(index, [first, second]);
                    }
                }
            }
        }
    }

    /// The states of a join but for nodes that were stopped; how many there were.
    fn passed(
        &self,
        join: usize,
        stopped: &FxHashSet<usize>,
        (last, joins): (&Round, &Round),
        add: &mut impl FnMut(&[Interval]),
    ) -> u64 {
        if !joins.known[join] {
            return 0;
        }
        if !self.joins.contains_any(join, stopped) {
            add(joins.at(join));
            return 1;
        }
        match &self.joins.all[join] {
            Join::Nodes(members) => {
                let known = |node: &&usize| last.known[**node] && !stopped.contains(*node);
                members.iter().filter(known).map(|&node| add(last.at(node))).count() as u64
            }
            &Join::Both(first, second) => {
                self.passed(first, stopped, (last, joins), add)
                    + self.passed(second, stopped, (last, joins), add)
            }
        }
    }

    /// One transaction, from wherever it can come.
    fn advance(
        &mut self,
        edge: usize,
        last: &Round,
        joins: &Round,
        next: &mut Round,
    ) -> ControlFlow<()> {
        let Edge { from, to, .. } = self.edges[edge];
        let sources = std::mem::take(&mut self.edges[edge].sources);
        let touched = std::mem::take(&mut self.edges[edge].touched);
        let through = std::mem::take(&mut self.edges[edge].through);
        let mut scratch = vec![Interval::ALL; self.slots.width()];
        let mut result: Option<Vec<Interval>> = None;
        let mut stopped = FxHashSet::default();
        // Many sources look alike to a transaction.
        let mut tried: Vec<(Vec<Interval>, bool)> = Vec::new();
        for &source in sources.iter().filter(|&&c| last.known[c]) {
            let seen = last.at(source);
            let alike = |known: &[Interval]| touched.iter().zip(known).all(|(&v, k)| seen[v] == *k);
            if let Some((_, passes)) = tried.iter().rev().take(N_ALIKE).find(|(k, _)| alike(k)) {
                if !passes {
                    stopped.insert(source);
                }
                continue;
            }
            touched.iter().for_each(|&place| scratch[place] = seen[place]);
            let passes = self.transfer(&through, &mut scratch);
            tried.push((touched.iter().map(|&place| seen[place]).collect(), passes));
            if !passes {
                stopped.insert(source);
                continue;
            }
            match &mut result {
                Some(all) => touched.iter().for_each(|&v| all[v] = all[v].join(scratch[v])),
                None => result = Some(scratch.clone()),
            }
        }
        self.n_updates += (sources.len() * touched.len() + last.width) as u64;
        let others = self.edges[edge].others.filter(|&others| joins.known[others]);
        if let Some(others) = others {
            // What came by a switch was there before the transaction.
            self.arrive(from, joins.at(others));
        }
        let known = result.is_some();
        if let Some(mut all) = result {
            let mut rest: Option<Vec<Interval>> = None;
            let mut add = |values: &[Interval]| match &mut rest {
                Some(rest) => join_all(rest, values),
                None => rest = Some(values.to_vec()),
            };
            if last.known[from] && !stopped.contains(&from) {
                add(last.at(from));
            }
            if let Some(others) = others {
                self.n_updates +=
                    last.width as u64 * self.passed(others, &stopped, (last, joins), &mut add);
            }
            let mut rest = rest.unwrap_or_default();
            touched.iter().for_each(|&place| rest[place] = all[place]);
            std::mem::swap(&mut all, &mut rest);
            next.changed[to] = !last.known[to] || last.at(to) != all;
            next.at_mut(to).copy_from_slice(&all);
            self.arrive(to, &all);
        } else {
            next.changed[to] = last.known[to];
        }
        next.known[to] = known;
        let edge = &mut self.edges[edge];
        (edge.sources, edge.touched, edge.through) = (sources, touched, through);
        self.goes_on()
    }
}
