//! Partial-order reduction: of executions that differ only in the order of independent steps, one.
//!
//! In: runs with the operations of their threads. Out: plans, one at a time, each a prefix of the
//! last run with its last choice changed. The points of the last run are a stack of nodes. A run
//! is searched for races; for each, the node before the earlier event gets a thread with which an
//! execution begins that has the two the other way round. Then the deepest node that has something
//! left is tried.
//!
//! Unbounded, this is source-DPOR (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017, Algorithm 1):
//!
//! - S1: a race adds nothing to a node if what was tried there, is to be tried or sleeps can begin
//!   an execution that has the two the other way round (source sets).
//! - S2: what was tried at a node sleeps in what is tried there later, until something happens
//!   that conflicts with it. A run in which everybody sleeps ends as known.
//! - S3: what threads wanted to do when a run ended counts as done after it: otherwise nobody would
//!   take a lock before the one who kept it. The same goes for those who cannot go on when all
//!   others sleep. If the run ended although they could have gone on, by
//!   a failure or an exit, the event that ended it conflicts with all of them.
//! - S4: what is no choice of a thread belongs to the step in which it is decided; all of it is
//!   tried.
//!
//! So every state in which the program ends by itself is reached, and every failure shows, though
//! not after every other step that it does not depend on.

mod history;

use raddle_finding::Choice;
use serde::{Deserialize, Serialize};

use crate::backlog::{decode, encode};
use crate::plan::{Observe, Plan};
use crate::policy::{Policy, stay_asleep};
use crate::run::{Outcome, Run};
use crate::strategy::{Next, PlanId, Strategy};
use history::{History, Relations, Step, conflict};

/// Enumerates executions that differ in more than the order of independent steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduced {
    /// One for each choice of the next plan.
    nodes: Vec<Node>,
    /// The next plan; none if there is none.
    next: Option<Draft>,
    /// Whether it was handed out.
    is_out: bool,
    n_learned: u64,
    /// The events of the last run; made again from the next one if it is lost.
    #[serde(skip)]
    history: History,
}

/// A point of the last run; choices are numbers of its alternatives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Node {
    /// Who sleeps before anything is tried.
    asleep: Vec<u32>,
    tried: Vec<u32>,
    todo: Vec<u32>,
}

/// What a plan is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Draft {
    /// Encoded choices.
    prefix: Vec<u8>,
    asleep: Vec<u32>,
}

impl Reduced {
    /// All executions that differ in more than the order of independent steps.
    pub fn all() -> Reduced {
        Reduced {
            nodes: Vec::new(),
            next: Some(Draft::default()),
            is_out: false,
            n_learned: 0,
            history: History::default(),
        }
    }

    /// Adds a node for each point behind the prefix.
    fn grow(&mut self, run: &Run) {
        for point in self.nodes.len()..run.points().len() {
            let taken = run.points()[point].taken;
            let before = self.nodes.last().map(|node| (node, run.points()[point - 1].taken));
            let asleep = before.map_or(Vec::new(), |(node, at)| node.behind(run, point - 1, at));
            let mut node = Node { asleep, tried: vec![taken], todo: Vec::new() };
            if !matches!(run.taken(point), Choice::Thread(_)) {
                let all = 0..run.alternatives(point).len() as u32;
                node.todo.extend(all.rev().filter(|&index| index != taken)); // S4
            }
            self.nodes.push(node);
        }
    }

    /// Finds the races of what is new in a run.
    fn find_races(&mut self, run: &Run, n_known: usize) {
        self.history.truncate(n_known);
        while self.history.n_points() < run.points().len() {
            let point = self.history.n_points();
            let Some(step) = self.history.next(run) else { continue };
            let relations = self.history.relate(&step, None);
            if point >= n_known {
                self.reverse(run, &step, &relations);
            }
            self.history.push(&step, relations);
        }
        self.find_races_of_left(run);
    }

    /// S3
    fn find_races_of_left(&mut self, run: &Run) {
        let blocked = matches!(run.outcome, Outcome::Deadlock(_) | Outcome::Known);
        let last = self.history.last().filter(|_| !blocked);
        let ended = last.map(|last| self.history.event(last).thread);
        let mut threads: Vec<_> = run.pendings().iter().map(|pending| pending.thread).collect();
        threads.dedup();
        for thread in threads.into_iter().filter(|&thread| Some(thread) != ended) {
            let step = self.history.step(run, thread, run.pendings());
            let relations = self.history.relate(&step, last);
            self.reverse(run, &step, &relations);
        }
    }

    /// Sees to it that a step is tried before each event that it races with.
    fn reverse(&mut self, run: &Run, step: &Step<'_>, relations: &Relations) {
        for &race in &relations.races {
            let point = self.history.event(race).point;
            let (kept, initials) = self.history.without(race, step);
            if !self.is_covered(run, point, step, &kept, &initials) {
                let itself = Some(step.thread).filter(|thread| initials.contains(thread));
                let mut first = itself.into_iter().chain(initials);
                self.add(run, point, first.find(|&thread| offers(run, point, thread)));
            }
        }
        for &point in &relations.forced {
            self.add(run, point, Some(step.thread));
        }
    }

