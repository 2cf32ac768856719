//! Random programs as the machine has them. What all of them begin with is preprocessed once.

use std::fs;
use std::sync::LazyLock;

use raddle_cfront::compile::compile_texts;
use raddle_cfront::ir::{DataModel, Program as Compiled};
use raddle_cfront::library::HEADERS;
use raddle_cfront::preprocess::{Options, preprocess};
use raddle_vm::Settings;

use crate::program::{HEAD, Program};

static BEGINNING: LazyLock<String> = LazyLock::new(|| {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("head.c");
    fs::write(&path, HEAD).unwrap();
    preprocess(&path, &Options::default(), HEADERS).unwrap()
});

/// A program, compiled.
pub fn compiled(program: &Program) -> Compiled {
    let text = format!("{}\n{}", *BEGINNING, program.source());
    compile_texts(&[("program.c", &text)], DataModel::Lp64).unwrap().program
}

/// Where inputs have more than two values they are a range, otherwise what they are by default.
pub fn settings(program: &Program) -> Settings {
    let nondet = (program.n_inputs > 2).then(|| (0, i64::from(program.n_inputs) - 1));
    // A loop without points goes on until it has raced; that need not take long.
    Settings { nondet, n_steps_max: 2_000_000, ..Settings::default() }
}
