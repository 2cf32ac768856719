//! Embedded headers on disk, for as long as the compiler needs them.

use std::io;
use std::path::{Path, PathBuf};
use std::{fs, path};

use tempfile::TempDir;

/// Headers that glibc includes on 32 bits and that 64-bit installations lack.
const FALLBACKS: &[&str] = &["gnu/stubs-32.h", "gnu/stubs-x32.h"];

/// A temporary directory; it vanishes when this is dropped.
pub(super) struct Directory {
    /// Held for its `Drop`.
    _root: TempDir,
    headers: PathBuf,
    fallbacks: PathBuf,
    names: Vec<String>,
}

impl Directory {
    /// Writes the headers; their names are relative and do not leave the directory.
    pub(super) fn new(headers: &[(&str, &str)]) -> io::Result<Directory> {
        let root = TempDir::with_prefix("raddle-headers-")?;
        let base = root.path().canonicalize()?;
        let (inside, fallbacks) = (base.join("include"), base.join("fallback"));
        fs::create_dir(&inside)?;
        for (name, contents) in headers {
            write(&inside, name, contents)?;
        }
        for name in FALLBACKS {
            write(&fallbacks, name, "")?;
        }
        let names = headers.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Directory { _root: root, headers: inside, fallbacks, names })
    }

    /// Where the headers are.
    pub(super) fn headers(&self) -> &Path {
        &self.headers
    }

    /// Where those headers are that are looked for last.
    pub(super) fn fallbacks(&self) -> &Path {
        &self.fallbacks
    }

    /// The text with `<name>` in place of the paths of the headers.
    pub(super) fn rename(&self, text: &str) -> String {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        replace(&replace(text, &self.headers, &names), &self.fallbacks, FALLBACKS)
    }
}

/// Replaces the paths of files in a directory; the longest name that fits is meant.
fn replace(text: &str, directory: &Path, names: &[&str]) -> String {
    let directory = format!("{}{}", directory.display(), path::MAIN_SEPARATOR);
    let mut parts = text.split(&directory);
    let mut replaced = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let fitting = names.iter().filter(|name| part.starts_with(**name));
        let name = fitting.max_by_key(|name| name.len()).copied().unwrap_or("");
        replaced.push_str(&format!("<{name}>"));
        replaced.push_str(&part[name.len()..]);
    }
    replaced
}

fn write(directory: &Path, name: &str, contents: &str) -> io::Result<()> {
    let is_plain = |part: path::Component<'_>| matches!(part, path::Component::Normal(_));
    if !Path::new(name).components().all(is_plain) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("header name '{name}'")));
    }
    let path = directory.join(name);
    fs::create_dir_all(path.parent().expect("a file in a directory has a parent"))?;
    fs::write(path, contents)
}