    /// S1
    fn is_covered(
        &self,
        run: &Run,
        point: usize,
        step: &Step<'_>,
        kept: &[usize],
        initials: &[u32],
    ) -> bool {
        let node = &self.nodes[point];
        let known = node.tried.iter().chain(&node.todo);
        let mut known =
            known.filter_map(|&index| thread_of(run.alternatives(point)[index as usize]));
        known.any(|thread| {
            // Somebody who takes no part can go first, too.
            let takes_part = |&event: &usize| self.history.event(event).thread == thread;
            initials.contains(&thread)
                || thread != step.thread
                    && !kept.iter().any(takes_part)
                    && self.is_independent(run, point, thread, step, kept)
        }) || node.asleep.iter().any(|thread| initials.contains(thread))
    }

    /// Whether what a thread is about to do at a point conflicts with none of some events and a step.
    fn is_independent(
        &self,
        run: &Run,
        point: usize,
        thread: u32,
        step: &Step<'_>,
        events: &[usize],
    ) -> bool {
        let pending = self.history.step(run, thread, run.operations(point)).operations;
        let conflicts = |&event: &usize| conflict(self.history.operations(event), &pending);
        !pending.is_empty()
            && !conflict(&pending, &step.operations)
            && !events.iter().any(conflicts)
    }

    /// A thread is to be tried at a point; all that are offered if it is not known which.
    fn add(&mut self, run: &Run, point: usize, thread: Option<u32>) {
        for (index, &choice) in (0..).zip(run.alternatives(point)) {
            let Choice::Thread(offered) = choice else { continue };
            let node = &mut self.nodes[point];
            let known = node.tried.contains(&index) || node.todo.contains(&index);
            if thread.is_none_or(|thread| thread == offered)
                && !known
                && !node.asleep.contains(&offered)
            {
                node.todo.push(index);
            }
        }
    }

    /// Goes on to the deepest node that has something left, and drafts its plan.
    fn advance(&mut self, run: &Run) {
        while let Some(point) = self.nodes.len().checked_sub(1) {
            let node = &mut self.nodes[point];
            let Some(index) = node.todo.pop() else {
                self.nodes.pop();
                continue;
            };
            let asleep = node.behind(run, point, index);
            let mut prefix = Vec::new();
            run.choices().take(point).for_each(|choice| encode(choice, &mut prefix));
            encode(run.alternatives(point)[index as usize], &mut prefix);
            node.tried.push(index);
            self.next = Some(Draft { prefix, asleep });
            return;
        }
        self.next = None;
    }
}

impl Node {
    /// Who sleeps behind a point, the node of which this is, if something is chosen there (S2).
    fn behind(&self, run: &Run, point: usize, index: u32) -> Vec<u32> {
        let alternatives = run.alternatives(point);
        let mut asleep = self.asleep.clone();
        let Choice::Thread(thread) = alternatives[index as usize] else { return asleep };
        asleep.extend(self.tried.iter().filter_map(|&i| thread_of(alternatives[i as usize])));
        asleep.sort_unstable();
        asleep.dedup();
        stay_asleep(&mut asleep, thread, run.operations(point));
        asleep
    }

    fn memory(&self) -> usize {
        let ids = self.asleep.capacity() + self.tried.capacity() + self.todo.capacity();
        size_of::<Node>() + 4 * ids
    }
}

impl Strategy for Reduced {
    fn next(&mut self) -> Next {
        let Some(draft) = &self.next else { return Next::Done };
        if self.is_out {
            return Next::Pending;
        }
        self.is_out = true;
        let plan = Plan {
            prefix: decode(&draft.prefix),
            policy: Policy::Awake { asleep: draft.asleep.clone() },
            n_points_max: None,
            observe: Observe { operations: true, ..Observe::default() },
            unwatched: false,
        };
        Next::Ready(PlanId(self.n_learned), plan)
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        assert_eq!(id.0, self.n_learned, "runs are learned in the order of their plans");
        self.n_learned += 1;
        self.is_out = false;
        let n_known = self.nodes.len().saturating_sub(1);
        self.grow(run);
        self.find_races(run, n_known);
        self.advance(run);
    }

    fn restart(&mut self) {
        *self = Reduced { n_learned: self.n_learned, ..Reduced::all() };
    }

    fn rewind(&mut self) {
        self.is_out = false;
    }

    fn bound(&self) -> Option<u32> {
        None
    }

    fn is_exhausted(&self) -> bool {
        self.next.is_none()
    }

    fn memory(&self) -> usize {
        let nodes: usize = self.nodes.iter().map(Node::memory).sum();
        nodes + self.history.memory()
    }
}

fn thread_of(choice: Choice) -> Option<u32> {
    match choice {
        Choice::Thread(thread) => Some(thread),
        _ => None,
    }
}

fn offers(run: &Run, point: usize, thread: u32) -> bool {
    run.alternatives(point).contains(&Choice::Thread(thread))
}
