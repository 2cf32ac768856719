//! Traces as text, for tests: what the oracle reads, and how it becomes what is tested.
//!
//! A line is an event: its thread, its kind, its line in the program, the variables it reads, those
//! it writes (locals have an `@`), and the executions of lists around it, outermost first, as
//! list:position:instance.

use std::collections::BTreeMap;

use raddle_ndseq::statement::{Instance, InstanceId, List, ListId, Lists};
use raddle_ndseq::trace::{
    Event, EventId, EventKind, Thread, Trace, Transaction, TransactionId, VariableId,
};

/// An event.
#[derive(Clone, Debug)]
pub struct Raw {
    pub thread: u32,
    pub branch: bool,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    /// List, position, instance; outermost first.
    pub path: Vec<(String, u32, String)>,
    /// The event whose statement is open around it, from 0.
    pub control: Option<usize>,
}

pub fn is_local(name: &str) -> bool {
    name.contains('@')
}

/// Reads events; threads count from 1 in the text.
pub fn parse(text: &str) -> Vec<Raw> {
    let words = |part: &str| part.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let line = |line: &str| {
        let (head, rest) = line.split_once('[').unwrap();
        let (reads, rest) = rest.split_once(']').unwrap();
        let (writes, path) = rest.trim().trim_start_matches('[').split_once(']').unwrap();
        let head = words(head);
        let step = |step: &str| {
            let parts: Vec<_> = step.split(':').collect();
            (parts[0].to_owned(), parts[1].parse().unwrap(), parts[2].to_owned())
        };
        Raw {
            thread: head[0].parse::<u32>().unwrap() - 1,
            branch: head[1] == "branch",
            reads: words(reads),
            writes: words(writes),
            path: path.split_whitespace().map(step).collect(),
            control: None,
        }
    };
    text.lines().map(str::trim).filter(|l| !l.is_empty()).map(line).collect()
}

/// Names of lists, in the order of their numbers.
pub type ListNames = BTreeMap<String, u32>;

/// The trace of events of threads without children; `sizes` are the statements of each list.
pub fn trace(events: &[Raw], focus: &[&str], sizes: &BTreeMap<String, Vec<u32>>) -> (Trace, Lists) {
    let names: ListNames = sizes.keys().cloned().zip(0..).collect();
    let lists = sizes.values().map(|s| List { sizes: s.clone(), ..List::default() });
    let lists = Lists(lists.collect());
    let mut trace = Trace::default();
    let n_threads = events.iter().map(|event| event.thread + 1).max().unwrap_or(0);
    // A thread that has no events of its own creates the others.
    trace.threads = vec![Thread { parent: Some(n_threads) }; n_threads as usize];
    trace.threads.push(Thread::default());
    trace.transactions.push(Transaction { parent: None, thread: n_threads });
    for thread in 0..n_threads {
        trace.transactions.push(Transaction { parent: Some(TransactionId(0)), thread });
    }
    let mut globals: BTreeMap<&str, VariableId> = BTreeMap::new();
    for name in events.iter().flat_map(|e| e.reads.iter().chain(&e.writes)) {
        let next = VariableId(globals.len() as u32);
        if !is_local(name) && !globals.contains_key(name.as_str()) {
            globals.insert(name, next);
            trace.focus.push(focus.contains(&name.as_str()));
        }
    }
    let mut instances: BTreeMap<&str, InstanceId> = BTreeMap::new();
    let mut last: BTreeMap<&str, EventId> = BTreeMap::new();
    for event in events {
        let mut at = None;
        for (list, position, instance) in &event.path {
            let next = InstanceId(trace.instances.len() as u32);
            let known = *instances.entry(instance).or_insert(next);
            if known == next {
                trace.instances.push(Instance { list: ListId(names[list]), parent: at });
            }
            at = Some((known, *position));
        }
        let global = |name: &&String| !is_local(name);
        let of = |names: &[String]| {
            names.iter().filter(global).map(|n| globals[n.as_str()]).collect::<Vec<_>>()
        };
        let locals: Vec<_> =
            event.reads.iter().filter_map(|n| last.get(n.as_str()).copied()).collect();
        let id = trace.push(&Event {
            kind: if event.branch { EventKind::Branch } else { EventKind::Assign },
            thread: event.thread,
            transaction: TransactionId(event.thread + 1),
            at,
            control: event.control.map(|event| EventId(event as u32)),
            place: 0,
            locals: &locals,
            reads: &of(&event.reads),
            writes: &of(&event.writes),
        });
        for name in event.writes.iter().filter(|name| is_local(name)) {
            last.insert(name, id);
        }
    }
    (trace, lists)
}
