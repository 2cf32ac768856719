//! Follows a run: its threads, shared memory and locks as parts of a CTP, and its events as steps.

use raddle_cfront::ir::Kind;
use raddle_vm::shadow::{self, Memory, Piece, Shadow, Step as Followed};
use raddle_vm::{Event, Observer, Transition, What};
use rustc_hash::{FxHashMap, FxHashSet};

use super::users::{self, Place, Shared};
use crate::ctp::{
    Action, BarrierId, CondId, Ctp, Global, GlobalId, Guard, Line, LockId, Loose, Notice,
    SemaphoreId, StateId, Step, ThreadId, Why,
};
use crate::expr::ExprId;
use crate::origin::{Origins, outside};

/// What is kept of a thread beside its values.
#[derive(Default)]
pub(super) struct Thread {
    pub(super) id: ThreadId,
    /// Where it is.
    pub(super) state: StateId,
    /// What the barrier that comes answers.
    pub(super) last: Option<ExprId>,
    /// What the current transition does if it is an event.
    pub(super) action: Option<Action>,
    /// What must hold before the next step.
    pub(super) guards: Vec<Guard>,
    pub(super) joins: Vec<ThreadId>,
    /// Conditions that are guards already.
    pub(super) known: FxHashSet<ExprId>,
    /// The condition that a wait starts on.
    pub(super) waits: Option<CondId>,
    pub(super) n_events: u32,
    /// Whether the step that comes is one outcome of several.
    pub(super) tries: bool,
    /// Whether it has come to its end.
    pub(super) is_over: bool,
    /// Within a call of an output function: how deep it is.
    pub(super) quiet: Option<u32>,
}

/// Follows values through a run and makes a CTP.
#[derive(Default)]
pub(super) struct Follower {
    pub(super) ctp: Ctp,
    shared: Shared,
    pub(super) shadow: Shadow<Follower>,
    /// The expressions in memory that one thread alone uses.
    pub(super) memory: Memory<(Kind, ExprId)>,
    pub(super) threads: FxHashMap<u32, Thread>,
    globals: FxHashMap<(Place, u32), GlobalId>,
    locks: FxHashMap<u64, LockId>,
    conds: FxHashMap<u64, CondId>,
    atomic: Option<LockId>,
    pub(super) semaphores: FxHashMap<u64, SemaphoreId>,
    pub(super) barriers: FxHashMap<u64, BarrierId>,
    origins: Origins,
}

impl Follower {
    pub(super) fn new(shared: Shared) -> Follower {
        Follower { shared, ..Follower::default() }
    }

