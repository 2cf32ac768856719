//! Complete states, and what a thread can do in one.
//!
//! Shares no code with the engines: what locks and the like do is written down here once more, from POSIX.

use crate::code::{SCRATCH, Step, code};
use crate::program::{N_LOCKS, N_REGISTERS, N_VARIABLES, Program};

/// The most threads, `main` included.
const N_THREADS_MAX: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    New,
    Ready,
    Waiting {
        signalled: bool,
    },
    Reacquire {
        ran_out: bool,
    },
    AtBarrier {
        generation: u8,
    },
    /// It waits to write, and readers wait for it.
    Queued,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    at: u16,
    pub stage: Stage,
    pub registers: [i8; N_REGISTERS],
    scratch: i8,
    counters: [u8; 4],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shared {
    pub variables: [i8; N_VARIABLES],
    /// Who holds them.
    locks: [Option<u8>; N_LOCKS],
    readers: u8,
    is_written: bool,
    queued: u8,
    semaphore: u8,
    arrived: u8,
    generation: u8,
}

/// A state; threads that a program does not have are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub threads: [Thread; N_THREADS_MAX],
    pub shared: Shared,
}

/// What comes of a step.
#[derive(Clone, Copy, Debug)]
pub enum After {
    State(State),
    /// An assertion fails.
    Failed,
    /// An assumption is false.
    Dropped,
    /// Numbers become too large for this.
    TooLarge,
}

/// What the threads of a program do.
pub struct Semantics {
    code: Vec<Vec<Step>>,
    /// Whether waits may end spuriously.
    pub spurious: bool,
    n_inputs: i8,
    writers_first: bool,
}

impl Semantics {
    pub fn new(program: &Program, spurious: bool) -> Semantics {
        let (n_inputs, writers_first) = (program.n_inputs as i8, program.writers_first);
        Semantics { code: code(program), spurious, n_inputs, writers_first }
    }

    /// How many threads there are.
    pub fn n_threads(&self) -> usize {
        self.code.len()
    }

    /// How a program begins.
    pub fn first(&self, program: &Program) -> State {
        let thread = |index: usize| Thread {
            at: 0,
            stage: match index {
                0 => Stage::Ready,
                _ if index < self.n_threads() => Stage::New,
                _ => Stage::Over,
            },
            registers: [0; N_REGISTERS],
            scratch: 0,
            counters: [0; 4],
        };
        let shared = Shared {
            variables: [0; N_VARIABLES],
            locks: [None; N_LOCKS],
            readers: 0,
            is_written: false,
            queued: 0,
            semaphore: program.semaphore as u8,
            arrived: 0,
            generation: 0,
        };
        State { threads: std::array::from_fn(thread), shared }
    }

    fn step_of(&self, state: &State, thread: usize) -> Step {
        self.code[thread][state.threads[thread].at as usize]
    }

    /// Whether a thread is about to yield or to sleep.
    pub fn rests(&self, state: &State, thread: usize) -> bool {
        state.threads[thread].stage == Stage::Ready
            && matches!(self.step_of(state, thread), Step::Rest)
    }

    /// Whether a thread can go on without a timeout.
    pub fn can_go_on(&self, state: &State, thread: usize) -> bool {
        let (at, shared) = (&state.threads[thread], &state.shared);
        match at.stage {
            Stage::New | Stage::Over => false,
            Stage::Waiting { signalled } => signalled,
            Stage::Reacquire { .. } => shared.locks[self.wait_of(state, thread).1].is_none(),
            Stage::AtBarrier { generation } => generation != shared.generation,
            Stage::Queued => !shared.is_written && shared.readers == 0,
            Stage::Ready => match self.step_of(state, thread) {
                Step::Lock(m) | Step::TimedLock(_, m) => shared.locks[m].is_none(),
                Step::ReadLock => !shared.is_written && shared.queued == 0,
                // It can line up.
                Step::WriteLock if self.writers_first => true,
                Step::WriteLock => !shared.is_written && shared.readers == 0,
                Step::SemWait | Step::SemTimed(_) => shared.semaphore > 0,
                Step::Join(other) => state.threads[other].stage == Stage::Over,
                _ => true,
            },
        }
    }

