//! What is found first in a program of the corpus reads the same in C, on the machine, and in Rust.
//!
//! Reports are compared as data, from which all forms are made: the kind of failure, its headline, why the run ended, how
//! simple it is, what the marked lines are, and all steps and switches of the story with threads and values. Beside S1 to S5
//! this is made equal:
//!
//! - W1: threads are called after functions in C and have numbers in Rust: they are numbered as they are met. A function in
//!   Rust does not know who called it.
//! - W2: truth values are numbers in C.
//! - W3: what races in C is atomic in Rust, so no race is part of a failure there.
//! - W4: what the first thread does before it starts another one. In C that fills variables, which are made with their values
//!   in Rust.
//! - W5: what an assertion says, which is source text, or values.
//! - W6: what a lock guards is inside of it in Rust (`guard`).
//! - W7: variables of C that are no variables in Rust (`twin`).
//! - W8: variables that only one thread accesses once there are others. Stories of C programs leave them out by themselves,
//!   but for what an assertion looks at.

#[path = "../../../../raddle/tests/shared/corpus.rs"]
mod corpus;
mod guard;
mod lines;
mod twin;

use corpus::programs;
use lines::{Language, lines};
use raddle::{Config, Search};
use twin::Twin;

use crate::harness::Dir;

/// Programs that do not read the same, and why.
const OTHERWISE: [(&str, &str); 11] = [
    ("ab_ba", "the first thread is one of the two"),
    ("connection_pool", SEMAPHORE),
    ("lazy_init", "the pointer that races in C is behind a mutex"),
    ("lost_wakeup", "what is delivered goes through a channel"),
    ("michael_scott", MEMORY),
    ("rcu_swap", MEMORY),
    ("refcount", MEMORY),
    ("semaphore_peek", SEMAPHORE),
    ("shutdown", SEMAPHORE),
    (
        "spsc_queue",
        "when a thread gets nowhere is found out otherwise, so another interleaving comes first",
    ),
    ("token_ring", SEMAPHORE),
];

/// A program that has none.
const ALONE: &str = "bluetooth";

const MEMORY: &str = "nothing is freed in Rust: a mark stands for that";
const SEMAPHORE: &str = "Rust has no semaphores: a mutex and a condition are one";

/// What a report shows of a program in C.
fn in_c(dir: &Dir, name: &str, twin: &Twin) -> String {
    dir.raddle(&format!("explore {name}.c --strategy icb -q -o {name}.json")).exits(1);
    lines(&dir.text(&format!("{name}.json")), Language::C, twin)
}

/// The same of its twin.
fn in_rust(program: &corpus::Program, twin: &Twin) -> String {
    let config = Config::new().search(Search::Bounded).findings(10);
    lines(&program.explore(config).to_json(), Language::Rust, twin)
}

mod cases {
    crate::cases::programs! { super::reads_the_same_in_rust }
}

#[test]
fn programs_with_a_reason_are_programs() {
    assert!(OTHERWISE.iter().all(|(name, _)| cases::CASES.contains(name)));
}

fn reads_the_same_in_rust(name: &str) {
    let Some(program) = programs().find(|program| program.name == name) else {
        assert_eq!(name, ALONE, "it has no twin");
        return;
    };
    let (dir, twin) = (Dir::corpus(&format!("{name}.c")), Twin::of(name));
    let (c, rust) = (in_c(&dir, name, &twin), in_rust(&program, &twin));
    match OTHERWISE.iter().find(|other| other.0 == name) {
        Some((_, why)) => assert_ne!(rust, c, "it does read the same, although {why}"),
        None => assert_eq!(rust, c),
    }
}
