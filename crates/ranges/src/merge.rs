//! Several traces of one program as one CTP with branches.
//!
//! In: two CTPs of the same program. Out: one whose threads do what they do in either. Threads have
//! the same origin in both, and the same beginning as long as their steps are equal; where they differ, their paths
//! part and do not meet again, so there are no loops.

use rustc_hash::FxHashMap;

use crate::ctp::{
    Action, BarrierId, CondId, Ctp, GlobalId, LockId, Loose, SemaphoreId, StateId, Step, ThreadId,
};
use crate::expr::{Expr, ExprId, LocalId};

/// Adds what another trace shows; which state each of its states has become.
pub fn merge(ctp: &mut Ctp, other: &Ctp) -> Vec<StateId> {
    let mut merger = Merger::new(ctp, other);
    let mut place: Vec<StateId> = Vec::with_capacity(other.states.len());
    for state in &other.states {
        place.push(match state.parent {
            None => {
                let thread = merger.threads[state.thread.0 as usize];
                merger.ctp.threads[thread.0 as usize].root
            }
            // Parents come first.
            Some(parent) => merger.step(place[parent.0 as usize], &state.step),
        });
    }
    for notice in &other.notices {
        if !ctp.notices.iter().any(|known| known.text == notice.text) {
            ctp.notices.push(notice.clone());
        }
    }
    for loose in &other.loose {
        let loose = Loose { state: place[loose.state.0 as usize], ..loose.clone() };
        if !ctp.loose.contains(&loose) {
            ctp.loose.push(loose);
        }
    }
    for fixed in &other.fixed {
        if !ctp.fixed.contains(fixed) {
            ctp.fixed.push(fixed.clone());
        }
    }
    place
}

struct Merger<'a> {
    ctp: &'a mut Ctp,
    other: &'a Ctp,
    threads: Vec<ThreadId>,
    globals: Vec<GlobalId>,
    locks: Vec<LockId>,
    conds: Vec<CondId>,
    semaphores: Vec<SemaphoreId>,
    barriers: Vec<BarrierId>,
    locals: FxHashMap<LocalId, LocalId>,
    unknown: FxHashMap<u32, ExprId>,
}

/// The index of something, which is added if it is new.
fn place<T: Clone + PartialEq>(all: &mut Vec<T>, one: &T) -> u32 {
    let known = all.iter().position(|known| known == one);
    known.unwrap_or_else(|| {
        all.push(one.clone());
        all.len() - 1
    }) as u32
}

