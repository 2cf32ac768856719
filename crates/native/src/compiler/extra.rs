//! What is added to a call of a compiler.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::call::{Call, Stage};
use super::{Compiler, Family};

/// Makes a linker take the runtime whether or not it sees a use of it; it has to come first.
const RUNTIME: [&str; 3] =
    ["-Wl,--push-state,--no-as-needed", "-lraddle_runtime", "-Wl,--pop-state"];

/// The first version of Clang that does not warn of arguments that are marked so.
const MARKS_UNUSED: u32 = 14;

/// What comes before the given arguments.
pub(super) fn arguments(compiler: &Compiler, call: &Call, directory: &Path) -> Vec<OsString> {
    let mut all: Vec<OsString> = strings(&["-g", "-fsanitize=thread"]);
    match compiler.family {
        Family::Gcc => {
            // It warns of fences, which its own runtime does not know and ours does.
            all.extend(strings(&["-Wno-tsan"]));
            if call.stage == Stage::Link {
                all.extend([with("-L", directory), with("-B", directory)]);
                all.extend(search_path(directory));
                // Otherwise it adds `-ltsan`, which is found in the folder.
                all.extend(strings(if call.is_bare { &RUNTIME } else { &[] }));
            }
            all
        }
        Family::Clang { major } => {
            // Without it the read of `x++` is left out.
            all.extend(strings(&["-mllvm", "-tsan-instrument-read-before-write"]));
            all.extend(strings(&["-fno-sanitize-link-runtime"]));
            if call.stage == Stage::Link {
                all.push(with("-L", directory));
                all.extend(strings(&RUNTIME));
                all.extend(search_path(directory));
                all.extend(behaviour_library(compiler, call));
            }
            forgive_unused(all, major)
        }
    }
}

/// Not every call uses all of the arguments, and Clang may be set to reject that.
fn forgive_unused(all: Vec<OsString>, major: u32) -> Vec<OsString> {
    let (before, after): (_, &[&str]) = match major {
        MARKS_UNUSED.. => ("--start-no-unused-arguments", &["--end-no-unused-arguments"]),
        _ => ("-Wno-unused-command-line-argument", &[]),
    };
    let mut forgiven = strings(&[before]);
    forgiven.extend(all);
    forgiven.extend(strings(after));
    forgiven
}

/// What checks for undefined behaviour call; Clang has it in the runtime that ours replaces.
/// The static library would come before the runtime and take signals over.
fn behaviour_library(compiler: &Compiler, call: &Call) -> Vec<OsString> {
    if !call.checks_behaviour {
        return Vec::new();
    }
    let names = ["libclang_rt.ubsan_standalone.so", "libclang_rt.ubsan_standalone-x86_64.so"];
    let found = names.iter().find_map(|name| {
        let output = compiler.bare().arg(format!("-print-file-name={name}")).output().ok()?;
        let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        path.is_absolute().then_some(path)
    });
    // Without it the linker says what is missing.
    let Some(library) = found else { return Vec::new() };
    let mut all = vec![library.clone().into_os_string()];
    all.extend(library.parent().map(search_path).into_iter().flatten());
    all
}

/// Lets the program find a library when it runs. A folder may have a comma in its name.
fn search_path(directory: &Path) -> [OsString; 4] {
    ["-Xlinker".into(), "-rpath".into(), "-Xlinker".into(), directory.into()]
}

fn with(option: &str, directory: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(directory);
    argument
}

fn strings(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}
