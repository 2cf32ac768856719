//! What says which program to run, and how: files, preprocessor options, limits.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use raddle_cfront::compile;
use raddle_cfront::diagnostic::{Error, Kind, Report};
use raddle_cfront::ir::{DataModel, Program};
use raddle_cfront::preprocess::{self, Options};
use raddle_explore::Failure;
use raddle_vm::Settings;

use crate::context::Context;
use crate::diagnostic::{Diagnostic, Excerpt, Place};
use crate::quantity::Size;
use raddle_session::quoted;

/// The defaults; the command that replays leaves it out.
const CC: &str = "cc";
const MAX_STEPS: u64 = 1_000_000_000;
const MAX_MEMORY: &str = "1GiB";

/// The option that options of compilers become.
pub(crate) const COMPILER_FLAG: &str = "compiler-flag";

/// How a program is compiled and what it may use.
#[derive(Debug, Args)]
pub(crate) struct ProgramArgs {
    /// Also search this directory for headers
    #[arg(short = 'I', value_name = "DIR", help_heading = "Compiling")]
    include: Vec<PathBuf>,

    /// Define a macro: NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "MACRO", help_heading = "Compiling")]
    define: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "MACRO", help_heading = "Compiling")]
    undefine: Vec<String>,

    /// The C standard, as -std=c99 or -std=gnu17 [default: gnu11]
    #[arg(long = "std", value_name = "STANDARD", help_heading = "Compiling")]
    standard: Option<String>,

    /// Options of compilers that change nothing here: -pthread, -lm, -O2, -g, -Wall
    #[arg(long = COMPILER_FLAG, value_name = "FLAG", allow_hyphen_values = true, hide = true)]
    compiler_flags: Vec<String>,

    /// The sizes of long and of pointers [default: the model that a .i file was made for, otherwise lp64]
    #[arg(long, value_enum, help_heading = "Compiling")]
    data_model: Option<Model>,

    /// The C compiler to preprocess with
    #[arg(long, value_name = "COMMAND", default_value = CC, help_heading = "Compiling")]
    cc: String,

    /// A function that is meant to be atomic; predict checks whether it is
    #[arg(long, value_name = "FUNCTION", help_heading = "Compiling")]
    atomic: Vec<String>,

    /// The file that the program reads as its standard input [default: empty]
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    stdin: Option<PathBuf>,

    /// The range of __VERIFIER_nondet_*() [default: 0, 1, -1, the limits of the type and constants
    /// that the program compares with]
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true, help_heading = "Running")]
    nondet: Option<Range>,

    /// Allow spurious wake-ups of waits on condition variables, as POSIX does
    #[arg(long, help_heading = "Running")]
    spurious: bool,

    /// End a run when a thread unlocks a mutex that it does not hold; otherwise it continues, as with the C library
    #[arg(long, help_heading = "Running")]
    strict_locks: bool,

    /// Treat a call of abort() as an assumption that does not hold, as SV-COMP programs do
    #[arg(long, help_heading = "Running")]
    assume_abort: bool,

    /// Give up after this many transitions
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS, help_heading = "Running")]
    max_steps: u64,

    /// The memory that the program may use
    #[arg(long, value_name = "SIZE", default_value = MAX_MEMORY, help_heading = "Running")]
    max_memory: Size,

    /// The arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    /// 4 bytes each
    Ilp32,
    /// 8 bytes each
    Lp64,
}

/// A range of values: `-1..3`, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range(i64, i64);

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Range, String> {
        let ends = text.split_once("..").map(|(low, high)| (low, high.trim_start_matches('=')));
        let ends = ends.and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        match ends {
            Some((low, high)) if low <= high => Ok(Range(low, high)),
            Some(_) => Err("the range is empty".to_owned()),
            None => Err("a range looks like -1..3".to_owned()),
        }
    }
}

#[cfg_attr(not(feature = "native"), allow(dead_code, reason = "for binaries"))]
impl ProgramArgs {
    /// The arguments of the program.
    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// The functions that are meant to be atomic.
    pub(crate) fn atomic(&self) -> &[String] {
        &self.atomic
    }

    /// What the program reads on its standard input.
    pub(crate) fn stdin(&self) -> Option<&Path> {
        self.stdin.as_deref()
    }

