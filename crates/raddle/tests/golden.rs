//! The text for every Rust program of the corpus: the finding, or what was covered.
//!
//! Left out of the text is which program a schedule belongs to, since that is the test that runs it, and where the
//! programs are, seen from there.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "shared/corpus.rs"]
mod corpus;

use corpus::programs;
use raddle::Config;

/// Where the programs are, as the compiler knows them.
const FOLDER: &str = "crates/raddle/tests/shared/../../../../benches/peers/../../corpus/rust/";

/// The text without the identity in its schedules, and without folders.
fn steady(text: &str) -> String {
    let text = text.replace(FOLDER, "");
    let line = |line: &str| match line.split_once("rs1:") {
        Some((before, schedule)) => {
            let (_, choices) = schedule.split_once(':').unwrap_or_default();
            format!("{before}rs1:…:{choices}")
        }
        None => line.trim_end().to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn reads_as_it_should(name: &str) {
    let program = programs().find(|program| program.name == name).unwrap();
    let report = program.explore(Config::new());
    let findings: String = report.findings.iter().map(|it| format!("{it}\n")).collect();
    let text = format!("{findings}{}", report.summary());
    insta::assert_snapshot!(name, steady(&text));
}

macro_rules! cases {
    ($($name:ident $(unless $peer:ident)*,)*) => {
        $(
            #[test]
            fn $name() {
                reads_as_it_should(stringify!($name));
            }
        )*
    };
}

corpus::for_each_program! { cases }
