//! Builds programs with the runtime in them, as `raddle cc` does, and runs them.

#![allow(dead_code)] // Each test uses its part.

pub mod facts;
pub mod predict;
pub mod search;
mod shared;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use raddle_native::install::Installation;
use raddle_native::launch::{self, Answer, Request};
use raddle_native::target::{Output, Target};
use raddle_needs::{Need, met};

use shared::Shared;

/// So many programs are built and run at a time.
const N_WORKERS: usize = 2;

/// Nothing that is run here takes so long.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The compilers of C and C++ of one family.
#[derive(Clone, Copy, Debug)]
pub struct Compiler {
    pub c: &'static str,
    cpp: &'static str,
}

/// The compilers that have to be there.
pub const GCC: Compiler = Compiler { c: "gcc", cpp: "g++" };

/// All compilers that are there.
pub fn compilers() -> Vec<Compiler> {
    let clang = Compiler { c: "clang", cpp: "clang++" };
    std::iter::once(GCC).chain(met(Need::Clang).then_some(clang)).collect()
}

/// The ways that a program is tried in: every second one of them, and with each program the other ones; all of them in the
/// long form (`RADDLE_EVERY_WAY`).
pub fn share<W: Copy>(program: usize, ways: &[W]) -> Vec<W> {
    let is_long = std::env::var_os("RADDLE_EVERY_WAY").is_some();
    // Programs and their repaired twins follow each other.
    let turn = program + program / 2;
    let is_chosen = |&(way, _): &(usize, &W)| is_long || (turn + way).is_multiple_of(2);
    ways.iter().enumerate().filter(is_chosen).map(|(_, &way)| way).collect()
}

/// Every compiler with every level of optimisation, those that differ in both two places apart.
pub fn levels() -> Vec<(Compiler, [&'static str; 2])> {
    const FLAGS: [[&str; 2]; 2] = [["-O0", "-fno-inline"], ["-O2", "-fno-inline"]];
    let mut all = Vec::new();
    for (index, compiler) in compilers().into_iter().enumerate() {
        let flags = if index % 2 == 0 { FLAGS } else { [FLAGS[1], FLAGS[0]] };
        all.extend(flags.map(|flags| (compiler, flags)));
    }
    all
}

/// Where programs are built and run; what was built is shared with other tests, files are the test's own.
pub struct Workshop {
    folder: tempfile::TempDir,
    pub installation: &'static Installation,
    n_files: AtomicUsize,
}

impl Workshop {
    pub fn new() -> Workshop {
        let folder = tempfile::tempdir().unwrap();
        Workshop { folder, installation: &Shared::get().installation, n_files: AtomicUsize::new(0) }
    }

    /// A name for a file that nobody else has.
    pub fn file(&self) -> PathBuf {
        let number = self.n_files.fetch_add(1, Ordering::Relaxed);
        self.folder.path().join(format!("file-{number}"))
    }

    /// Builds a program; what the compiler says if it does not want to.
    pub fn build(
        &self,
        compiler: Compiler,
        source: &Path,
        flags: &[&str],
    ) -> Result<Target, String> {
        let is_cpp = source.extension() == Some(OsStr::new("cpp"));
        let name = if is_cpp { compiler.cpp } else { compiler.c };
        Shared::get().program(name, source, flags, |program| {
            let mut given: Vec<OsString> = flags.iter().map(OsString::from).collect();
            given.extend(["-w", "-pthread", "-o"].map(OsString::from));
            given.extend([program.to_owned(), source.as_os_str().to_owned()]);
            let real = Shared::get().compiler(name);
            let mut command = real.command(&given, self.installation.directory()).unwrap();
            finish(&mut command, Path::new(program))
        })
    }

    /// Builds a program in Rust; its standard library stays as it is.
    pub fn build_rust(&self, source: &Path) -> Result<Target, String> {
        Shared::get()
            .program("rustc", source, &[], |program| self.rustc(source, Path::new(program)))
    }

    fn rustc(&self, source: &Path, program: &Path) -> Result<Target, String> {
        let directory = self.installation.directory().display();
        let mut rustc = Command::new("rustc");
        rustc.env("RUSTC_BOOTSTRAP", "1").args(["--edition=2024", "-Awarnings", "-g", "-O"]).args(
            [
                "--target=x86_64-unknown-linux-gnu",
                "-Zsanitizer=thread",
                "-Zexternal-clangrt",
                "-Cunsafe-allow-abi-mismatch=sanitizer",
                "-Zpre-link-args=-Wl,--no-as-needed",
                &format!("-Zpre-link-args=-L{directory}"),
                "-Zpre-link-args=-lraddle_runtime",
                &format!("-Zpre-link-args=-Wl,-rpath,{directory}"),
                "-o",
            ],
        );
        finish(rustc.arg(program).arg(source), program)
    }

    /// Runs a program once.
    pub fn run(&self, target: &Target, request: &Request<'_>) -> Result<Answer, String> {
        let timeout = request.timeout.or(Some(TIMEOUT));
        let request = Request { timeout, ..request.clone() };
        let runtime = self.installation.runtime();
        launch::run(target, &request, &runtime, &AtomicBool::new(false))
            .map_err(|error| error.to_string())
    }
}

/// Runs a compiler; the program that it made.
pub fn finish(command: &mut Command, program: &Path) -> Result<Target, String> {
    let built = command.output().unwrap();
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    let mut target = Target::new(program.as_os_str()).unwrap();
    target.output = Output::Capture;
    Ok(target)
}

/// Seed 0 is the run in which threads go on as long as they can.
pub fn drawn(seed: u64) -> Option<u64> {
    (seed > 0).then_some(seed)
}

/// Does something for each item, some at a time; what was returned, in the order of the items. The threads have the
/// name of the test.
pub fn for_each<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let work = || {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            let result = act(item);
            results.lock().unwrap().push((index, result));
        }
    };
    let test = std::thread::current();
    std::thread::scope(|scope| {
        for _ in 0..N_WORKERS {
            let worker = std::thread::Builder::new().name(test.name().unwrap().to_owned());
            worker.spawn_scoped(scope, work).unwrap();
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
