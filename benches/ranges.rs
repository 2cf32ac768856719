//! Measures intervals and exact questions on the programs of `corpus/ranges`:
//!
//! - `index` with 33 threads: intervals on TSG′ (target: 10 s, 2 GB);
//! - orders of accesses to one variable, as violations of atomicity have them, on the CCFG: with and
//!   without adding what a question makes unavoidable;
//! - `cp` with 25 rounds: the question whether its assertion can fail, on each graph, with the bits of
//!   types and with those that intervals leave (target: 30 s on TSG′), and on its smaller versions with
//!   all encodings of orders;
//! - each question by itself: the bits of types on the CCFG beside those that intervals leave on TSG′
//!   (target: five times as fast where both finish).
//!
//! `cargo bench -p raddle-benches --bench ranges [-- index | cp | racy | bank | atom]`

use std::env;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use raddle_benches::{best, table};
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options as Preprocessing;
use raddle_ranges::analysis::analyse;
use raddle_ranges::constant;
use raddle_ranges::ctp::{Ctp, Otherwise, StateId};
use raddle_ranges::feasible::{Feasibility, Options, Pattern, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::Ranges;
use raddle_ranges::record::record;
use raddle_solve::Encoding;
use raddle_vm::{Settings, fine};

/// What a question may cost, and what it may by itself.
const N_CONFLICTS_MAX: u32 = 200_000;
const N_COMPARED_MAX: u32 = 20_000;

/// How many orders are asked for.
const N_PATTERNS_MAX: usize = 300;

/// How often a question is asked by itself, if it does not take long; the shortest time counts.
const N_ROUNDS: usize = 7;
const LONG: Duration = Duration::from_secs(1);

const KINDS: [GraphKind; 3] = [GraphKind::TsgReduced, GraphKind::Tsg, GraphKind::Ccfg];

/// A program, its macros, and what is measured of it.
struct Case {
    name: &'static str,
    file: &'static str,
    macros: &'static [&'static str],
    /// Whether the CCFG is within reach.
    is_small: bool,
    /// Whether all encodings of orders are compared.
    compares: bool,
}

const fn case(
    name: &'static str,
    file: &'static str,
    macros: &'static [&'static str],
    is_small: bool,
    compares: bool,
) -> Case {
    Case { name, file, macros, is_small, compares }
}

const PROGRAMS: [Case; 15] = [
    case("cp1", "cp.c", &["N=1"], true, true),
    case("cp2", "cp.c", &["N=5"], true, true),
    case("cp3", "cp.c", &["N=25"], true, false),
    case("racy2", "cp.c", &["N=5", "RACY"], true, false),
    case("racy3", "cp.c", &["N=25", "RACY"], true, false),
    case("atom1", "atom1.c", &[], true, false),
    case("atom2", "atom2.c", &[], true, false),
    case("atom3", "atom3.c", &[], true, false),
    case("atom4", "atom4.c", &[], true, false),
    case("bank1", "bank.c", &["TRANSFERS=3"], true, false),
    case("bank2", "bank.c", &["TRANSFERS=5"], true, false),
    case("index1", "index.c", &["THREADS=8", "MESSAGES=4"], true, false),
    case("index2", "index.c", &["THREADS=18", "MESSAGES=6"], true, false),
    case("index3", "index.c", &["THREADS=30", "MESSAGES=8"], false, false),
    case("index4", "index.c", &["THREADS=32", "MESSAGES=14", "SIZE=601"], false, false),
];

fn main() {
    let wanted: Vec<_> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for case in PROGRAMS {
        if wanted.is_empty() || wanted.iter().any(|word| case.name.starts_with(word.as_str())) {
            measure(&case, &trace_program(case.file, case.macros));
        }
    }
}

fn trace_program(file: &str, macros: &[&str]) -> Ctp {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/ranges").join(file);
    let defines = macros.iter().map(|text| (*text).to_owned()).collect();
    let options = Preprocessing { defines, ..Preprocessing::default() };
    let program = Arc::new(compile(&[path], &options).expect("the corpus compiles").program);
    let recorded = record(&program, &fine(&Settings::default()), None).expect("the corpus runs");
    constant::propagate(recorded.ctp)
}

fn measure(case: &Case, ctp: &Ctp) {
    println!(
        "{}: {} threads, {} globals, {} accesses, {} transitions",
        case.name,
        ctp.threads.len(),
        ctp.globals.len(),
        ctp.n_accesses(),
        ctp.states.len() - ctp.threads.len()
    );
    for kind in KINDS {
        if kind == GraphKind::Ccfg && !case.is_small {
            continue;
        }
        let (took, analysed) = best(1, || analyse(ctp, kind, 1, u64::MAX).expect("no limit"));
        println!(
            "  {kind:?}: {} MATs, {} CE, {} TE, {:.2} s, RB_l {}, RB_g {}, peak {} MiB",
            analysed.graph.n_mats,
            analysed.graph.switches.len(),
            analysed.graph.transactions.len(),
            took.cpu.as_secs_f64(),
            analysed.bits.local,
            analysed.bits.global,
            table::peak_memory().unwrap_or(0)
        );
        let graph = Graph::with(ctp, kind, true);
        if kind == GraphKind::Ccfg {
            compare(ctp, &graph);
        }
        let encodings: &[Encoding] = match case.compares {
            true => &[Encoding::Chains, Encoding::Lazy, Encoding::Positions],
            false => &[Encoding::Chains],
        };
        for narrow in [false, true] {
            for &encoding in encodings {
                solve(ctp, &graph, narrow.then_some(&analysed.ranges), encoding);
            }
        }
        if kind == GraphKind::Ccfg {
            for saturates in [true, false] {
                orders(ctp, &graph, &analysed.ranges, saturates);
            }
        }
    }
}

