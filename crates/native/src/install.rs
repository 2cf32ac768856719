//! The runtime, as it lies on disk.
//!
//! The host carries the runtime inside itself and unpacks it on first use into a folder of the
//! user's cache that is named after its content, so several versions live side by side and one
//! that is in use is never changed. Files are written beside their place and renamed: whoever
//! finds one finds all of it.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use thiserror::Error;

static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libraddle_runtime.so"));
static EMPTY_OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty.o"));

/// The file name of the runtime.
pub const RUNTIME_NAME: &str = "libraddle_runtime.so";

/// Names under which compilers and programs look for the runtime that it stands in for.
const ALIASES: [&str; 4] = ["libtsan.so", "libtsan.so.2", "libtsan.so.1", "libtsan.so.0"];

/// Why the runtime could not be unpacked.
#[derive(Debug, Error)]
pub enum InstallError {
    /// Nobody says where caches go.
    #[error("there is no cache directory: none of RADDLE_CACHE, XDG_CACHE_HOME and HOME is set")]
    NoPlace,
    /// A file cannot be written.
    #[error("cannot write `{}`", .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// A folder cannot be removed.
    #[error("cannot remove `{}`", .0.display())]
    Remove(PathBuf, #[source] io::Error),
}

/// An unpacked runtime.
#[derive(Clone, Debug)]
pub struct Installation {
    directory: PathBuf,
}

impl Installation {
    /// Unpacks the runtime, if that was not done before.
    pub fn get() -> Result<Installation, InstallError> {
        Installation::below(&cache()?)
    }

    /// Unpacks the runtime below a folder, if that was not done before.
    pub fn below(cache: &Path) -> Result<Installation, InstallError> {
        let name = format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), content_hash());
        let directory = cache.join(name);
        let runtime = directory.join(RUNTIME_NAME);
        let is_whole = |path: &Path, content: &[u8]| {
            fs::metadata(path).is_ok_and(|found| found.len() == content.len() as u64)
        };
        fs::create_dir_all(&directory)
            .map_err(|error| InstallError::Write(directory.clone(), error))?;
        if !is_whole(&runtime, RUNTIME) {
            place(&runtime, RUNTIME)?;
        }
        let object = directory.join("libtsan_preinit.o");
        if !is_whole(&object, EMPTY_OBJECT) {
            place(&object, EMPTY_OBJECT)?;
        }
        for alias in ALIASES {
            let path = directory.join(alias);
            match symlink(RUNTIME_NAME, &path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(InstallError::Write(path, error));
                }
                _ => {}
            }
        }
        Ok(Installation { directory })
    }

    /// The folder: linkers and loaders find the runtime there under every name.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The runtime itself.
    pub fn runtime(&self) -> PathBuf {
        self.directory.join(RUNTIME_NAME)
    }
}

/// Where runtimes are unpacked.
pub fn cache() -> Result<PathBuf, InstallError> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(cache) = from("RADDLE_CACHE") {
        return Ok(cache.into());
    }
    let base = match from("XDG_CACHE_HOME") {
        Some(base) => PathBuf::from(base),
        None => PathBuf::from(from("HOME").ok_or(InstallError::NoPlace)?).join(".cache"),
    };
    Ok(base.join("raddle"))
}

/// What [`clean`] removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Where it was.
    pub cache: PathBuf,
    /// Unpacked runtimes.
    pub n_runtimes: usize,
    /// How much that was.
    pub bytes: u64,
}

/// Removes every unpacked runtime.
pub fn clean() -> Result<Removed, InstallError> {
    clean_below(&cache()?)
}

/// Removes every runtime that was unpacked below a folder, and the folder if nothing is left.
/// The folder is the user's choice: what is not ours in it stays.
pub fn clean_below(cache: &Path) -> Result<Removed, InstallError> {
    let mut removed = Removed { cache: cache.to_owned(), n_runtimes: 0, bytes: 0 };
    let entries = match fs::read_dir(cache) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(removed),
        entries => entries.map_err(|error| InstallError::Remove(cache.to_owned(), error))?,
    };
    for folder in entries.flatten().map(|entry| entry.path()).filter(|path| is_runtime(path)) {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
        removed.bytes += sizes.sum::<u64>();
        removed.n_runtimes += 1;
        fs::remove_dir_all(&folder).map_err(|error| InstallError::Remove(folder, error))?;
    }
    // It stays if something else is in it, which is no fault.
    let _ = fs::remove_dir(cache);
    Ok(removed)
}

/// Whether a folder has the name and the content of an unpacked runtime.
fn is_runtime(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let hash = name.rsplit_once('-').map_or("", |(_, hash)| hash);
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash && folder.join(RUNTIME_NAME).is_file()
}

/// Writes a file beside its place and moves it there.
fn place(path: &Path, content: &[u8]) -> Result<(), InstallError> {
    let fail = |error| InstallError::Write(path.to_owned(), error);
    let beside = path.with_extension(format!("new-{}", std::process::id()));
    fs::write(&beside, content).map_err(fail)?;
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o755)).map_err(fail)?;
    fs::rename(&beside, path).map_err(fail)
}

/// FNV-1a of what is unpacked.
fn content_hash() -> u64 {
    let mix = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    RUNTIME.iter().chain(EMPTY_OBJECT).fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_unpacked_once_and_mended_when_cut_off() {
        let cache = tempfile::tempdir().unwrap();
        let first = Installation::below(cache.path()).unwrap();
        let second = Installation::below(cache.path()).unwrap();
        assert_eq!(first.directory(), second.directory());
        assert_eq!(fs::read(first.directory().join("libtsan.so.2")).unwrap(), RUNTIME);
        fs::write(first.runtime(), b"cut off").unwrap();
        Installation::below(cache.path()).unwrap();
        assert_eq!(fs::read(first.runtime()).unwrap(), RUNTIME);
    }
    #[test]
    fn cleaning_removes_runtimes_and_nothing_else() {
        let cache = tempfile::tempdir().unwrap();
        let below = cache.path().join("raddle");
        let none = clean_below(&below).unwrap();
        assert_eq!((none.n_runtimes, none.bytes), (0, 0));

        let runtime = Installation::below(&below).unwrap();
        fs::write(below.join("thesis.txt"), "years of work").unwrap();
        fs::create_dir(below.join("photos-0123456789abcdef")).unwrap();
        let removed = clean_below(&below).unwrap();
        assert_eq!(removed.n_runtimes, 1);
        assert!(removed.bytes >= (RUNTIME.len() + EMPTY_OBJECT.len()) as u64, "{removed:?}");
        assert!(!runtime.directory().exists());
        assert!(below.join("thesis.txt").exists());
        assert!(below.join("photos-0123456789abcdef").exists());

        fs::remove_dir(below.join("photos-0123456789abcdef")).unwrap();
        fs::remove_file(below.join("thesis.txt")).unwrap();
        Installation::below(&below).unwrap();
        clean_below(&below).unwrap();
        assert!(!below.exists());
    }
}
