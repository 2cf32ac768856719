//! Looking at a program before it is started.
//!
//! In: a file. Out: [`Facts`] about it, or an [`ElfError`] that says why it cannot run under
//! control and what to do about it. Whether the runtime really took control is only known when the
//! program runs; this is where the usual mistakes get a clear answer.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, Object, ObjectSymbol, elf};
use thiserror::Error;

/// The file name of the runtime.
pub const RUNTIME: &str = "libraddle_runtime.so";

/// Functions that neither block a thread nor order two of them: nobody has to know of them.
const HARMLESS: [&str; 30] = [
    "cnd_init",
    "pthread_atfork",
    "pthread_equal",
    "pthread_getaffinity_np",
    "pthread_getattr_np",
    "pthread_getconcurrency",
    "pthread_getcpuclockid",
    "pthread_getname_np",
    "pthread_getschedparam",
    "pthread_getspecific",
    "pthread_key_create",
    "pthread_key_delete",
    "pthread_kill",
    "pthread_self",
    "pthread_setaffinity_np",
    "pthread_setcancelstate",
    "pthread_setcanceltype",
    "pthread_setconcurrency",
    "pthread_setname_np",
    "pthread_setschedparam",
    "pthread_setschedprio",
    "pthread_setspecific",
    "pthread_sigmask",
    "pthread_testcancel",
    "sem_close",
    "sem_open",
    "sem_unlink",
    "thrd_current",
    "thrd_equal",
    "thrd_sleep",
];

/// Functions that only fill in attributes.
const ATTRIBUTES: [&str; 5] = [
    "pthread_attr_",
    "pthread_mutexattr_",
    "pthread_condattr_",
    "pthread_rwlockattr_",
    "pthread_barrierattr_",
];

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The file.
    pub path: PathBuf,
    /// It tells a runtime of its memory accesses.
    pub instrumented: bool,
    /// Whether it asks for the runtime.
    pub linkage: Linkage,
    /// It makes system calls itself, as the standard library of Rust does for its locks.
    pub calls_system: bool,
    /// It may wait on condition variables, or in a system call of its own, where a wait can end spuriously.
    pub may_wait: bool,
    /// Synchronisation that it uses and that nobody would control, sorted.
    pub unknown_sync: Vec<String>,
}

/// Whether a program asks for the runtime, or for the library whose place it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// It does not.
    Absent,
    /// Before the C library, as it must be.
    First,
    /// Behind the C library, which would win.
    Behind,
}

/// A program cannot run under control.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ElfError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A script.
    #[error("{}: a script, not a program; give the program that it runs", path.display())]
    Script {
        /// The file.
        path: PathBuf,
    },
    /// Something else.
    #[error("{}: not a program in ELF format", path.display())]
    NotElf {
        /// The file.
        path: PathBuf,
    },
    /// A program for another machine.
    #[error("{}: not a program for 64-bit x86 (x86-64)", path.display())]
    Architecture {
        /// The file.
        path: PathBuf,
    },
    /// An object file, a core dump.
    #[error("{}: an ELF file, but not a program", path.display())]
    NotAProgram {
        /// The file.
        path: PathBuf,
    },
    /// No dynamic linker, so nothing can be put in between.
    #[error("{}: linked statically; link it dynamically (without -static)", path.display())]
    Static {
        /// The file.
        path: PathBuf,
    },
    /// It brings its own runtime.
    #[error(
        "{}: has ThreadSanitizer's runtime linked in; link it with `raddle cc`, or compile with \
         -fsanitize=thread and link without it (clang: -fno-sanitize-link-runtime, gcc: without \
         -static-libtsan)",
        path.display()
    )]
    StaticSanitizer {
        /// The file.
        path: PathBuf,
    },
    /// Nothing is told of its accesses.
    #[error(
        "{}: not instrumented; build it with `raddle cc`, or use --preload to control only its \
         synchronisation",
        path.display()
    )]
    Uninstrumented {
        /// The file.
        path: PathBuf,
    },
    /// It was compiled for a runtime and not linked with one.
    #[error("{}: instrumented, but not linked with a runtime; link it with `raddle cc`", path.display())]
    NotLinked {
        /// The file.
        path: PathBuf,
    },
    /// Functions that the runtime knows nothing of.
    #[error(
        "{}: calls {}, which Raddle cannot control",
        path.display(),
        names.join(", ")
    )]
    Unknown {
        /// The file.
        path: PathBuf,
        /// Their names.
        names: Vec<String>,
    },
    /// The C library would win.
    #[error(
        "{}: the runtime comes after the C library; link it with `raddle cc`, or put the \
         runtime before all other libraries",
        path.display()
    )]
    Behind {
        /// The file.
        path: PathBuf,
    },
}

impl Facts {
    /// Refuses a program that calls what the runtime does not know.
    pub fn admit_calls(&self) -> Result<(), ElfError> {
        match self.unknown_sync.as_slice() {
            [] => Ok(()),
            names => Err(ElfError::Unknown { path: self.path.clone(), names: names.to_vec() }),
        }
    }

    /// Refuses a program that would run without control. With `preload` the runtime is put before
    /// everything else, and a program that is not instrumented is welcome.
    pub fn admit(&self, preload: bool) -> Result<(), ElfError> {
        let path = || self.path.clone();
        match (&self.linkage, self.instrumented) {
            _ if preload => Ok(()),
            (Linkage::Behind, _) => Err(ElfError::Behind { path: path() }),
            (Linkage::Absent, true) => Err(ElfError::NotLinked { path: path() }),
            (_, false) => Err(ElfError::Uninstrumented { path: path() }),
            (Linkage::First, true) => Ok(()),
        }
    }
}

