//! What tests need of a machine beside Rust, and which were skipped for want of it.
//!
//! In: a [`Need`] that a test asks for. Out: whether it is met.
//!
//! - N1: a test that lacks something fails, unless `RADDLE_SKIPPED` names a file.
//! - N2: if it does, the test adds itself and the need to that file and leaves out what it cannot do.
//!
//! - N3: a need is asked for in a thread that has the name of its test, so that the list has it.
//!
//! `cargo xtask test` names the file, and lists at the end what was left out; so nothing is left out in silence.
//!
//! Beside that, processes that end with their test ([`start`]).

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

mod started;

pub use started::{Started, start};

/// The environment variable that names the file of skipped tests.
pub const SKIPPED: &str = "RADDLE_SKIPPED";

/// Under which names browsers are looked for.
pub const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Something that some tests need.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// `gcc`.
    Gcc,
    /// `g++`.
    Gxx,
    /// `clang` and `clang++`.
    Clang,
    /// Clang's libraries for sanitizers.
    ClangRuntime,
    /// A browser.
    Chromium,
}

impl Need {
    /// All of them.
    pub const ALL: [Need; 5] =
        [Need::Gcc, Need::Gxx, Need::Clang, Need::ClangRuntime, Need::Chromium];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Need::Gcc => "gcc",
            Need::Gxx => "g++",
            Need::Clang => "clang",
            Need::ClangRuntime => "clang's sanitizer libraries",
            Need::Chromium => "Chromium",
        }
    }

    /// The package of Debian and Ubuntu that has it.
    pub fn package(self) -> &'static str {
        match self {
            Need::Gcc => "gcc",
            Need::Gxx => "g++",
            Need::Clang => "clang",
            Need::ClangRuntime => "libclang-rt-dev",
            Need::Chromium => "chromium",
        }
    }

    /// Whether this machine has it.
    pub fn is_there(self) -> bool {
        match self {
            Need::Gcc => runs("gcc"),
            Need::Gxx => runs("g++"),
            Need::Clang => runs("clang") && runs("clang++"),
            Need::ClangRuntime => has_ubsan(),
            Need::Chromium => browser().is_some(),
        }
    }
}

/// Whether a need of the running test is met. If not, the test is noted as skipped (N2).
///
/// # Panics
///
/// If it is not, and tests may not be skipped (N1); if the thread has no name (N3).
pub fn met(need: Need) -> bool {
    assert!(thread::current().name().is_some(), "the thread has to have the name of its test");
    let is_met = need.is_there();
    if !is_met {
        skip(need);
    }
    is_met
}

/// The browser that tests use.
pub fn browser() -> Option<&'static str> {
    BROWSERS.into_iter().find(|name| runs(name))
}

fn skip(need: Need) {
    let Some(list) = env::var_os(SKIPPED) else {
        panic!(
            "this test needs {}, package `{}`; `cargo xtask test` runs those that do not",
            need.name(),
            need.package()
        );
    };
    let line = format!("{}\t{}\n", need.package(), test());
    let file = OpenOptions::new().create(true).append(true).open(&list);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    written.unwrap_or_else(|error| panic!("{}: {error}", Path::new(&list).display()));
}

/// The package and the name of the running test.
fn test() -> String {
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let program = env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_stem).unwrap_or_default();
    // Cargo puts a hash behind the name of the program.
    let program = program.to_string_lossy();
    let program = program.rsplit_once('-').map_or(&*program, |(name, _)| name);
    let thread = thread::current();
    format!("{package} {program} {}", thread.name().unwrap_or_default())
}

fn runs(name: &str) -> bool {
    let mut asked = Command::new(name);
    asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// Clang's package only recommends its libraries, and versions of it name them differently.
fn has_ubsan() -> bool {
    let names = [String::new(), format!("-{}", env::consts::ARCH)]
        .map(|target| format!("-print-file-name=libclang_rt.ubsan_standalone{target}.so"));
    names.iter().any(|name| {
        let asked = Command::new("clang").arg(name).output();
        asked.is_ok_and(|asked| {
            Path::new(String::from_utf8_lossy(&asked.stdout).trim()).is_absolute()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_does_not_run() {
        assert!(runs("rustc"));
        assert!(!runs("raddle-has-no-such-program"));
    }

    #[test]
    fn threads_without_a_name_may_not_ask() {
        assert!(met(Need::Gcc));
        assert!(thread::spawn(|| met(Need::Gcc)).join().is_err());
    }

    #[test]
    fn tests_are_named_by_package_program_and_thread() {
        assert_eq!(
            test(),
            "raddle-needs raddle_needs tests::tests_are_named_by_package_program_and_thread"
        );
    }
}
