//! The enumerator: all states of a program, one by one.
//!
//! In: a program. Out: its outcomes, each with the least number of preemptions that lead to it. A state is all that
//! a program has: where its threads are, their registers, and what is shared. Nothing is left out.
//!
//! A switch away from a thread that could go on costs a preemption, unless it is about to yield or sleep, or *spins*:
//! it comes back to this very state whatever it does alone. What `std`'s locks of readers and writers do is
//! written down here bit by bit, from its implementation on Linux.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::program::{N, Outcome, Program, Step};

/// More states than this are too many.
const N_STATES_MAX: usize = 20_000;

/// What a thread is in the middle of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mode {
    NotStarted,
    Runs,
    /// Waits on a condition, and whether it was notified.
    Waits(bool),
    /// Sleeps until a thread gives a lock back, or was woken since.
    Sleeps(bool),
    /// Waits at the barrier of a generation.
    AtBarrier(u8),
    Ended,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    at: usize,
    mode: Mode,
    registers: [i8; N],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Lock {
    is_written: bool,
    n_readers: u8,
    writers_wait: bool,
    readers_wait: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    /// How far the first thread is: it starts the others, then joins them.
    main: usize,
    threads: Vec<Thread>,
    variables: [i8; N],
    mutexes: [bool; N],
    locks: [Lock; N],
    arrived: u8,
    generation: u8,
    panicked: bool,
}

/// What may come next: the state, and whether the thread woke up for no reason.
type Next = Vec<(State, bool)>;

/// The outcomes of a program.
pub(crate) struct Model {
    /// The least number of preemptions of each.
    pub(crate) least: BTreeMap<Outcome, u32>,
}

struct Graph<'a> {
    program: &'a Program,
    states: Vec<State>,
    numbers: HashMap<State, usize>,
    /// Of each state and thread, what may come next, and whether for no reason.
    next: Vec<Vec<Vec<(usize, bool)>>>,
    spins: HashMap<(usize, usize), bool>,
}

impl Model {
    /// All outcomes; none if there are too many states.
    pub(crate) fn of(program: &Program) -> Option<Model> {
        let mut graph = Graph {
            program,
            states: Vec::new(),
            numbers: HashMap::new(),
            next: Vec::new(),
            spins: HashMap::new(),
        };
        graph.build()?;
        let never_ends = graph.never_ends();
        let mut least = BTreeMap::new();
        let n_threads = program.threads.len() + 1;
        let mut costs = vec![u32::MAX; graph.states.len() * n_threads];
        let mut queue = VecDeque::from([(0, 0, 0)]);
        while let Some((cost, state, current)) = queue.pop_front() {
            if costs[state * n_threads + current] <= cost {
                continue;
            }
            costs[state * n_threads + current] = cost;
            if let Some(outcome) =
                graph.outcome(state).or(never_ends[state].then_some(Outcome::Livelock))
            {
                let known = least.entry(outcome.clone()).or_insert(cost);
                *known = cost.min(*known);
                if outcome == Outcome::Panic {
                    continue;
                }
            }
            for thread in 0..n_threads {
                let preempts = thread != current && graph.holds_on(state, current);
                for (next, _) in graph.next[state][thread].clone() {
                    match preempts {
                        true => queue.push_back((cost + 1, next, thread)),
                        false => queue.push_front((cost, next, thread)),
                    }
                }
            }
        }
        Some(Model { least })
    }
}

