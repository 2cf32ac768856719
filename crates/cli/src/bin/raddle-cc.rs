//! `raddle cc` under a name of one word, for build systems that want one.

use std::process::ExitCode;

use raddle_native::compiler::{self, Language};

fn main() -> ExitCode {
    compiler::main(Language::C)
}
