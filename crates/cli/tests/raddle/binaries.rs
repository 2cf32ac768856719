//! Programs that are built once, for the tests of binaries.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use raddle_native::compiler::Compiler;
use raddle_native::install::Installation;
use tempfile::TempDir;

use crate::harness::{Dir, Run};

/// Two threads, `first` and `second`, and what comes after them.
fn two(first: &str, second: &str, end: &str) -> String {
    format!(
        "#include <assert.h>\n#include <pthread.h>\n#include <sched.h>\n#include <signal.h>\n#include <stdatomic.h>\n\
         #include <stdio.h>\n#include <stdlib.h>\n#include <sys/resource.h>\n#include <sys/vfs.h>\n\
         #include <unistd.h>\n\
         static atomic_int x, y;\nstatic int *volatile pointer;\n\
         static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\n\
         static __attribute__((noinline)) void use(int *where) {{ *where = 1; }}\n\
         static void *first(void *p) {{ {first} return p; }}\n\
         static void *second(void *p) {{ {second} return p; }}\n\
         int main(int n, char **words) {{ pthread_t a, b; (void)n; (void)words; (void)use;\n\
         (void)mutex; pthread_create(&a, 0, first, words);\n\
         pthread_create(&b, 0, second, words); pthread_join(a, 0); pthread_join(b, 0);\n\
         {end} }}\n"
    )
}

/// The sources, by name; those of the corpus are there, too.
fn sources() -> Vec<(&'static str, String)> {
    let order = |end: &str| two("x = 1;", "y = x + 1;", end);
    vec![
        ("abort", two("x = 1;", "if (x) abort();", "return 0;")),
        ("crash", two("x = 1;", "if (x) use(pointer);", "return 0;")),
        ("status", order("return y == 2 ? 3 : 0;")),
        ("output", order("printf(\"%d\\n\", (int)y); return 0;")),
        (
            "double_free",
            two("x = 1;", "pointer = malloc(4); free(pointer); if (x) free(pointer);", "return 0;"),
        ),
        ("livelock", two("x = 1; x = 0;", "while (!x) { }", "return 0;")),
        ("endless", two("x = 1;", "if (x) for (;;) ;", "return 0;")),
        (
            "hang",
            two(
                "x = 1;",
                "sigset_t set; int got; sigemptyset(&set); sigaddset(&set, SIGUSR1);\n\
                 pthread_sigmask(SIG_BLOCK, &set, 0); if (x) sigwait(&set, &got);",
                "return 0;",
            ),
        ),
        ("clean", two("x++;", "x++;", "assert(x == 2); return 0;")),
        ("alone", "int main(void) { return 0; }\n".to_owned()),
        ("echo", two("x = getchar();", "y = x;", "assert(x != 'q' || y != 'q'); return 0;")),
        (
            "argument",
            two("x = 1;", "y = x;", "assert(n < 2 || words[1][0] != 'b' || y); return 0;"),
        ),
        (
            "asks_system",
            two(
                "x = 1; getpriority(PRIO_PROCESS, 0); getsid(0); getpgrp(); sched_getscheduler(0);",
                "gid_t groups[9]; struct statfs about; struct sched_param parameter;\n\
                 if (sched_get_priority_min(1) > sched_get_priority_max(1)) abort();\n\
                 if (getgroups(9, groups) < 0 || statfs(\"/\", &about)) abort();\n\
                 if (sched_getparam(0, &parameter)) abort(); y = x;",
                "return 0;",
            ),
        ),
        ("changes_system", two("x = 1;", "setpriority(PRIO_PROCESS, 0, 0); y = x;", "return 0;")),
        (
            "changes_folder",
            two("x = 1;", "if (chdir(\"/\")) abort(); y = x;", "assert(y); return 0;"),
        ),
        ("finds_file", two("x = 1;", "y = !access(\"here\", 0) && x;", "assert(!y); return 0;")),
        ("predicted", crate::check::PREDICTED.to_owned()),
        ("same_race", include_str!("same/race.c").to_owned()),
        ("same_assertion", include_str!("same/assertion.c").to_owned()),
        ("same_change", include_str!("same/change.c").to_owned()),
        ("same_lost_wakeup", include_str!("same/lost_wakeup.c").to_owned()),
        ("same_use_after_free", include_str!("same/use_after_free.c").to_owned()),
        ("same_misuse", include_str!("same/misuse.c").to_owned()),
        ("same_behind", include_str!("same/behind.c").to_owned()),
        ("same_stack", include_str!("same/stack.c").to_owned()),
        ("same_strings", include_str!("same/strings.c").to_owned()),
        ("same_double_free", include_str!("same/double_free.c").to_owned()),
        ("same_bad_free", include_str!("same/bad_free.c").to_owned()),
        ("same_looked_at", include_str!("same/looked_at.c").to_owned()),
        ("same_words", include_str!("same/words.c").to_owned()),
        ("same_null", two("x = 1;", "if (x) use(pointer);", "return 0;")),
        ("same_abort", two("x = 1;", "if (x) abort();", "return 0;")),
        // What a run finds is what the one before it left.
        (
            "fails_once",
            two(
                "x = 1;",
                "if (access(\"mark\", 0)) { fclose(fopen(\"mark\", \"w\")); y = 1; }",
                "assert(!y); return 0;",
            ),
        ),
        (
            "drifts",
            two(
                "x = 1;",
                "int seen = !access(\"mark\", 0); fclose(fopen(\"mark\", \"w\"));\n\
                 if (!seen) { x++; x++; x++; pthread_mutex_lock(&mutex); \
                 pthread_mutex_unlock(&mutex); }",
                "return 0;",
            ),
        ),
    ]
}

