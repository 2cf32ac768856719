//! What the programs of the corpus say of themselves in their first comment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A program of the corpus, with the first lines of its source.
pub struct Facts {
    pub path: PathBuf,
    values: BTreeMap<String, String>,
}

impl Facts {
    /// The programs in a folder of the corpus.
    pub fn all(folder: &str) -> Vec<Facts> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
        let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let mut facts: Vec<_> = files.map(Facts::read).collect();
        facts.sort_by(|a, b| a.path.cmp(&b.path));
        assert!(!facts.is_empty());
        facts
    }

    /// The programs in Rust that say that they are built as binaries, too: each takes rustc a while.
    pub fn of_rust_binaries() -> Vec<Facts> {
        let mut facts = Facts::all("rust");
        facts.retain(|facts| facts.value("native") == "yes");
        assert!(!facts.is_empty());
        facts
    }

    fn read(path: PathBuf) -> Facts {
        let text = fs::read_to_string(&path).unwrap();
        let header = text.split("*/").next().unwrap();
        let lines = header.lines().filter_map(|line| line.strip_prefix(" * ")?.split_once(':'));
        let trimmed = |(key, value): (&str, &str)| (key.to_owned(), value.trim().to_owned());
        Facts { path, values: lines.map(trimmed).collect() }
    }

    pub fn name(&self) -> String {
        self.path.file_stem().unwrap().to_string_lossy().into_owned()
    }

    /// Whether it says anything of that.
    pub fn states(&self, key: &str) -> bool {
        self.values.contains_key(key)
    }

    pub fn value(&self, key: &str) -> &str {
        self.values.get(key).map_or("none", String::as_str)
    }

    /// The words of a value, which are separated by commas.
    pub fn list(&self, key: &str) -> BTreeSet<String> {
        let words = self.value(key).split(", ").filter(|word| *word != "none");
        words.map(str::to_owned).collect()
    }
}
