//! The columns of the tables of Ganai & Wang: graphs (Table 1) and solving (Table 2).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use raddle_ranges::analysis::{Analysed, analyse};
use raddle_ranges::ctp::{Ctp, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::Limit;
use raddle_ranges::slots::Slots;
use serde::Serialize;

use crate::output::Styles;
use crate::table;

/// What a graph may cost here before its row is left empty.
const N_UPDATES_MAX: u64 = 5_000_000_000;
const N_CONFLICTS_MAX: u32 = 200_000;

const KINDS: [(GraphKind, &str, &str); 3] = [
    (GraphKind::Ccfg, "CCFG", "ccfg"),
    (GraphKind::Tsg, "TSG", "tsg"),
    (GraphKind::TsgReduced, "TSG'", "tsg_reduced"),
];

/// The figures of one graph; what took too long is not there.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct GraphStats {
    mats: usize,
    switch_edges: usize,
    transaction_edges: usize,
    nodes: usize,
    rb_local: Option<u64>,
    rb_global: Option<u64>,
    seconds: Option<f64>,
    solve_32: Option<f64>,
    solve_narrow: Option<f64>,
}

/// The figures of a trace program.
pub(super) struct Stats {
    n_threads: usize,
    n_locals: usize,
    n_globals: usize,
    n_accesses: usize,
    n_transitions: usize,
    graphs: Vec<GraphStats>,
}

impl Stats {
    /// The figures, for all graphs in so much time.
    pub(super) fn new(ctp: &Ctp, lookahead: usize, time: Duration) -> Stats {
        Stats {
            n_threads: ctp.threads.len(),
            n_locals: Slots::new(ctp).n_locals(),
            n_globals: ctp.globals.len(),
            n_accesses: ctp.n_accesses(),
            n_transitions: ctp.states.len() - ctp.threads.len(),
            graphs: KINDS.iter().map(|&(kind, ..)| graph(ctp, kind, lookahead, time)).collect(),
        }
    }

    /// The figures by the name of the graph.
    pub(super) fn graphs(&self) -> BTreeMap<&'static str, GraphStats> {
        KINDS.iter().map(|&(_, _, name)| name).zip(self.graphs.iter().cloned()).collect()
    }

    pub(super) fn text(&self, styles: &Styles) -> String {
        let heading = styles.heading;
        let mut text = format!(
            "\n{heading}{} threads, {} locals, {} globals, {} accesses, {} transitions{heading:#}\n",
            self.n_threads, self.n_locals, self.n_globals, self.n_accesses, self.n_transitions,
        );
        let header = [
            "graph",
            "#MAT",
            "#CE",
            "#TE",
            "nodes",
            "t (s)",
            "RB_l",
            "RB_g",
            "32 bits (s)",
            "narrowed (s)",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        let number = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
        let time = |t: Option<f64>| t.map_or("-".to_owned(), |t| format!("{t:.2}"));
        for ((_, name, _), graph) in KINDS.iter().zip(&self.graphs) {
            rows.push(vec![
                (*name).to_owned(),
                graph.mats.to_string(),
                graph.switch_edges.to_string(),
                graph.transaction_edges.to_string(),
                graph.nodes.to_string(),
                time(graph.seconds),
                number(graph.rb_local),
                number(graph.rb_global),
                time(graph.solve_32),
                time(graph.solve_narrow),
            ]);
        }
        text.push_str(&table::lines(&rows, &[0]).join("\n"));
        text.push('\n');
        text
    }
}

fn graph(ctp: &Ctp, kind: GraphKind, lookahead: usize, time: Duration) -> GraphStats {
    let start = Instant::now();
    // For each graph a third of its time for propagation and for the two kinds of solving.
    let later = |start: Instant| start.checked_add(time / (3 * KINDS.len() as u32));
    let limit = Limit { n_updates: N_UPDATES_MAX, deadline: later(start) };
    let Ok(Analysed { graph, ranges, bits }) = analyse(ctp, kind, lookahead, limit) else {
        let graph = Graph::new(ctp, kind);
        return sizes(&graph);
    };
    let seconds = Some(start.elapsed().as_secs_f64());
    let exact = Graph::with(ctp, kind, true);
    let solve = |narrow: bool| {
        let start = Instant::now();
        let deadline = later(start);
        let n_conflicts_max = Some(N_CONFLICTS_MAX);
        let options = Options { n_conflicts_max, deadline, ..Options::default() };
        let mut solver = Solver::new(ctp, &exact, narrow.then_some(&ranges), options);
        let answer = solver.ask(&question(ctp));
        (answer != Feasibility::Unknown).then(|| start.elapsed().as_secs_f64())
    };
    GraphStats {
        rb_local: Some(bits.local),
        rb_global: Some(bits.global),
        seconds,
        solve_32: solve(false),
        solve_narrow: solve(true),
        ..sizes(&graph)
    }
}

fn sizes(graph: &Graph) -> GraphStats {
    GraphStats {
        mats: graph.n_mats,
        switch_edges: graph.switches.len(),
        transaction_edges: graph.transactions.len(),
        nodes: graph.nodes.len(),
        ..GraphStats::default()
    }
}

/// What is asked: whether the last guard can fail; without one, whether the last state is reached.
fn question(ctp: &Ctp) -> Query {
    let guarded = ctp.state_ids().filter(|&id| !ctp.step(id).guards.is_empty()).last();
    match guarded {
        Some(state) => Query::Fails(state, ctp.step(state).guards.len() - 1),
        None => Query::Reaches(StateId(ctp.states.len() as u32 - 1)),
    }
}