struct Built {
    folder: TempDir,
    installation: Installation,
}

/// The runtime, and what was built with it.
static BUILT: LazyLock<Built> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let installation = Installation::below(folder.path()).unwrap();
    let built = Built { folder, installation };
    for (name, text) in sources() {
        let source = built.folder.path().join(format!("{name}.c"));
        fs::write(&source, text).unwrap();
        built.build(&source, name, "gcc", "-O1");
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    for name in ["ab_ba", "ab_ba_fixed", "bank_race", "refcount", "lost_wakeup"] {
        let source = built.path(&format!("{name}.c"));
        fs::copy(corpus.join(format!("{name}.c")), &source).unwrap();
        built.build(&source, name, "gcc", "-O1");
    }
    let mut gcc = Command::new("gcc");
    gcc.arg("-pthread").arg("-o").arg(built.path("plain")).arg(built.path("ab_ba.c"));
    assert!(gcc.status().unwrap().success());
    built
});

impl Built {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn build(&self, source: &Path, name: &str, compiler: &str, optimise: &str) {
        let mut given = [optimise, "-pthread", "-o"].map(Into::into).to_vec();
        given.extend([self.path(name).into(), source.into()]);
        let compiler = Compiler::named(OsStr::new(compiler)).unwrap();
        let mut command = compiler.command(&given, self.installation.directory()).unwrap();
        assert!(command.status().unwrap().success());
    }
}

/// The source of a program.
pub fn source(program: &str) -> String {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/c");
    let own = sources().into_iter().find(|(name, _)| *name == program);
    own.map_or_else(|| fs::read_to_string(corpus.join(format!("{program}.c"))).unwrap(), |it| it.1)
}

/// Where programs are built.
pub fn folder() -> String {
    BUILT.folder.path().to_str().unwrap().to_owned()
}

/// A directory with a program in it, by its own name.
pub fn dir(program: &str) -> Dir {
    let dir = Dir::new();
    fs::copy(BUILT.path(program), dir.path(program)).unwrap();
    dir
}

/// A directory with a program in it that is built now, and does what its source says, step by step.
pub fn built(source: &Path, name: &str, compiler: &str) -> Dir {
    let unoptimised = format!("{name}_unoptimised");
    BUILT.build(source, &unoptimised, compiler, "-O0");
    let dir = Dir::new();
    fs::copy(BUILT.path(&unoptimised), dir.path(name)).unwrap();
    dir
}

/// The runtime that the programs are built with.
pub fn installation() -> Installation {
    BUILT.installation.clone()
}

/// Runs the command; words are separated by blanks.
pub fn raddle(dir: &Dir, args: &str) -> Run {
    let mut command = dir.command(args.split_whitespace());
    command.env("RADDLE_CACHE", BUILT.folder.path());
    Run::of(command.output().unwrap())
}

/// Runs a line as people do who paste it into their shell.
pub fn shell(dir: &Dir, line: &str) -> Run {
    dir.shell(&format!("export RADDLE_CACHE='{}'; {line}", BUILT.folder.path().display()))
}
