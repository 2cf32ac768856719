//! What is found first in a program of the corpus reads the same as a C file and as a binary, word for word but for S4 to
//! S6. Binaries are built without optimisation, which would leave out reads.

use raddle_needs::{Need, met};

use super::normal::findings;
use crate::binaries;
use crate::harness::Dir;

/// Programs of which it does not, and why.
const OTHERWISE: [(&str, &str); 1] = [(
    "spsc_queue",
    "the machine knows by whole states that a thread spins, a binary by its registers and its stack: one of them lets it \
     go round once more",
)];

/// Programs of which it does without the cache of states: with it the machine ends runs in states that are known, and
/// meets another interleaving with as few preemptions first.
const UNCACHED: [&str; 1] = ["token_ring"];

/// Programs of which it does if clang has built them, and why not if gcc has.
const BY_CLANG: [(&str, &str); 1] =
    [("reader_writer", "gcc reads `readers` again after `--readers`, as C allows it to")];

mod programs {
    crate::cases::programs! { super::reads_the_same_as_a_binary }
}

#[test]
fn programs_with_a_reason_are_programs() {
    let names = [OTHERWISE[0].0, UNCACHED[0], BY_CLANG[0].0];
    assert!(names.iter().all(|name| programs::CASES.contains(name)));
}

fn reads_the_same_as_a_binary(name: &str) {
    let is_in = |list: &[(&str, &str)]| list.iter().any(|(other, _)| *other == name);
    let compiler = if is_in(&BY_CLANG) { "clang" } else { "gcc" };
    if compiler == "clang" && !met(Need::Clang) {
        return;
    }
    let dir = Dir::corpus(&format!("{name}.c"));
    let folder = dir.path("").canonicalize().unwrap();
    let cache = if UNCACHED.contains(&name) { "--cache off" } else { "" };
    let machine = dir.raddle(&format!("explore {name}.c --strategy icb -q {cache}"));
    let built = binaries::built(&dir.path(&format!("{name}.c")), name, compiler);
    let binary = binaries::raddle(&built, &format!("explore ./{name} --strategy icb -q"));
    let [machine, binary] = [machine, binary]
        .map(|run| findings(first(&run.exits(1).stdout), folder.to_str().unwrap()));
    match OTHERWISE.iter().find(|other| other.0 == name) {
        Some((_, why)) => assert_ne!(machine, binary, "it does read the same, although {why}"),
        None => assert_eq!(machine, binary),
    }
}

/// The text of the first finding, with the command that replays it.
fn first(text: &str) -> &str {
    let end = text.find("replay: raddle").unwrap();
    &text[..end + "replay:".len()]
}
