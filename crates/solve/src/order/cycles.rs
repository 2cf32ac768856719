//! Cycles in an assignment of an order, and clauses that rule them out.

use rustc_hash::FxHashMap;

use crate::clauses::Lit;

/// How many cycles are ruled out before the solver goes on.
const N_CYCLES: usize = 256;

/// For each element those right behind it, with the literal that says so.
pub(super) type Successors = Vec<Vec<(u32, Lit)>>;

/// Clauses that rule out short cycles.
pub(super) fn cycles(successors: &Successors) -> Vec<Vec<Lit>> {
    let component = components(successors);
    let mut found: Vec<Vec<Lit>> = Vec::new();
    for start in 0..successors.len() as u32 {
        let inside = |n: u32| component[n as usize] == component[start as usize];
        let loops = successors[start as usize].iter().any(|&(after, _)| inside(after));
        if !loops {
            continue;
        }
        if let Some(cycle) = shortest(successors, start, &inside) {
            let mut clause: Vec<_> =
                cycle.into_iter().filter(|&lit| lit != Lit::TRUE).map(|lit| !lit).collect();
            clause.sort_unstable();
            clause.dedup();
            if !found.contains(&clause) {
                found.push(clause);
            }
        }
        if found.len() >= N_CYCLES {
            break;
        }
    }
    found
}

/// The literals of a shortest cycle through an element.
fn shortest(
    successors: &[Vec<(u32, Lit)>],
    start: u32,
    inside: &impl Fn(u32) -> bool,
) -> Option<Vec<Lit>> {
    let mut came: FxHashMap<u32, (u32, Lit)> = FxHashMap::default();
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for &(next, lit) in &successors[at as usize] {
            if !inside(next) || came.contains_key(&next) {
                continue;
            }
            came.insert(next, (at, lit));
            if next == start {
                let mut lits = Vec::new();
                let mut back = start;
                loop {
                    let (before, lit) = came[&back];
                    lits.push(lit);
                    back = before;
                    if back == start {
                        return Some(lits);
                    }
                }
            }
            open.push_back(next);
        }
    }
    None
}

/// The strongly connected component of each element; those on no cycle are alone.
fn components(successors: &[Vec<(u32, Lit)>]) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let n = successors.len();
    let (mut number, mut low, mut component) = (vec![NEW; n], vec![0; n], vec![NEW; n]);
    let (mut stack, mut next) = (Vec::new(), 0);
    for root in 0..n as u32 {
        if number[root as usize] != NEW {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((at, edge)) = calls.pop() {
            let v = at as usize;
            if edge == 0 {
                (number[v], low[v]) = (next, next);
                next += 1;
                stack.push(at);
            }
            let mut again = false;
            for (index, &(to, _)) in successors[v].iter().enumerate().skip(edge) {
                let w = to as usize;
                if number[w] == NEW {
                    calls.push((at, index + 1));
                    calls.push((to, 0));
                    again = true;
                    break;
                }
                if component[w] == NEW {
                    low[v] = low[v].min(number[w]);
                }
            }
            if again {
                continue;
            }
            if low[v] == number[v] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = at;
                    if member == at {
                        break;
                    }
                }
            }
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[v]);
            }
        }
    }
    component
}
