//! Measures specifications on five recorded runs of `programs/specification.c`, some million events
//! each:
//!
//! - the dynamic slice alone (target: 5 M events/s);
//! - slices, constraints and the optimum of all five (target: 60 s and 4 GB).
//!
//! `cargo bench -p raddle-benches --bench ndseq`

use std::path::Path;
use std::sync::Arc;

use raddle_benches::best;
use raddle_benches::table::{self, Row};
use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options as Preprocessing;
use raddle_explore::{Sample, Sampler};
use raddle_ndseq::depend::Dependence;
use raddle_ndseq::infer::{Inference, Inferred, Options};
use raddle_ndseq::learn::learn;
use raddle_ndseq::outline::Outline;
use raddle_ndseq::record::Recording;
use raddle_ndseq::slice::slice;
use raddle_ndseq::trace::Trace;
use raddle_vm::{Settings, fine};

fn main() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/specification.c");
    let program = compile(&[file], &Preprocessing::default()).expect("it compiles").program;
    let program = Arc::new(program);
    let outline = Outline::new(&program);
    let sum = program.globals.iter().position(|global| &*global.name == "sum");
    let focus = [sum.expect("the result is there") as u32];
    let recording =
        Recording { program: &program, outline: &outline, focus: &focus, marked: false };
    let mut strategy = Sample::new(Sampler::Pause, 1);
    let settings = fine(&Settings::default());
    table::print_head();
    let (took, lessons) =
        best(1, || learn(&program, &settings, &mut strategy, 5, recording).expect("it runs"));
    let traces: Vec<_> = lessons.lessons.into_iter().map(|l| l.recorded.trace).collect();
    let n_events = traces.iter().map(Trace::len).sum();
    Row { n_events, took: Some(took), ..Row::default() }.print("record");
    for trace in traces.iter().take(1) {
        let flow = Dependence::new(trace);
        let (took, found) = best(5, || slice(&flow));
        let rate = trace.len() as f64 / took.cpu.as_secs_f64() / 1e6;
        let row = Row {
            n_events: trace.len(),
            n_found: found.count(),
            took: Some(took),
            figure: format!("{rate:.1} M/s"),
            target: Some(("5 M/s", rate >= 5.0)),
            ..Row::default()
        };
        row.print("slice");
    }
    for (name, group) in [("infer", true), ("infer, no groups", false)] {
        let options = Options { group, ..Options::default() };
        let solve = || Inference::new(&traces, &outline.lists, options).solve();
        let (took, found) = best(1, solve);
        let n_found = match &found {
            Inferred::Specification(found) => found.len(),
            _ => 0,
        };
        let memory = table::peak_memory().is_none_or(|mebibytes| mebibytes < 4096);
        let row = Row {
            n_events,
            n_found,
            took: Some(took),
            target: Some(("60 s, 4 GB", took.wall.as_secs() < 60 && memory && n_found == 1)),
            ..Row::default()
        };
        row.print(name);
    }
}