impl Graph<'_> {
    fn build(&mut self) -> Option<()> {
        let thread = Thread { at: 0, mode: Mode::NotStarted, registers: [0; N] };
        self.add(State {
            main: 0,
            threads: vec![thread; self.program.threads.len()],
            variables: [0; N],
            mutexes: [false; N],
            locks: Default::default(),
            arrived: 0,
            generation: 0,
            panicked: false,
        });
        while self.next.len() < self.states.len() {
            let state = self.states[self.next.len()].clone();
            let mut all = Vec::new();
            for thread in 0..=self.program.threads.len() {
                let next =
                    if state.panicked { Vec::new() } else { self.successors(&state, thread) };
                all.push(next.into_iter().map(|(next, why)| (self.add(next), why)).collect());
            }
            self.next.push(all);
            if self.states.len() > N_STATES_MAX {
                return None;
            }
        }
        Some(())
    }

    fn add(&mut self, state: State) -> usize {
        let number = self.states.len();
        let known = *self.numbers.entry(state.clone()).or_insert(number);
        if known == number {
            self.states.push(state);
        }
        known
    }

    fn successors(&self, state: &State, thread: usize) -> Next {
        let n = self.program.threads.len();
        if thread > 0 {
            return self.steps(state, thread - 1);
        }
        let mut next = state.clone();
        next.main += 1;
        match state.main {
            at if at < n => {
                next.threads[at].mode = Mode::Runs;
                self.settle(&mut next, at);
                // It is not at its end before it has begun.
                if next.threads[at].mode == Mode::Ended {
                    next.threads[at].mode = Mode::Runs;
                }
                next.panicked = false;
                vec![(next, false)]
            }
            at if at < 2 * n && state.threads[at - n].mode == Mode::Ended => vec![(next, false)],
            _ => Vec::new(),
        }
    }

    /// A thread goes on to the next step that others can notice, or to its end.
    fn settle(&self, state: &mut State, t: usize) {
        let Thread { at, mode, registers } = &mut state.threads[t];
        loop {
            match self.program.threads[t].get(*at) {
                None => {
                    *mode = Mode::Ended;
                    return;
                }
                Some(&Step::Set(r, value)) => registers[r] = value,
                Some(&Step::Count(r)) => registers[r] += 1,
                Some(&Step::Never(r, value)) if registers[r] == value => {
                    state.panicked = true;
                    return;
                }
                Some(&Step::Jump(to)) => {
                    *at = to;
                    continue;
                }
                Some(&Step::JumpIf(r, value, to)) if registers[r] == value => {
                    *at = to;
                    continue;
                }
                Some(Step::Never(..) | Step::JumpIf(..)) => {}
                Some(_) => return,
            }
            *at += 1;
        }
    }

    fn steps(&self, state: &State, t: usize) -> Next {
        let mut all = Vec::new();
        let it = &state.threads[t];
        // A thread may begin with what is local to it.
        let mut begun = state.clone();
        if it.mode == Mode::Runs {
            self.settle(&mut begun, t);
            if begun.panicked || begun.threads[t].mode == Mode::Ended {
                return vec![(begun, false)];
            }
        }
        let step = self.program.threads[t].get(begun.threads[t].at).copied();
        let done = |state: &State, change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            change(&mut next);
            next.threads[t].mode = Mode::Runs;
            next.threads[t].at += 1;
            self.settle(&mut next, t);
            next
        };
        let stays = |state: &State, mode: Mode, change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            change(&mut next);
            next.threads[t].mode = mode;
            next
        };
        let state = &begun;
        match (it.mode, step) {
            (Mode::NotStarted | Mode::Ended, _) | (_, None) => {}
            (Mode::AtBarrier(generation), _) => {
                if generation != state.generation {
                    all.push((done(state, &|_| {}), false));
                }
            }
            (Mode::Waits(is_notified), Some(step)) => {
                let (m, result) = match step {
                    Step::Wait(_, m) => (m, None),
                    Step::WaitTimeout(_, m, r) => (m, Some(r)),
                    _ => panic!("only waits wait"),
                };
                if state.mutexes[m] {
                    return all;
                }
                let ends = |timed_out: i8| {
                    done(state, &|next| {
                        next.mutexes[m] = true;
                        if let Some(r) = result {
                            next.threads[t].registers[r] = timed_out;
                        }
                    })
                };
                if is_notified {
                    all.push((ends(0), false));
                }
                if result.is_some() {
                    all.push((ends(1), false));
                }
                if !is_notified && self.program.spurious {
                    all.push((ends(0), true));
                }
            }
            (Mode::Sleeps(false), _) => {}
            (Mode::Runs | Mode::Sleeps(true), Some(step)) => match step {
                Step::Load(v, r) => all.push((
                    done(state, &|next| next.threads[t].registers[r] = next.variables[v]),
                    false,
                )),
                Step::Store(v, value) => {
                    all.push((done(state, &|next| next.variables[v] = value), false));
                }
                Step::Add(v, value, r) => all.push((
                    done(state, &|next| {
                        next.threads[t].registers[r] = next.variables[v];
                        next.variables[v] += value;
                    }),
                    false,
                )),
                Step::Lock(m) if !state.mutexes[m] => {
                    all.push((done(state, &|next| next.mutexes[m] = true), false));
                }
                Step::Lock(_) => {}
                Step::TryLock(m, r) => all.push((
                    done(state, &|next| {
                        next.threads[t].registers[r] = (!next.mutexes[m]).into();
                        next.mutexes[m] = true;
                    }),
                    false,
                )),
                Step::Unlock(m) => all.push((done(state, &|next| next.mutexes[m] = false), false)),
                Step::Read(l) => {
                    let l = l % N;
                    let lock = state.locks[l];
                    let is_free = !lock.is_written && !lock.writers_wait && !lock.readers_wait;
                    all.push(match is_free {
                        true => (done(state, &|next| next.locks[l].n_readers += 1), false),
                        false => {
                            let sleeps = Mode::Sleeps(false);
                            (stays(state, sleeps, &|next| next.locks[l].readers_wait = true), false)
                        }
                    });
                }
                Step::TryRead(l, r) => {
                    let lock = state.locks[l];
                    let is_free = !lock.is_written && !lock.writers_wait && !lock.readers_wait;
                    all.push((
                        done(state, &|next| {
                            next.locks[l].n_readers += u8::from(is_free);
                            next.threads[t].registers[r] = is_free.into();
                        }),
                        false,
                    ));
                }
                Step::Write(l) => {
                    let lock = state.locks[l];
                    let is_free = !lock.is_written && lock.n_readers == 0;
                    let has_slept = it.mode != Mode::Runs;
                    all.push(match is_free {
                        true => (
                            done(state, &|next| {
                                next.locks[l].is_written = true;
                                // Others may sleep still.
                                next.locks[l].writers_wait |= has_slept;
                            }),
                            false,
                        ),
                        false => {
                            let sleeps = Mode::Sleeps(false);
                            (stays(state, sleeps, &|next| next.locks[l].writers_wait = true), false)
                        }
                    });
                }
                Step::TryWrite(l, r) => {
                    let is_free = !state.locks[l].is_written && state.locks[l].n_readers == 0;
                    all.push((
                        done(state, &|next| {
                            next.locks[l].is_written |= is_free;
                            next.threads[t].registers[r] = is_free.into();
                        }),
                        false,
                    ));
                }
                Step::ReadUnlock(l) => {
                    let l = l % N;
                    let next = done(state, &|next| next.locks[l].n_readers -= 1);
                    let lock = next.locks[l];
                    let wakes = lock.n_readers == 0 && lock.writers_wait;
                    all.extend(if wakes { self.wake(&next, l) } else { vec![(next, false)] });
                }
                Step::WriteUnlock(l) => {
                    let next = done(state, &|next| next.locks[l].is_written = false);
                    all.extend(self.wake(&next, l));
                }
                Step::Wait(_, m) | Step::WaitTimeout(_, m, _) => {
                    let waits = Mode::Waits(false);
                    all.push((stays(state, waits, &|next| next.mutexes[m] = false), false));
                }
                Step::NotifyOne(c) => {
                    let waiters = self.waiters(state, c);
                    if waiters.is_empty() {
                        all.push((done(state, &|_| {}), false));
                    }
                    for waiter in waiters {
                        let notify =
                            |next: &mut State| next.threads[waiter].mode = Mode::Waits(true);
                        all.push((done(state, &notify), false));
                    }
                }
                Step::NotifyAll(c) => {
                    let waiters = self.waiters(state, c);
                    let notify = |next: &mut State| {
                        waiters
                            .iter()
                            .for_each(|&waiter| next.threads[waiter].mode = Mode::Waits(true));
                    };
                    all.push((done(state, &notify), false));
                }
                Step::Barrier if state.arrived == 1 => all.push((
                    done(state, &|next| {
                        next.arrived = 0;
                        next.generation += 1;
                    }),
                    false,
                )),
                Step::Barrier => {
                    let mode = Mode::AtBarrier(state.generation);
                    all.push((stays(state, mode, &|next| next.arrived += 1), false));
                }
                Step::Yield | Step::Hint | Step::Sleep => all.push((done(state, &|_| {}), false)),
                Step::Set(..)
                | Step::Count(..)
                | Step::Jump(..)
                | Step::JumpIf(..)
                | Step::Never(..) => {
                    panic!("{step:?} is local");
                }
            },
        }
        all
    }

    fn waiters(&self, state: &State, c: usize) -> Vec<usize> {
        let waits = |&t: &usize| {
            let at = self.program.threads[t].get(state.threads[t].at);
            let on_it =
                matches!(at, Some(&(Step::Wait(of, _) | Step::WaitTimeout(of, _, _))) if of == c);
            on_it && state.threads[t].mode == Mode::Waits(false)
        };
        (0..state.threads.len()).filter(waits).collect()
    }

    /// A lock was given back by the last one who had it: one writer is woken or, without any, all readers.
    fn wake(&self, state: &State, l: usize) -> Next {
        let sleeps = |t: usize, writes: bool| {
            let it = &state.threads[t];
            it.mode == Mode::Sleeps(false)
                && match self.program.threads[t][it.at] {
                    Step::Write(of) => writes && of == l,
                    Step::Read(of) => !writes && of % N == l,
                    _ => false,
                }
        };
        let all = 0..state.threads.len();
        let writers: Vec<_> = all.clone().filter(|&t| sleeps(t, true)).collect();
        let readers: Vec<_> = all.filter(|&t| sleeps(t, false)).collect();
        let mut next = state.clone();
        next.locks[l].writers_wait = false;
        let has_writers = state.locks[l].writers_wait && !writers.is_empty();
        if has_writers {
            let woken = |&writer: &usize| {
                let mut next = next.clone();
                next.threads[writer].mode = Mode::Sleeps(true);
                (next, false)
            };
            return writers.iter().map(woken).collect();
        }
        if state.locks[l].readers_wait {
            next.locks[l].readers_wait = false;
            readers.iter().for_each(|&reader| next.threads[reader].mode = Mode::Sleeps(true));
        }
        vec![(next, false)]
    }

    /// Whether anything comes next that is not for no reason.
    fn goes_on(&self, state: usize) -> bool {
        self.next[state].iter().flatten().any(|&(_, for_no_reason)| !for_no_reason)
    }

    fn outcome(&self, number: usize) -> Option<Outcome> {
        let state = &self.states[number];
        if state.panicked {
            return Some(Outcome::Panic);
        }
        if self.goes_on(number) {
            return None;
        }
        let n = self.program.threads.len();
        if state.main < 2 * n {
            return Some(Outcome::Deadlock);
        }
        let registers = state.threads.iter().flat_map(|thread| thread.registers);
        Some(Outcome::Ends(state.variables.iter().copied().chain(registers).collect()))
    }

    /// Of each state, whether no end can be reached any more.
    fn never_ends(&self) -> Vec<bool> {
        let n = self.states.len();
        let mut before = vec![Vec::new(); n];
        for (state, all) in self.next.iter().enumerate() {
            let real = all.iter().flatten().filter(|(_, for_no_reason)| !for_no_reason);
            real.for_each(|&(next, _)| before[next].push(state));
        }
        let mut ends = vec![false; n];
        let mut todo: Vec<_> = (0..n).filter(|&state| self.outcome(state).is_some()).collect();
        while let Some(state) = todo.pop() {
            if !std::mem::replace(&mut ends[state], true) {
                todo.extend(&before[state]);
            }
        }
        ends.into_iter().map(|ends| !ends).collect()
    }

    /// Whether leaving a thread costs a preemption.
    fn holds_on(&mut self, state: usize, thread: usize) -> bool {
        if !self.is_ready(state, thread) || self.gives_way(state, thread) {
            return false;
        }
        !self.spins(state, thread)
    }

    /// Whether a thread can do what it is about to do: that its time can run out does not count.
    fn is_ready(&self, number: usize, thread: usize) -> bool {
        let waits_unnotified =
            thread > 0 && self.states[number].threads[thread - 1].mode == Mode::Waits(false);
        !self.next[number][thread].is_empty() && !waits_unnotified
    }

    fn gives_way(&self, number: usize, thread: usize) -> bool {
        let Some(t) = thread.checked_sub(1) else { return false };
        let it = &self.states[number].threads[t];
        let step = self.program.threads[t].get(it.at);
        it.mode == Mode::Runs && matches!(step, Some(Step::Yield | Step::Hint | Step::Sleep))
    }

    /// Whether a thread comes back to a state whatever it does alone. One that only wakes up for no reason need not.
    fn spins(&mut self, state: usize, thread: usize) -> bool {
        if let Some(&spins) = self.spins.get(&(state, thread)) {
            return spins;
        }
        let mut seen = vec![state];
        let mut is_endless = true;
        let mut index = 0;
        while index < seen.len() && is_endless {
            let next = &self.next[seen[index]][thread];
            is_endless = next.iter().any(|&(_, for_no_reason)| !for_no_reason);
            for &(next, _) in next {
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            index += 1;
        }
        let spins = is_endless && seen.iter().all(|&from| self.leads_to(from, state, thread));
        self.spins.insert((state, thread), spins);
        spins
    }

    fn leads_to(&self, from: usize, to: usize, thread: usize) -> bool {
        let mut seen: Vec<usize> = self.next[from][thread].iter().map(|next| next.0).collect();
        let mut index = 0;
        while index < seen.len() {
            if seen[index] == to {
                return true;
            }
            for &(next, _) in &self.next[seen[index]][thread] {
                if !seen.contains(&next) {
                    seen.push(next);
                }
            }
            index += 1;
        }
        false
    }
}
