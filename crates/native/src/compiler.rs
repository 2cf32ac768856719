//! Compilers: the user's own, with what makes their programs controllable.
//!
//! In: the arguments that a build system passes to `cc`. Out: the same call of the real compiler,
//! with instrumentation, debugging information and, when it links, the runtime in the place of the
//! one that comes with the compiler.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

use thiserror::Error;

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
    Clang,
}

/// Why a compiler cannot be used.
#[derive(Debug, Error)]
pub enum CompilerError {
    /// It is not there.
    #[error("cannot run the compiler `{}`", .0.display())]
    Missing(OsString, #[source] std::io::Error),
    /// Another sanitizer needs the same hooks.
    #[error("`{}` cannot be combined with Raddle, which instruments memory accesses itself", .0.display())]
    Conflict(OsString),
    /// A static program has no place where the runtime could come in.
    #[error("`-static` cannot be combined with Raddle, which has to be loaded into the program")]
    Static,
}

/// The real compiler of a language.
pub fn real(language: Language) -> OsString {
    let (variable, default) = language.defaults();
    std::env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or_else(|| default.into())
}

/// Which family a compiler belongs to.
pub fn family(compiler: &OsStr) -> Result<Family, CompilerError> {
    let output = Command::new(compiler)
        .arg("--version")
        .output()
        .map_err(|error| CompilerError::Missing(compiler.to_owned(), error))?;
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(if text.contains("clang") { Family::Clang } else { Family::Gcc })
}

/// The arguments for the real compiler.
pub fn arguments(
    family: Family,
    given: &[OsString],
    directory: &Path,
) -> Result<Vec<OsString>, CompilerError> {
    for argument in given {
        let text = argument.to_string_lossy();
        if text == "-static" || text == "--static" || text == "-static-pie" {
            return Err(CompilerError::Static);
        }
        let others = ["address", "memory", "leak", "hwaddress", "thread"];
        if let Some(list) = text.strip_prefix("-fsanitize=")
            && list.split(',').any(|name| name != "thread" && others.contains(&name))
        {
            return Err(CompilerError::Conflict(argument.clone()));
        }
    }
    // Asking a compiler about itself is not compiling.
    let asks = given.iter().all(|argument| {
        let text = argument.to_string_lossy();
        text.starts_with("-print")
            || text.starts_with("-dump")
            || text.starts_with("--print")
            || ["--version", "-v", "-V", "--help", "-###"].contains(&&*text)
    });
    if asks {
        return Ok(given.to_vec());
    }
    let mut all: Vec<OsString> = ["-g", "-fsanitize=thread"].map(OsString::from).into();
    if family == Family::Clang {
        // Without it the read of `x++` is left out.
        all.extend(["-mllvm", "-tsan-instrument-read-before-write"].map(OsString::from));
    }
    if links(given) {
        all.extend(link_arguments(family, directory));
    }
    all.extend(given.iter().cloned());
    Ok(all)
}

/// What makes a linker take the runtime, before any other library.
fn link_arguments(family: Family, directory: &Path) -> Vec<OsString> {
    let with = |prefix: &str| {
        let mut argument = OsString::from(prefix);
        argument.push(directory);
        argument
    };
    let mut all = vec![with("-L")];
    match family {
        Family::Gcc => all.push(with("-B")),
        Family::Clang => all.extend(
            [
                "-fno-sanitize-link-runtime",
                "-Wl,--push-state,--no-as-needed",
                "-lraddle_runtime",
                "-Wl,--pop-state",
            ]
            .map(OsString::from),
        ),
    }
    all.push(with("-Wl,-rpath,"));
    all
}

/// Whether a call of a compiler links.
fn links(arguments: &[OsString]) -> bool {
    let stops = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"];
    let has_input = arguments.iter().any(|argument| !argument.as_encoded_bytes().starts_with(b"-"));
    has_input && !arguments.iter().any(|argument| stops.contains(&&*argument.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(family: Family, given: &[&str]) -> Vec<String> {
        let given: Vec<OsString> = given.iter().map(OsString::from).collect();
        let all = arguments(family, &given, Path::new("/cache")).unwrap();
        all.into_iter().map(|argument| argument.into_string().unwrap()).collect()
    }

    #[test]
    fn compiling_instruments_and_linking_brings_the_runtime() {
        let compile = call(Family::Gcc, &["-c", "a.c"]);
        assert_eq!(compile, ["-g", "-fsanitize=thread", "-c", "a.c"]);
        let link = call(Family::Gcc, &["a.o", "-o", "a"]);
        assert!(link.contains(&"-L/cache".to_owned()) && link.contains(&"-B/cache".to_owned()));
        let link = call(Family::Clang, &["a.o", "-o", "a"]);
        assert!(link.contains(&"-lraddle_runtime".to_owned()));
    }

    #[test]
    fn questions_about_the_compiler_are_passed_on() {
        assert_eq!(call(Family::Gcc, &["--version"]), ["--version"]);
        assert_eq!(call(Family::Gcc, &["-print-search-dirs"]), ["-print-search-dirs"]);
    }

    #[test]
    fn what_cannot_work_is_refused() {
        let refused = |argument: &str| {
            arguments(Family::Gcc, &[argument.into(), "a.c".into()], Path::new("/cache")).is_err()
        };
        assert!(refused("-static") && refused("-fsanitize=address,undefined"));
        assert!(!refused("-fsanitize=thread") && !refused("-fsanitize=undefined"));
    }
}
