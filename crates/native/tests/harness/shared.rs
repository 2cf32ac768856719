//! What all tests of an executable share: the runtime, and the programs that were built with it.
//!
//! In: a compiler, a source, flags. Out: the program. Many tests look at the same programs, and building them takes longer
//! than running them, so each is built once. A source stays as it is while tests run.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use raddle_native::compiler::Compiler;
use raddle_native::install::Installation;
use raddle_native::target::Target;

/// A program, or what the compiler said instead; nothing while it is being built.
type Built = Arc<OnceLock<Result<Target, String>>>;

/// How a program is built: the compiler, the source, the flags.
type Key = (&'static str, PathBuf, Vec<String>);

pub struct Shared {
    folder: PathBuf,
    pub installation: Installation,
    programs: Mutex<HashMap<Key, Built>>,
    compilers: Mutex<HashMap<&'static str, Compiler>>,
    n_files: AtomicUsize,
}

static SHARED: LazyLock<Shared> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap().keep();
    let installation = Installation::below(&folder).unwrap();
    // SAFETY: `remove` may be called at the end.
    assert_eq!(unsafe { libc::atexit(remove) }, 0);
    Shared {
        folder,
        installation,
        programs: Mutex::default(),
        compilers: Mutex::default(),
        n_files: AtomicUsize::new(0),
    }
});

/// Statics are not dropped.
extern "C" fn remove() {
    let _ = fs::remove_dir_all(&SHARED.folder);
}

impl Shared {
    pub fn get() -> &'static Shared {
        &SHARED
    }

    /// The program, which is built by `build` in a file if that was not done before.
    pub fn program(
        &self,
        compiler: &'static str,
        source: &Path,
        flags: &[&str],
        build: impl FnOnce(&OsStr) -> Result<Target, String>,
    ) -> Result<Target, String> {
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        let key = (compiler, source.to_owned(), flags);
        let built = self.programs.lock().unwrap().entry(key).or_default().clone();
        let number = || self.n_files.fetch_add(1, Ordering::Relaxed);
        let file = || OsString::from(self.folder.join(format!("program-{}", number())));
        built.get_or_init(|| build(&file())).clone()
    }

    /// A compiler; it is asked for its version once.
    pub fn compiler(&self, name: &'static str) -> Compiler {
        let mut compilers = self.compilers.lock().unwrap();
        compilers.entry(name).or_insert_with(|| Compiler::named(OsStr::new(name)).unwrap()).clone()
    }
}
