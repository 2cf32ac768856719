//! Outside: who may touch files, processes, the network and the terminal.
//!
//! - O1: the sources of crates name what does so only below the paths in [`ALLOWED`].
//!
//! Tests, measurements, build scripts and comments do not count.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Who may, and for what.
const ALLOWED: [&str; 16] = [
    // Its purpose.
    "crates/cache/src",
    "crates/cli/src",
    "crates/native/src",
    "crates/runtime/src",
    // Traces: files, the standard input, and how much memory the machine has.
    "crates/trace/src/format/input.rs",
    "crates/trace/src/format/memory.rs",
    // C programs: sources, and the preprocessor.
    "crates/cfront/src/diagnostic.rs",
    "crates/cfront/src/preprocess.rs",
    "crates/cfront/src/source.rs",
    // Rust tests: what a test prints and writes, and the end of its process.
    "crates/raddle/src/check.rs",
    "crates/raddle/src/engine/overflow.rs",
    "crates/raddle/src/lib.rs",
    "crates/raddle/src/report/publish.rs",
    "crates/raddle/src/trace.rs",
    "crates/raddle/src/watchdog.rs",
    // Recordings and sources of binaries.
    "crates/session/src/native",
];

/// What touches the outside.
const TOUCHES: [&str; 10] = [
    "std::fs",
    "std::net",
    "std::process",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    " print!(",
    "println!(",
    " eprint!(",
    "File::open",
];

pub(super) fn check(root: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for path in sources(&root.join("crates"))? {
        let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        let code = fs::read_to_string(&path).with_context(|| name.clone())?;
        faults.extend(check_file(&name, &code));
    }
    Ok(faults)
}

fn check_file(name: &str, code: &str) -> Vec<String> {
    if ALLOWED.iter().any(|allowed| Path::new(name).starts_with(allowed)) {
        return Vec::new();
    }
    let code = code.split("#[cfg(test)]").next().unwrap_or(code);
    let lines = (1..).zip(code.lines()).filter(|(_, line)| !line.trim_start().starts_with("//"));
    let touches = lines.filter_map(|(n, line)| {
        let what = TOUCHES.iter().find(|touch| line.contains(*touch))?;
        Some(format!("{name}:{n}: `{}` touches the outside (O1)", what.trim()))
    });
    touches.collect()
}

/// The sources of all crates, without tests, measurements and build scripts.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !["tests", "target", "examples", "benches"].contains(&&*name) {
            all.extend(sources(&path)?);
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "build.rs" {
            all.push(path);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, code: &str, n_faults: usize) {
        assert_eq!(check_file(name, code).len(), n_faults);
    }

    #[test]
    fn o1_only_some_crates_touch_files() {
        check("crates/solve/src/lib.rs", "use std::fs;\n\nfn f() { println!(\"\"); }", 2);
        check("crates/cli/src/main.rs", "use std::fs;", 0);
        check("crates/trace/src/format/input.rs", "use std::fs;", 0);
        check("crates/trace/src/index.rs", "use std::fs;", 1);
    }

    #[test]
    fn o1_tests_and_comments_do_not_count() {
        check("crates/solve/src/lib.rs", "// std::fs\n#[cfg(test)]\nmod tests { use std::fs; }", 0);
    }

    #[test]
    fn every_path_that_may_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
        let gone: Vec<_> = ALLOWED.iter().filter(|path| !root.join(path).exists()).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }
}
