//! Runs a C program by the default policy: `cargo run -p raddle-vm --example run FILE.c`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use raddle_cfront::{compile, preprocess};
use raddle_vm::{Machine, Settings};

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let compiled = match compile::compile(&files, &preprocess::Options::default()) {
        Ok(compiled) => compiled,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let settings = Settings::default();
    let mut machine = Machine::new(Arc::new(compiled.program), &settings).expect("it fits");
    let schedule = machine.run_default(&mut ());
    print!("{}", String::from_utf8_lossy(machine.output()));
    println!("{schedule}\n{} transitions: {:?}", machine.n_steps(), machine.outcome());
    ExitCode::SUCCESS
}
