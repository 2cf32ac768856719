//! What a program can do, by trying everything: complete states, one after the other.
//!
//! Shares no code with the engines, and has no notion of reduction, caches of runs, points or plans. States are
//! explored in the order of their preemptions. That a thread spins is decided by its definition, on the graph
//! of states.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::program::{N_REGISTERS, N_VARIABLES, Program, Statement};

/// How a program can end, each with the fewest preemptions.
pub type Outcomes = HashMap<String, u32>;

/// The most states of a thread running alone, and of a program.
const N_STATES_MAX: usize = 8_000;

/// One step of a thread that others can see, or a jump.
#[derive(Clone, Copy, Debug)]
enum Step {
    Store(usize, i32),
    StoreScratch(usize),
    Load(usize, usize),
    /// Into the scratch register, or added to it.
    Look(usize),
    LookMore(usize),
    Add(usize, i32),
    AddScratch(i32),
    Exchange(usize, usize, i32, i32),
    Lock(usize),
    Unlock(usize),
    TryLock(usize, usize),
    ReadLock,
    WriteLock,
    ReadUnlock,
    WriteUnlock,
    Wait {
        cond: usize,
        register: Option<usize>,
    },
    Signal(usize),
    Broadcast(usize),
    SemWait,
    SemPost,
    SemTry(usize),
    Barrier,
    Rest,
    Create(usize),
    Join(usize),
    End,
    // Nothing that others can see.
    Jump(usize),
    /// If the register is not the number.
    JumpUnless(usize, i32, usize),
    JumpIfScratch(i32, usize),
    JumpUnlessScratch(i32, usize),
    Begin(usize),
    /// Counts, and jumps when it was so many times.
    Count(usize, u32, usize),
    Fail(usize, i32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    New,
    Ready,
    Waiting { signalled: bool },
    Reacquire { ran_out: bool },
    AtBarrier { generation: u8 },
    Over,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Thread {
    at: usize,
    stage: Stage,
    registers: [i32; N_REGISTERS],
    scratch: i32,
    counters: [u32; 6],
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shared {
    variables: [i32; N_VARIABLES],
    /// Who holds them.
    mutexes: [Option<usize>; 2],
    readers: u32,
    writer: bool,
    semaphore: u32,
    arrived: u8,
    generation: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    shared: Shared,
}

/// What comes of a step.
enum After {
    State(State),
    Failed,
}

/// All that a program can do.
pub struct Enumerator {
    code: Vec<Vec<Step>>,
    first: State,
    /// Whether waits may end spuriously.
    spurious: bool,
    spins: HashMap<(State, usize), (bool, bool)>,
}

impl Enumerator {
    pub fn new(program: &Program, spurious: bool) -> Enumerator {
        let n = program.threads.len();
        let mut code = vec![Vec::new()];
        code[0].extend((1..=n).map(Step::Create));
        code[0].extend((1..=n).map(Step::Join));
        code[0].push(Step::End);
        for body in &program.threads {
            let mut maker = Maker { plain: program.plain, code: Vec::new(), n_counters: 0 };
            maker.block(body, &mut Vec::new());
            maker.code.push(Step::End);
            code.push(maker.code);
        }
        let thread = |index: usize| Thread {
            at: 0,
            stage: if index == 0 { Stage::Ready } else { Stage::New },
            registers: [0; N_REGISTERS],
            scratch: 0,
            counters: [0; 6],
        };
        let shared = Shared {
            variables: [0; N_VARIABLES],
            mutexes: [None; 2],
            readers: 0,
            writer: false,
            semaphore: program.semaphore,
            arrived: 0,
            generation: 0,
        };
        let first = State { threads: (0..=n).map(thread).collect(), shared };
        Enumerator { code, first, spurious, spins: HashMap::new() }
    }

    /// All outcomes, and the livelocks of rounds that change something; none if there are too many states.
    pub fn run(&mut self) -> Option<(Outcomes, Outcomes)> {
        let (mut outcomes, mut perhaps) = (Outcomes::new(), Outcomes::new());
        let mut done = HashSet::new();
        let mut open = VecDeque::from([(0, self.first.clone(), 0)]);
        while let Some((cost, state, current)) = open.pop_front() {
            if !done.insert((state.clone(), current)) {
                continue;
            }
            if done.len() > N_STATES_MAX {
                return None;
            }
            let able: Vec<usize> =
                (0..state.threads.len()).filter(|&t| self.is_able(&state, t)).collect();
            if able.is_empty() {
                let ended = state.threads.iter().all(|it| matches!(it.stage, Stage::Over));
                let name = if ended { exit(&state) } else { "deadlock".to_owned() };
                outcomes.entry(name).or_insert(cost);
            }
            let stuck: Vec<_> = able.iter().map(|&thread| self.spins(&state, thread)).collect();
            if stuck.contains(&None) {
                return None;
            }
            let stuck: Vec<_> = stuck.into_iter().flatten().collect();
            if !able.is_empty() && stuck.iter().all(|&(spins, _)| spins) {
                let sure = stuck.iter().all(|&(_, changes)| !changes);
                let into = if sure { &mut outcomes } else { &mut perhaps };
                into.entry("livelock".to_owned()).or_insert(cost);
            }
            let free = self.is_free_to_leave(&state, current)?;
            let waits = |&thread: &usize| {
                let is_able = able.contains(&thread);
                self.spurious
                    && !is_able
                    && matches!(state.threads[thread].stage, Stage::Waiting { .. })
            };
            let woken: Vec<usize> = (0..state.threads.len()).filter(waits).collect();
            for thread in able.into_iter().chain(woken) {
                let price = u32::from(thread != current && !free);
                for after in self.steps(&state, thread) {
                    match after {
                        After::Failed => {
                            let known =
                                outcomes.entry("assertion".to_owned()).or_insert(cost + price);
                            *known = (*known).min(cost + price);
                        }
                        After::State(next) if price == 0 => open.push_front((cost, next, thread)),
                        After::State(next) => open.push_back((cost + 1, next, thread)),
                    }
                }
            }
        }
        Some((outcomes, perhaps))
    }

    /// Whether leaving a thread is no preemption.
    fn is_free_to_leave(&mut self, state: &State, thread: usize) -> Option<bool> {
        let at = &state.threads[thread];
        let rests = matches!(self.code[thread][at.at], Step::Rest) && at.stage == Stage::Ready;
        if rests || !self.can_go_on(state, thread) {
            return Some(true);
        }
        self.spins(state, thread).map(|(spins, _)| spins)
    }

    /// Whether a thread can go on without a timeout.
    fn can_go_on(&self, state: &State, thread: usize) -> bool {
        let (at, shared) = (&state.threads[thread], &state.shared);
        match at.stage {
            Stage::New | Stage::Over => false,
            Stage::Waiting { signalled } => signalled,
            Stage::Reacquire { .. } => shared.mutexes[self.cond_of(at, thread).0].is_none(),
            Stage::AtBarrier { generation } => generation != shared.generation,
            Stage::Ready => match self.code[thread][at.at] {
                Step::Lock(m) => shared.mutexes[m].is_none(),
                Step::ReadLock => !shared.writer,
                Step::WriteLock => !shared.writer && shared.readers == 0,
                Step::SemWait => shared.semaphore > 0,
                Step::Join(other) => state.threads[other].stage == Stage::Over,
                _ => true,
            },
        }
    }

    fn is_able(&self, state: &State, thread: usize) -> bool {
        let at = &state.threads[thread];
        let timed =
            matches!(at.stage, Stage::Waiting { .. }) && self.cond_of(at, thread).1.is_some();
        timed || self.can_go_on(state, thread)
    }

    /// The condition that a thread waits for, and the register that says how a timed wait ended.
    fn cond_of(&self, at: &Thread, thread: usize) -> (usize, Option<usize>) {
        match self.code[thread][at.at] {
            Step::Wait { cond, register } => (cond, register),
            _ => unreachable!("it waits"),
        }
    }

    /// Whether a thread spins in a state, by definition: alone it never ends, blocks or fails, and comes back from
    /// everywhere. And whether it changes something on the way.
    fn spins(&mut self, state: &State, thread: usize) -> Option<(bool, bool)> {
        let key = (state.clone(), thread);
        if let Some(&known) = self.spins.get(&key) {
            return Some(known);
        }
        let answer = self.spins_anew(state, thread)?;
        self.spins.insert(key, answer);
        Some(answer)
    }

    fn spins_anew(&self, state: &State, thread: usize) -> Option<(bool, bool)> {
        let mut numbers = HashMap::from([(state.clone(), 0)]);
        let mut states = vec![state.clone()];
        let mut before = vec![Vec::new()];
        let mut next = 0;
        while next < states.len() {
            if !self.is_able(&states[next], thread) {
                return Some((false, false));
            }
            for after in self.steps(&states[next].clone(), thread) {
                let After::State(after) = after else { return Some((false, false)) };
                let number = *numbers.entry(after.clone()).or_insert(states.len());
                if number == states.len() {
                    states.push(after);
                    before.push(Vec::new());
                }
                before[number].push(next);
            }
            if states.len() > N_STATES_MAX {
                return None;
            }
            next += 1;
        }
        let mut back = HashSet::new();
        let mut open = vec![0];
        while let Some(number) = open.pop() {
            if back.insert(number) {
                open.extend(&before[number]);
            }
        }
        let others = |state: &State| {
            let mut state = state.clone();
            state.threads.remove(thread);
            state
        };
        let same = others(state);
        let changes = states.iter().any(|it| others(it) != same);
        Some((back.len() == states.len(), changes))
    }

    /// What a thread can do next; it is able to.
    fn steps(&self, state: &State, thread: usize) -> Vec<After> {
        let at = &state.threads[thread];
        let mut next = state.clone();
        match at.stage {
            Stage::Waiting { signalled } => {
                let timed = self.cond_of(at, thread).1.is_some();
                let mut after = Vec::new();
                for ran_out in [false, true] {
                    if if ran_out { timed } else { signalled || self.spurious } {
                        next.threads[thread].stage = Stage::Reacquire { ran_out };
                        after.push(After::State(next.clone()));
                    }
                }
                after
            }
            Stage::Reacquire { ran_out } => {
                let (cond, register) = self.cond_of(at, thread);
                next.shared.mutexes[cond] = Some(thread);
                if let Some(register) = register {
                    next.threads[thread].registers[register] = i32::from(ran_out);
                }
                self.go_on(next, thread)
            }
            Stage::AtBarrier { .. } => self.go_on(next, thread),
            Stage::Ready => self.act(next, thread),
            Stage::New | Stage::Over => unreachable!("it is able to go on"),
        }
    }

    /// Does what a thread is at.
    fn act(&self, mut next: State, thread: usize) -> Vec<After> {
        let step = self.code[thread][next.threads[thread].at];
        let State { threads, shared } = &mut next;
        let n_threads = threads.len() as u8 - 1;
        let it = &mut threads[thread];
        match step {
            Step::Store(v, c) => shared.variables[v] = c,
            Step::StoreScratch(v) => shared.variables[v] = std::mem::take(&mut it.scratch),
            Step::Load(r, v) => it.registers[r] = shared.variables[v],
            Step::Look(v) => it.scratch = shared.variables[v],
            Step::LookMore(v) => it.scratch += shared.variables[v],
            Step::Add(v, c) => shared.variables[v] += c,
            Step::Exchange(r, v, a, b) => {
                let same = shared.variables[v] == a;
                it.registers[r] = i32::from(same);
                shared.variables[v] = if same { b } else { shared.variables[v] };
            }
            Step::Lock(m) => shared.mutexes[m] = Some(thread),
            Step::Unlock(m) => shared.mutexes[m] = None,
            Step::TryLock(r, m) => {
                let free = shared.mutexes[m].is_none();
                it.registers[r] = i32::from(free);
                shared.mutexes[m] = shared.mutexes[m].or(Some(thread));
            }
            Step::ReadLock => shared.readers += 1,
            Step::WriteLock => shared.writer = true,
            Step::ReadUnlock => shared.readers -= 1,
            Step::WriteUnlock => shared.writer = false,
            Step::Wait { cond, .. } => {
                shared.mutexes[cond] = None;
                it.stage = Stage::Waiting { signalled: false };
                return vec![After::State(next)];
            }
            Step::Signal(cond) => return self.signal(next, thread, cond),
            Step::Broadcast(cond) => {
                for waiter in self.waiters(&next, cond) {
                    next.threads[waiter].stage = Stage::Waiting { signalled: true };
                }
            }
            Step::SemWait => shared.semaphore -= 1,
            Step::SemPost => shared.semaphore += 1,
            Step::SemTry(r) => {
                it.registers[r] = i32::from(shared.semaphore == 0);
                shared.semaphore = shared.semaphore.saturating_sub(1);
            }
            Step::Barrier => {
                shared.arrived += 1;
                if shared.arrived < n_threads {
                    it.stage = Stage::AtBarrier { generation: shared.generation };
                    return vec![After::State(next)];
                }
                (shared.arrived, shared.generation) = (0, shared.generation + 1);
            }
            Step::Create(other) => {
                threads[other].stage = Stage::Ready;
                return match self.settle(next, other) {
                    Some(next) => self.go_on(next, thread),
                    None => vec![After::Failed],
                };
            }
            Step::Join(_) | Step::Rest => {}
            Step::End => {
                it.stage = Stage::Over;
                return vec![After::State(next)];
            }
            _ => unreachable!("threads stop before what others can see"),
        }
        self.go_on(next, thread)
    }

    fn waiters(&self, state: &State, cond: usize) -> Vec<usize> {
        let waits = |&thread: &usize| {
            let at = &state.threads[thread];
            at.stage == Stage::Waiting { signalled: false } && self.cond_of(at, thread).0 == cond
        };
        (0..state.threads.len()).filter(waits).collect()
    }

    fn signal(&self, next: State, thread: usize, cond: usize) -> Vec<After> {
        let waiters = self.waiters(&next, cond);
        if waiters.is_empty() {
            return self.go_on(next, thread);
        }
        let woken = |waiter: usize| {
            let mut next = next.clone();
            next.threads[waiter].stage = Stage::Waiting { signalled: true };
            self.go_on(next, thread)
        };
        waiters.into_iter().flat_map(woken).collect()
    }

    /// The thread has done what it was at.
    fn go_on(&self, mut next: State, thread: usize) -> Vec<After> {
        next.threads[thread].at += 1;
        next.threads[thread].stage = Stage::Ready;
        vec![self.settle(next, thread).map_or(After::Failed, After::State)]
    }

    /// Goes on to what others can see; none if it fails before.
    fn settle(&self, mut state: State, thread: usize) -> Option<State> {
        let it = &mut state.threads[thread];
        loop {
            let next = it.at + 1;
            it.at = match self.code[thread][it.at] {
                Step::Jump(to) => to,
                Step::JumpUnless(r, c, to) => {
                    if it.registers[r] != c {
                        to
                    } else {
                        next
                    }
                }
                Step::JumpIfScratch(c, to) => {
                    let is = std::mem::take(&mut it.scratch) == c;
                    if is { to } else { next }
                }
                Step::JumpUnlessScratch(c, to) => {
                    let is = std::mem::take(&mut it.scratch) == c;
                    if is { next } else { to }
                }
                Step::AddScratch(c) => {
                    it.scratch += c;
                    next
                }
                Step::Begin(counter) => {
                    it.counters[counter] = 0;
                    next
                }
                Step::Count(counter, n, to) => {
                    let done = it.counters[counter] == n;
                    it.counters[counter] = if done { 0 } else { it.counters[counter] + 1 };
                    if done { to } else { next }
                }
                Step::Fail(r, c) if it.registers[r] == c => return None,
                Step::Fail(..) => next,
                _ => return Some(state),
            };
        }
    }
}

/// The number that the program ends with.
fn exit(state: &State) -> String {
    let [a, b, c] = state.shared.variables;
    let mut sum = a + 7 * b + 31 * c;
    for (index, thread) in state.threads[1..].iter().enumerate() {
        let [x, y, z] = thread.registers;
        sum += (11 + 13 * index as i32) * (x + 3 * y + 5 * z);
    }
    format!("exit {}", (sum & 0x7fff_ffff) % 241)
}

/// Makes steps of statements.
struct Maker {
    plain: [bool; N_VARIABLES],
    code: Vec<Step>,
    n_counters: usize,
}

impl Maker {
    fn block(&mut self, body: &[Statement], breaks: &mut Vec<usize>) {
        body.iter().for_each(|statement| self.statement(statement, breaks));
    }

    fn put(&mut self, step: Step) -> usize {
        self.code.push(step);
        self.code.len() - 1
    }

    fn statement(&mut self, statement: &Statement, breaks: &mut Vec<usize>) {
        use Statement as S;
        match *statement {
            S::Store(v, c) => drop(self.put(Step::Store(v, c))),
            S::Load(r, v) => drop(self.put(Step::Load(r, v))),
            S::Add(v, c) if self.plain[v] => {
                self.put(Step::Look(v));
                self.put(Step::AddScratch(c));
                self.put(Step::StoreScratch(v));
            }
            S::Add(v, c) => drop(self.put(Step::Add(v, c))),
            S::Exchange(r, v, a, b) => drop(self.put(Step::Exchange(r, v, a, b))),
            S::Lock(m, ref body) => self.section(Step::Lock(m), body, Step::Unlock(m)),
            S::ReadLock(ref body) => self.section(Step::ReadLock, body, Step::ReadUnlock),
            S::WriteLock(ref body) => self.section(Step::WriteLock, body, Step::WriteUnlock),
            S::TryLock(r, m, ref body) => {
                self.put(Step::TryLock(r, m));
                let jump = self.put(Step::JumpUnless(r, 1, 0));
                self.block(body, breaks);
                self.put(Step::Unlock(m));
                self.code[jump] = Step::JumpUnless(r, 1, self.code.len());
            }
            S::Wait(c) => self.wait(c, None),
            S::TimedWait(r, c) => self.wait(c, Some(r)),
            S::Signal(c) => drop(self.put(Step::Signal(c))),
            S::Broadcast(c) => drop(self.put(Step::Broadcast(c))),
            S::SemWait => drop(self.put(Step::SemWait)),
            S::SemPost => drop(self.put(Step::SemPost)),
            S::SemTry(r) => drop(self.put(Step::SemTry(r))),
            S::Barrier => drop(self.put(Step::Barrier)),
            S::Yield | S::Sleep => drop(self.put(Step::Rest)),
            S::For(n, ref body) => {
                let counter = self.n_counters;
                self.n_counters += 1;
                self.put(Step::Begin(counter));
                let head = self.put(Step::Count(counter, n, 0));
                self.repeat(head, body, |end| Step::Count(counter, n, end));
                self.n_counters -= 1;
            }
            S::While(v, c, ref body) => {
                let look = self.put(Step::Look(v));
                let head = self.put(Step::JumpIfScratch(c, 0));
                let mut inner = Vec::new();
                self.block(body, &mut inner);
                self.put(Step::Jump(look));
                self.code[head] = Step::JumpIfScratch(c, self.code.len());
                self.leave(inner);
            }
            S::DoWhile(v, w) => {
                let look = self.put(Step::Look(v));
                self.put(Step::LookMore(w));
                let leave = self.code.len() + 2;
                self.put(Step::JumpUnlessScratch(0, leave));
                self.put(Step::Jump(look));
            }
            S::If(r, c, ref body) => {
                let jump = self.put(Step::JumpUnless(r, c, 0));
                self.block(body, breaks);
                self.code[jump] = Step::JumpUnless(r, c, self.code.len());
            }
            S::BreakIf(r, c) => {
                let next = self.code.len() + 2;
                self.put(Step::JumpUnless(r, c, next));
                breaks.push(self.code.len());
                self.put(Step::Jump(0));
            }
            S::Assert(r, c) => drop(self.put(Step::Fail(r, c))),
        }
    }

    fn section(&mut self, take: Step, body: &[Statement], give: Step) {
        self.put(take);
        self.block(body, &mut Vec::new());
        self.put(give);
    }

    fn wait(&mut self, cond: usize, register: Option<usize>) {
        self.put(Step::Lock(cond));
        self.put(Step::Wait { cond, register });
        self.put(Step::Unlock(cond));
    }

    fn repeat(&mut self, head: usize, body: &[Statement], at_head: impl Fn(usize) -> Step) {
        let mut inner = Vec::new();
        self.block(body, &mut inner);
        self.put(Step::Jump(head));
        self.code[head] = at_head(self.code.len());
        self.leave(inner);
    }

    fn leave(&mut self, jumps: Vec<usize>) {
        let end = self.code.len();
        jumps.into_iter().for_each(|jump| self.code[jump] = Step::Jump(end));
    }
}
