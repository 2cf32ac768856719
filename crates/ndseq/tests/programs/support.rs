//! Runs of corpus programs, and what is inferred from them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::preprocess::Options as Preprocess;
use raddle_explore::{Sample, Sampler};
use raddle_ndseq::infer::{Inference, Inferred, Options};
use raddle_ndseq::learn::learn;
use raddle_ndseq::outline::Outline;
use raddle_ndseq::record::Recording;
use raddle_vm::{Settings, fine};

/// What was inferred.
pub struct Told {
    pub verdict: String,
    pub if_star: Vec<String>,
    pub n_traces: usize,
}

pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ndseq")
}

pub fn infer(file: &Path, focus: &str, n_runs: usize) -> Told {
    let program = Arc::new(compile(&[file.to_owned()], &Preprocess::default()).unwrap().program);
    let outline = Outline::new(&program);
    let object = |name: &str| {
        program.globals.iter().position(|global| &*global.name == name).expect(name) as u32
    };
    let focus: Vec<_> = focus.split(',').map(|name| object(name.trim())).collect();
    let recording =
        Recording { program: &program, outline: &outline, focus: &focus, marked: false };
    let mut strategy = Sample::new(Sampler::Pause, 1);
    let settings = fine(&Settings::default());
    let lessons = match learn(&program, &settings, &mut strategy, n_runs, recording) {
        Ok(lessons) => lessons,
        Err(error) => panic!("{}: {error}", file.display()),
    };
    for (_, outcome) in &lessons.failed {
        eprintln!("{}: {outcome:?}", file.display());
    }
    let traces: Vec<_> = lessons.lessons.into_iter().map(|lesson| lesson.recorded.trace).collect();
    let n_traces = traces.len();
    let options = Options { group: false, ..Options::default() };
    let mut inference = Inference::new(&traces, &outline.lists, options);
    let (verdict, found) = match inference.solve() {
        Inferred::Specification(found) if found.is_empty() => ("serializable", found),
        Inferred::Specification(found) => ("inferred", found),
        Inferred::None(_) => ("none", Vec::new()),
        Inferred::Unknown => ("unknown", Vec::new()),
    };
    let lines = found.iter().map(|run| {
        let (_, from, to) = outline.lines(&program, run);
        format!("{from}-{to}")
    });
    Told { verdict: verdict.to_owned(), if_star: lines.collect(), n_traces }
}
