//! Cargo: the user's own, with what makes Rust programs controllable.
//!
//! In: the arguments of `cargo` and the environment. Out: the same call, with an environment that
//! makes `rustc` instrument the program and link the runtime in the place of its own.
//!
//! - C1: A target is named even though it is the host. Otherwise build scripts and procedural
//!   macros would be instrumented, too, and run inside the compiler.
//! - C2: Instrumentation is not stable in `rustc`; `RUSTC_BOOTSTRAP` lets a stable one do it.
//! - C3: The standard library stays as it is. What it does with memory is not seen; its locks are,
//!   since they end in atomics that are inlined and in futexes.
//! - C4: Flags of the user are kept, ours are added. Where they come from files of configuration,
//!   ours go the same way, since flags in the environment would hide them. Flags for a target hide
//!   those for all (`build.rustflags`), so these are added to ours if nothing else hides them.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use raddle_cache::CacheError;
use thiserror::Error;

use crate::install::Installation;

/// What programs are built for.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// What is between flags in Cargo's variables for flags with blanks.
const SEPARATOR: &str = "\u{1f}";

/// Why Cargo cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CargoError {
    /// It is not there.
    #[error("cannot run `{}`", .0.display())]
    Missing(OsString, #[source] io::Error),
    /// Another machine.
    #[error("programs for `{}` cannot be run under control, only those for {TRIPLE}", .0.display())]
    Target(OsString),
    /// The runtime is not there to be linked.
    #[error("cannot unpack the runtime")]
    Install(#[from] CacheError),
}

/// Becomes Cargo. Comes back only if that fails.
pub fn become_cargo(given: &[OsString], variable: impl Fn(&str) -> Option<OsString>) -> CargoError {
    let cargo = variable("CARGO").unwrap_or_else(|| "cargo".into());
    let prepared = Installation::get().map_err(CargoError::from).and_then(|runtime| {
        let root = workspace(&cargo, given);
        let configured = |key: &str| build_flags(&cargo, key);
        command(&cargo, given, variable, configured, runtime.directory(), root.as_deref())
    });
    match prepared {
        Ok(mut command) => CargoError::Missing(cargo, command.exec()),
        Err(error) => error,
    }
}

/// The call of Cargo; the runtime lies in `directory`, the program in `workspace`. What is `configured`
/// for all targets is a list of strings of TOML.
fn command(
    cargo: &OsStr,
    given: &[OsString],
    variable: impl Fn(&str) -> Option<OsString>,
    configured: impl Fn(&str) -> Option<String>,
    directory: &Path,
    workspace: Option<&Path>,
) -> Result<Command, CargoError> {
    let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
    let mut command = Command::new(cargo);
    command.env("RUSTC_BOOTSTRAP", "1");

    match option(given, "--target").or_else(|| variable("CARGO_BUILD_TARGET")) {
        Some(target) if target != TRIPLE => return Err(CargoError::Target(target)),
        _ => command.env("CARGO_BUILD_TARGET", TRIPLE),
    };
    let has_place = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"].map(&variable);
    if let (Some(root), [None, None]) = (workspace, has_place) {
        // Instrumented and plain programs would replace each other in one folder.
        command.env("CARGO_TARGET_DIR", root.join("target/raddle"));
    }
    let ours = flags(directory);
    let mut configuration = Vec::new();
    for (key, name) in [("rustflags", "RUSTFLAGS"), ("rustdocflags", "RUSTDOCFLAGS")] {
        let encoded = format!("CARGO_ENCODED_{name}");
        let theirs = variable(&encoded).or_else(|| variable(name).map(|flags| encode(&flags)));
        match (theirs, configure(key, &ours, || configured(key))) {
            (None, Some(option)) => configuration.extend(["--config".into(), option]),
            (theirs, _) => {
                let all: Vec<_> = theirs.into_iter().chain(ours.iter().cloned()).collect();
                command.env(encoded, all.join(OsStr::new(SEPARATOR)));
            }
        }
    }
    // A toolchain (`+nightly`) comes before everything else.
    let is_toolchain = |first: &OsString| first.as_bytes().starts_with(b"+");
    let n_before = usize::from(given.first().is_some_and(is_toolchain));
    command.args(&given[..n_before]).args(configuration).args(&given[n_before..]);
    Ok(command)
}

/// What makes `rustc` instrument and link.
fn flags(directory: &Path) -> Vec<OsString> {
    let linker = |argument: &str, path: Option<&Path>| {
        let mut flag = OsString::from(format!("-Zpre-link-args={argument}"));
        flag.push(path.unwrap_or(Path::new("")));
        flag
    };
    vec![
        "-Zsanitizer=thread".into(),
        "-Zexternal-clangrt".into(),
        // The standard library is not instrumented, which is fine (C3).
        "-Cunsafe-allow-abi-mismatch=sanitizer".into(),
        linker("-Wl,--push-state,--no-as-needed", None),
        linker("-L", Some(directory)),
        linker("-lraddle_runtime", None),
        linker("-Wl,--pop-state", None),
        linker("-Wl,-rpath,", Some(directory)),
        "-Cdebuginfo=2".into(),
    ]
}

/// Flags as a line of configuration, unless a folder has a name that cannot be written so.
fn configure(
    key: &str,
    flags: &[OsString],
    theirs: impl Fn() -> Option<String>,
) -> Option<OsString> {
    let quoted = flags.iter().map(|flag| {
        let text = flag.to_str().filter(|text| !text.contains(['\'', '\n']))?;
        Some(format!("'{text}'"))
    });
    let list = theirs().map(Some).into_iter().chain(quoted);
    let list = list.collect::<Option<Vec<_>>>()?.join(", ");
    Some(format!("target.{TRIPLE}.{key} = [{list}]").into())
}

/// Flags that are separated by blanks, as Cargo's other variable has them.
fn encode(flags: &OsStr) -> OsString {
    let words = flags.as_bytes().split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    words.map(OsStr::from_bytes).collect::<Vec<_>>().join(OsStr::new(SEPARATOR))
}

/// The value of an option among Cargo's own arguments.
fn option(given: &[OsString], name: &str) -> Option<OsString> {
    let mut own = given.iter().take_while(|argument| *argument != "--");
    while let Some(argument) = own.next() {
        if argument == name {
            return own.next().cloned();
        }
        let value = argument.as_bytes().strip_prefix(name.as_bytes());
        if let Some(value) = value.and_then(|value| value.strip_prefix(b"=")) {
            return Some(OsStr::from_bytes(value).to_owned());
        }
    }
    None
}

/// What files of configuration have for all targets and nothing for a target hides, as a list of
/// strings of TOML.
fn build_flags(cargo: &OsStr, key: &str) -> Option<String> {
    let ask = |what: &str| {
        let mut command = Command::new(cargo);
        command.env("RUSTC_BOOTSTRAP", "1");
        command.args(["-Zunstable-options", "config", "get", "--format=json-value", what]);
        let output = command.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
    };
    let flags = ask(&format!("build.{key}"))?;
    let is_hidden = ask("target").is_some_and(|all| all.contains(&format!("\"{key}\":")));
    if is_hidden { None } else { list(&flags) }
}

/// The inside of a list of strings, of which JSON and TOML have the same idea. One string has flags
/// with blanks between them.
fn list(flags: &str) -> Option<String> {
    let inside = |open, close| flags.strip_prefix(open)?.strip_suffix(close);
    let list = match inside('[', ']') {
        Some(list) => list.to_owned(),
        None => {
            let words = inside('"', '"')?.split_whitespace();
            words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", ")
        }
    };
    Some(list).filter(|list| !list.is_empty())
}

