//! Measures intervals and exact questions on the programs of `corpus/ranges`:
//!
//! - `index` with 33 threads: intervals on TSG′ (target: 10 s, 2 GB);
//! - `cp` with 25 rounds: the question whether its assertion can fail, on each graph, with the bits of
//!   types and with those that intervals leave, and with both encodings of orders
//!   (targets: 30 s on TSG′; five times as fast as 32 bits on the CCFG).
//!
//! `cargo bench -p raddle-benches --bench ranges [-- index | cp | bank | atom]`

use std::env;
use std::path::Path;
use std::sync::Arc;

use raddle_benches::{best, table};
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options as Preprocessing;
use raddle_ranges::analysis::analyse;
use raddle_ranges::constant;
use raddle_ranges::ctp::{Ctp, Otherwise};
use raddle_ranges::feasible::{Options, Query, Solver};
use raddle_ranges::graph::{Graph, GraphKind};
use raddle_ranges::record::record;
use raddle_solve::Encoding;
use raddle_vm::{Settings, fine};

const KINDS: [GraphKind; 3] = [GraphKind::Ccfg, GraphKind::Tsg, GraphKind::TsgReduced];

/// The programs, their macros, and whether the CCFG is within reach.
const PROGRAMS: [(&str, &str, &[&str], bool); 13] = [
    ("cp1", "cp.c", &["N=1"], true),
    ("cp2", "cp.c", &["N=7"], true),
    ("cp3", "cp.c", &["N=35"], true),
    ("atom1", "atom1.c", &[], true),
    ("atom2", "atom2.c", &[], true),
    ("atom3", "atom3.c", &[], true),
    ("atom4", "atom4.c", &[], true),
    ("bank1", "bank.c", &["TRANSFERS=3"], true),
    ("bank2", "bank.c", &["TRANSFERS=5"], true),
    ("index1", "index.c", &["THREADS=8", "MESSAGES=4"], true),
    ("index2", "index.c", &["THREADS=18", "MESSAGES=6"], true),
    ("index3", "index.c", &["THREADS=30", "MESSAGES=10"], false),
    ("index4", "index.c", &["THREADS=32", "MESSAGES=14"], false),
];

fn main() {
    let wanted: Vec<_> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    for (name, file, macros, small) in PROGRAMS {
        if wanted.is_empty() || wanted.iter().any(|word| name.starts_with(word.as_str())) {
            measure(name, &trace_program(file, macros), small);
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

fn measure(name: &str, ctp: &Ctp, small: bool) {
    println!(
        "{name}: {} threads, {} globals, {} accesses, {} transitions",
        ctp.threads.len(),
        ctp.globals.len(),
        ctp.n_accesses(),
        ctp.states.len() - ctp.threads.len()
    );
    for kind in KINDS {
        if kind == GraphKind::Ccfg && !small {
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
        let Some(query) = question(ctp) else { continue };
        let graph = Graph::with(ctp, kind, true);
        for narrow in [false, true] {
            for encoding in [Encoding::Lazy, Encoding::Chains, Encoding::Positions] {
                let ranges = narrow.then_some(&analysed.ranges);
                let options = Options { encoding, n_conflicts_max: Some(2_000_000) };
                let (took, (answer, size)) = best(1, || {
                    let mut solver = Solver::new(ctp, &graph, ranges, options);
                    (solver.ask(&query), solver.size())
                });
                let answer = format!("{answer:?}");
                let answer = answer.split('(').next().unwrap_or_default();
                println!(
                    "    {}, {encoding:?}: {answer} in {:.2} s, {} variables, {} clauses, {} calls",
                    if narrow { "narrowed" } else { "types" },
                    took.cpu.as_secs_f64(),
                    size.n_variables,
                    size.n_clauses,
                    size.n_calls
                );
            }
        }
    }
}

/// Whether the last assertion can fail.
fn question(ctp: &Ctp) -> Option<Query> {
    let fails = |id: &raddle_ranges::ctp::StateId| {
        let guards = &ctp.step(*id).guards;
        let number = guards.iter().rposition(|guard| guard.otherwise == Otherwise::Fails)?;
        Some(Query::Fails(*id, number))
    };
    ctp.state_ids().filter_map(|id| fails(&id)).last()
}
