//! What orders what in a story, and what nothing orders: the edges of its causality graph.
//!
//! In: a finding with its story. Out: edges between steps of different threads. Edges of one step to the
//! next of its thread go without saying.
//!
//! - C1: a thread begins after it was started, and is joined after its last step.
//! - C2: a lock is taken after it was let go; a semaphore after it was posted; a wait ends after its signal.
//! - C3: a read sees the last write.
//! - C4: who asks for a lock in vain waits for the step that took it.
//! - C5: the two accesses of a race are next to each other, and nothing orders them.
//! - C6: what a prediction says must come first in every interleaving that shows the finding (`details.orders`),
//!   in the place of what else the story has between the two steps.

use std::collections::BTreeMap;

use raddle_finding::{Action, Finding, Property, Step, Story};
use serde::Serialize;
use serde_json::Value;

use crate::held;

/// An edge from a step to a later one, or between two that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) kind: EdgeKind,
}

/// Why there is an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EdgeKind {
    /// C1
    Thread,
    /// C2
    Sync,
    /// C3
    Value,
    /// C4
    Blocked,
    /// C5
    Race,
    /// C6
    Needed,
}

/// All edges, in the order of their ends.
pub(crate) fn edges(finding: &Finding, story: &Story) -> Vec<Edge> {
    let mut past = Past::default();
    let mut edges = Vec::new();
    let mut add = |from: Option<u32>, to: u32, kind: EdgeKind| {
        let from = from
            .filter(|&from| story.steps[from as usize].thread != story.steps[to as usize].thread);
        edges.extend(from.map(|from| Edge { from, to, kind }));
    };
    let happened = story.steps.len() - story.pending as usize;
    for (n, step) in (0..).zip(&story.steps[..happened]) {
        past.step(story, n, step, &mut add);
    }
    edges.extend(blocked(story));
    if let (Property::Race, &[first, second]) = (finding.property, story.decisive.as_slice()) {
        edges.push(Edge { from: first, to: second, kind: EdgeKind::Race });
    }
    let needed = needed(finding, story);
    edges.retain(|edge| !needed.iter().any(|other| (other.from, other.to) == (edge.from, edge.to)));
    edges.extend(needed);
    edges.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.kind));
    edges
}

/// C6
fn needed(finding: &Finding, story: &Story) -> Vec<Edge> {
    let orders = finding.details.get("orders").and_then(Value::as_array);
    let step = |order: &Value, end: usize| {
        let step = u32::try_from(order.get(end)?.as_u64()?).ok()?;
        ((step as usize) < story.steps.len()).then_some(step)
    };
    let edge = |order: &Value| {
        Some(Edge { from: step(order, 0)?, to: step(order, 1)?, kind: EdgeKind::Needed })
    };
    orders.into_iter().flatten().filter_map(edge).collect()
}

/// C4
fn blocked(story: &Story) -> Vec<Edge> {
    let scopes = held::scopes(story);
    let mut edges = Vec::new();
    for &n in &story.decisive {
        let step = &story.steps[n as usize];
        // A lock that cannot be taken is asked for, or taken next.
        let is_pending = n as usize >= story.steps.len() - story.pending as usize;
        let asks = match step.action {
            Action::Ask | Action::AskShared => true,
            Action::Lock | Action::LockShared => is_pending,
            _ => false,
        };
        let holder = scopes.iter().rev().find(|scope| {
            let is_open = scope.to.is_none_or(|to| to > n);
            scope.lock == step.object && scope.thread != step.thread && scope.from < n && is_open
        });
        edges.extend(holder.filter(|_| asks).map(|holder| Edge {
            from: n,
            to: holder.from,
            kind: EdgeKind::Blocked,
        }));
    }
    edges
}

/// What happened last, by object.
#[derive(Default)]
struct Past {
    last_of: BTreeMap<u32, u32>,
    started: BTreeMap<u32, u32>,
    released: BTreeMap<u32, u32>,
    posted: BTreeMap<u32, u32>,
    written: BTreeMap<u32, u32>,
}

