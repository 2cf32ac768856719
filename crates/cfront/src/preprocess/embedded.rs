//! Embedded headers on disk, where the compiler finds them.
//!
//! They are in the user's cache, unpacked once; where that cannot be written, in a temporary directory.

use std::io;
use std::path::{self, Path, PathBuf};

use raddle_cache::{CacheError, File};
use tempfile::TempDir;

/// Headers that glibc includes on 32 bits and that 64-bit installations lack.
const FALLBACKS: &[&str] = &["gnu/stubs-32.h", "gnu/stubs-x32.h"];

/// A directory with headers.
pub(super) struct Directory {
    /// Held for its `Drop`, if it is temporary.
    _root: Option<TempDir>,
    headers: PathBuf,
    fallbacks: PathBuf,
    names: Vec<String>,
}

impl Directory {
    /// Unpacks the headers; their names are relative and do not leave the directory.
    pub(super) fn new(headers: &[(&str, &str)]) -> Result<Directory, CacheError> {
        let own = headers.iter().map(|(name, text)| (format!("include/{name}"), text.as_bytes()));
        let fallbacks = FALLBACKS.iter().map(|name| (format!("fallback/{name}"), &[][..]));
        let files: Vec<File<'_>> = own.chain(fallbacks).collect();
        let unpack = |cache: &Path| raddle_cache::unpack(cache, "headers", &files);
        let (root, base) = match raddle_cache::folder().and_then(|cache| unpack(&cache)) {
            Ok(base) => (None, base),
            Err(_) => {
                let fail = |error| CacheError::Write(std::env::temp_dir(), error);
                let root = TempDir::with_prefix("raddle-").map_err(fail)?;
                let base = unpack(root.path())?;
                (Some(root), base)
            }
        };
        let base = absolute(base)?;
        let (headers_at, fallbacks) = (base.join("include"), base.join("fallback"));
        let names = headers.iter().map(|(name, _)| (*name).to_owned()).collect();
        Ok(Directory { _root: root, headers: headers_at, fallbacks, names })
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

fn absolute(path: PathBuf) -> Result<PathBuf, CacheError> {
    path.canonicalize().map_err(|error: io::Error| CacheError::Write(path, error))
}