/// Asks each question of a new solver, with the bits of types on the CCFG and with those that
/// intervals leave on TSG′. Graphs and intervals are there already.
fn compare(ctp: &Ctp, ccfg: &Graph) {
    let analysed = analyse(ctp, GraphKind::TsgReduced, 1, u64::MAX).expect("no limit");
    let reduced = Graph::with(ctp, GraphKind::TsgReduced, true);
    let options = Options { n_conflicts_max: Some(N_COMPARED_MAX), ..Options::default() };
    let end = Query::Reaches(StateId(ctp.states.len() as u32 - 1));
    for query in questions(ctp).into_iter().chain([end]) {
        let ask = |graph: &Graph, ranges: Option<&Ranges>| {
            let once = || {
                let mut solver = Solver::new(ctp, graph, ranges, options);
                (solver.ask(&query), solver.size().n_clauses)
            };
            let first = best(1, once);
            if first.0.cpu > LONG { first } else { best(N_ROUNDS, once) }
        };
        let (wide, (answer, n_clauses)) = ask(ccfg, None);
        let (narrow, (same, n_narrow)) = ask(&reduced, Some(&analysed.ranges));
        let [wide, narrow] = [wide, narrow].map(|took| 1e3 * took.cpu.as_secs_f64());
        println!(
            "    {}: types on the CCFG {} {wide:.2} ms, {n_clauses} clauses; narrowed on TSG′ {} \
             {narrow:.2} ms, {n_narrow} clauses; {:.1} times",
            if matches!(query, Query::Reaches(_)) { "the end" } else { "an assertion" },
            word(&answer),
            word(&same),
            wide / narrow
        );
    }
}

/// An answer in a word.
fn word(answer: &Feasibility) -> &'static str {
    match answer {
        Feasibility::Feasible(_) => "feasible",
        Feasibility::Infeasible => "infeasible",
        Feasibility::Unknown => "unknown",
    }
}

/// Asks whether assertions can fail, one after the other, with one solver.
fn solve(ctp: &Ctp, graph: &Graph, ranges: Option<&Ranges>, encoding: Encoding) {
    let questions = questions(ctp);
    if questions.is_empty() {
        return;
    }
    let n_conflicts_max = Some(N_CONFLICTS_MAX);
    let options = Options { encoding, n_conflicts_max, ..Options::default() };
    let (made, mut solver) = best(1, || Solver::new(ctp, graph, ranges, options));
    let mut asked = Vec::new();
    for query in &questions {
        let (took, answer) = best(1, || solver.ask(query));
        asked.push(format!("{} {:.2} s", word(&answer), took.cpu.as_secs_f64()));
    }
    let size = solver.size();
    println!(
        "    {}, {encoding:?}: made in {:.2} s, {}; {} variables, {} clauses, {} calls",
        if ranges.is_some() { "narrowed" } else { "types" },
        made.cpu.as_secs_f64(),
        asked.join(", "),
        size.n_variables,
        size.n_clauses,
        size.n_calls
    );
}

/// Asks whether accesses to one variable can come between two others of another thread.
fn orders(ctp: &Ctp, graph: &Graph, ranges: &Ranges, saturates: bool) {
    let options =
        Options { n_conflicts_max: Some(N_CONFLICTS_MAX), saturates, ..Options::default() };
    let mut solver = Solver::new(ctp, graph, Some(ranges), options);
    let queries = patterns(ctp);
    let (took, n_feasible) = best(1, || {
        let feasible = |query: &&Query| matches!(solver.ask(query), Feasibility::Feasible(_));
        queries.iter().filter(feasible).count()
    });
    let size = solver.size();
    println!(
        "    {} orders, {n_feasible} feasible{}: {:.2} s; {} calls, {} literals told, {} answers \
         without the solver",
        queries.len(),
        if saturates { ", saturated" } else { "" },
        took.cpu.as_secs_f64(),
        size.n_calls,
        size.n_unavoidable,
        size.n_saturated
    );
}

/// Some triplets: two accesses of a thread to a global, and one of another thread to be in between.
fn patterns(ctp: &Ctp) -> Vec<Query> {
    let global = |id: StateId| {
        let action = ctp.step(id).action;
        action.written().map(|(global, _)| global).or(action.read().map(|(global, _)| global))
    };
    let accesses: Vec<_> = ctp.state_ids().filter(|&id| global(id).is_some()).collect();
    let mut all = Vec::new();
    for (n, &first) in accesses.iter().enumerate() {
        let thread = ctp.state(first).thread;
        let same = |&&id: &&StateId| global(id) == global(first) && ctp.state(id).thread == thread;
        let Some(&second) = accesses[n + 1..].iter().find(same) else { continue };
        let writes = |&&id: &&StateId| {
            ctp.step(id).action.written().is_some()
                && global(id) == global(first)
                && ctp.state(id).thread != thread
        };
        for &remote in accesses.iter().filter(writes) {
            let before = vec![(first, remote), (remote, second)];
            all.push(Query::Events(Pattern { before, ..Pattern::default() }));
        }
    }
    let every = all.len().div_ceil(N_PATTERNS_MAX).max(1);
    all.into_iter().step_by(every).collect()
}

/// Whether each of the last assertions can fail.
fn questions(ctp: &Ctp) -> Vec<Query> {
    let fails = |id: StateId| {
        let guards = ctp.step(id).guards.iter().enumerate();
        let failing = guards.filter(|(_, guard)| guard.otherwise == Otherwise::Fails);
        failing.map(move |(number, _)| Query::Fails(id, number))
    };
    let all: Vec<_> = ctp.state_ids().flat_map(fails).collect();
    all[all.len().saturating_sub(2)..].to_vec()
}
