//! Names in documents: a map must not lead to what is not there.
//!
//! In: the text of a document. Out: what it names although it does not exist.
//!
//! - N1: a span of code that has a `/` or the ending of a file is a path: of the repository, or of the folder that the
//!   heading above it names, or of `src` in that folder.
//! - N2: `path::item` names an item that the Rust file defines.
//! - N3: an entry of a list that begins with the number of an invariant, `**I7**`, names a test by N2, or the function
//!   that a macro makes tests of.
//! - N4: invariants are numbered from 1, each number is used once, and none is left out.

use std::fs;
use std::path::{Path, PathBuf};

/// What stands before the name of an item where it is defined.
const DEFINES: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "mod"];

/// Endings of files that are named without their folder.
const ENDINGS: [&str; 5] = [".rs", ".md", ".toml", ".c", ".h"];

/// Checks the paths of a document (N1, N2).
pub(super) fn check_paths(root: &Path, name: &str, text: &str) -> Vec<String> {
    let spans = spans(root, text).into_iter().filter(|span| is_path(span.text));
    spans
        .filter_map(|span| span.fault().map(|fault| format!("{name}:{}: {fault}", span.line)))
        .collect()
}

/// Checks the invariants of a document (N3, N4).
pub(super) fn check_invariants(root: &Path, name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let spans = spans(root, text);
    let entries = entries(text);
    for (number, lines) in &entries {
        let mut named = spans.iter().filter(|span| lines.contains(&span.line));
        if !named.any(Span::is_test) {
            faults.push(format!("{name}:{}: no test is named for I{number} (N3)", lines.start));
        }
    }
    let mut numbers: Vec<u32> = entries.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    if !numbers.iter().copied().eq(1..=numbers.len() as u32) {
        faults.push(format!("{name}: invariants are numbered {numbers:?} (N4)"));
    }
    faults
}

/// A span of code.
struct Span<'a> {
    text: &'a str,
    line: usize,
    /// Where its path may begin.
    bases: Vec<PathBuf>,
}

impl Span<'_> {
    /// What is wrong with a path (N1, N2).
    fn fault(&self) -> Option<String> {
        let (path, item) = self.parts();
        let Some(path) = self.existing(path) else {
            return Some(format!("`{}` does not exist (N1)", self.text));
        };
        let item = item?;
        let code = fs::read_to_string(path).unwrap_or_default();
        definition(&code, item)
            .is_none()
            .then(|| format!("`{}` does not define it (N2)", self.text))
    }

    /// Whether it names a test.
    fn is_test(&self) -> bool {
        let (path, Some(item)) = self.parts() else { return false };
        let Some(code) = self.existing(path).and_then(|path| fs::read_to_string(path).ok()) else {
            return false;
        };
        let has_cases = || {
            let calls = [format!("! {{ super::{item}"), format!("{item}(stringify!(")];
            calls.iter().any(|call| code.contains(call))
        };
        definition(&code, item)
            .is_some_and(|line| has_attribute(&code, line, "#[test]") || has_cases())
    }

    fn parts(&self) -> (&str, Option<&str>) {
        match self.text.split_once("::") {
            Some((path, item)) => (path, Some(item)),
            None => (self.text, None),
        }
    }

    fn existing(&self, path: &str) -> Option<PathBuf> {
        self.bases.iter().map(|base| base.join(path)).find(|path| path.exists())
    }
}

/// The spans of code of a document outside of its blocks of code, each with where its path may begin.
fn spans<'a>(root: &Path, text: &'a str) -> Vec<Span<'a>> {
    let mut bases = vec![root.to_owned()];
    let mut is_block = false;
    let mut all = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.trim_start().starts_with("```") {
            is_block = !is_block;
            continue;
        }
        if is_block {
            continue;
        }
        if text.starts_with('#') {
            let folders = quoted(text).map(|folder| root.join(folder)).filter(|it| it.is_dir());
            let own = folders.flat_map(|folder| [folder.join("src"), folder]);
            bases = own.chain([root.to_owned()]).collect();
        }
        all.extend(quoted(text).map(|text| Span { text, line, bases: bases.clone() }));
    }
    all
}