    /// The trace program.
    pub(super) fn finish(mut self) -> Ctp {
        let mut numbers: Vec<_> = self.threads.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            // A guard behind the last access is a place that can be asked for; and a thread that joins another
            // waits for those that it has joined.
            let thread = &self.threads[&number];
            if !thread.guards.is_empty() || (number != 0 && !thread.joins.is_empty()) {
                self.push(number, Action::Nothing, None);
            }
            self.cut(number);
        }
        self.leave_out_many();
        self.ctp
    }

    /// A thread has come to its end.
    pub(super) fn ends(&mut self, number: u32) {
        self.thread(number).is_over = true;
    }

    /// Notes where a thread was when the run ended, unless it had come to its own end.
    fn cut(&mut self, number: u32) {
        let thread = &self.threads[&number];
        if !thread.is_over {
            let state = thread.state;
            let line = self.ctp.step(state).line.clone();
            self.ctp.loose.push(Loose { state, why: Why::Cut, line });
        }
    }

    pub(super) fn thread(&mut self, number: u32) -> &mut Thread {
        if !self.threads.contains_key(&number) {
            let id = self.ctp.add_thread(format!("T{number}"), number);
            let root = self.ctp.threads[id.0 as usize].root;
            self.threads.insert(number, Thread { id, state: root, ..Thread::default() });
        }
        self.threads.get_mut(&number).expect("it was added")
    }

    /// The piece of shared memory that an access touches.
    pub(super) fn shared_piece(&self, at: Piece) -> Option<users::Piece> {
        let pieces = self.shared.get(&(at.object, at.birth)).filter(|_| at.size > 0)?;
        let touches = |p: &&users::Piece| p.offset < at.end() && at.offset < p.offset + p.size;
        pieces.iter().find(touches).copied()
    }

    /// The global that a piece is; `kind` is how it is accessed first.
    pub(super) fn global(
        &mut self,
        s: &Followed<'_>,
        at: Piece,
        piece: users::Piece,
        kind: Kind,
    ) -> GlobalId {
        let place = (at.object, at.birth);
        if let Some(&known) = self.globals.get(&(place, piece.offset)) {
            return known;
        }
        let bits = s.view.bits(place.0, piece.offset, piece.size);
        let followed = !piece.mixed && !kind.is_float() && kind.size() == piece.size;
        let initial = bits.filter(|_| followed).map(|bits| kind.extend(bits));
        let mut name = s.view.name(place.0, piece.offset, piece.size);
        if self.ctp.global(&name).is_some() {
            name = format!("{name}#{}", self.ctp.globals.len());
        }
        if !followed {
            let why = if kind.is_float() && !piece.mixed {
                format!("{name} is floating point: its values are not tracked")
            } else {
                format!(
                    "{name} is accessed in pieces of different sizes: its values are not tracked"
                )
            };
            self.notice(why, super::line(s.view.program(), s.site));
        }
        self.ctp.globals.push(Global { name, kind, initial });
        let id = GlobalId(self.ctp.globals.len() as u32 - 1);
        self.globals.insert((place, piece.offset), id);
        id
    }

    /// Says once that something is left out.
    pub(super) fn notice(&mut self, text: String, line: Option<Line>) {
        if !self.ctp.notices.iter().any(|notice| notice.text == text) {
            self.ctp.notices.push(Notice { text, line });
        }
    }

    /// A new step of a thread.
    pub(super) fn push(&mut self, number: u32, action: Action, line: Option<Line>) {
        let thread = self.thread(number);
        let guards = std::mem::take(&mut thread.guards);
        let joins = std::mem::take(&mut thread.joins);
        let (parent, n_events) = (thread.state, thread.n_events);
        let line = line.or_else(|| guards.last().and_then(|guard| guard.line.clone()));
        let step = Step { joins, guards, action, forks: Vec::new(), line, n_events };
        let line = step.line.clone();
        let state = self.ctp.add_step(parent, step);
        let thread = self.thread(number);
        thread.state = state;
        // A wait gives its lock back first; how it ends is known when it has it again.
        let waits = matches!(action, Action::Release { waits: Some(_), .. });
        if thread.tries && !waits {
            thread.tries = false;
            self.ctp.loose.push(Loose { state, why: Why::Outcome, line });
        }
    }

    pub(super) fn lock(&mut self, event: &Event<'_>, address: u64) -> LockId {
        let ctp = &mut self.ctp;
        *self.locks.entry(address).or_insert_with(|| {
            ctp.locks.push(event.view.name_at(address));
            LockId(ctp.locks.len() as u32 - 1)
        })
    }

    pub(super) fn cond(&mut self, event: &Event<'_>, address: u64) -> CondId {
        let ctp = &mut self.ctp;
        *self.conds.entry(address).or_insert_with(|| {
            ctp.conds.push(event.view.name_at(address));
            CondId(ctp.conds.len() as u32 - 1)
        })
    }

    /// The lock that stands for atomic sections.
    pub(super) fn atomic(&mut self) -> LockId {
        let ctp = &mut self.ctp;
        *self.atomic.get_or_insert_with(|| {
            ctp.locks.push("atomic".to_owned());
            LockId(ctp.locks.len() as u32 - 1)
        })
    }

    pub(super) fn fork(&mut self, event: &Event<'_>, child: u32) {
        self.shadow.fork(event.thread, child);
        let new = self.thread(child).id;
        self.origins.fork(event, child);
        let origin = self.origins.of(child).cloned().unwrap_or_default();
        let thread = &mut self.ctp.threads[new.0 as usize];
        (thread.name, thread.origin) = (event.view.thread_name(child), origin);
        let line = super::line(event.view.program(), outside(event));
        let parent = self.thread(event.thread);
        let waits = !parent.guards.is_empty() || !parent.joins.is_empty();
        let at_start = self.ctp.state(self.threads[&event.thread].state).parent.is_none();
        let first = self.threads[&event.thread].id.0 == 0;
        if at_start && first && !waits {
            return; // It exists from the start.
        }
        if at_start || waits {
            self.push(event.thread, Action::Nothing, line);
        }
        let state = self.thread(event.thread).state;
        self.ctp.states[state.0 as usize].step.forks.push(new);
    }

    pub(super) fn join(&mut self, thread: u32, child: u32) {
        let id = self.thread(child).id;
        self.thread(thread).joins.push(id);
        if let Some((to, ended)) = self.shadow.join(thread, child) {
            self.memory.take(to);
            if let Some(value) = ended {
                self.memory.put(to, (Kind::P64, value));
            }
        }
    }
}

impl Observer for Follower {
    const FLOW: bool = true;

    fn event(&mut self, event: &Event<'_>) {
        // Whether a thread asks in vain depends on the others.
        if !matches!(event.what, What::Request { .. }) {
            self.thread(event.thread).n_events += 1;
        }
        self.note(event);
        if let Some(action) = self.action(event) {
            let line = super::line(event.view.program(), outside(event));
            self.push(event.thread, action, line);
        }
    }

    fn transition(&mut self, transition: &Transition<'_>) {
        shadow::follow(self, transition);
    }
}
