//! `cargo xtask corpus`: checks every program of the corpus with the release build, and says how long that takes.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// How long a check of a program that fails may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Checks them one by one.
pub fn run() -> Result<()> {
    let build = ["build", "--release", "--package", "raddle-cli"];
    ensure!(Command::new("cargo").args(build).status()?.success(), "it does not build");
    let mut names: Vec<_> = fs::read_dir("corpus/c")
        .context("this is not the root of the repository")?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<_>>()?;
    names.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    names.sort();
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    let mut faults = Vec::new();
    for path in names {
        let start = Instant::now();
        let status = Command::new(format!("{target}/release/raddle"))
            .args(["check", "--quiet"])
            .arg(&path)
            .stdout(Stdio::null())
            .status()?;
        let (time, name) = (start.elapsed(), path.display());
        let expected = if path.to_string_lossy().ends_with("_fixed.c") { 0 } else { 1 };
        println!("{:7.2} s  exit {:?}  {name}", time.as_secs_f64(), status.code());
        if status.code() != Some(expected) || expected == 1 && time > LIMIT {
            faults.push(name.to_string());
        }
    }
    if !faults.is_empty() {
        bail!("not as expected, or slow: {}", faults.join(", "));
    }
    Ok(())
}
