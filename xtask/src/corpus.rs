//! `cargo xtask corpus`: checks every program of the corpus with the release build, and says how long that takes.
//!
//! Programs in C are checked as sources and, compiled, as binaries; programs in C++ as binaries. The tests of the
//! Rust library check those in Rust.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// How long a check of a program that fails may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Checks them one by one.
pub fn run() -> Result<()> {
    let build = ["build", "--release", "--package", "raddle-cli"];
    ensure!(Command::new("cargo").args(build).status()?.success(), "it does not build");
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let raddle = Path::new(&target).join("release/raddle");
    let binaries = Path::new(&target).join("corpus");
    fs::create_dir_all(&binaries)?;
    let mut faults = Vec::new();
    for path in programs("corpus/c", "c")? {
        faults.extend(check(&raddle, &path, path.as_os_str())?);
    }
    let languages =
        [("corpus/c", "c", "cc", "-std=gnu17"), ("corpus/cpp", "cpp", "c++", "-std=c++20")];
    for (folder, ending, compiler, standard) in languages {
        for path in programs(folder, ending)? {
            let binary = binaries.join(path.file_stem().unwrap_or_default());
            let compiled = Command::new(&raddle)
                .args([compiler, standard, "-O1", "-pthread", "-o"])
                .args([&binary, &path])
                .status()?;
            ensure!(compiled.success(), "{} does not compile", path.display());
            faults.extend(check(&raddle, &path, binary.as_os_str())?);
        }
    }
    if !faults.is_empty() {
        bail!("not as expected, or slow: {}", faults.join(", "));
    }
    Ok(())
}

/// The programs in a folder.
fn programs(folder: &str, ending: &str) -> Result<Vec<PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .context("this is not the root of the repository")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|it| it == ending));
    paths.sort();
    Ok(paths)
}

/// Checks one program; what is wrong with the result, if something is.
fn check(raddle: &Path, source: &Path, subject: &OsStr) -> Result<Option<String>> {
    let start = Instant::now();
    let status = Command::new(raddle)
        .args(["check", "--quiet"])
        .arg(subject)
        .stdout(Stdio::null())
        .status()?;
    let time = start.elapsed();
    let is_fixed =
        source.file_stem().is_some_and(|stem| stem.to_string_lossy().ends_with("_fixed"));
    let expected = if is_fixed { 0 } else { 1 };
    let name = Path::new(subject).display();
    println!("{:7.2} s  exit {:?}  {name}", time.as_secs_f64(), status.code());
    let is_wrong = status.code() != Some(expected) || !is_fixed && time > LIMIT;
    Ok(is_wrong.then(|| name.to_string()))
}
