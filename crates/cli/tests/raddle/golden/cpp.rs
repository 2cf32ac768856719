//! What `raddle check` says of the C++ programs of the corpus, as binaries.
//!
//! A compiler and its library decide about some of it, so this is left out of the text, and nothing else is:
//!
//! - G1: numbers of executions, event hashes and schedules, which count events.
//! - G2: addresses, and versions of libraries.
//! - G3: how wide columns are, with the lines of the source beside them; in which column something stands is kept.
//! - G4: how many steps are folded.

use std::fs;
use std::path::PathBuf;

use crate::binaries;
use crate::harness::Dir;
use crate::same::normal::Lanes;

mod programs {
    crate::cases::cases! { super::reads_as_it_should;
        atomic_counter atomic_counter_fixed call_once call_once_fixed condition_bare
        condition_bare_fixed mutex_order mutex_order_fixed promise_twice promise_twice_fixed
        shared_mutex_upgrade shared_mutex_upgrade_fixed stop_token stop_token_fixed
        thread_local_total thread_local_total_fixed
    }
}

/// The text without what is the compiler's (G1 to G4).
fn steady(text: &str, source: &str) -> String {
    let mut lanes = Lanes::new(source);
    let mut is_counted = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        is_counted = match line {
            "" => false,
            line => {
                is_counted
                    || line.split_once(" execution").is_some_and(|(n, _)| super::is_number(n))
            }
        };
        if is_counted || line.starts_with("  event hash ") {
            continue; // G1
        }
        let text = match lanes.lane(line) {
            Some(lane) => format!("    {lane}: {}", lanes.row(line).trim()),
            None => line.to_owned(),
        };
        lines.push(squeezed(&text));
    }
    lines.join("\n")
}

/// A line without what its words have of the compiler's, and without the width of what is left out.
fn squeezed(line: &str) -> String {
    let indent = (line.len() - line.trim_start().len()).min(8);
    let words: Vec<_> = line.split_whitespace().map(word).collect();
    let text = match words.as_slice() {
        [lane, dots, _, steps] if dots == "…" && steps.starts_with("step") => {
            format!("{lane} … steps") // G4
        }
        words => words.join(" "),
    };
    " ".repeat(indent) + &text
}

/// A word without addresses, versions, counts and schedules.
fn word(word: &str) -> String {
    let until = |end: &str| word.find(end).map(|at| word[..at + end.len()].to_owned() + "…");
    let close = if word.ends_with(')') { ")" } else { "" };
    until("rs1:")
        .or_else(|| until("0x"))
        .or_else(|| until(".so").map(|name| name + close))
        .unwrap_or_else(|| word.to_owned())
}

#[test]
fn every_program_in_cpp_is_a_case() {
    assert_eq!(programs::CASES, super::corpus("cpp"));
}

fn reads_as_it_should(name: &str) {
    let file = format!("{name}.cpp");
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/cpp");
    let source = fs::read_to_string(folder.join(&file)).unwrap();
    let dir = Dir::with(&file, &source);
    let build = format!("c++ -std=c++20 -O1 -pthread -o {name} {file}");
    binaries::raddle(&dir, &build).exits(0);
    let code = if name.ends_with("_fixed") { 0 } else { 1 };
    let text = binaries::raddle(&dir, &format!("check ./{name} --time 10m -q")).exits(code);
    insta::assert_snapshot!(name, steady(&text.stdout, &source));
}

#[test]
fn what_a_compiler_decides_is_left_out() {
    assert_eq!(word("rs1:93ca99dbb1db:0r13,1r7"), "rs1:…");
    assert_eq!(word("0x55555556eec0"), "0x…");
    assert_eq!(word("libgcc_s.so.1+0x167c8"), "libgcc_s.so.1+0x…");
    assert_eq!(word("(libstdc++.so.6.0.30)"), "(libstdc++.so…)");
    assert_eq!(word("call_once.cpp:34"), "call_once.cpp:34");
}
