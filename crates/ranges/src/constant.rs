//! Constant propagation: what is the same in every interleaving is no step.
//!
//! In: a CTP. Out: a smaller one with the same values.
//! - K1: what the first thread does before others exist has one order: its writes are the initial
//!   values, and remembered as what happened before; its reads are constants.
//! - K2: a global that only its initial value is ever written to is a constant, and accesses to it
//!   are no steps.
//!
//! Both are applied until nothing changes. What steps that go had to wait for, the next ones wait
//! for; what they forked, the ones before them fork.

use rustc_hash::FxHashMap;

use crate::ctp::{Action, Begun, Ctp, GlobalId, State, StateId, Step};
use crate::expr::{ExprId, LocalId};

/// The CTP without steps that are the same in every interleaving.
pub fn propagate(mut ctp: Ctp) -> Ctp {
    loop {
        let n_states = ctp.states.len();
        ctp = settle(begin(ctp));
        if ctp.states.len() == n_states {
            return ctp;
        }
    }
}

/// K1.
fn begin(mut ctp: Ctp) -> Ctp {
    let forked: Vec<_> = ctp.states.iter().flat_map(|s| s.step.forks.clone()).collect();
    let mut first = ctp.thread_ids().filter(|thread| !forked.contains(thread));
    let (Some(thread), None) = (first.next(), first.next()) else { return ctp };
    let children = ctp.children();
    let mut gone = vec![false; ctp.states.len()];
    let mut values: FxHashMap<LocalId, ExprId> = FxHashMap::default();
    let mut at = ctp.threads[thread.0 as usize].root;
    while let [next] = children[at.0 as usize][..] {
        let step = ctp.step(next).clone();
        let by = |local: LocalId| values.get(&local).copied();
        let mut known = |id| ctp.exprs.replace(id, &by);
        let guards: Vec<_> = step.guards.iter().map(|guard| known(guard.condition)).collect();
        let written = step.action.written().map(|(global, value)| (global, known(value)));
        let holds = |&id: &ExprId| ctp.exprs.constant(id).is_some_and(|value| value != 0);
        if !guards.iter().all(holds) || !step.joins.is_empty() {
            break;
        }
        if !matches!(step.action, Action::Nothing | Action::Read { .. } | Action::Write { .. }) {
            break;
        }
        if let Some((global, to)) = step.action.read() {
            let Some(value) = ctp.globals[global.0 as usize].initial else { break };
            values.insert(to, ctp.exprs.value(value));
        }
        if let Some((global, value)) = written {
            let Some(value) = ctp.exprs.constant(value) else { break };
            let written = &mut ctp.globals[global.0 as usize];
            let value = written.kind.extend(value);
            let before = written.initial.replace(value);
            ctp.beginning.push(Begun { global, before, value });
        }
        gone[next.0 as usize] = true;
        at = next;
        if !step.forks.is_empty() {
            break;
        }
    }
    without(ctp, &gone, &values)
}

/// K2.
fn settle(mut ctp: Ctp) -> Ctp {
    let mut constant: Vec<_> = ctp.globals.iter().map(|global| global.initial).collect();
    for state in &ctp.states {
        if let Some((GlobalId(global), value)) = state.step.action.written() {
            let known = &mut constant[global as usize];
            *known = known.filter(|&initial| ctp.exprs.constant(value) == Some(initial));
        }
    }
    let mut gone = vec![false; ctp.states.len()];
    let mut values = FxHashMap::default();
    for id in ctp.state_ids() {
        let action = ctp.step(id).action;
        let global = action.read().map(|(global, _)| global);
        let global = global.or(action.written().map(|(global, _)| global));
        let Some(value) = global.and_then(|global| constant[global.0 as usize]) else { continue };
        gone[id.0 as usize] = true;
        if let Some((_, to)) = action.read() {
            values.insert(to, ctp.exprs.value(value));
        }
    }
    without(ctp, &gone, &values)
}

/// The CTP without some steps, and with some locals known.
fn without(ctp: Ctp, gone: &[bool], values: &FxHashMap<LocalId, ExprId>) -> Ctp {
    if !gone.contains(&true) && values.is_empty() {
        return ctp;
    }
    let children = ctp.children();
    let old = ctp.states.clone();
    let mut ctp = Ctp { states: Vec::new(), ..ctp };
    let first_forks = first_forks(&old, gone);
    // Where each state is now, and what the steps behind it inherit.
    let mut place: Vec<StateId> = Vec::with_capacity(old.len());
    let mut owed: Vec<Step> = vec![Step::default(); old.len()];
    for (index, state) in old.iter().enumerate() {
        let Some(parent) = state.parent else {
            place.push(StateId(ctp.states.len() as u32));
            ctp.threads[state.thread.0 as usize].root = place[index];
            ctp.states.push(State { step: Step::default(), ..state.clone() });
            continue;
        };
        let mut step = renewed(&mut ctp, &state.step, values);
        let before = owed[parent.0 as usize].clone();
        step.joins.splice(0..0, before.joins);
        step.guards.splice(0..0, before.guards);
        let waits = !step.joins.is_empty() || !step.guards.is_empty();
        let at_start = place[parent.0 as usize] == ctp.threads[state.thread.0 as usize].root;
        let can_fork = step.forks.is_empty() || !(waits || at_start) || first_forks[index];
        let last = children[index].is_empty() && !step.guards.is_empty();
        if gone[index] && can_fork && !last {
            place.push(place[parent.0 as usize]);
            let forks = std::mem::take(&mut step.forks);
            if !first_forks[index] {
                ctp.states[place[index].0 as usize].step.forks.extend(forks);
            }
            owed[index] = Step { action: Action::Nothing, ..step };
            continue;
        }
        if gone[index] {
            step.action = Action::Nothing;
        }
        place.push(StateId(ctp.states.len() as u32));
        ctp.states.push(State {
            thread: state.thread,
            parent: Some(place[parent.0 as usize]),
            step,
        });
    }
    for loose in &mut ctp.loose {
        loose.state = place[loose.state.0 as usize];
    }
    ctp
}

/// For each state, whether what its step forks exists from the start when it is gone: nothing that
/// is left comes before it, in the thread that is never forked.
fn first_forks(old: &[State], gone: &[bool]) -> Vec<bool> {
    let forked: Vec<_> = old.iter().flat_map(|state| &state.step.forks).collect();
    let mut clear = vec![false; old.len()];
    for (index, state) in old.iter().enumerate() {
        clear[index] = match state.parent {
            None => !forked.contains(&&state.thread),
            Some(parent) => clear[parent.0 as usize] && gone[index] && state.step.joins.is_empty(),
        };
    }
    clear
}

fn renewed(ctp: &mut Ctp, step: &Step, values: &FxHashMap<LocalId, ExprId>) -> Step {
    let by = |local: LocalId| values.get(&local).copied();
    let mut step = step.clone();
    for guard in &mut step.guards {
        guard.condition = ctp.exprs.replace(guard.condition, &by);
    }
    step.guards.retain(|guard| ctp.exprs.constant(guard.condition).is_none_or(|value| value == 0));
    match &mut step.action {
        Action::Write { value, .. } | Action::Update { value, .. } => {
            *value = ctp.exprs.replace(*value, &by);
        }
        _ => {}
    }
    step
}
