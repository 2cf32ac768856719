//! `cargo xtask soak [name]`: the long forms of the tests that try random inputs, in release mode; and `memory`, where every
//! access to memory is checked.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

/// A long form: its name, what `cargo test` is given, and the variable that makes it long.
struct Soak {
    name: &'static str,
    tests: &'static [&'static str],
    variable: (&'static str, &'static str),
}

const fn soak(
    name: &'static str,
    tests: &'static [&'static str],
    variable: (&'static str, &'static str),
) -> Soak {
    Soak { name, tests, variable }
}

const ALL: [Soak; 15] = [
    soak("happens", &["-p", "raddle-happens"], ("RADDLE_HAPPENS", "2000000")),
    soak("trace", &["-p", "raddle-trace", "-p", "raddle-generate"], ("PROPTEST_CASES", "100000")),
    soak("causality", &["-p", "raddle-causality"], ("PROPTEST_CASES", "20000")),
    soak(
        "predict",
        &["-p", "raddle-predict", "--test", "all", "brute_force::"],
        ("PROPTEST_CASES", "20000"),
    ),
    soak(
        "lock-cycles",
        &["-p", "raddle-predict", "--test", "all", "lock_cycles::"],
        ("PROPTEST_CASES", "50000"),
    ),
    soak("explore", &["-p", "raddle-explore"], ("PROPTEST_CASES", "2000")),
    soak("ranges", &["-p", "raddle-ranges", "-p", "raddle-solve"], ("PROPTEST_CASES", "2000")),
    soak("claims", &["-p", "raddle-vm", "--test", "claims"], ("RADDLE_CLAIMS", "20000")),
    soak(
        "guarantees",
        &["-p", "raddle-session", "--test", "guarantees"],
        ("RADDLE_GUARANTEES", "20000"),
    ),
    soak("net", &["-p", "raddle", "--test", "net"], ("RADDLE_NET", "20000")),
    soak("binaries", &["-p", "raddle-native", "--test", "claims"], ("RADDLE_CLAIMS", "20000")),
    soak("native", &["-p", "raddle-native", "--test", "all"], ("RADDLE_EVERY_WAY", "1")),
    soak("defects", &DEFECTS, ("RUST_BACKTRACE", "0")),
    soak(
        MEMORY,
        &["-p", "raddle-runtime", "-p", "raddle-wire", "--lib"],
        ("PROPTEST_CASES", "1000"),
    ),
    soak(
        "generated",
        &["-p", "raddle-vm", "--test", "all", "generated::"],
        ("RADDLE_GENERATED", "2000"),
    ),
];

/// Not in release mode, but with the checks of debug builds (what unsafe functions of the standard library are called
/// with, null and misaligned pointers, overflows), and with the address sanitizer that comes with the compiler, though
/// only nightly ones have the flag for it. What the runtime never frees is no leak.
const MEMORY: &str = "memory";
const CHECKED: [(&str, &str); 3] = [
    ("RUSTC_BOOTSTRAP", "1"),
    ("RUSTFLAGS", "-Zsanitizer=address"),
    ("ASAN_OPTIONS", "detect_leaks=0"),
];

/// The nets themselves: rules are broken one by one, and each has to be noticed.
const DEFECTS: [&str; 16] = [
    "-p",
    "raddle-vm",
    "-p",
    "raddle-session",
    "-p",
    "raddle",
    "-p",
    "raddle-native",
    "--features",
    "raddle-vm/defects,raddle-session/defects,raddle/defects,raddle-native/defects",
    "--test",
    "claims",
    "--test",
    "guarantees",
    "--test",
    "net",
];

/// Runs all of them, or the one that is named.
pub fn run(name: Option<&str>) -> Result<()> {
    let wanted: Vec<_> =
        ALL.iter().filter(|soak| name.is_none_or(|name| name == soak.name)).collect();
    if wanted.is_empty() {
        bail!("there are {}", ALL.map(|soak| soak.name).join(", "));
    }
    let failed: Vec<_> =
        wanted.iter().map(|soak| Ok((soak.name, soak.passes()?))).collect::<Result<_>>()?;
    let failed: Vec<_> =
        failed.iter().filter(|(_, passes)| !passes).map(|(name, _)| *name).collect();
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

impl Soak {
    fn passes(&self) -> Result<bool> {
        let (variable, default) = self.variable;
        let value = std::env::var(variable).unwrap_or_else(|_| default.to_owned());
        let is_checked = self.name == MEMORY;
        // With a target the flags are not for build scripts and macros.
        let mode: &[&str] = match is_checked {
            true => &["--target", "x86_64-unknown-linux-gnu", "--target-dir", "target/memory"],
            false => &["--release"],
        };
        let (mode_text, tests) = (mode.join(" "), self.tests.join(" "));
        println!("{}: {variable}={value} cargo test {mode_text} {tests}", self.name);
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--locked"]).args(mode).args(self.tests).env(variable, value);
        if is_checked {
            cargo.envs(CHECKED);
        }
        Ok(cargo.status().context("cargo cannot be run")?.success())
    }
}
