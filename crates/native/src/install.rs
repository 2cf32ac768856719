//! The runtime, as it lies on disk: an entry of the user's cache (`raddle_cache`), unpacked on first use.

use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use raddle_cache::CacheError;

static RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libraddle_runtime.so"));
static EMPTY_OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/empty.o"));

/// The file name of the runtime.
pub const RUNTIME_NAME: &str = "libraddle_runtime.so";

/// Names under which compilers and programs look for the runtime that it stands in for.
const ALIASES: [&str; 4] = ["libtsan.so", "libtsan.so.2", "libtsan.so.1", "libtsan.so.0"];

/// The kind of its entry in the cache.
pub const KIND: &str = concat!("runtime-", env!("CARGO_PKG_VERSION"));

/// An unpacked runtime.
#[derive(Clone, Debug)]
pub struct Installation {
    directory: PathBuf,
}

impl Installation {
    /// Unpacks the runtime, if that was not done before.
    pub fn get() -> Result<Installation, CacheError> {
        Installation::below(&raddle_cache::folder()?)
    }

    /// Unpacks the runtime below a folder, if that was not done before.
    pub fn below(cache: &Path) -> Result<Installation, CacheError> {
        // gcc wants to link an object of its own with every instrumented program.
        let object = "libtsan_preinit.o";
        let files = [(RUNTIME_NAME.to_owned(), RUNTIME), (object.to_owned(), EMPTY_OBJECT)];
        let directory = raddle_cache::unpack(cache, KIND, &files)?;
        for alias in ALIASES {
            let path = directory.join(alias);
            match symlink(RUNTIME_NAME, &path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(CacheError::Write(path, error));
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

#[cfg(test)]
mod tests {
    use std::fs;

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
        fs::remove_file(first.directory().join("libtsan.so")).unwrap();
        Installation::below(cache.path()).unwrap();
        assert!(first.directory().join("libtsan.so").exists());
    }

    #[test]
    fn cleaning_removes_runtimes() {
        let cache = tempfile::tempdir().unwrap();
        let runtime = Installation::below(cache.path()).unwrap();
        let removed = raddle_cache::clean(cache.path()).unwrap();
        assert_eq!(removed.n(KIND), 1);
        assert!(removed.bytes >= (RUNTIME.len() + EMPTY_OBJECT.len()) as u64, "{removed:?}");
        assert!(!runtime.directory().exists());
    }
}
