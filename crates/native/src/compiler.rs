//! Compilers: the user's own, with what makes their programs controllable.
//!
//! In: the arguments that a build system passes to `cc`. Out: the same call of the real compiler,
//! with instrumentation, debugging information and, when it links, the runtime in the place of the
//! one that comes with the compiler.
//!
//! ```text
//!  arguments ─► response (files of arguments) ─► call (what is asked for) ─► extra ─► Command
//! ```
//!
//! What was given is passed on untouched and comes last, so that it wins.

mod call;
mod extra;
mod response;

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use raddle_cache::CacheError;
use thiserror::Error;

use crate::install::Installation;
use crate::target;
use call::{Call, Stage};

/// Which language a compiler is called for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `cc`
    C,
    /// `c++`
    Cpp,
}

impl Language {
    /// The environment variable that names the real compiler, and what it is without that.
    fn defaults(self) -> (&'static str, &'static str) {
        match self {
            Language::C => ("RADDLE_CC", "cc"),
            Language::Cpp => ("RADDLE_CXX", "c++"),
        }
    }
}

/// Which family a compiler belongs to; they differ in how a runtime is linked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// GNU.
    Gcc,
    /// LLVM.
    Clang {
        /// The first number of its version.
        major: u32,
    },
}

/// Why a compiler cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompilerError {
    /// It is not there.
    #[error("cannot run the compiler `{}`", .0.display())]
    Missing(OsString, #[source] io::Error),
    /// It would call itself for ever.
    #[error(
        "`{}` is Raddle's own compiler wrapper; set RADDLE_CC and RADDLE_CXX to the real compilers",
        .0.display()
    )]
    Itself(OsString),
    /// Another sanitizer needs the same hooks.
    #[error("`{}` cannot be combined with Raddle, which instruments memory accesses itself", .0.display())]
    Conflict(OsString),
    /// There is no place where the runtime could come in.
    #[error("`{}` cannot be combined with Raddle, which has to be loaded into the program", .0.display())]
    Static(OsString),
    /// Another machine.
    #[error("`{}` cannot be combined with Raddle, which runs programs for 64-bit x86 Linux only", .0.display())]
    Machine(OsString),
    /// The runtime is not there to be linked.
    #[error("cannot unpack the runtime")]
    Install(#[from] CacheError),
}

/// A real compiler.
#[derive(Clone, Debug)]
pub struct Compiler {
    /// The program, and arguments that are always first, as in `ccache gcc`.
    words: Vec<OsString>,
    family: Family,
}

impl Compiler {
    /// The one that the environment names, or else the system's.
    pub fn of(language: Language) -> Result<Compiler, CompilerError> {
        let (variable, default) = language.defaults();
        let named =
            std::env::var_os(variable).filter(|name| !name.as_bytes().trim_ascii().is_empty());
        Compiler::named(&named.unwrap_or_else(|| default.into()))
    }

    /// The compiler of a name, or of a command with blanks such as `ccache gcc`.
    pub fn named(command: &OsStr) -> Result<Compiler, CompilerError> {
        let words = words(command);
        if words.is_empty() {
            let nothing = io::Error::from(io::ErrorKind::NotFound);
            return Err(CompilerError::Missing(command.to_owned(), nothing));
        }
        if let Some(word) = words.iter().find(|word| is_this_program(word)) {
            return Err(CompilerError::Itself(word.clone()));
        }
        let family = family(&words)?;
        Ok(Compiler { words, family })
    }

    /// Its family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The call of the compiler that does what `given` asks for; the runtime lies in `directory`.
    pub fn command(&self, given: &[OsString], directory: &Path) -> Result<Command, CompilerError> {
        let call = Call::read(&response::expand(given))?;
        let mut command = self.bare();
        if call.stage != Stage::Ask {
            command.args(extra::arguments(self, &call, directory));
        }
        command.args(given);
        Ok(command)
    }

    fn bare(&self) -> Command {
        start(&self.words)
    }
}

/// Becomes the real compiler of a language. Comes back only if that fails.
pub fn become_compiler(language: Language, given: &[OsString]) -> CompilerError {
    let prepared = Compiler::of(language).and_then(|compiler| {
        let command = compiler.command(given, Installation::get()?.directory())?;
        Ok((compiler, command))
    });
    match prepared {
        Ok((compiler, mut command)) => {
            CompilerError::Missing(compiler.words[0].clone(), command.exec())
        }
        Err(error) => error,
    }
}

/// All that a program does that stands in for a compiler.
pub fn main(language: Language) -> ExitCode {
    let mut arguments = std::env::args_os();
    // A link of that name makes one program serve both languages.
    let language = match arguments.next() {
        Some(name) if name.as_bytes().ends_with(b"++") => Language::Cpp,
        _ => language,
    };
    let error = become_compiler(language, &arguments.collect::<Vec<_>>());
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    // What was given must not act on the terminal.
    eprintln!("raddle: error: {}", text.replace(char::is_control, "\u{fffd}"));
    ExitCode::from(2)
}

/// The words of a command; a file whose name has blanks is one word.
fn words(command: &OsStr) -> Vec<OsString> {
    if target::resolve(command, std::env::var_os("PATH").as_deref()).is_ok() {
        return vec![command.to_owned()];
    }
    let bytes = command.as_bytes().split(u8::is_ascii_whitespace);
    bytes.filter(|word| !word.is_empty()).map(|word| OsStr::from_bytes(word).to_owned()).collect()
}

fn is_this_program(word: &OsStr) -> bool {
    let found = target::resolve(word, std::env::var_os("PATH").as_deref());
    let file = found.ok().and_then(|file| file.canonicalize().ok());
    file.is_some() && file == std::env::current_exe().ok()
}

fn start(words: &[OsString]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

fn family(words: &[OsString]) -> Result<Family, CompilerError> {
    let missing = |error| CompilerError::Missing(words.join(OsStr::new(" ")), error);
    let output = start(words).arg("--version").output().map_err(missing)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(missing(io::Error::other(said)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(match text.split_once("clang version ") {
        Some((_, version)) => {
            let digits = version.split(|c: char| !c.is_ascii_digit()).next();
            Family::Clang { major: digits.and_then(|n| n.parse().ok()).unwrap_or(0) }
        }
        None => Family::Gcc,
    })
}
