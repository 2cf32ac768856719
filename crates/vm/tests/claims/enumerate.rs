//! What a program can do, by trying everything: complete states, one after the other.
//!
//! Has no notion of reduction, caches of runs, points or plans. States are explored in the order of their
//! preemptions. That a thread spins is decided by its definition, on the graph of states.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::Program;
use crate::state::{After, Semantics, Stage, State};

/// How a program can end, each with the fewest preemptions.
pub type Outcomes = BTreeMap<String, u32>;

/// The most states of a program.
const N_STATES_MAX: usize = 3_000;

/// All that a program can do.
#[derive(Debug, Default)]
pub struct Claims {
    /// How it can end.
    pub outcomes: Outcomes,
    /// Livelocks of which not all are found: a schedule leads out of them, or threads only go on since others do something.
    pub perhaps: Outcomes,
    /// Whether an execution ends in a false assumption.
    pub assumes: bool,
}

/// What a thread does if it runs alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alone {
    /// It can come to where it ends, blocks or fails.
    Leaves,
    /// It cannot, but does not always come back here.
    Passes,
    /// It always comes back.
    Spins { changes: bool },
}

/// Where a step leads: to a state that has a number.
#[derive(Clone, Copy, Debug)]
enum Next {
    State(u32),
    Failed,
    Dropped,
}

/// The graph of states, as far as it was looked at.
struct Graph {
    semantics: Semantics,
    states: Vec<State>,
    numbers: FxHashMap<State, u32>,
    /// What threads do next in states, and what that costs beside preemptions.
    next: FxHashMap<(u32, u8), Vec<(Next, u32)>>,
    /// Where every thread spins, and rounds change something; and what it costs to come there.
    restless: Vec<(u32, u32)>,
    alone: FxHashMap<(u32, u8), Alone>,
}

/// All outcomes; none if there are too many states.
pub fn enumerate(program: &Program, spurious: bool) -> Option<Claims> {
    let semantics = Semantics::new(program, spurious);
    let first = semantics.first(program);
    let mut graph = Graph {
        semantics,
        states: Vec::new(),
        numbers: FxHashMap::default(),
        next: FxHashMap::default(),
        restless: Vec::new(),
        alone: FxHashMap::default(),
    };
    graph.number(first);
    graph.explore()
}

impl Graph {
    fn explore(&mut self) -> Option<Claims> {
        let mut claims = Claims::default();
        let mut done = FxHashSet::default();
        let mut open: Vec<Vec<(u32, u8)>> = vec![vec![(0, 0)]];
        let mut cost = 0;
        while cost < open.len() {
            while let Some((number, current)) = open[cost].pop() {
                if done.insert((number, current)) {
                    self.visit(number, current, cost, &mut open, &mut claims)?;
                }
            }
            cost += 1;
        }
        self.livelocks(&mut claims);
        if self.has_fair_cycle() {
            claims.perhaps.insert("livelock".to_owned(), 0);
        }
        Some(claims)
    }

    /// Whether there is an execution without end in which no thread is asked anything, and every thread that can go on
    /// again and again does.
    fn has_fair_cycle(&self) -> bool {
        let n_threads = self.semantics.n_threads();
        let able = |state: &State| {
            (0..n_threads).filter(|&thread| self.semantics.is_able(state, thread)).collect()
        };
        let able: Vec<Vec<usize>> = self.states.iter().map(able).collect();
        let mut edges = vec![Vec::new(); self.states.len()];
        for (&(number, thread), all) in &self.next {
            let (from, thread) = (number as usize, thread as usize);
            if let [(Next::State(to), _)] = all[..]
                && able[from].contains(&thread)
            {
                edges[from].push((to, thread));
            }
        }
        let mut is_left = vec![true; edges.len()];
        loop {
            let components = components(&edges, &is_left);
            let is_inside = |from: usize, to: u32| {
                is_left[from] && is_left[to as usize] && components[from] == components[to as usize]
            };
            let mut moves = FxHashSet::default();
            for (from, all) in edges.iter().enumerate() {
                let inside = all.iter().filter(|&&(to, _)| is_inside(from, to));
                moves.extend(inside.map(|&(_, thread)| (components[from], thread)));
            }
            // Who can go on in a cycle but does not must not be able to: those states are left out.
            let is_starved = |number: usize| {
                able[number].iter().any(|&thread| !moves.contains(&(components[number], thread)))
            };
            let left: Vec<_> = (0..edges.len()).map(|it| is_left[it] && !is_starved(it)).collect();
            if left == is_left {
                return !moves.is_empty();
            }
            is_left = left;
        }
    }