/// The functions that a library has for others: of the runtime, those that it takes over.
pub fn exports(path: &Path) -> Result<Vec<String>, ElfError> {
    let bytes =
        fs::read(path).map_err(|source| ElfError::Read { path: path.to_owned(), source })?;
    let file = ElfFile64::<Endianness>::parse(&*bytes)
        .map_err(|_| ElfError::NotElf { path: path.to_owned() })?;
    let defined = file.dynamic_symbols().filter(|symbol| !symbol.is_undefined());
    Ok(defined.filter_map(|symbol| Some(symbol.name().ok()?.to_owned())).collect())
}

/// Looks at a program; `interposed` are the functions that the runtime takes over.
pub fn look(path: &Path, interposed: &[String]) -> Result<Facts, ElfError> {
    let bytes =
        fs::read(path).map_err(|source| ElfError::Read { path: path.to_owned(), source })?;
    let path = || path.to_owned();
    if bytes.starts_with(b"#!") {
        return Err(ElfError::Script { path: path() });
    }
    if !bytes.starts_with(&elf::ELFMAG) {
        return Err(ElfError::NotElf { path: path() });
    }
    let file = match ElfFile64::<Endianness>::parse(&*bytes) {
        Ok(file) if file.elf_header().e_machine(file.endian()) == elf::EM_X86_64 => file,
        // The fifth byte says 32 or 64 bits: what is 64-bit and cannot be parsed is broken.
        Err(_) if bytes.get(4) == Some(&2) => return Err(ElfError::NotElf { path: path() }),
        _ => return Err(ElfError::Architecture { path: path() }),
    };
    let kind = file.elf_header().e_type(file.endian());
    if kind != elf::ET_EXEC && kind != elf::ET_DYN {
        return Err(ElfError::NotAProgram { path: path() });
    }
    if defines_sanitizer(&file) {
        return Err(ElfError::StaticSanitizer { path: path() });
    }
    let headers = file.elf_program_headers();
    if !headers.iter().any(|header| header.p_type(file.endian()) == elf::PT_INTERP) {
        return Err(ElfError::Static { path: path() });
    }
    let imports = imports(&file);
    Ok(Facts {
        path: path(),
        instrumented: imports.iter().any(|name| name.starts_with("__tsan_")),
        linkage: linkage(&file),
        calls_system: imports.iter().any(|name| name == "syscall"),
        may_wait: may_wait(&file, &imports),
        unknown_sync: unknown_sync(&imports, interposed),
    })
}

/// False only if no code of a program, or of its libraries on its behalf, waits on a condition variable.
fn may_wait(file: &ElfFile64<'_>, imports: &[String]) -> bool {
    const QUIET: [&str; 11] = [
        RUNTIME,
        "libtsan.so",
        "ld-linux",
        "libatomic.so",
        "libc.so",
        "libdl.so",
        "libgcc_s.so",
        "libm.so",
        "libpthread.so",
        "librt.so",
        "libstdc++.so",
    ];
    const WORDS: [&str; 7] = ["cnd_", "cond", "dlopen", "futex", "future", "sigwait", "syscall"];
    let is_quiet = |library: &[u8]| QUIET.iter().any(|name| library.starts_with(name.as_bytes()));
    let mut libraries = file.import_libraries().into_iter().flatten();
    imports.iter().any(|name| WORDS.iter().any(|word| name.contains(word)))
        || !libraries.all(|library| library.is_ok_and(|library| is_quiet(library.name())))
}

fn defines_sanitizer(file: &ElfFile64<'_>) -> bool {
    let defined = |symbol: object::read::elf::ElfSymbol64<'_, '_>| {
        symbol.name_bytes() == Ok(b"__tsan_init") && !symbol.is_undefined()
    };
    file.symbols().chain(file.dynamic_symbols()).any(defined)
}

/// Names that the dynamic linker has to find, sorted.
fn imports(file: &ElfFile64<'_>) -> Vec<String> {
    let undefined = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
    let mut names: Vec<_> =
        undefined.filter_map(|symbol| Some(symbol.name().ok()?.to_owned())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn linkage(file: &ElfFile64<'_>) -> Linkage {
    let libraries = file.import_libraries().into_iter().flatten().filter_map(Result::ok);
    let libraries: Vec<_> = libraries.map(|library| library.name()).collect();
    let first = |names: &[&str]| {
        let one_of = |library: &[u8]| names.iter().any(|n| library.starts_with(n.as_bytes()));
        libraries.iter().position(|library| one_of(library))
    };
    match (first(&[RUNTIME, "libtsan.so"]), first(&["libc.so", "libpthread.so"])) {
        (None, _) => Linkage::Absent,
        (Some(ours), Some(theirs)) if theirs < ours => Linkage::Behind,
        (Some(_), _) => Linkage::First,
    }
}

fn unknown_sync(imports: &[String], interposed: &[String]) -> Vec<String> {
    const FAMILIES: [&str; 5] = ["pthread_", "sem_", "mtx_", "cnd_", "thrd_"];
    let starts = |name: &str, with: &[&str]| with.iter().any(|prefix| name.starts_with(prefix));
    let unknown = |name: &&String| {
        starts(name, &FAMILIES)
            && !starts(name, &ATTRIBUTES)
            && !HARMLESS.contains(&name.as_str())
            && !interposed.contains(name)
    };
    imports.iter().filter(unknown).cloned().collect()
}

#[cfg(test)]
mod tests;