/// What stands between backticks in a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn is_path(span: &str) -> bool {
    let path = span.split("::").next().unwrap_or(span);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let is_file = ENDINGS.iter().any(|ending| path.ends_with(ending) && path != *ending);
    !path.starts_with('/') && path.chars().all(is_plain) && (path.contains('/') || is_file)
}

/// The entries of lists that begin with the number of an invariant, with their lines.
fn entries(text: &str) -> Vec<(u32, std::ops::Range<usize>)> {
    let lines: Vec<&str> = text.lines().collect();
    let number = |line: &str| line.strip_prefix("- **I")?.split_once("**")?.0.parse().ok();
    let begin = lines.iter().enumerate().filter_map(|(at, line)| Some((at, number(line)?)));
    let whole = |(at, number): (usize, u32)| {
        let more = lines[at + 1..].iter().take_while(|line| line.starts_with("  "));
        (number, at + 1..at + 2 + more.count())
    };
    begin.map(whole).collect()
}

/// The line that defines an item, from 0.
fn definition(code: &str, item: &str) -> Option<usize> {
    let defines = |line: &str| {
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        words.windows(2).any(|pair| DEFINES.contains(&pair[0]) && pair[1] == item)
    };
    let is_code = |line: &str| !line.trim_start().starts_with("//");
    code.lines().position(|line| is_code(line) && defines(line))
}

/// Whether an attribute stands before a line, with nothing but attributes and comments in between.
fn has_attribute(code: &str, line: usize, attribute: &str) -> bool {
    let lines: Vec<&str> = code.lines().take(line).map(str::trim).collect();
    let mut before =
        lines.iter().rev().take_while(|it| it.starts_with("#[") || it.starts_with("//"));
    before.any(|line| *line == attribute)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository")
    }

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut faults = check_paths(root(), "map", text);
        faults.extend(check_invariants(root(), "map", text));
        assert_eq!(faults, expected);
    }

    #[test]
    fn n1_paths_exist() {
        check("`xtask/src/tidy/named.rs`, `docs/src/` and `README.md`", &[]);
        check(
            "in `xtask/src/tidy/gone.rs`",
            &["map:1: `xtask/src/tidy/gone.rs` does not exist (N1)"],
        );
        check("`gone.md`", &["map:1: `gone.md` does not exist (N1)"]);
    }

    #[test]
    fn n1_paths_may_begin_at_the_folder_of_their_heading() {
        check("## The chores, `xtask`\n`tidy/named.rs` and `Cargo.toml`", &[]);
        check(
            "## `xtask`\n`tidy/named.rs`\n## Others\n`tidy/named.rs`",
            &["map:4: `tidy/named.rs` does not exist (N1)"],
        );
    }

    #[test]
    fn n1_other_code_is_no_path() {
        check("`Trace::new`, `a / b`, `/dev/null`, `.rs`\n```\n`no/path.rs`\n```", &[]);
    }

    #[test]
    fn n2_items_are_defined_where_it_is_said() {
        check("`xtask/src/tidy/named.rs::Span`, `xtask/src/tidy/named.rs::check_paths`", &[]);
        check(
            "`xtask/src/tidy/named.rs::Gone`",
            &["map:1: `xtask/src/tidy/named.rs::Gone` does not define it (N2)"],
        );
    }

    #[test]
    fn n3_invariants_name_a_test() {
        check("- **I1** It holds\n  (`xtask/src/tidy/named.rs::n1_paths_exist`).", &[]);
        let cases = "crates/cli/tests/raddle/golden.rs::shows_what_is_expected_first";
        check(&format!("- **I1** It holds\n  (`{cases}`)."), &[]);
        check("- **I1** It holds.", &["map:1: no test is named for I1 (N3)"]);
        check(
            "- **I1** It holds (`xtask/src/tidy/named.rs::check_paths`).",
            &["map:1: no test is named for I1 (N3)"],
        );
    }

    #[test]
    fn n4_invariants_have_all_numbers_once() {
        let test = "`xtask/src/tidy/named.rs::n1_paths_exist`";
        check(&format!("- **I2** {test}\n- **I1** {test}"), &[]);
        check(&format!("- **I2** {test}"), &["map: invariants are numbered [2] (N4)"]);
        check(
            &format!("- **I1** {test}\n- **I1** {test}"),
            &["map: invariants are numbered [1, 1] (N4)"],
        );
    }
}