impl<'a> Merger<'a> {
    fn new(ctp: &'a mut Ctp, other: &'a Ctp) -> Merger<'a> {
        let mut globals = Vec::new();
        for global in &other.globals {
            let known = ctp.global(&global.name);
            globals.push(known.unwrap_or_else(|| {
                ctp.globals.push(global.clone());
                GlobalId(ctp.globals.len() as u32 - 1)
            }));
            let known = &mut ctp.globals[globals[globals.len() - 1].0 as usize];
            // The same memory may be understood differently, or begin differently.
            known.initial = known.initial.filter(|_| known.initial == global.initial);
        }
        let locks = other.locks.iter().map(|name| LockId(place(&mut ctp.locks, name)));
        let locks: Vec<_> = locks.collect();
        let conds = other.conds.iter().map(|name| CondId(place(&mut ctp.conds, name))).collect();
        let onces: Vec<_> = other.onces.iter().map(|lock| locks[lock.0 as usize]).collect();
        ctp.onces.extend(onces);
        ctp.onces.sort_unstable();
        ctp.onces.dedup();
        let semaphores = other.semaphores.iter();
        let semaphores = semaphores.map(|one| SemaphoreId(place(&mut ctp.semaphores, one)));
        let semaphores = semaphores.collect();
        let barriers = other.barriers.iter();
        let barriers = barriers.map(|one| BarrierId(place(&mut ctp.barriers, one))).collect();
        let mut threads = Vec::new();
        for thread in &other.threads {
            let known = ctp.threads.iter().position(|known| known.origin == thread.origin);
            threads.push(match known {
                Some(known) => ThreadId(known as u32),
                None => {
                    let new = ctp.add_thread(thread.name.clone(), thread.number);
                    ctp.threads[new.0 as usize].origin = thread.origin.clone();
                    new
                }
            });
        }
        let (locals, unknown) = (FxHashMap::default(), FxHashMap::default());
        Merger { ctp, other, threads, globals, locks, conds, semaphores, barriers, locals, unknown }
    }

    /// The state behind a step, which is added if it is new.
    fn step(&mut self, at: StateId, step: &Step) -> StateId {
        let children = self.ctp.state_ids().filter(|&id| self.ctp.state(id).parent == Some(at));
        for child in children.collect::<Vec<_>>() {
            let known = self.ctp.step(child).action.read();
            if let (Some((_, to)), Some((_, local))) = (known, step.action.read()) {
                self.locals.insert(local, to);
            }
            if let (Action::Arrive { last: known, .. }, Action::Arrive { last, .. }) =
                (self.ctp.step(child).action, step.action)
                && let Expr::Unknown(number) = self.other.exprs.get(last)
            {
                self.unknown.insert(number, known);
            }
            let same = self.translated(step);
            let known = self.ctp.step(child);
            if let Some(same) = same
                && (&same.joins, &same.guards, same.action, &same.forks)
                    == (&known.joins, &known.guards, known.action, &known.forks)
            {
                return child;
            }
        }
        if let Action::Arrive { last, .. } = step.action
            && let Expr::Unknown(number) = self.other.exprs.get(last)
        {
            self.unknown.remove(&number);
        }
        if let Some((_, local)) = step.action.read() {
            let from = &self.other.locals[local.0 as usize];
            let thread = self.ctp.state(at).thread;
            let to = self.ctp.add_local(from.name.clone(), thread, from.kind);
            self.locals.insert(local, to);
        }
        let step = self.translated(step).expect("all locals are known");
        self.ctp.add_step(at, step)
    }

    /// A step of the other CTP in terms of this one; none if it names a local that is not known.
    fn translated(&mut self, step: &Step) -> Option<Step> {
        let threads = |all: &[ThreadId]| all.iter().map(|t| self.threads[t.0 as usize]).collect();
        let (joins, forks) = (threads(&step.joins), threads(&step.forks));
        let mut guards = step.guards.clone();
        for guard in &mut guards {
            guard.condition = self.expr(guard.condition)?;
        }
        let local = |merger: &Self, id: LocalId| merger.locals.get(&id).copied();
        let action = match step.action {
            Action::Nothing => Action::Nothing,
            Action::Read { global, to } => {
                Action::Read { global: self.globals[global.0 as usize], to: local(self, to)? }
            }
            Action::Write { global, value } => {
                Action::Write { global: self.globals[global.0 as usize], value: self.expr(value)? }
            }
            Action::Update { global, to, value } => Action::Update {
                global: self.globals[global.0 as usize],
                to: local(self, to)?,
                value: self.expr(value)?,
            },
            Action::Acquire { lock, shared, woken } => Action::Acquire {
                lock: self.locks[lock.0 as usize],
                shared,
                woken: woken.map(|cond| self.conds[cond.0 as usize]),
            },
            Action::Release { lock, shared, waits } => Action::Release {
                lock: self.locks[lock.0 as usize],
                shared,
                waits: waits.map(|cond| self.conds[cond.0 as usize]),
            },
            Action::Notify { cond, all } => {
                Action::Notify { cond: self.conds[cond.0 as usize], all }
            }
            Action::TryFails { lock, shared } => {
                Action::TryFails { lock: self.locks[lock.0 as usize], shared }
            }
            Action::Passes { lock } => Action::Passes { lock: self.locks[lock.0 as usize] },
            Action::Post { semaphore } => {
                Action::Post { semaphore: self.semaphores[semaphore.0 as usize] }
            }
            Action::Take { semaphore } => {
                Action::Take { semaphore: self.semaphores[semaphore.0 as usize] }
            }
            Action::TakeFails { semaphore } => {
                Action::TakeFails { semaphore: self.semaphores[semaphore.0 as usize] }
            }
            Action::Arrive { barrier, last } => Action::Arrive {
                barrier: self.barriers[barrier.0 as usize],
                last: self.expr(last)?,
            },
            Action::Leave { barrier } => {
                Action::Leave { barrier: self.barriers[barrier.0 as usize] }
            }
        };
        Some(Step {
            joins,
            guards,
            action,
            forks,
            line: step.line.clone(),
            n_events: step.n_events,
        })
    }

    fn expr(&mut self, id: ExprId) -> Option<ExprId> {
        Some(match self.other.exprs.get(id) {
            Expr::Const(value) => self.ctp.exprs.value(value),
            Expr::Local(local) => {
                let local = *self.locals.get(&local)?;
                self.ctp.exprs.local(local)
            }
            Expr::Unknown(number) => {
                let ctp = &mut *self.ctp;
                *self.unknown.entry(number).or_insert_with(|| ctp.exprs.unknown())
            }
            Expr::Unary(op, kind, from) => {
                let from = self.expr(from)?;
                self.ctp.exprs.unary(op, kind, from)
            }
            Expr::Binary(op, kind, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.ctp.exprs.binary(op, kind, left, right)
            }
            Expr::Convert(from, to, value) => {
                let value = self.expr(value)?;
                self.ctp.exprs.convert(from, to, value)
            }
            Expr::Select(condition, yes, no) => {
                let (condition, yes, no) = (self.expr(condition)?, self.expr(yes)?, self.expr(no)?);
                self.ctp.exprs.select(condition, yes, no)
            }
        })
    }
}
