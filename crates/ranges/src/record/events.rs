//! Steps: what events of the run become.

use raddle_cfront::ir::Kind;
use raddle_trace::WakeReason;
use raddle_vm::{Event, Observer, Transition, What};
use rustc_hash::FxHashMap;

use super::memory::Memory;
use super::sync::Syncs;
use super::thread::Thread;
use super::users::{Piece, Place, Shared};
use crate::ctp::{Action, CondId, Ctp, Global, GlobalId, Line, LockId, Loose, Notice, Step, Why};
use crate::origin::{Origins, outside};

/// Follows values through a run and makes a CTP.
pub(super) struct Follower {
    pub(super) ctp: Ctp,
    pub(super) shared: Shared,
    pub(super) memory: Memory,
    pub(super) threads: FxHashMap<u32, Thread>,
    globals: FxHashMap<(Place, u32), GlobalId>,
    locks: FxHashMap<u64, LockId>,
    conds: FxHashMap<u64, CondId>,
    atomic: Option<LockId>,
    pub(super) syncs: Syncs,
    origins: Origins,
}

impl Follower {
    pub(super) fn new(shared: Shared) -> Follower {
        Follower {
            ctp: Ctp::default(),
            shared,
            memory: Memory::default(),
            threads: FxHashMap::default(),
            globals: FxHashMap::default(),
            locks: FxHashMap::default(),
            conds: FxHashMap::default(),
            atomic: None,
            syncs: Syncs::default(),
            origins: Origins::default(),
        }
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
            self.threads.insert(number, Thread::new(id, root));
        }
        self.threads.get_mut(&number).expect("it was added")
    }

    /// The piece of shared memory that an access touches.
    pub(super) fn piece(&self, place: Place, offset: u32, size: u32) -> Option<Piece> {
        let pieces = self.shared.get(&place)?;
        let touches = |p: &&Piece| p.offset < offset + size && offset < p.offset + p.size;
        pieces.iter().find(touches).copied()
    }

    /// The global that a piece is; `kind` is how it is accessed first.
    pub(super) fn global(
        &mut self,
        t: &Transition<'_>,
        place: Place,
        piece: Piece,
        kind: Kind,
    ) -> GlobalId {
        if let Some(&known) = self.globals.get(&(place, piece.offset)) {
            return known;
        }
        let bits = t.view.bits(place.0, piece.offset, piece.size);
        let followed = !piece.mixed && !kind.is_float() && kind.size() == piece.size;
        let initial = bits.filter(|_| followed).map(|bits| kind.extend(bits));
        let mut name = t.view.name(place.0, piece.offset, piece.size);
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
            self.notice(why, super::line(t.view.program(), t.site));
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

    fn cond(&mut self, event: &Event<'_>, address: u64) -> CondId {
        let ctp = &mut self.ctp;
        *self.conds.entry(address).or_insert_with(|| {
            ctp.conds.push(event.view.name_at(address));
            CondId(ctp.conds.len() as u32 - 1)
        })
    }

    /// The lock that stands for atomic sections.
    fn atomic(&mut self) -> LockId {
        let ctp = &mut self.ctp;
        *self.atomic.get_or_insert_with(|| {
            ctp.locks.push("atomic".to_owned());
            LockId(ctp.locks.len() as u32 - 1)
        })
    }

    fn fork(&mut self, event: &Event<'_>, child: u32) {
        let made = std::mem::take(&mut self.thread(event.thread).made);
        let new = self.thread(child);
        new.incoming = made;
        let new = new.id;
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

    fn join(&mut self, thread: u32, child: u32) {
        let child = self.thread(child);
        let (id, ended) = (child.id, child.ended);
        let thread = self.thread(thread);
        thread.joins.push(id);
        if let Some((object, birth, offset)) = thread.result.take() {
            self.memory.clear((object, birth), offset, 8);
            if let Some(value) = ended {
                let kept = super::memory::Kept { offset, kind: Kind::P64, value };
                self.memory.put((object, birth), kept);
            }
        }
    }

    fn lock_event(&mut self, event: &Event<'_>) {
        let line = super::line(event.view.program(), outside(event));
        let action = match event.what {
            What::Acquire { address, shared } => {
                Action::Acquire { lock: self.lock(event, address), shared, woken: None }
            }
            What::Release { address, shared } => {
                let waits = self.thread(event.thread).waits.take();
                Action::Release { lock: self.lock(event, address), shared, waits }
            }
            What::OnceBegin { address } => {
                let lock = self.once(event, address);
                Action::Acquire { lock, shared: false, woken: None }
            }
            What::OnceEnd { address } => {
                Action::Release { lock: self.lock(event, address), shared: false, waits: None }
            }
            What::AtomicBegin => {
                Action::Acquire { lock: self.atomic(), shared: false, woken: None }
            }
            What::AtomicEnd => Action::Release { lock: self.atomic(), shared: false, waits: None },
            _ => return,
        };
        self.push(event.thread, action, line);
    }

    fn wait_event(&mut self, event: &Event<'_>) {
        let line = super::line(event.view.program(), outside(event));
        match event.what {
            What::Wait { cond, .. } => {
                let cond = self.cond(event, cond);
                self.thread(event.thread).waits = Some(cond);
            }
            What::Wake { cond, reason: WakeReason::Notified } => {
                let cond = self.cond(event, cond);
                let state = self.thread(event.thread).state;
                let action = &mut self.ctp.states[state.0 as usize].step.action;
                if let Action::Acquire { woken, .. } = action {
                    *woken = Some(cond);
                }
            }
            What::Signal { cond, .. } | What::Broadcast { cond } => {
                let cond = self.cond(event, cond);
                let all = matches!(event.what, What::Broadcast { .. });
                self.push(event.thread, Action::Notify { cond, all }, line);
            }
            _ => {}
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
        match event.what {
            What::Read { .. } | What::Write { .. } | What::Rmw { .. } => {
                let action = self.thread(event.thread).action.take();
                if let Some(action) = action {
                    let line = super::line(event.view.program(), outside(event));
                    self.push(event.thread, action, line);
                }
            }
            What::Begin { function } => {
                let name = event.view.program().function(function).name.to_string();
                let id = self.thread(event.thread).id;
                self.ctp.threads[id.0 as usize].name = name;
            }
            What::End => self.ends(event.thread),
            What::Fork { child } => self.fork(event, child),
            What::Join { child } => self.join(event.thread, child),
            What::Wait { .. }
            | What::Wake { .. }
            | What::Signal { .. }
            | What::Broadcast { .. } => {
                self.wait_event(event);
            }
            What::Acquire { .. }
            | What::Release { .. }
            | What::OnceBegin { .. }
            | What::OnceEnd { .. }
            | What::AtomicBegin
            | What::AtomicEnd => self.lock_event(event),
            _ => self.sync_event(event),
        }
    }

    fn transition(&mut self, transition: &Transition<'_>) {
        self.transfer(transition);
    }
}