    /// Whether it can go on, if only since its time runs out.
    pub fn is_able(&self, state: &State, thread: usize) -> bool {
        let timed = match state.threads[thread].stage {
            Stage::Waiting { .. } => self.wait_of(state, thread).2.is_some(),
            Stage::Ready => {
                matches!(self.step_of(state, thread), Step::TimedLock(..) | Step::SemTimed(_))
            }
            _ => false,
        };
        timed || self.can_go_on(state, thread)
    }

    /// Whether it waits in a way that may end for no reason.
    pub fn may_wake(&self, state: &State, thread: usize) -> bool {
        self.spurious && matches!(state.threads[thread].stage, Stage::Waiting { .. })
    }

    /// The condition that a thread waits for, the lock, and the register that says how a timed wait ended.
    fn wait_of(&self, state: &State, thread: usize) -> (usize, usize, Option<usize>) {
        match self.step_of(state, thread) {
            Step::Wait { cond, lock, register } => (cond, lock, register),
            _ => unreachable!("it waits"),
        }
    }

    /// What a thread can do next, which is able to, and what each costs beside preemptions.
    pub fn steps(&self, state: &State, thread: usize) -> Vec<(After, u32)> {
        let mut next = *state;
        match state.threads[thread].stage {
            Stage::Waiting { signalled } => {
                let timed = self.wait_of(state, thread).2.is_some();
                let mut after = Vec::new();
                for ran_out in [false, true] {
                    if if ran_out { timed } else { signalled || self.spurious } {
                        next.threads[thread].stage = Stage::Reacquire { ran_out };
                        after.push((After::State(next), 0));
                    }
                }
                after
            }
            Stage::Reacquire { ran_out } => {
                let (_, lock, register) = self.wait_of(state, thread);
                next.shared.locks[lock] = Some(thread as u8);
                if let Some(register) = register {
                    next.threads[thread].registers[register] = i8::from(ran_out);
                }
                vec![(self.go_on(next, thread), 0)]
            }
            Stage::AtBarrier { .. } => vec![(self.go_on(next, thread), 0)],
            Stage::Queued => {
                (next.shared.is_written, next.shared.queued) = (true, next.shared.queued - 1);
                vec![(self.go_on(next, thread), 0)]
            }
            Stage::Ready => self.choices(next, thread),
            Stage::New | Stage::Over => unreachable!("it is able to go on"),
        }
    }

    /// Does what a thread is at, in every way.
    fn choices(&self, next: State, thread: usize) -> Vec<(After, u32)> {
        match self.step_of(&next, thread) {
            Step::Signal(cond) if self.waiters(&next, cond).next().is_some() => {
                let woken = |waiter: usize| {
                    let mut next = next;
                    next.threads[waiter].stage = Stage::Waiting { signalled: true };
                    (self.go_on(next, thread), 0)
                };
                self.waiters(&next, cond).map(woken).collect()
            }
            Step::Input(r) => {
                let with = |value: i8| {
                    let mut next = next;
                    next.threads[thread].registers[r] = value;
                    // Each answer other than the first costs as much as a preemption.
                    (self.go_on(next, thread), u32::from(value != 0))
                };
                (0..self.n_inputs).map(with).collect()
            }
            step => vec![(self.act(next, thread, step), 0)],
        }
    }