    /// The first option that was given and means nothing for a binary.
    pub(crate) fn only_for_sources(&self) -> Option<&'static str> {
        let given = [
            (!self.include.is_empty(), "-I"),
            (!self.define.is_empty(), "-D"),
            (!self.undefine.is_empty(), "-U"),
            (self.standard.is_some(), "-std"),
            (!self.compiler_flags.is_empty(), "an option of compilers"),
            (self.data_model.is_some(), "--data-model"),
            (self.cc != CC, "--cc"),
            (self.nondet.is_some(), "--nondet"),
            (self.spurious, "--spurious"),
            (self.assume_abort, "--assume-abort"),
            (self.max_steps != MAX_STEPS, "--max-steps"),
            (MAX_MEMORY.parse() != Ok(self.max_memory), "--max-memory"),
        ];
        given.into_iter().find_map(|(is_given, name)| is_given.then_some(name))
    }

    /// Whether unlocking what a thread does not hold ends the run.
    pub(crate) fn strict_locks(&self) -> bool {
        self.strict_locks
    }

    /// Compiles the files; shows warnings.
    pub(crate) fn compile(
        &self,
        files: &[PathBuf],
        context: &Context,
    ) -> Result<Arc<Program>, Diagnostic> {
        if let Some(file) = files.iter().find(|file| !is_c(file)) {
            return Err(not_c(file, files));
        }
        let options = Options {
            compiler: self.cc.clone(),
            standard: self.standard.clone(),
            include_dirs: self.include.clone(),
            defines: self.define.clone(),
            undefines: self.undefine.clone(),
            transactions: self.atomic.clone(),
            model: match self.data_model {
                Some(Model::Ilp32) => DataModel::Ilp32,
                Some(Model::Lp64) => DataModel::Lp64,
                None if files.iter().any(|file| preprocess::is_for_ilp32(file)) => {
                    context
                        .show(&Diagnostic::note("size_t has 4 bytes here: use --data-model ilp32"));
                    DataModel::Ilp32
                }
                None => DataModel::Lp64,
            },
            ..Options::default()
        };
        match compile::compile(files, &options) {
            Ok(compiled) => {
                compiled.warnings.iter().for_each(|warning| context.show(&diagnostic(warning)));
                Ok(Arc::new(compiled.program))
            }
            Err(error) => Err(self.explain(error, files, context)),
        }
    }

    /// The command that replays a schedule: what comes before it, and after it.
    pub(crate) fn replay_command(&self, files: &[PathBuf]) -> (String, String) {
        let mut words = vec!["raddle".to_owned(), "replay".to_owned()];
        let mut option = |name: &str, value: &OsStr| words.push(format!("{name}{}", quoted(value)));
        self.include.iter().for_each(|dir| option("-I", dir.as_os_str()));
        self.define.iter().for_each(|text| option("-D", OsStr::new(text)));
        self.undefine.iter().for_each(|text| option("-U", OsStr::new(text)));
        self.standard.iter().for_each(|text| option("-std=", OsStr::new(text)));
        self.atomic.iter().for_each(|text| option("--atomic=", OsStr::new(text)));
        if let Some(model) = self.data_model {
            let name = if matches!(model, Model::Ilp32) { "ilp32" } else { "lp64" };
            option("--data-model=", OsStr::new(name));
        }
        if let Some(path) = &self.stdin {
            option("--stdin=", path.as_os_str());
        }
        if self.cc != CC {
            option("--cc=", OsStr::new(&self.cc));
        }
        if let Some(Range(low, high)) = self.nondet {
            words.push(format!("--nondet={low}..{high}"));
        }
        if self.max_steps != MAX_STEPS {
            words.push(format!("--max-steps={}", self.max_steps));
        }
        if MAX_MEMORY.parse() != Ok(self.max_memory) {
            words.push(format!("--max-memory={}", self.max_memory.0));
        }
        words.extend(self.spurious.then(|| "--spurious".to_owned()));
        words.extend(self.strict_locks.then(|| "--strict-locks".to_owned()));
        words.extend(self.assume_abort.then(|| "--assume-abort".to_owned()));
        words.extend(files.iter().map(|file| quoted(file.as_os_str())));
        let arguments: Vec<_> = self.arguments.iter().map(|word| quoted(word)).collect();
        let after = match arguments.as_slice() {
            [] => String::new(),
            words => format!(" -- {}", words.join(" ")),
        };
        (words.join(" "), after)
    }

    /// All errors but the last are shown here; the last one ends the command.
    fn explain(&self, error: Error, files: &[PathBuf], context: &Context) -> Diagnostic {
        match error {
            Error::Diagnostics(reports) => {
                let (last, first) = match reports.split_last() {
                    Some(split) => split,
                    None => return Diagnostic::error("the program does not compile"),
                };
                first.iter().for_each(|report| context.show(&diagnostic(report)));
                match reports.iter().any(|report| report.kind == Kind::Unsupported) {
                    true => diagnostic(last).help(as_binary("cc", files)),
                    false => diagnostic(last),
                }
            }
            Error::Preprocessor { compiler, file, stderr, .. } => {
                let title = format!("{compiler} cannot preprocess `{}`", file.display());
                stderr.trim().lines().fold(Diagnostic::error(title), Diagnostic::remark)
            }
            Error::NoCompiler { .. } => Diagnostic::error(error.to_string())
                .help("use --cc to name another compiler; a preprocessed .i file needs none"),
            other => Diagnostic::error(other.to_string()),
        }
    }

    /// The settings of the machine; `name` is the program's own name for itself.
    pub(crate) fn settings(&self, name: &str) -> Result<Settings, Diagnostic> {
        let stdin = match &self.stdin {
            None => Vec::new(),
            Some(path) => fs::read(path).map_err(|error| {
                Diagnostic::error(format!("cannot read `{}`", path.display())).because(&error)
            })?,
        };
        let own = name.as_bytes().to_vec();
        let given = self.arguments.iter().map(|argument| argument.clone().into_encoded_bytes());
        Ok(Settings {
            arguments: std::iter::once(own).chain(given).collect(),
            stdin,
            n_steps_max: self.max_steps,
            memory_max: self.max_memory.0,
            spurious: self.spurious,
            strict_locks: self.strict_locks,
            assume_abort: self.assume_abort,
            nondet: self.nondet.map(|Range(low, high)| (low, high)),
            ..Settings::default()
        })
    }
}

