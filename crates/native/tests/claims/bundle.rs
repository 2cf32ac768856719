//! Many random programs as one executable.

use std::fmt::Write;
use std::fs;

use raddle_native::target::Target;

use crate::harness::{GCC, Workshop};
use crate::program::{HEAD, Program, Statement};

/// What each program has a name for that others have, too. Locks and the like are those of all: only one program runs in
/// a process.
const NAMES: [&str; 12] =
    ["v0", "v1", "v2", "all", "out0", "out1", "out2", "out3", "t0", "t1", "t2", "main"];

/// Whether a program can be a binary: there are no inputs and no assumptions.
pub fn fits(program: &Program) -> bool {
    fn is_input(statement: &Statement) -> bool {
        use Statement as S;
        match statement {
            S::Input(_) | S::Assume(..) => true,
            S::Lock(_, body)
            | S::TryLock(_, _, body)
            | S::TimedLock(_, _, body)
            | S::Both(_, _, _, body)
            | S::ReadLock(body)
            | S::WriteLock(body)
            | S::TryRead(_, body)
            | S::TryWrite(_, body)
            | S::For(_, body)
            | S::Loop(body)
            | S::While(_, _, body)
            | S::If(_, _, body) => body.iter().any(is_input),
            _ => false,
        }
    }
    !program.threads.iter().flatten().any(is_input)
}

/// An executable that is any one of some programs.
pub struct Bundle {
    target: Target,
}

impl Bundle {
    /// Compiles programs. Without optimisation, so that every access of the source is one.
    pub fn build<'a>(
        workshop: &Workshop,
        programs: impl Iterator<Item = &'a Program>,
    ) -> Result<Bundle, String> {
        let (mut text, mut table) = (format!("#include <stdlib.h>\n{HEAD}"), String::new());
        for (number, program) in programs.enumerate() {
            NAMES.iter().for_each(|name| {
                let _ = writeln!(text, "#undef {name}\n#define {name} {name}_{number}");
            });
            text.push_str(&program.source());
            let _ = write!(table, "main_{number}, ");
        }
        let _ = writeln!(text, "#undef main\nint (*mains[])(void) = {{{table}}};");
        text.push_str(
            "int main(int n, char **arguments) { return mains[atoi(arguments[1])](); }\n",
        );
        let source = workshop.file().with_extension("c");
        fs::write(&source, text).unwrap();
        let target = workshop.build(GCC, &source, &["-O0"])?;
        Ok(Bundle { target })
    }

    /// One of the programs.
    pub fn target(&self, number: usize) -> Target {
        Target { arguments: vec![number.to_string().into()], ..self.target.clone() }
    }
}