impl Past {
    fn step(
        &mut self,
        story: &Story,
        n: u32,
        step: &Step,
        add: &mut dyn FnMut(Option<u32>, u32, EdgeKind),
    ) {
        // C1
        if !self.last_of.contains_key(&step.thread) {
            add(self.started.get(&step.thread).copied(), n, EdgeKind::Thread);
        }
        self.last_of.insert(step.thread, n);
        let Some(object) = step.object else { return };
        let thread = || {
            let name = &story.objects.get(object as usize)?.name;
            story.threads.iter().position(|thread| thread == name).map(|at| at as u32)
        };
        match step.action {
            Action::Fork => _ = thread().map(|child| self.started.insert(child, n)),
            Action::Join => {
                let last = thread().and_then(|child| self.last_of.get(&child).copied());
                add(last, n, EdgeKind::Thread);
            }
            // C2
            Action::Lock | Action::LockShared => {
                add(self.released.get(&object).copied(), n, EdgeKind::Sync);
            }
            Action::Unlock => _ = self.released.insert(object, n),
            Action::Signal | Action::Broadcast | Action::Post | Action::Arrive => {
                self.posted.insert(object, n);
            }
            Action::Wake | Action::Take | Action::Leave => {
                add(self.posted.get(&object).copied(), n, EdgeKind::Sync);
            }
            // C3
            Action::Read => add(self.written.get(&object).copied(), n, EdgeKind::Value),
            Action::Write => _ = self.written.insert(object, n),
            Action::Change => {
                add(self.written.get(&object).copied(), n, EdgeKind::Value);
                self.written.insert(object, n);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_finding::{Object, ObjectKind, Verdict};

    /// Steps like `a write x`.
    #[track_caller]
    fn check(property: Property, steps: &str, decisive: &[u32], pending: u32, expected: &[&str]) {
        let mut story = Story { decisive: decisive.to_vec(), pending, ..Story::default() };
        for line in steps.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let at = story.threads.iter().position(|name| name == words[0]);
            let thread = at.unwrap_or_else(|| {
                story.threads.push(words[0].to_owned());
                story.threads.len() - 1
            });
            let at = story.objects.iter().position(|object| object.name == words[2]);
            let object = at.unwrap_or_else(|| {
                story.objects.push(Object::new(ObjectKind::Variable, words[2]));
                story.objects.len() - 1
            });
            let step = Step::new(
                thread as u32,
                *Action::ALL.iter().find(|action| action.name() == words[1]).unwrap(),
            );
            story.steps.push(Step { object: Some(object as u32), ..step });
        }
        let finding = Finding::new(property, Verdict::Candidate, "", vec![], vec![]);
        let text = |edge: Edge| format!("{}-{} {:?}", edge.from, edge.to, edge.kind);
        let edges: Vec<_> = edges(&finding, &story).into_iter().map(text).collect();
        assert_eq!(edges, expected);
    }

    #[test]
    fn threads_locks_and_values_order() {
        let steps =
            "a fork b\na lock l\na write x\na unlock l\nb lock l\nb read x\nb unlock l\na join b";
        let expected = ["0-4 Thread", "3-4 Sync", "2-5 Value", "6-7 Thread"];
        check(Property::Assertion, steps, &[], 0, &expected);
    }

    #[test]
    fn what_one_thread_does_is_ordered_without_edges() {
        check(Property::Assertion, "a write x\na read x\nb read y", &[], 0, &[]);
    }

    #[test]
    fn a_circle_of_locks_is_two_edges() {
        let steps = "a lock l\nb lock m\na ask m\nb ask l";
        check(Property::Deadlock, steps, &[2, 3], 0, &["3-0 Blocked", "2-1 Blocked"]);
        let steps = "a lock l\nb lock m\na lock m\nb lock l";
        check(Property::Deadlock, steps, &[2, 3], 2, &["3-0 Blocked", "2-1 Blocked"]);
    }

    #[test]
    fn orders_of_a_prediction_stand_in_for_what_the_story_has() {
        let step = |thread: u32, action| Step { object: Some(0), ..Step::new(thread, action) };
        let story = Story {
            threads: vec!["a".into(), "b".into()],
            objects: vec![Object::new(ObjectKind::Lock, "l")],
            steps: vec![step(0, Action::Unlock), step(1, Action::Lock), step(0, Action::Lock)],
            ..Story::default()
        };
        let mut finding = Finding::new(Property::Race, Verdict::Witnessed, "", vec![], vec![]);
        let orders = serde_json::json!([[0, 1, "why"], [1, 2, "why"], [1, 9, "beyond"], ["x"]]);
        finding.details.insert("orders".into(), orders);
        let edges = edges(&finding, &story);
        let found: Vec<_> = edges.iter().map(|edge| (edge.from, edge.to, edge.kind)).collect();
        assert_eq!(found, [(0, 1, EdgeKind::Needed), (1, 2, EdgeKind::Needed)]);
    }

    #[test]
    fn accesses_that_race_are_not_ordered() {
        check(Property::Race, "a write x\nb write x", &[0, 1], 2, &["0-1 Race"]);
    }
}
