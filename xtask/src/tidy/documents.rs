//! Documents: what they name must exist, and what exists must be named.
//!
//! - D1: the README's test command is the one that CI runs, where no test may be skipped.
//! - D2: every page that the book's summary names exists, and every page is in the summary.
//! - D3: ARCHITECTURE.md names every crate, and is a map that can be read at one sitting.
//! - D4: what a document in [`MAPS`] names exists ([`named`]), and so do the tests of its invariants.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::Metadata;

use super::named;

/// Documents whose paths are checked.
const MAPS: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/src/maintainers.md"];

/// The most words of ARCHITECTURE.md.
const N_WORDS_MAX: usize = 3500;

const TEST_COMMANDS: [(&str, &str); 2] = [
    ("README.md", "cargo xtask test --install"),
    (".ci/run", "cargo xtask test --install --no-skip"),
];

pub(super) fn check(root: &Path, metadata: &Metadata) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for (file, command) in TEST_COMMANDS {
        if !read(&root.join(file))?.lines().any(|line| line.trim() == command) {
            faults.push(format!("{file} has no line `{command}` (D1)"));
        }
    }
    faults.extend(check_book(&root.join("docs/src"))?);
    let architecture = read(&root.join("ARCHITECTURE.md"))?;
    for package in metadata.workspace_packages() {
        if !architecture.contains(&format!("`{}`", package.name)) {
            faults.push(format!("ARCHITECTURE.md does not name `{}` (D3)", package.name));
        }
    }
    let n_words = architecture.split_whitespace().count();
    if n_words > N_WORDS_MAX {
        faults.push(format!("ARCHITECTURE.md has {n_words} words, more than {N_WORDS_MAX} (D3)"));
    }
    for name in MAPS {
        let text = read(&root.join(name))?;
        faults.extend(named::check_paths(root, name, &text));
        faults.extend(named::check_invariants(root, name, &text));
    }
    Ok(faults)
}

fn check_book(pages: &Path) -> Result<Vec<String>> {
    let named: BTreeSet<PathBuf> =
        links(&read(&pages.join("SUMMARY.md"))?).map(|link| pages.join(link)).collect();
    let mut existing = BTreeSet::new();
    collect(pages, &mut existing)?;
    existing.remove(&pages.join("SUMMARY.md"));
    let missing = named.difference(&existing).map(|page| (page, "is in the summary only (D2)"));
    let hidden = existing.difference(&named).map(|page| (page, "is not in the summary (D2)"));
    Ok(missing.chain(hidden).map(|(page, fault)| format!("{} {fault}", page.display())).collect())
}

/// The pages that `[title](page.md)` links name.
fn links(summary: &str) -> impl Iterator<Item = &str> {
    let ends = summary.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(page, _)| page).filter(|page| page.ends_with(".md"))
}

fn collect(folder: &Path, pages: &mut BTreeSet<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.insert(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found() {
        let summary = "- [One](one.md)\n  - [Two](a/two.md) and [web](https://example.org)";
        assert_eq!(links(summary).collect::<Vec<_>>(), ["one.md", "a/two.md"]);
    }
}