/// Whether a file may be C: anything but what is known to be another language.
fn is_c(file: &Path) -> bool {
    let ending = file.extension().unwrap_or_default();
    !CPP.iter().any(|other| ending == *other) && ending != "rs"
}

/// How files in C++ end.
const CPP: [&str; 6] = ["cpp", "cc", "cxx", "c++", "C", "hpp"];

fn not_c(file: &Path, files: &[PathBuf]) -> Diagnostic {
    let name = file.display();
    match file.extension().is_some_and(|ending| ending == "rs") {
        true => Diagnostic::error(format!("`{name}` is Rust, but only C sources are supported"))
            .help(
                "build a binary with raddle cargo build; or write a test with the crate `raddle`, \
                 which needs none",
            ),
        false => Diagnostic::error(format!("`{name}` is C++, but only C sources are supported"))
            .help(as_binary("c++", files)),
    }
}

/// What the machine cannot run, for people.
pub(crate) fn unsupported(failure: &Failure, files: &[PathBuf]) -> Diagnostic {
    let place = failure.places.first().map(|place| format!(" ({place})")).unwrap_or_default();
    let title = format!("Raddle's virtual machine does not support {}{place}", failure.message);
    Diagnostic::warning(title).help(as_binary("cc", files))
}

/// How to check a program as a binary.
fn as_binary(compiler: &str, files: &[PathBuf]) -> String {
    let files: Vec<_> = files.iter().map(|file| quoted(file.as_os_str())).collect();
    let files = files.join(" ");
    format!(
        "build a binary and check that: raddle {compiler} -pthread {files} && raddle check ./a.out"
    )
}

/// A message of the front end, for people.
fn diagnostic(report: &Report) -> Diagnostic {
    let mut shown = match report.kind {
        Kind::Warning => Diagnostic::warning(&report.message),
        Kind::Invalid | Kind::Unsupported => Diagnostic::error(&report.message),
    };
    let excerpt = &report.excerpt;
    if !excerpt.location.file.is_empty() {
        let label = report.label.clone().unwrap_or_default();
        shown = shown.at(place(excerpt, label));
    }
    for (at, note) in &report.notes {
        let at = at.as_ref().map(|at| format!(" ({}:{})", at.location.file, at.location.line));
        shown = shown.remark(format!("{note}{}", at.unwrap_or_default()));
    }
    shown
}

/// A line of the program with a part of it marked.
pub(crate) fn place(excerpt: &raddle_cfront::source::Excerpt, label: String) -> Place {
    Place {
        path: excerpt.location.file.to_string(),
        line: Some(excerpt.location.line as usize),
        column: Some(excerpt.location.column as usize),
        excerpt: Some(Excerpt {
            text: excerpt.line.clone(),
            marked: excerpt.underlined.clone(),
            label,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends() {
        assert_eq!("-1..3".parse(), Ok(Range(-1, 3)));
        assert_eq!("0..=1".parse(), Ok(Range(0, 1)));
        assert!("3..1".parse::<Range>().is_err());
        assert!("3".parse::<Range>().is_err());
    }
}