    /// Where every thread spins and no schedule leads to an end, that is a livelock, whatever rounds change.
    fn livelocks(&self, claims: &mut Claims) {
        let mut before = vec![Vec::new(); self.states.len()];
        let mut open = Vec::new();
        for (&(number, _), all) in &self.next {
            for (next, _) in all {
                match next {
                    Next::State(next) => before[*next as usize].push(number),
                    Next::Failed | Next::Dropped => open.push(number),
                }
            }
        }
        let able = |state: &State| {
            (0..self.semantics.n_threads()).any(|thread| self.semantics.is_able(state, thread))
        };
        open.extend((0..).zip(&self.states).filter(|(_, state)| !able(state)).map(|it| it.0));
        let mut ends = vec![false; self.states.len()];
        while let Some(number) = open.pop() {
            if !std::mem::replace(&mut ends[number as usize], true) {
                open.extend(&before[number as usize]);
            }
        }
        for &(_, cost) in self.restless.iter().filter(|(number, _)| !ends[*number as usize]) {
            let known = claims.outcomes.entry("livelock".to_owned()).or_insert(cost);
            *known = cost.min(*known);
        }
    }

    /// Notes how a program ends in a state, and what comes next; `current` came there.
    fn visit(
        &mut self,
        number: u32,
        current: u8,
        cost: usize,
        open: &mut Vec<Vec<(u32, u8)>>,
        claims: &mut Claims,
    ) -> Option<()> {
        let state = self.states[number as usize];
        let threads = 0..self.semantics.n_threads();
        let able = |&thread: &usize| self.semantics.is_able(&state, thread);
        let able: Vec<usize> = threads.clone().filter(able).collect();
        let note = |outcomes: &mut Outcomes, name: String, cost: usize| {
            let known = outcomes.entry(name).or_insert(cost as u32);
            *known = (*known).min(cost as u32);
        };
        if able.is_empty() {
            let ended = state.threads.iter().all(|it| it.stage == Stage::Over);
            let name = if ended { exit(&state) } else { "deadlock".to_owned() };
            note(&mut claims.outcomes, name, cost);
        }
        let mut alone = Vec::new();
        for &thread in &able {
            alone.push(self.alone(number, thread as u8)?);
        }
        let spins = |alone: &Alone| matches!(alone, Alone::Spins { .. });
        if !able.is_empty() && alone.iter().all(spins) {
            match alone.contains(&Alone::Spins { changes: true }) {
                true => self.restless.push((number, cost as u32)),
                false => note(&mut claims.outcomes, "livelock".to_owned(), cost),
            }
        }
        let free = self.is_free_to_leave(number, current)?;
        for thread in threads {
            if !able.contains(&thread) && !self.semantics.may_wake(&state, thread) {
                continue;
            }
            let price = usize::from(thread != current as usize && !free);
            for (next, extra) in self.next(number, thread as u8)? {
                let cost = cost + price + extra as usize;
                match next {
                    Next::Failed => {
                        note(&mut claims.outcomes, format!("assertion {thread}"), cost);
                    }
                    Next::Dropped => claims.assumes = true,
                    Next::State(to) => {
                        open.resize(open.len().max(cost + 1), Vec::new());
                        open[cost].push((to, thread as u8));
                    }
                }
            }
        }
        Some(())
    }

    /// Whether leaving a thread is no preemption.
    fn is_free_to_leave(&mut self, number: u32, thread: u8) -> Option<bool> {
        let state = &self.states[number as usize];
        let rests = self.semantics.rests(state, thread.into());
        if rests || !self.semantics.can_go_on(state, thread.into()) {
            return Some(true);
        }
        Some(matches!(self.alone(number, thread)?, Alone::Spins { .. }))
    }

