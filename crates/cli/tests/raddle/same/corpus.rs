//! What is found first in a program of the corpus reads the same as a C file and as a binary, word for word but for S4 to
//! S6. Binaries are built without optimisation, which would leave out reads.

use std::fs;
use std::path::Path;

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

#[test]
fn programs_read_the_same_as_binaries() {
    let (dir, names) = corpus();
    let is_in = |list: &[(&str, &str)], name: &str| list.iter().any(|(other, _)| *other == name);
    for name in names.iter().filter(|name| !is_in(&OTHERWISE, name)) {
        let compiler = if is_in(&BY_CLANG, name) { "clang" } else { "gcc" };
        if compiler == "gcc" || met(Need::Clang) {
            check(&dir, name, compiler);
        }
    }
}

fn check(dir: &Dir, name: &str, compiler: &str) {
    let folder = dir.path("").canonicalize().unwrap();
    let cache = if UNCACHED.contains(&name) { "--cache off" } else { "" };
    let machine = dir.raddle(&format!("explore {name}.c --strategy icb -q {cache}"));
    let built = binaries::built(&dir.path(&format!("{name}.c")), name, compiler);
    let binary = binaries::raddle(&built, &format!("explore ./{name} --strategy icb -q"));
    let [machine, binary] = [machine, binary]
        .map(|run| findings(first(&run.exits(1).stdout), folder.to_str().unwrap()));
    assert_eq!(machine, binary);
}

/// A folder with all programs, some of which include others, and the names of those that fail.
fn corpus() -> (Dir, Vec<String>) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let dir = Dir::new();
    let mut names = Vec::new();
    for entry in fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap();
        dir.file(file, fs::read(&path).unwrap());
        let name = file.strip_suffix(".c").filter(|name| !name.ends_with("_fixed"));
        names.extend(name.map(str::to_owned));
    }
    assert!(names.len() >= 36, "the corpus has more programs");
    (dir, names)
}

/// The text of the first finding, with the command that replays it.
fn first(text: &str) -> &str {
    let end = text.find("replay: raddle").unwrap();
    &text[..end + "replay:".len()]
}
