//! The sources that a trace names, as far as they are nearby.
//!
//! A trace can come from anywhere and name any file. Only what lies below the current directory and
//! has the ending of a source is read: a report must not show what was not meant to be shown.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

/// Endings of sources.
const ENDINGS: [&str; 12] =
    ["c", "h", "i", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "rs", "java", "kt"];

/// A larger file is no source.
const BYTES_MAX: u64 = 8 << 20;

/// Files, each read once.
#[derive(Default)]
pub(super) struct Nearby {
    known: RefCell<BTreeMap<String, Option<Vec<String>>>>,
}

impl Nearby {
    /// Looks up lines.
    pub(super) fn lines(&self) -> impl Fn(&str, u32) -> Option<String> + '_ {
        |file, number| {
            let mut known = self.known.borrow_mut();
            let lines = known.entry(file.to_owned()).or_insert_with(|| read(Path::new(file)));
            lines.as_ref()?.get(number.checked_sub(1)? as usize).cloned()
        }
    }
}

fn read(path: &Path) -> Option<Vec<String>> {
    let is_below =
        path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    // A link can lead anywhere.
    let is_here = || {
        let here = fs::canonicalize(".").ok()?;
        fs::canonicalize(path).ok().filter(|path| path.starts_with(here))
    };
    if !is_below || !ENDINGS.contains(&ending.as_str()) || is_here().is_none() {
        return None;
    }
    fs::metadata(path).ok().filter(|meta| meta.is_file() && meta.len() <= BYTES_MAX)?;
    let text = fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
}
