//! `cargo xtask test [--install] [--no-skip] [arguments of cargo test]`: all tests that this machine can run.
//!
//! In: what the tests need of the machine ([`Need`]). Out: the tests run; at the end those that were skipped, for
//! want of what, and the line that installs it.
//!
//! - T1: `--install` installs what is missing before the tests, on Debian and Ubuntu, as root or by sudo.
//! - T2: with `--no-skip` nothing runs unless everything is there.
//! - T3: all executables run, even if tests of one fail; then the command fails, too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use raddle_needs::{Need, SKIPPED};

/// Runs the tests.
pub fn run(arguments: &[&str]) -> Result<()> {
    let (own, passed): (Vec<&str>, Vec<&str>) =
        arguments.iter().copied().partition(|&word| matches!(word, "--install" | "--no-skip"));
    if own.contains(&"--install") {
        install(&missing())?;
    }
    let missing = missing();
    if own.contains(&"--no-skip") && !missing.is_empty() {
        bail!("{} missing; to install what the tests need:\n  {}", names(&missing), line(&missing));
    }
    ensure!(
        !missing.contains(&Need::Gcc),
        "a C compiler is needed to build Raddle:\n  {}",
        line(&missing)
    );
    let target = cargo_metadata::MetadataCommand::new().no_deps().exec()?.target_directory;
    let list = target.join("skipped-tests.txt");
    let list = list.as_std_path();
    fs::create_dir_all(&target)?;
    fs::write(list, "").with_context(|| list.display().to_string())?;
    let passes = cargo_test(&passed, list, target.join("cache").as_std_path())?;
    report(&fs::read_to_string(list)?, &missing);
    ensure!(passes, "tests failed");
    Ok(())
}

fn missing() -> Vec<Need> {
    Need::ALL.into_iter().filter(|need| !need.is_there()).collect()
}

fn names(needs: &[Need]) -> String {
    let verb = if needs.len() == 1 { "is" } else { "are" };
    let names: Vec<_> = needs.iter().map(|need| need.name()).collect();
    format!("{} {verb}", names.join(", "))
}

/// Runs them; what they unpack stays out of the user's cache.
fn cargo_test(passed: &[&str], list: &Path, cache: &Path) -> Result<bool> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--locked"]);
    let chooses = |word: &&str| matches!(*word, "-p" | "--package" | "--workspace");
    if !passed.iter().any(chooses) {
        cargo.arg("--workspace");
    }
    let own = passed.iter().take_while(|&&word| word != "--");
    if !own.copied().any(|word| word == "--no-fail-fast") {
        cargo.arg("--no-fail-fast"); // T3
    }
    cargo.args(passed).env(SKIPPED, list).env("RADDLE_CACHE", cache);
    Ok(cargo.status().context("cargo cannot be run")?.success())
}

/// Says which tests were skipped.
fn report(list: &str, missing: &[Need]) {
    let mut skipped: BTreeMap<Need, Vec<&str>> = BTreeMap::new();
    for (package, test) in list.lines().filter_map(|line| line.split_once('\t')) {
        let need = Need::ALL.into_iter().find(|need| need.package() == package);
        skipped.entry(need.unwrap_or(Need::Gcc)).or_default().push(test);
    }
    if skipped.is_empty() {
        println!("\nNo test was skipped.");
        return;
    }
    for (need, tests) in &mut skipped {
        tests.sort_unstable();
        tests.dedup();
        println!("\nSkipped, whole or in part, because {} is missing:", need.name());
        tests.iter().for_each(|test| println!("  {test}"));
    }
    println!("\nTo run them, too, install what is missing (or call `cargo xtask test --install`):");
    println!("  {}", line(missing));
}

/// The line that installs what is missing.
fn line(missing: &[Need]) -> String {
    let sudo = if is_root() { "" } else { "sudo " };
    format!("{sudo}apt-get install --no-install-recommends {}", packages(missing).join(" "))
}

fn packages(missing: &[Need]) -> Vec<&'static str> {
    let mut packages: Vec<_> = missing.iter().map(|need| need.package()).collect();
    if missing.contains(&Need::Gcc) {
        packages.push("libc6-dev");
    }
    packages
}

/// T1.
fn install(missing: &[Need]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let by_hand = || format!("install {} by hand", packages(missing).join(", "));
    ensure!(
        Command::new("apt-get").arg("--version").output().is_ok(),
        "--install knows Debian and Ubuntu only, and apt-get is not there: {}",
        by_hand()
    );
    let wanted =
        [&["install", "--yes", "--no-install-recommends"], &packages(missing)[..]].concat();
    for arguments in [&["update"], &wanted[..]] {
        let mut command = Command::new(if is_root() { "apt-get" } else { "sudo" });
        if !is_root() {
            command.arg("apt-get");
        }
        let status = command.args(arguments).status();
        let status = status.with_context(|| format!("sudo is not there: {}", by_hand()))?;
        ensure!(status.success(), "apt-get {} failed: {}", arguments.join(" "), by_hand());
    }
    Ok(())
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
