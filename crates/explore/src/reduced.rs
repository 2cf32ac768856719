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
//!   that conflicts with it. A run in which all threads sleep ends as known. What ended a run at once does not sleep:
//!   nothing was seen after it, so a data race with it may only show if it comes later.
//! - S3: what threads wanted to do when a run ended counts as done after it: otherwise no thread would
//!   take a lock before the one that kept it. The same goes for those that cannot go on when all
//!   others sleep. If the run ended although they could have gone on, by a failure or an exit, or since a
//!   thread goes round by its own answers, the event that ended it conflicts with all of them; in a livelock with
//!   those that could have been woken spuriously.
//! - S4: what is no choice of a thread belongs to the step in which it is decided; all of it is
//!   tried.
//!
//! So every state in which the program ends by itself is reached, and every failure shows, though
//! not after every other step that it does not depend on.
//!
//! With a bound on preemptions both S1 and S2 lose ends: an execution that is left out can need
//! fewer preemptions than the one that stands for it. Each bound is a search of its own, from the
//! root, with the backtracking of Coons, Musuvathi and McKinley ("Bounded partial-order reduction",
//! OOPSLA 2013) and without S1 and S2:
//!
//! - B1: for each event that conflicts with a later step and did not happen before the thread of
//!   that step came there, the thread is tried before the event, and also where the thread of the
//!   event was switched to and where it gave way since: leaving it there may cost nothing. Where
//!   the thread is not offered, all are tried.
//! - B2: what costs more than the bound is left out; if anything was, there is another bound.
//!
//! B1 goes beyond the paper, whose proof is about what single threads can see, where whole states
//! need it. What gives back counts as an event that conflicts with what blocks for it: a thread
//! that is blocked can be left for nothing, so the cheapest place to preempt the other one may be
//! right before it gives back. And all events count, not just the last one of each thread, as the
//! step may be blocked before that one by what an earlier one took. There is no proof that this is
//! enough; the tests compare it with brute force, bound by bound, and have a case for either.
//!
//! Both ways, what a thread does must follow from the operations that were noted. It does not where
//! a program reads a clock or, between two points, memory that others access: the latter is a data
//! race, which makes points of the accesses.

mod history;
mod reverse;

use raddle_finding::Choice;
use raddle_wire::policy::stay_asleep;
use serde::{Deserialize, Serialize};
use smallvec::{SmallVec, smallvec};

use crate::backlog::{decode, encode, is_encoded, length};
use crate::checkpoint::{Flaw, ensure};
use crate::plan::{Observe, Plan};
use crate::policy::Policy;
use crate::run::Run;
use crate::strategy::{Next, PlanId, Strategy};
use history::{History, Rest};

/// Enumerates executions that differ in more than the order of independent steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reduced {
    /// One for each choice of the next plan.
    nodes: Vec<Node>,
    /// The next plan; none if there is none.
    next: Option<Draft>,
    /// Whether it was handed out.
    is_out: bool,
    n_learned: u64,
    /// The most preemptions, if they are bounded.
    bound: Option<Bound>,
    /// What the last run has cost before each point.
    #[serde(skip)]
    spent: Vec<u32>,
    /// Whether the nodes are those of a run of this program: not yet after they were read.
    #[serde(skip)]
    are_known: bool,
    /// The events of the last run; made again from the next one if it is lost.
    #[serde(skip)]
    history: History,
    /// Where the rest of a run is worked out.
    #[serde(skip)]
    rest: Rest,
}

impl PartialEq for Reduced {
    /// What can be made again from a run is no part of it.
    fn eq(&self, other: &Reduced) -> bool {
        let of = |it: &Reduced| (it.is_out, it.n_learned, it.bound);
        of(self) == of(other) && self.nodes == other.nodes && self.next == other.next
    }
}

/// A point of the last run; choices are numbers of its alternatives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Node {
    /// Who sleeps before anything is tried.
    asleep: Vec<u32>,
    tried: SmallVec<[u32; 4]>,
    todo: SmallVec<[u32; 4]>,
    /// Those that were tried and ended the run at once.
    fatal: Vec<u32>,
}