    /// Does what a thread is at, which it can do in one way.
    fn act(&self, mut next: State, thread: usize, step: Step) -> After {
        let n_threads = self.n_threads() as u8 - 1;
        let me = Some(thread as u8);
        let State { threads, shared } = &mut next;
        let it = &mut threads[thread];
        let mut answer = |r: usize, value: bool| match r {
            SCRATCH => it.scratch = value.into(),
            _ => it.registers[r] = value.into(),
        };
        match step {
            Step::Store(v, c) => shared.variables[v] = c as i8,
            Step::StoreScratch(v) => shared.variables[v] = std::mem::take(&mut it.scratch),
            Step::Load(r, v) => it.registers[r] = shared.variables[v],
            Step::Look(v) => it.scratch = shared.variables[v],
            Step::LookMore(v) => match it.scratch.checked_add(shared.variables[v]) {
                Some(sum) => it.scratch = sum,
                None => return After::TooLarge,
            },
            Step::Add(v, c) => match shared.variables[v].checked_add(c as i8) {
                Some(sum) => shared.variables[v] = sum,
                None => return After::TooLarge,
            },
            Step::Exchange(r, v, a, b) => {
                let same = shared.variables[v] == a as i8;
                answer(r, same);
                shared.variables[v] = if same { b as i8 } else { shared.variables[v] };
            }
            Step::Lock(m) => shared.locks[m] = me,
            Step::Unlock(m) => shared.locks[m] = None,
            Step::TryLock(r, m) | Step::TimedLock(r, m) => {
                answer(r, shared.locks[m].is_none());
                shared.locks[m] = shared.locks[m].or(me);
            }
            Step::ReadLock => shared.readers += 1,
            Step::WriteLock if shared.is_written || shared.readers > 0 => {
                shared.queued += 1;
                it.stage = Stage::Queued;
                return After::State(next);
            }
            Step::WriteLock => shared.is_written = true,
            Step::TryRead(r) => {
                let is_free = !shared.is_written && shared.queued == 0;
                answer(r, is_free);
                shared.readers += u8::from(is_free);
            }
            Step::TryWrite(r) => {
                let is_free = !shared.is_written && shared.readers == 0;
                answer(r, is_free);
                shared.is_written |= is_free;
            }
            Step::ReadUnlock => shared.readers -= 1,
            Step::WriteUnlock => shared.is_written = false,
            Step::Wait { lock, .. } => {
                shared.locks[lock] = None;
                it.stage = Stage::Waiting { signalled: false };
                return After::State(next);
            }
            Step::Broadcast(cond) => {
                let before = next;
                for waiter in self.waiters(&before, cond) {
                    next.threads[waiter].stage = Stage::Waiting { signalled: true };
                }
            }
            Step::SemWait => shared.semaphore -= 1,
            Step::SemPost if shared.semaphore > 99 => return After::TooLarge,
            Step::SemPost => shared.semaphore += 1,
            Step::SemTry(r) | Step::SemTimed(r) => {
                answer(r, shared.semaphore == 0);
                shared.semaphore = shared.semaphore.saturating_sub(1);
            }
            Step::Barrier => {
                shared.arrived += 1;
                if shared.arrived < n_threads {
                    it.stage = Stage::AtBarrier { generation: shared.generation };
                    return After::State(next);
                }
                (shared.arrived, shared.generation) = (0, shared.generation.wrapping_add(1));
            }
            Step::Create(other) => threads[other].stage = Stage::Ready,
            Step::Signal(_) | Step::Join(_) | Step::Rest | Step::Enter => {}
            Step::End => {
                it.stage = Stage::Over;
                return After::State(next);
            }
            other => unreachable!("{other:?} is nothing that others can see"),
        }
        self.go_on(next, thread)
    }

    fn waiters<'a>(&'a self, state: &'a State, cond: usize) -> impl Iterator<Item = usize> + 'a {
        let waits = move |&thread: &usize| {
            state.threads[thread].stage == Stage::Waiting { signalled: false }
                && self.wait_of(state, thread).0 == cond
        };
        (0..self.n_threads()).filter(waits)
    }

    /// The thread has done what it was at: goes on to what others can see.
    fn go_on(&self, mut next: State, thread: usize) -> After {
        let it = &mut next.threads[thread];
        (it.at, it.stage) = (it.at + 1, Stage::Ready);
        loop {
            let at = it.at as usize;
            let to = match self.code[thread][at] {
                Step::Jump(to) => Some(to),
                Step::JumpUnless(r, c, to) => (it.registers[r] != c as i8).then_some(to),
                Step::JumpIfScratch(c, to) => {
                    (std::mem::take(&mut it.scratch) == c as i8).then_some(to)
                }
                Step::JumpUnlessScratch(c, to) => {
                    (std::mem::take(&mut it.scratch) != c as i8).then_some(to)
                }
                Step::AddScratch(c) => match it.scratch.checked_add(c as i8) {
                    Some(sum) => {
                        it.scratch = sum;
                        None
                    }
                    None => return After::TooLarge,
                },
                Step::Begin(counter) => {
                    it.counters[counter] = 0;
                    None
                }
                Step::Count(counter, n, to) => {
                    let done = it.counters[counter] == n;
                    it.counters[counter] = if done { 0 } else { it.counters[counter] + 1 };
                    done.then_some(to)
                }
                Step::Fail(r, c) if it.registers[r] == c as i8 => return After::Failed,
                Step::Assume(r, c) if it.registers[r] == c as i8 => return After::Dropped,
                Step::Fail(..) | Step::Assume(..) => None,
                _ => return After::State(next),
            };
            it.at = to.unwrap_or(at + 1) as u16;
        }
    }
}
