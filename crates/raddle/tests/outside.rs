//! A crate outside of this workspace, made as the book says.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the crate has beside what the book says: something to test, and tests inside and outside of it.
const COUNTER: &str = "
use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
pub struct Counter(AtomicUsize);

impl Counter {
    pub fn add(&self) {
        let old = self.0.load(SeqCst);
        self.0.store(old + 1, SeqCst);
    }

    pub fn get(&self) -> usize {
        self.0.load(SeqCst)
    }
}

#[cfg(all(test, raddle))]
mod tests {
    use super::*;

    #[test]
    fn two_threads_count() {
        raddle::check(|| {
            let counter = sync::Arc::new(Counter::default());
            let other = counter.clone();
            let thread = thread::spawn(move || other.add());
            counter.add();
            thread.join().unwrap();
            assert_eq!(counter.get(), 2);
        });
    }
}
";
const OUTSIDE: &str = "#[test]
fn counts() {
    let counter = counter::Counter::default();
    counter.add();
    assert_eq!(counter.get(), 1);
}
";

/// The first block of a kind behind a heading of the book.
fn block(heading: &str, kind: &str) -> String {
    let book = include_str!("../../../docs/src/rust.md");
    let (_, section) = book.split_once(&format!("\n## {heading}\n")).unwrap();
    let (_, rest) = section.split_once(&format!("\n```{kind}\n")).unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

/// Makes the crate; its target directory stays for the next time.
fn counter() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a crate outside");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recipe = block("In a crate of your own", "toml");
    let path = format!("raddle = {{ path = {:?} }}", here.to_str().unwrap());
    let recipe = recipe.replace("raddle = \"0.1\"", &path);
    assert!(recipe.contains(&path), "the book names the version: {recipe}");
    let package = "[package]\nname = \"counter\"\nedition = \"2024\"\n\n[workspace]\n\n";
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::create_dir_all(folder.join("tests")).unwrap();
    fs::write(folder.join("Cargo.toml"), format!("{package}{recipe}")).unwrap();
    let types = block("In a crate of your own", "rust");
    fs::write(folder.join("src/lib.rs"), format!("{types}{COUNTER}")).unwrap();
    fs::write(folder.join("tests/outside.rs"), OUTSIDE).unwrap();
    fs::copy(here.join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    folder
}

/// Runs a line in a shell; what it says, on both streams.
fn shell(folder: &Path, line: &str) -> (bool, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("CARGO_NET_OFFLINE", "true");
    for inherited in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"] {
        command.env_remove(inherited);
    }
    let ran = command.output().unwrap();
    let said = [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (ran.status.success(), said.concat())
}

#[test]
fn the_recipe_of_the_book_works_and_so_does_the_command_that_replays() {
    let folder = counter();
    let (passes, said) = shell(&folder, "cargo test");
    assert!(passes && said.contains("test counts ... ok"), "{said}");
    let checks = block("In a crate of your own", "sh").replace(" --release", "");
    let (passes, said) = shell(&folder, checks.trim());
    assert!(!passes && said.contains("assertion `left == right` failed"), "{said}");
    let replay = said.lines().find_map(|line| line.trim().strip_prefix("replay: ")).unwrap();
    let (passes, again) = shell(&folder, replay);
    assert!(!passes && again.contains("running 1 test"), "{replay}\n{again}");
    assert!(again.contains("assertion `left == right` failed"), "{replay}\n{again}");
}

#[test]
fn the_default_features_need_no_c_compiler_and_few_packages() {
    let here = env!("CARGO_MANIFEST_DIR");
    let tree =
        "cargo tree --offline --package raddle --edges normal,build --prefix none --no-dedupe";
    let (passes, said) = shell(Path::new(here), tree);
    assert!(passes, "{said}");
    let mut packages: Vec<&str> =
        said.lines().filter_map(|line| line.split_whitespace().next()).collect();
    packages.sort_unstable();
    packages.dedup();
    assert!(packages.contains(&"raddle-explore"), "{said}");
    for name in &packages {
        assert!(
            !matches!(*name, "cc" | "cmake" | "pkg-config") && !name.ends_with("-sys"),
            "{name}"
        );
    }
    assert!(packages.len() <= 35, "{} packages: {packages:?}", packages.len());
}
