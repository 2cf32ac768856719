//! The definitions of S1, word by word, on traces as text. Shares no code with what is tested.

use std::collections::{BTreeMap, BTreeSet};

use crate::specifications::raw::{Raw, is_local};

/// A run of statements: list, first and last position.
pub type Run = (String, u32, u32);

/// All conflicting pairs among the events that count (Definition 3).
pub fn conflicts(events: &[Raw], counts: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (i, a) in events.iter().enumerate() {
        for (j, b) in events.iter().enumerate().skip(i + 1) {
            let meets =
                |x: &[String], y: &[String]| x.iter().any(|n| !is_local(n) && y.contains(n));
            let writes = meets(&a.writes, &b.reads)
                || meets(&a.reads, &b.writes)
                || meets(&a.writes, &b.writes);
            if writes && a.thread != b.thread && counts.contains(&i) && counts.contains(&j) {
                found.push((i, j));
            }
        }
    }
    found
}

/// Whether the threads are in a cycle of conflicts, by closing the relation.
pub fn has_cycle(events: &[Raw], counts: &BTreeSet<usize>) -> bool {
    let mut reach: BTreeSet<(u32, u32)> = conflicts(events, counts)
        .iter()
        .map(|&(a, b)| (events[a].thread, events[b].thread))
        .collect();
    loop {
        let more: Vec<_> = reach
            .iter()
            .flat_map(|&(a, b)| {
                reach.iter().filter(move |&&(c, _)| b == c).map(move |&(_, d)| (a, d))
            })
            .filter(|pair| !reach.contains(pair))
            .collect();
        if more.is_empty() {
            return reach.iter().any(|&(a, b)| a == b);
        }
        reach.extend(more);
    }
}

/// The pairs of D1 and D2.
pub fn dependences(events: &[Raw]) -> BTreeSet<(usize, usize)> {
    let mut found = BTreeSet::new();
    let threads: BTreeSet<u32> = events.iter().map(|event| event.thread).collect();
    for (j, event) in events.iter().enumerate() {
        for name in &event.reads {
            let writes = |i: &usize| *i != j && events[*i].writes.contains(name);
            if is_local(name) {
                found.extend((0..j).rev().find(writes).map(|i| (i, j)));
                continue;
            }
            for &thread in &threads {
                let writes = |i: &usize| events[*i].thread == thread && writes(i);
                found.extend((0..j).rev().find(writes).map(|i| (i, j)));
                if thread != event.thread {
                    found.extend((j + 1..events.len()).find(writes).map(|i| (i, j)));
                }
            }
        }
    }
    found
}

/// The events of each execution of a run.
fn executions<'a>(events: &[Raw], run: &'a Run) -> impl Iterator<Item = BTreeSet<usize>> + use<'a> {
    let mut found: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (number, event) in events.iter().enumerate() {
        for (list, position, instance) in &event.path {
            if *list == run.0 && (run.1..=run.2).contains(position) {
                found.entry(instance.clone()).or_default().insert(number);
            }
        }
    }
    found.into_values()
}

/// Definition 5, by trying all rules until nothing changes.
pub fn relevant(events: &[Raw], focus: &[&str], specification: &[Run]) -> BTreeSet<usize> {
    let depends = dependences(events);
    let blocks: Vec<_> = specification.iter().flat_map(|run| executions(events, run)).collect();
    let block = |e: usize| blocks.iter().filter(|b| b.contains(&e)).min_by_key(|b| b.len());
    let is_result = |e: usize| {
        events[e].writes.iter().any(|name| {
            let later = |o: &Raw| o.thread == events[e].thread && o.writes.contains(name);
            focus.contains(&name.as_str()) && !events[e + 1..].iter().any(later)
        })
    };
    let mut found = BTreeSet::new();
    loop {
        let is_new = |e: &usize| {
            let branch = events[*e].branch
                && block(*e).is_none_or(|block| block.iter().any(|other| found.contains(other)));
            let flows = depends.iter().any(|(from, to)| from == e && found.contains(to));
            !found.contains(e) && (is_result(*e) || branch || flows)
        };
        let Some(new) = (0..events.len()).find(is_new) else { return found };
        found.insert(new);
    }
}

fn overlap(a: &Run, b: &Run) -> bool {
    let shared = a.0 == b.0 && a.1 <= b.2 && b.1 <= a.2;
    let inside = |x: &Run, y: &Run| x.1 >= y.1 && x.2 <= y.2;
    shared && !inside(a, b) && !inside(b, a)
}

/// The smallest specifications under which no trace has a cycle, by trying all.
pub fn optima(traces: &[Vec<Raw>], focus: &[&str], candidates: &[Run]) -> Vec<Vec<Run>> {
    for size in 0..=candidates.len() {
        let mut found = Vec::new();
        choose(candidates, size, &mut Vec::new(), &mut |chosen| {
            let structured = !chosen
                .iter()
                .enumerate()
                .any(|(n, a)| chosen[n + 1..].iter().any(|b| overlap(a, b)));
            let fine = |trace: &Vec<Raw>| !has_cycle(trace, &relevant(trace, focus, chosen));
            if structured && traces.iter().all(fine) {
                found.push(chosen.to_vec());
            }
        });
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn choose(from: &[Run], n: usize, chosen: &mut Vec<Run>, visit: &mut impl FnMut(&[Run])) {
    if n == 0 {
        return visit(chosen);
    }
    for (at, run) in from.iter().enumerate() {
        chosen.push(run.clone());
        choose(&from[at + 1..], n - 1, chosen, visit);
        chosen.pop();
    }
}