    fn number(&mut self, state: State) -> u32 {
        *self.numbers.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.states.len() as u32 - 1
        })
    }

    /// What a thread does next, which can go on or wakes up; none if there are too many states.
    fn next(&mut self, number: u32, thread: u8) -> Option<Vec<(Next, u32)>> {
        if let Some(known) = self.next.get(&(number, thread)) {
            return Some(known.clone());
        }
        let mut all = Vec::new();
        for (after, extra) in self.semantics.steps(&self.states[number as usize], thread.into()) {
            let next = match after {
                After::State(state) => Next::State(self.number(state)),
                After::Failed => Next::Failed,
                After::Dropped => Next::Dropped,
                After::TooLarge => return None,
            };
            all.push((next, extra));
        }
        self.next.insert((number, thread), all.clone());
        (self.states.len() <= N_STATES_MAX).then_some(all)
    }

    /// What a thread does if it runs alone from a state, whatever the answers to its own questions are.
    fn alone(&mut self, number: u32, thread: u8) -> Option<Alone> {
        if let Some(&known) = self.alone.get(&(number, thread)) {
            return Some(known);
        }
        let mut reached = vec![number];
        let mut before: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut found = None;
        let mut index = 0;
        while index < reached.len() && found != Some(Alone::Leaves) {
            let at = reached[index];
            index += 1;
            match self.alone.get(&(at, thread)) {
                Some(Alone::Leaves) => found = Some(Alone::Leaves),
                Some(_) => found = Some(Alone::Passes),
                None if !self.semantics.is_able(&self.states[at as usize], thread.into()) => {
                    found = Some(Alone::Leaves);
                }
                None => {
                    for (next, _) in self.next(at, thread)? {
                        let Next::State(next) = next else {
                            found = Some(Alone::Leaves);
                            break;
                        };
                        before.entry(next).or_default().push(at);
                        if !reached.contains(&next) {
                            reached.push(next);
                        }
                    }
                }
            }
        }
        let alone = found.unwrap_or_else(|| self.comes_back(number, thread, &reached, &before));
        self.alone.insert((number, thread), alone);
        if let Alone::Spins { .. } = alone {
            self.alone.extend(reached.into_iter().map(|state| ((state, thread), alone)));
        }
        Some(alone)
    }

    /// Whether a thread that stays within some states comes back to the first one from all others.
    fn comes_back(
        &self,
        first: u32,
        thread: u8,
        reached: &[u32],
        before: &FxHashMap<u32, Vec<u32>>,
    ) -> Alone {
        let mut back = FxHashSet::default();
        let mut open = vec![first];
        while let Some(number) = open.pop() {
            if back.insert(number) {
                open.extend(before.get(&number).into_iter().flatten());
            }
        }
        // A single state comes back if a step leads from it to itself, and it has one since it is able.
        if back.len() < reached.len() {
            return Alone::Passes;
        }
        // Everything but the thread itself.
        let others = |number: u32| {
            let mut state = self.states[number as usize];
            state.threads[thread as usize] = self.states[first as usize].threads[thread as usize];
            state
        };
        let changes = reached.iter().any(|&number| others(number) != others(first));
        Alone::Spins { changes }
    }
}

/// The strongly connected components of what is left of a graph: a number for each state.
fn components(edges: &[Vec<(u32, usize)>], is_left: &[bool]) -> Vec<u32> {
    let mut before = vec![Vec::new(); edges.len()];
    for (from, all) in edges.iter().enumerate().filter(|&(from, _)| is_left[from]) {
        all.iter().for_each(|&(to, _)| before[to as usize].push(from));
    }
    let mut order = Vec::new();
    let mut seen: Vec<_> = is_left.iter().map(|is_left| !is_left).collect();
    for root in 0..edges.len() {
        let mut stack = vec![(root, 0)];
        while let Some((at, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match edges[at].get(next) {
                Some(&(to, _)) => stack.extend([(at, next + 1), (to as usize, 0)]),
                None => order.push(at),
            }
        }
    }
    let mut components = vec![u32::MAX; edges.len()];
    for (number, &root) in (0..).zip(order.iter().rev()) {
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if is_left[at] && components[at] == u32::MAX {
                components[at] = number;
                open.extend(&before[at]);
            }
        }
    }
    components
}

/// The number that the program ends with.
fn exit(state: &State) -> String {
    let [a, b, c] = state.shared.variables.map(i32::from);
    let mut sum = a + 7 * b + 31 * c;
    for (index, thread) in state.threads[1..].iter().enumerate() {
        let [x, y, z] = thread.registers.map(i32::from);
        sum += (11 + 13 * index as i32) * (x + 3 * y + 5 * z);
    }
    format!("exit {}", (sum & 0x7fff_ffff) % 241)
}
