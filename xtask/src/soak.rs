//! `cargo xtask soak [name]`: the long forms of the tests that try random inputs, in release mode.

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

const ALL: [Soak; 13] = [
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
    soak("defects", &DEFECTS, ("RUST_BACKTRACE", "0")),
    soak(
        "generated",
        &["-p", "raddle-vm", "--test", "all", "generated::"],
        ("RADDLE_GENERATED", "2000"),
    ),
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
        println!("{}: {variable}={value} cargo test --release {}", self.name, self.tests.join(" "));
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--release", "--locked"]).args(self.tests).env(variable, value);
        Ok(cargo.status().context("cargo cannot be run")?.success())
    }
}
