//! `raddle doctor`: whether programs can run under Raddle here, found out by doing it.
//!
//! In: the system, the tools on it. Out: one check after the other, each with what it found, and
//! where that is a problem, with what follows and what to do.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use raddle_native::compiler::Language;
use raddle_native::install::Installation;
use raddle_native::{system, trial};
use serde::Serialize;

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::output;
use crate::quantity::{count, counted};
use raddle_report::sanitise::visible;

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    name: String,
    state: State,
    /// What was found, or what went wrong.
    found: String,
    /// What follows if it is not well.
    #[serde(skip_serializing_if = "str::is_empty")]
    consequence: &'static str,
    /// What to do then.
    #[serde(skip_serializing_if = "str::is_empty")]
    remedy: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// A tool that is not there and need not be.
    Absent,
    Problem,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    ready: bool,
    checks: Vec<Check>,
}

/// Compilers that are tried, if they are there.
const COMPILERS: [(&str, Language); 4] = [
    ("gcc", Language::C),
    ("g++", Language::Cpp),
    ("clang", Language::C),
    ("clang++", Language::Cpp),
];

/// Looks at everything and says whether some compiler's programs run under control.
pub(crate) fn run(context: &Context) -> Result<Exit, Diagnostic> {
    let mut checks = system_checks();
    checks.extend(tool_checks());
    let trials = trial_checks()?;
    let ready = trials.iter().any(|check| check.state == State::Ok);
    checks.extend(trials);
    if context.is_json() {
        output::print_json(&Document { schema: "raddle.doctor/1", ready, checks })?;
    } else {
        output::print_text(&text(&checks, ready, context))?;
    }
    Ok(if ready { Exit::Done } else { Exit::Incomplete })
}

fn system_checks() -> Vec<Check> {
    let supported = match system::is_supported() {
        true => Ok("64-bit x86, Linux, glibc".to_owned()),
        false => Err(format!("{} {}", env::consts::ARCH, env::consts::OS)),
    };
    let thread_base = match system::changes_thread_base() {
        true => Ok("allowed"),
        false => Err("not allowed"),
    };
    vec![
        check("system", supported)
            .or("no program can run under Raddle", "use 64-bit x86 Linux with glibc"),
        check("kernel", system::kernel().map_err(|error| error.to_string())),
        check("catching system calls", said(system::catches_system_calls())).or(
            "programs that wait for files or other processes will hang",
            "use Linux 5.11 or newer",
        ),
        check(
            "switching threads in a program",
            thread_base.map(str::to_owned).map_err(str::to_owned),
        )
        .or("threads cannot share one thread of the operating system", "use Linux 5.9 or newer"),
        check("fixed addresses", said(system::fixes_addresses())).or(
            "addresses differ from run to run, and schedules that depend on them do not replay",
            "allow the system call `personality` (docker: --security-opt seccomp=unconfined)",
        ),
        check("reserving address space", said(system::reserves_memory())).or(
            "uses of freed memory are not found",
            "raise `ulimit -v`, and set vm.overcommit_memory to 0 or 1",
        ),
    ]
}

fn tool_checks() -> Vec<Check> {
    let compiler = "programs cannot be built with it";
    [
        ("gcc", compiler),
        ("g++", compiler),
        ("clang", compiler),
        ("clang++", compiler),
        ("gdb", "runs cannot be inspected in a debugger"),
        ("cargo", "Rust programs cannot be built"),
    ]
    .into_iter()
    .map(|(name, consequence)| match system::version(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Check {
            state: State::Absent,
            ..check(name, Err("not found".to_owned())).or(consequence, "install it if you need it")
        },
        version => check(name, version.map_err(|error| error.to_string()))
            .or(consequence, "make sure that it can be run"),
    })
    .collect()
}

/// Compiles and runs a program with each compiler that is there, and with those that the
/// environment names.
fn trial_checks() -> Result<Vec<Check>, Diagnostic> {
    let unpacked = Installation::get();
    let runtime =
        unpacked.map_err(|error| Diagnostic::error("cannot unpack the runtime").because(&error))?;
    let folder = tempfile::tempdir().map_err(|error| {
        Diagnostic::error("cannot create a temporary directory").because(&error)
    })?;
    let usual = COMPILERS.into_iter().filter(|(name, _)| system::version(name).is_ok());
    let mut compilers: Vec<_> =
        usual.map(|(name, language)| (OsString::from(name), language)).collect();
    for (variable, language) in [("RADDLE_CC", Language::C), ("RADDLE_CXX", Language::Cpp)] {
        compilers.extend(env::var_os(variable).filter(|n| !n.is_empty()).map(|n| (n, language)));
    }
    let trial = |(name, language)| try_compiler(name, language, &runtime, folder.path());
    Ok(compilers.into_iter().map(trial).collect())
}

fn try_compiler(
    name: OsString,
    language: Language,
    runtime: &Installation,
    folder: &Path,
) -> Check {
    let found = trial::run(&name, language, runtime, folder).map(|counts| {
        format!(
            "{}, {} accesses, {} switches",
            counted(counts.threads as usize, "thread"),
            count(counts.accesses),
            count(counts.switches)
        )
    });
    check(format!("trial of {}", name.display()), found.map_err(|error| chain(&error)))
        .or("its programs cannot run under Raddle", "fix the problems above, if any")
}

fn check(name: impl Into<String>, found: Result<String, String>) -> Check {
    let state = if found.is_ok() { State::Ok } else { State::Problem };
    let found = found.unwrap_or_else(|problem| problem);
    Check { name: name.into(), state, found, consequence: "", remedy: "" }
}

impl Check {
    /// What follows and what to do if it is not well.
    fn or(mut self, consequence: &'static str, remedy: &'static str) -> Check {
        if self.state != State::Ok {
            (self.consequence, self.remedy) = (consequence, remedy);
        }
        self
    }
}

fn said(answer: io::Result<()>) -> Result<String, String> {
    answer.map(|()| "allowed".to_owned()).map_err(|error| error.to_string())
}

/// An error and what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn text(checks: &[Check], ready: bool, context: &Context) -> String {
    let styles = context.styles();
    let width = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for Check { name, state, found, consequence, remedy } in checks {
        let (style, word) = match state {
            State::Ok => (styles.good, "ok"),
            State::Absent => (styles.dim, "absent"),
            State::Problem => (styles.caution, "problem"),
        };
        let name = visible(name);
        // A compiler's complaint may have many lines.
        let found = found.lines().map(visible).collect::<Vec<_>>().join("\n    ");
        text.push_str(&format!("{name:<width$}  {style}{word:<7}{style:#}  {found}\n"));
        if !consequence.is_empty() {
            text.push_str(&format!("    {consequence}: {remedy}\n"));
        }
    }
    let (style, verdict) = match ready {
        true => (styles.good, "programs can run under Raddle"),
        false => (styles.caution, "programs cannot run under Raddle"),
    };
    text.push_str(&format!("\n{style}{verdict}{style:#}\n"));
    text
}
