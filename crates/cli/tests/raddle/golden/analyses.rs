//! What the analyses say of their parts of the corpus: `raddle ranges`, `raddle infer`, `raddle predict`. All of
//! it is deterministic, to the byte.

use std::fs;
use std::path::PathBuf;

use crate::harness::Dir;

/// The files of a part of the corpus, and where they are.
fn files(part: &str) -> (Dir, Vec<String>) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(part);
    let dir = Dir::new();
    let mut names = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        dir.file(&name, fs::read(&path).unwrap());
        names.push(name);
    }
    names.sort();
    (dir, names)
}

/// What a command prints about a file, with its exit code.
fn text(dir: &Dir, command: &str) -> String {
    let run = dir.raddle(command);
    assert!(matches!(run.code, 0 | 1), "{command}: {}", run.stderr);
    format!("$ raddle {command}\nexit {}\n{}", run.code, run.stdout)
}

/// Keeps what a command prints about each file of a part.
fn check(part: &str, command: impl Fn(&Dir, &str) -> String) {
    let (dir, names) = files(part);
    assert!(names.len() > 5, "the corpus has more of {part}");
    for name in names {
        let stem = name.split('.').next().unwrap();
        insta::assert_snapshot!(format!("{part}_{stem}"), text(&dir, &command(&dir, &name)));
    }
}

#[test]
fn every_program_has_its_ranges() {
    check("ranges", |_, name| format!("ranges {name}"));
}

#[test]
fn every_program_has_its_specification() {
    check("ndseq", |dir, name| {
        let text = dir.text(name);
        let focus = text.lines().find_map(|line| line.strip_prefix("// focus: ")).unwrap();
        format!("infer {name} --focus {}", focus.replace(' ', ""))
    });
}

#[test]
fn every_trace_has_its_predictions() {
    check("traces", |_, name| format!("predict {name}"));
}