/// The folder of the workspace, if there is one: `cargo new` needs none.
fn workspace(cargo: &OsStr, given: &[OsString]) -> Option<PathBuf> {
    let mut command = Command::new(cargo);
    command.args(["locate-project", "--workspace", "--message-format", "plain"]);
    if let Some(manifest) = option(given, "--manifest-path") {
        command.arg("--manifest-path").arg(manifest);
    }
    let output = command.output().ok().filter(|output| output.status.success())?;
    let manifest = Path::new(OsStr::from_bytes(output.stdout.trim_ascii_end()));
    manifest.parent().map(Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of the call, and what it sets in the environment.
    fn call(given: &[&str], environment: &[(&str, &str)]) -> Result<(String, String), CargoError> {
        let given: Vec<OsString> = given.iter().map(OsString::from).collect();
        let variable = |name: &str| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())
        };
        let (directory, root) = (Path::new("/cache"), Path::new("/project"));
        let configured = |_: &str| None;
        let cargo = OsStr::new("cargo");
        let call = command(cargo, &given, variable, configured, directory, Some(root))?;
        let words: Vec<_> = call.get_args().map(|word| word.to_str().unwrap()).collect();
        let set = call.get_envs().map(|(name, value)| {
            format!("{}={}", name.to_str().unwrap(), value.unwrap().to_str().unwrap())
        });
        Ok((words.join(" "), set.collect::<Vec<_>>().join("\n")))
    }

    #[test]
    fn flags_go_where_those_of_the_user_come_from() {
        let (words, set) = call(&["build"], &[]).unwrap();
        let start = "--config target.x86_64-unknown-linux-gnu.rustflags = ['-Zsanitizer=thread', ";
        assert!(words.starts_with(start) && words.ends_with(" build"), "{words}");
        assert!(!set.contains("RUSTFLAGS") && set.contains("RUSTC_BOOTSTRAP=1"), "{set}");

        let (words, set) = call(&["build"], &[("RUSTFLAGS", " --cfg  a")]).unwrap();
        assert!(!words.contains("rustflags") && words.contains("rustdocflags"), "{words}");
        let flags = "CARGO_ENCODED_RUSTFLAGS=--cfg\u{1f}a\u{1f}-Zsanitizer=thread\u{1f}";
        assert!(set.contains(flags), "{set}");

        let both = [("RUSTFLAGS", "--cfg a"), ("CARGO_ENCODED_RUSTFLAGS", "--cfg\u{1f}b")];
        let (_, set) = call(&["build"], &both).unwrap();
        assert!(set.contains("=--cfg\u{1f}b\u{1f}-Zsanitizer"), "{set}");
    }

    #[test]
    fn flags_for_all_targets_come_before_ours() {
        assert_eq!(list(r#"["--cfg","a b"]"#).unwrap(), r#""--cfg","a b""#);
        assert_eq!(list(r#""--cfg  a""#).unwrap(), r#""--cfg", "a""#);
        assert_eq!((list("[]"), list("\"\""), list("7")), (None, None, None));
        let option = configure("rustflags", &["-x".into()], || Some("\"-a\"".to_owned())).unwrap();
        assert_eq!(option, format!("target.{TRIPLE}.rustflags = [\"-a\", '-x']").as_str());
    }

    #[test]
    fn a_toolchain_stays_first() {
        let (words, _) = call(&["+nightly", "test", "--", "--target"], &[]).unwrap();
        assert!(words.starts_with("+nightly --config"), "{words}");
        assert!(words.ends_with("] test -- --target"), "{words}");
    }

    #[test]
    fn results_have_a_folder_of_their_own_unless_the_user_names_one() {
        let place = "CARGO_TARGET_DIR=/project/target/raddle";
        assert!(call(&["build"], &[]).unwrap().1.contains(place));
        let named = call(&["build"], &[("CARGO_TARGET_DIR", "here")]).unwrap();
        assert!(!named.1.contains(place), "{}", named.1);
    }

    #[test]
    fn other_machines_are_refused() {
        let refused = |given: &[&str], environment: &[(&str, &str)]| {
            matches!(call(given, environment), Err(CargoError::Target(_)))
        };
        assert!(refused(&["build", "--target", "aarch64-unknown-linux-gnu"], &[]));
        assert!(refused(&["build", "--target=x86_64-unknown-linux-musl"], &[]));
        assert!(refused(&["build"], &[("CARGO_BUILD_TARGET", "wasm32-wasip1")]));
        assert!(!refused(&["build", "--target", TRIPLE], &[]));
        assert!(!refused(&["run", "--", "--target", "moon"], &[]));
    }
}
