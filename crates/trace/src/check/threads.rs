//! Threads: fork before the first event, join after the last, begin and end at the edges.

use super::{Fault, Fix, Rule, Step};
use crate::events::Events;
use crate::id::{EventId, ThreadId};
use crate::op::{Kind, Op};
use crate::tables::Tables;

#[derive(Clone, Copy, Default)]
struct State {
    /// The fork that is still to come.
    fork: Option<EventId>,
    forked: bool,
    join: Option<EventId>,
    /// Events that were examined closely and kept; the first event of a thread always is.
    n_kept: u32,
    end: Option<EventId>,
    /// The last event of the thread in the whole trace.
    last: Option<EventId>,
    /// The last of them that does more than end something.
    last_act: Option<EventId>,
}

pub(super) struct Threads {
    states: Vec<State>,
    /// True while the thread can act and has acted before.
    running: Vec<bool>,
}

impl Threads {
    pub(super) fn new(events: &Events) -> Threads {
        let mut states = vec![State::default(); events.tables.threads.len()];
        for e in 0..events.len() {
            let thread = events.threads[e];
            states[thread.index()].last = Some(EventId(e as u32));
            if !matches!(events.codes[e].kind(), Kind::End | Kind::TxEnd | Kind::Wake) {
                states[thread.index()].last_act = Some(EventId(e as u32));
            }
            let object = events.objects[e];
            if events.codes[e].kind() == Kind::Fork && object != thread.0 {
                let fork = &mut states[object as usize].fork;
                *fork = fork.or(Some(EventId(e as u32)));
            }
        }
        Threads { running: vec![false; states.len()], states }
    }

    #[inline]
    pub(super) fn is_running(&self, thread: ThreadId) -> bool {
        self.running[thread.index()]
    }

    /// True if the thread does nothing from `event` on.
    pub(super) fn is_over(&self, thread: ThreadId, event: EventId) -> bool {
        self.states[thread.index()].last.is_none_or(|last| last < event)
    }

    /// True if the thread does something at `event` or behind it, other than to end, to end its
    /// transactions or to wake up.
    pub(super) fn acts_from(&self, thread: ThreadId, event: EventId) -> bool {
        self.states[thread.index()].last_act.is_some_and(|last| last >= event)
    }

    /// True if the thread is said to have ended, by itself or by who joined it.
    pub(super) fn has_ended(&self, thread: ThreadId) -> bool {
        let state = &self.states[thread.index()];
        state.end.is_some() || state.join.is_some()
    }

    /// The last event before which a thread that is over at `event` can have acted once more.
    pub(super) fn last_chance(&self, thread: ThreadId, event: EventId) -> EventId {
        let state = &self.states[thread.index()];
        state.end.or(state.join).unwrap_or(event)
    }

    pub(super) fn fault(&self, step: &Step, names: &Tables) -> Option<Fault> {
        if !step.observed {
            return None;
        }
        let state = &self.states[step.thread.index()];
        let me = names.thread(step.thread);
        if let Some(fork) = state.fork {
            let detail = format!("{me} acts before it is forked");
            let fix = if step.op == Op::Begin { Fix::Drop } else { Fix::DropOther(fork) };
            return Some(Fault { rule: Rule::ForkFirst, detail, fix });
        }
        if let Some(end) = state.end {
            let detail = format!("{me} acts after its end");
            return Some(Fault { rule: Rule::EndLast, detail, fix: Fix::DropOther(end) });
        }
        let (rule, detail) = match step.op {
            Op::Begin if state.n_kept > 0 => (Rule::BeginFirst, format!("{me} has acted before")),
            Op::Fork { child } => self.fork_fault(step, child, names)?,
            Op::Join { child } => self.join_fault(step, child, names)?,
            _ => return None,
        };
        Some(Fault { rule, detail, fix: Fix::Drop })
    }

    fn fork_fault(&self, step: &Step, child: ThreadId, names: &Tables) -> Option<(Rule, String)> {
        let state = &self.states[child.index()];
        let child_name = names.thread(child);
        if child == step.thread {
            return Some((Rule::ForkOnce, format!("{child_name} forks itself")));
        }
        if state.forked {
            return Some((Rule::ForkOnce, format!("{child_name} was forked before")));
        }
        // The first fork came too late and was dropped; this is another one.
        (state.n_kept > 0).then(|| (Rule::ForkFirst, format!("{child_name} has acted before")))
    }

    fn join_fault(&self, step: &Step, child: ThreadId, names: &Tables) -> Option<(Rule, String)> {
        let state = &self.states[child.index()];
        let name = names.thread(child);
        if child == step.thread {
            return Some((Rule::JoinOnce, format!("{name} joins itself")));
        }
        if state.join.is_some() {
            return Some((Rule::JoinOnce, format!("{name} was joined before")));
        }
        if !self.is_over(child, step.id) {
            return Some((Rule::JoinLast, format!("{name} acts again after this join")));
        }
        let known = state.forked || state.n_kept > 0;
        (!known).then(|| (Rule::JoinKnown, format!("{name} was never forked and has never acted")))
    }

    pub(super) fn commit(&mut self, step: &Step) {
        let state = &mut self.states[step.thread.index()];
        state.n_kept += 1;
        if step.op == Op::End {
            state.end = Some(step.id);
        }
        self.running[step.thread.index()] = state.end.is_none();
        match step.op {
            Op::Fork { child } => {
                let child = &mut self.states[child.index()];
                child.forked = true;
                child.fork = None;
            }
            Op::Join { child } => self.states[child.index()].join = Some(step.id),
            _ => {}
        }
    }

    /// An event was dropped: a fork that comes too late, or the last event of its thread so far.
    pub(super) fn forget(&mut self, thread: ThreadId, op: Op, examined: bool) {
        let state = &mut self.states[thread.index()];
        if examined {
            state.n_kept -= 1;
        }
        if op == Op::End {
            state.end = None;
        }
        self.running[thread.index()] = state.n_kept > 0 && state.end.is_none();
        if let Op::Fork { child } = op {
            self.states[child.index()].fork = None;
        }
    }
}