/// A bound in progress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Bound {
    now: u32,
    most: Option<u32>,
    /// Whether something was left out because it costs too much.
    left_out: bool,
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
            bound: None,
            spent: Vec::new(),
            are_known: true,
            history: History::default(),
            rest: Rest::default(),
        }
    }

    /// Executions with no preemption, with at most one, and so on, up to a number of them.
    pub fn bounded(bound_max: Option<u32>) -> Reduced {
        let bound = Some(Bound { now: 0, most: bound_max, left_out: false });
        Reduced { bound, ..Reduced::all() }
    }

    /// Refuses what no search can come to; `executions` is how many runs it must have learned.
    pub(crate) fn check(&self, executions: u64) -> Result<(), Flaw> {
        ensure(self.n_learned == executions, "how many runs were learned")?;
        let prefix = self.next.as_ref().map_or(&[][..], |draft| &draft.prefix);
        ensure(is_encoded(prefix), "the prefix of its next plan")?;
        ensure(length(prefix) == self.nodes.len(), "the points of its next plan")?;
        let within = |bound: Bound| bound.now <= bound.most.unwrap_or(u32::MAX / 2);
        ensure(self.bound.is_none_or(within), "its bound")
    }

    /// Whether another one looks for the same, however far the two are.
    pub(crate) fn is_like(&self, other: &Reduced) -> bool {
        let most = |of: &Reduced| of.bound.map(|bound| bound.most);
        most(self) == most(other)
    }

    /// Adds a node for each point behind the prefix.
    fn grow(&mut self, run: &Run) {
        for point in self.nodes.len()..run.points().len() {
            let taken = run.points()[point].taken;
            let asleep = match point.checked_sub(1) {
                Some(before) => self.asleep_behind(run, before, run.points()[before].taken),
                None => Vec::new(),
            };
            let mut node = Node { asleep, tried: smallvec![taken], ..Node::default() };
            if !matches!(run.taken(point), Choice::Thread(_)) {
                let n = run.alternatives(point).len() as u32;
                for (index, &choice) in (0..n).zip(run.alternatives(point)).rev() {
                    let cost = self.spent[point] + run.cost(point, choice);
                    match &mut self.bound {
                        _ if index == taken => {}
                        Some(bound) if cost > bound.now => bound.left_out = true, // B2
                        _ => node.todo.push(index),                               // S4
                    }
                }
            }
            self.nodes.push(node);
        }
    }

    /// Who sleeps behind a point if something is chosen there (S2).
    fn asleep_behind(&self, run: &Run, point: usize, index: u32) -> Vec<u32> {
        let Node { asleep, tried, fatal, .. } = &self.nodes[point];
        if asleep.is_empty() && tried.iter().all(|&other| other == index) {
            return Vec::new(); // No other thread was tried.
        }
        let alternatives = run.alternatives(point);
        let mut asleep = asleep.clone();
        if let (Some(thread), None) = (thread_of(alternatives[index as usize]), self.bound) {
            let sleepers = tried.iter().filter(|index| !fatal.contains(index));
            asleep.extend(sleepers.filter_map(|&index| thread_of(alternatives[index as usize])));
            asleep.sort_unstable();
            asleep.dedup();
            stay_asleep(&mut asleep, thread, run.operations(point));
        }
        asleep
    }

    /// Goes on to the deepest node that has something left, and drafts its plan.
    fn advance(&mut self, run: &Run) {
        self.next = None;
        while let Some(point) = self.nodes.len().checked_sub(1) {
            let Some(index) = self.nodes[point].todo.pop() else {
                self.nodes.pop();
                continue;
            };
            let asleep = self.asleep_behind(run, point, index);
            let mut prefix = Vec::new();
            run.choices().take(point).for_each(|choice| encode(choice, &mut prefix));
            encode(run.alternatives(point)[index as usize], &mut prefix);
            self.nodes[point].tried.push(index);
            self.next = Some(Draft { prefix, asleep });
            return;
        }
        if self.bound.as_mut().is_some_and(Bound::raise) {
            self.next = Some(Draft::default());
        }
    }
}

impl Bound {
    /// Goes on to the next one, if something was left out and there may be one (B2).
    fn raise(&mut self) -> bool {
        let raises = self.left_out && self.most.is_none_or(|most| self.now < most);
        if raises {
            *self = Bound { now: self.now + 1, left_out: false, ..*self };
        }
        raises
    }
}

impl Node {
    fn memory(&self) -> usize {
        let lists = [&self.asleep, &self.fatal].map(Vec::capacity);
        let spilled = [&self.tried, &self.todo].map(|list| list.spilled().then(|| list.capacity()));
        let n = lists.iter().sum::<usize>() + spilled.iter().flatten().sum::<usize>();
        size_of::<Node>() + 4 * n
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
            observe: Observe { operations: true, ..Observe::default() },
            counts_preemptions: self.bound.is_some(),
            ..Plan::default()
        };
        Next::Ready(PlanId(self.n_learned), plan)
    }

    fn fits(&self, run: &Run) -> bool {
        let fits = |(point, node): (usize, &Node)| {
            let n = run.alternatives(point).len() as u32;
            let mut all = node.tried.iter().chain(&node.todo).chain(&node.fatal);
            all.all(|&index| index < n)
        };
        self.are_known
            || run.points().len() >= self.nodes.len() && self.nodes.iter().enumerate().all(fits)
    }

    fn learn(&mut self, id: PlanId, run: &mut Run) {
        assert_eq!(id.0, self.n_learned, "runs are learned in the order of their plans");
        self.n_learned += 1;
        self.is_out = false;
        self.are_known = true;
        let n_known = self.nodes.len().saturating_sub(1);
        self.count_costs(run);
        self.grow(run);
        self.reverse_races(run, n_known);
        self.advance(run);
    }

    fn restart(&mut self) {
        let bound = self.bound.map(|bound| Bound { now: 0, left_out: false, ..bound });
        *self = Reduced { n_learned: self.n_learned, bound, ..Reduced::all() };
    }

    fn rewind(&mut self) {
        self.is_out = false;
    }

    fn bound(&self) -> Option<u32> {
        self.bound.map(|bound| bound.now)
    }

    fn is_exhausted(&self) -> bool {
        self.next.is_none() && self.bound.is_none_or(|bound| !bound.left_out)
    }

    fn memory(&self) -> usize {
        let nodes: usize = self.nodes.iter().map(Node::memory).sum();
        nodes + 4 * self.spent.capacity() + self.history.memory()
    }
}

fn thread_of(choice: Choice) -> Option<u32> {
    match choice {
        Choice::Thread(thread) => Some(thread),
        _ => None,
    }
}
