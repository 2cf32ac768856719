//! What is found first in a program of the corpus reads the same as a C file and as a binary, word for word but for S4 to
//! S6. Binaries are built without optimisation, which would leave out reads.

use std::fs;
use std::path::Path;

use super::normal::findings;
use crate::binaries;
use crate::harness::Dir;

/// Programs of which it does not, and why.
const OTHERWISE: [(&str, &str); 4] = [
    ("rcu_swap", "the compiler decides which operand is read first"),
    ("reader_writer", "the compiler reads again what was written"),
    ("spsc_queue", "another interleaving with as few preemptions comes first"),
    ("token_ring", "another interleaving with as few preemptions comes first"),
];

#[test]
fn programs_read_the_same_as_binaries() {
    let (dir, names) = corpus();
    let folder = dir.path("").canonicalize().unwrap();
    let is_same = |name: &&String| !OTHERWISE.iter().any(|(other, _)| other == name);
    for name in names.iter().filter(is_same) {
        let machine = dir.raddle(&format!("explore {name}.c --strategy icb -q")).exits(1).stdout;
        let built = binaries::built(&dir.path(&format!("{name}.c")), name);
        let binary = binaries::raddle(&built, &format!("explore ./{name} --strategy icb -q"));
        let [machine, binary] = [machine, binary.exits(1).stdout]
            .map(|text| findings(first(&text), folder.to_str().unwrap()));
        assert_eq!(machine, binary);
    }
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
