//! Prints the transitions of a C program: `cargo run -p raddle-cfront --example transitions FILE…`

use std::path::PathBuf;
use std::process::ExitCode;

use raddle_cfront::{compile, preprocess};

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match compile::compile(&files, &preprocess::Options::default()) {
        Ok(compiled) => {
            let own = compiled.program.functions.iter().filter(|function| !function.library);
            own.for_each(|function| println!("{function}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
