//! What the analyses say of their parts of the corpus: `raddle ranges`, `raddle infer`, `raddle predict`. All of
//! it is deterministic, to the byte.

use std::fs;
use std::path::PathBuf;

use crate::harness::Dir;

mod ranges {
    crate::cases::cases! { super::has_its_ranges;
        atom1 atom2 atom3 atom4 bank cp index running
    }
}

mod ndseq {
    crate::cases::cases! { super::has_its_specification;
        cas crypt keysearch lufact mandelbrot matmult moldyn montecarlo pi queue raytracer
        raytracer_wrong search search_wrong series sor stack worklist
    }
}

mod traces {
    crate::cases::cases! { super::has_its_predictions;
        bank counter forks queue reentrant wakeup
    }
}

#[test]
fn every_file_is_a_case() {
    assert_eq!(ranges::CASES, super::corpus("ranges"));
    assert_eq!(ndseq::CASES, super::corpus("ndseq"));
    assert_eq!(traces::CASES, super::corpus("traces"));
}

/// A folder with a file of a part of the corpus.
fn folder(part: &str, name: &str) -> Dir {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(part);
    Dir::with(name, fs::read(folder.join(name)).unwrap())
}

/// Keeps what a command prints about a file, with its exit code.
fn check(dir: &Dir, snapshot: &str, command: &str) {
    let run = dir.raddle(command);
    assert!(matches!(run.code, 0 | 1), "{}", run.stderr);
    let text = format!("$ raddle {command}\nexit {}\n{}", run.code, run.stdout);
    insta::assert_snapshot!(snapshot, text);
}

fn has_its_ranges(name: &str) {
    let dir = folder("ranges", &format!("{name}.c"));
    check(&dir, &format!("ranges_{name}"), &format!("ranges {name}.c"));
}

fn has_its_specification(name: &str) {
    let dir = folder("ndseq", &format!("{name}.c"));
    let text = dir.text(&format!("{name}.c"));
    let focus = text.lines().find_map(|line| line.strip_prefix("// focus: ")).unwrap();
    let command = format!("infer {name}.c --focus {}", focus.replace(' ', ""));
    check(&dir, &format!("ndseq_{name}"), &command);
}

fn has_its_predictions(name: &str) {
    let dir = folder("traces", &format!("{name}.std"));
    check(&dir, &format!("traces_{name}"), &format!("predict {name}.std"));
}
