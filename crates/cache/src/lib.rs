//! Files that Raddle carries inside itself and that other programs must find on disk: the runtime, headers.
//!
//! In: the files of an *entry*. Out: a folder with them in the user's cache, written only if it is not there yet.
//!
//! - C1: an entry is named after its content, so that versions lie side by side and one in use never changes.
//! - C2: an entry appears as a whole, by a rename: whoever finds one finds all of it, even if a writer was killed.
//! - C3: what was damaged since (a file has another length) is written again.
//! - C4: the folder of the cache is the user's choice: only what carries our tag is removed from it.

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io, process};

use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

/// Why something could not be unpacked, or removed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The environment names no folder.
    #[error("there is no cache directory: none of RADDLE_CACHE, XDG_CACHE_HOME and HOME is set")]
    NoPlace,
    /// A file cannot be written.
    #[error("cannot write `{}`", .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// A folder cannot be removed.
    #[error("cannot remove `{}`", .0.display())]
    Remove(PathBuf, #[source] io::Error),
}

/// A file of an entry: its name, relative to the entry, and its content.
pub type File<'a> = (String, &'a [u8]);

/// Marks our entries, and keeps them out of backups (bford.info/cachedir).
const TAG: (&str, &[u8]) =
    ("CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55\n# Unpacked by Raddle.\n");

/// The cache of the user.
pub fn folder() -> Result<PathBuf, CacheError> {
    let from = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = from("XDG_CACHE_HOME").or_else(|| Some(from("HOME")?.join(".cache")));
    from("RADDLE_CACHE").or_else(|| Some(base?.join("raddle"))).ok_or(CacheError::NoPlace)
}

/// The folder of an entry below a cache; it is unpacked if it is not there, or not whole.
pub fn unpack(cache: &Path, kind: &str, files: &[File<'_>]) -> Result<PathBuf, CacheError> {
    let entry = cache.join(format!("{kind}-{:016x}", hash(files)));
    if !entry.is_dir() {
        fs::create_dir_all(cache).map_err(|error| CacheError::Write(cache.to_owned(), error))?;
        let beside = beside(&entry);
        let created = create(&beside, &entry, files);
        if created.is_err() || beside.exists() {
            let _ = fs::remove_dir_all(&beside); // What matters is why it was not created.
        }
        created?;
    }
    for (name, content) in files {
        let path = entry.join(name);
        if !fs::metadata(&path).is_ok_and(|found| found.len() == content.len() as u64) {
            replace(&path, content).map_err(|error| CacheError::Write(path, error))?; // C3
        }
    }
    Ok(entry)
}

/// Writes an entry beside its place and moves it there (C2).
fn create(beside: &Path, entry: &Path, files: &[File<'_>]) -> Result<(), CacheError> {
    let tag = (TAG.0.to_owned(), TAG.1);
    for (name, content) in [&tag].into_iter().chain(files) {
        let path = beside.join(name);
        write(&path, name, content).map_err(|error| CacheError::Write(path, error))?;
    }
    match fs::rename(beside, entry) {
        // Another process was faster.
        Err(_) if entry.is_dir() => Ok(()),
        renamed => renamed.map_err(|error| CacheError::Write(entry.to_owned(), error)),
    }
}

/// A name beside a path that no other writer uses.
fn beside(path: &Path) -> PathBuf {
    static N_NAMES: AtomicU32 = AtomicU32::new(0);
    let n = N_NAMES.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".new-{}-{n}", process::id()))
}

fn write(path: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !Path::new(name).components().all(is_plain) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the name leaves the folder"));
    }
    fs::create_dir_all(path.parent().expect("a file in a folder has a parent"))?;
    fs::write(path, content)
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().expect("a file in a folder has a parent"))?;
    let beside = beside(path);
    let replaced = fs::write(&beside, content).and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        let _ = fs::remove_file(&beside); // What matters is why it was not replaced.
    }
    replaced
}

fn hash(files: &[File<'_>]) -> u64 {
    let mut hash = Xxh3::new();
    for part in files.iter().flat_map(|(name, content)| [name.as_bytes(), content]) {
        hash.update(&part.len().to_le_bytes());
        hash.update(part);
    }
    hash.digest()
}

/// What [`clean`] removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// The kinds of the entries.
    pub kinds: Vec<String>,
    /// How much that was.
    pub bytes: u64,
}

impl Removed {
    /// How many entries of a kind there were.
    pub fn n(&self, kind: &str) -> usize {
        self.kinds.iter().filter(|other| *other == kind).count()
    }
}

/// Removes every entry below a cache (C4), and its folder if nothing is left.
pub fn clean(cache: &Path) -> Result<Removed, CacheError> {
    let mut removed = Removed::default();
    let entries = match fs::read_dir(cache) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(removed),
        entries => entries.map_err(|error| CacheError::Remove(cache.to_owned(), error))?,
    };
    for entry in entries.flatten().map(|entry| entry.path()) {
        let Some(kind) = kind(&entry) else { continue };
        removed.bytes += size(&entry);
        removed.kinds.extend(kind);
        fs::remove_dir_all(&entry).map_err(|error| CacheError::Remove(entry, error))?;
    }
    // It stays if something else is in it, which is no fault.
    let _ = fs::remove_dir(cache);
    Ok(removed)
}

/// The kind of an entry, none if it was never completed; nothing for what is not ours.
fn kind(entry: &Path) -> Option<Option<String>> {
    let name = entry.file_name()?.to_str()?;
    if fs::read(entry.join(TAG.0)).ok()? != TAG.1 {
        return None;
    }
    if name.starts_with(".new-") {
        return Some(None);
    }
    let (kind, hash) = name.rsplit_once('-')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| Some(kind.to_owned()))
}

/// The bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| {
        let about = entry.metadata().ok()?; // Does not follow links.
        Some(if about.is_dir() { size(&entry.path()) } else { about.len() })
    });
    sizes.sum()
}

#[cfg(test)]
mod tests;
