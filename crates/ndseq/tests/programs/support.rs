//! Programs, their runs, and what is inferred from them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use raddle_cfront::compile::compile;
use raddle_cfront::ir::Program;
use raddle_cfront::preprocess::Options as Preprocess;
use raddle_explore::{Sample, Sampler};
use raddle_ndseq::infer::{Inference, Inferred, Options};
use raddle_ndseq::learn::{LearnError, Lessons, learn};
use raddle_ndseq::outline::Outline;
use raddle_ndseq::record::Recording;
use raddle_vm::{Settings, fine};

/// A program and where its result is.
pub struct Subject {
    pub text: String,
    pub program: Arc<Program>,
    pub outline: Outline,
    pub focus: Vec<u32>,
    pub settings: Settings,
}

impl Subject {
    pub fn file(file: &Path, focus: &str) -> Subject {
        let program = compile(&[file.to_owned()], &Preprocess::default()).unwrap().program;
        let object = |name: &str| {
            program.globals.iter().position(|global| &*global.name == name).expect(name) as u32
        };
        let focus = focus.split(',').map(|name| object(name.trim())).collect();
        let settings = Settings { n_steps_max: 1_000_000, ..fine(&Settings::default()) };
        Subject {
            text: fs::read_to_string(file).unwrap(),
            outline: Outline::new(&program),
            focus,
            program: Arc::new(program),
            settings,
        }
    }

    pub fn text(text: &str, focus: &str) -> Subject {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program.c");
        fs::write(&file, text).unwrap();
        Subject::file(&file, focus)
    }

    pub fn learn(&self, n_runs: usize) -> Result<Lessons, LearnError> {
        let Subject { program, outline, focus, .. } = self;
        let recording = Recording { program, outline, focus, marked: false };
        let mut strategy = Sample::new(Sampler::Pause, 1);
        learn(program, &self.settings, &mut strategy, n_runs, recording)
    }
}

/// What was inferred.
pub struct Answer {
    pub verdict: String,
    pub if_star: Vec<String>,
    pub n_traces: usize,
}

pub fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ndseq")
}

pub fn infer(file: &Path, focus: &str, n_runs: usize) -> Answer {
    let subject = Subject::file(file, focus);
    let lessons = subject.learn(n_runs).unwrap();
    let traces: Vec<_> = lessons.lessons.into_iter().map(|lesson| lesson.recorded.trace).collect();
    let n_traces = traces.len();
    let options = Options { group: false, ..Options::default() };
    let mut inference = Inference::new(&traces, &subject.outline.lists, options);
    let (verdict, found) = match inference.solve() {
        Inferred::Specification(found) if found.is_empty() => ("serializable", found),
        Inferred::Specification(found) => ("inferred", found),
        Inferred::None(_) => ("none", Vec::new()),
        Inferred::Unknown => ("unknown", Vec::new()),
    };
    let lines = found.iter().map(|run| {
        let (_, from, to) = subject.outline.lines(&subject.program, run);
        format!("{from}-{to}")
    });
    Answer { verdict: verdict.to_owned(), if_star: lines.collect(), n_traces }
}
