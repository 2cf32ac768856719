//! Measures intervals and exact questions on the programs of `corpus/ranges`:
//!
//! - `index` with 33 threads: intervals on TSG′ (target: 10 s, 2 GB);
//! - `cp` with 25 rounds: the question whether its assertion can fail, on each graph, with the bits of
//!   types and with those that intervals leave (targets: 30 s on TSG′; five times as fast as 32 bits
//!   on the CCFG), and on its smaller versions with all encodings of orders.
//!
//! `cargo bench -p raddle-benches --bench ranges [-- index | cp | racy | bank | atom]`

use std::env;
use std::path::Path;
use std::sync::Arc;

use raddle_benches::{best, table};
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options as Preprocessing;
use raddle_ranges::analysis::analyse;
use raddle_ranges::constant;
use raddle_ranges::ctp::{Ctp, Otherwise, StateId};
use raddle_ranges::feasible::{Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::propagate::Ranges;
use raddle_ranges::record::record;
use raddle_solve::Encoding;
use raddle_vm::{Settings, fine};

/// What a question may cost.
const N_CONFLICTS_MAX: u32 = 200_000;

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
        let encodings: &[Encoding] = match case.compares {
            true => &[Encoding::Chains, Encoding::Lazy, Encoding::Positions],
            false => &[Encoding::Chains],
        };
        for narrow in [false, true] {
            for &encoding in encodings {
                for saturates in [true, false] {
                    let ranges = narrow.then_some(&analysed.ranges);
                    solve(ctp, &graph, ranges, encoding, saturates);
                }
            }
        }
    }
}

/// Asks whether assertions can fail, one after the other, with one solver.
fn solve(ctp: &Ctp, graph: &Graph, ranges: Option<&Ranges>, encoding: Encoding, saturates: bool) {
    let questions = questions(ctp);
    if questions.is_empty() {
        return;
    }
    let options = Options { encoding, n_conflicts_max: Some(N_CONFLICTS_MAX), saturates };
    let (made, mut solver) = best(1, || Solver::new(ctp, graph, ranges, options));
    let mut asked = Vec::new();
    for query in &questions {
        let (took, answer) = best(1, || solver.ask(query));
        let answer = format!("{answer:?}");
        let answer = answer.split('(').next().unwrap_or_default().to_lowercase();
        asked.push(format!("{answer} {:.2} s", took.cpu.as_secs_f64()));
    }
    let size = solver.size();
    println!(
        "    {}, {encoding:?}{}: made in {:.2} s, {}; {} variables, {} clauses, {} calls",
        if ranges.is_some() { "narrowed" } else { "types" },
        if saturates { ", saturated" } else { "" },
        made.cpu.as_secs_f64(),
        asked.join(", "),
        size.n_variables,
        size.n_clauses,
        size.n_calls
    );
    if saturates {
        println!(
            "      {} orders and {} answers without the solver",
            size.n_unavoidable, size.n_saturated
        );
    }
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
