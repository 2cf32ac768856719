//! `raddle cc` and `raddle c++` with real compilers.
//!
//! What is built is looked at with `readelf` and `nm`, and run without Raddle: the runtime does
//! nothing then, so a program must do what it does without it. Tests that need Clang say so and
//! pass where there is none.

use std::iter;
use std::path::Path;
use std::process::Command;

use raddle_needs::{Need, met};

use crate::harness::{Dir, Run};

const THREADS: &str = r#"
#include <pthread.h>
#include <stdio.h>
int shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *unused) {
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    printf("%d\n", shared);
    return 0;
}
"#;

/// A folder with a program, a cache, and a compiler.
struct Build {
    dir: Dir,
    compiler: &'static str,
}

impl Build {
    fn with(compiler: &'static str) -> Build {
        Build { dir: Dir::with("a.c", THREADS), compiler }
    }

    /// One for each compiler.
    fn each() -> Vec<Build> {
        let clang = met(Need::Clang).then_some("clang");
        iter::once("gcc").chain(clang).map(Build::with).collect()
    }

    fn call(&self, binary: &str, args: &str) -> Run {
        let mut words = args.split_whitespace();
        let mut command = match binary {
            "raddle" => self.dir.command(words.by_ref()),
            path => {
                let mut command = Command::new(path);
                command.args(words).current_dir(self.dir.path("."));
                command
            }
        };
        command.env("RADDLE_CACHE", self.dir.path("cache"));
        command.env("RADDLE_CC", self.compiler).env("RADDLE_CXX", "c++");
        Run::of(command.output().unwrap())
    }

    /// `raddle cc`.
    fn cc(&self, args: &str) -> Run {
        self.call("raddle", &format!("cc {args}"))
    }

    /// What a tool says about a file.
    fn says(&self, tool: &str, args: &str) -> String {
        let mut command = Command::new(tool);
        command.args(args.split_whitespace()).current_dir(self.dir.path("."));
        Run::of(command.output().unwrap()).succeeds().stdout
    }

    /// The program asks for the runtime first, is instrumented, and does what it should.
    #[track_caller]
    fn is_controllable(&self, program: &str) {
        let dynamic = self.says("readelf", &format!("-d {program}"));
        let needed: Vec<_> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
        assert!(needed[0].contains("libraddle_runtime.so"), "{}: {needed:?}", self.compiler);
        assert!(!dynamic.contains("libtsan"), "{}: {dynamic}", self.compiler);
        assert!(self.says("nm", &format!("-D {program}")).contains("U __tsan_write4"));
        let path = self.dir.path(program);
        let run = Run::of(Command::new(&path).env_remove("LD_LIBRARY_PATH").output().unwrap());
        assert_eq!(run.succeeds().stdout, "2\n", "{}", self.compiler);
    }
}

/// Each compiler makes a program of these arguments that can be controlled.
#[track_caller]
fn check(args: &str) {
    Build::each().iter().for_each(|build| check_with(build, args));
}

#[track_caller]
fn check_with(build: &Build, args: &str) {
    let run = build.cc(args).succeeds();
    assert_eq!(run.stderr, "", "{} {args}", build.compiler);
    build.is_controllable("a.out");
}

#[test]
fn one_call_compiles_and_links() {
    check("a.c -Wall -Wextra -Werror");
}

#[test]
fn position_of_the_code_does_not_matter() {
    check("a.c -Werror -fPIE -pie");
    check("a.c -Werror -fno-pie -no-pie");
}

#[test]
fn other_libraries_may_be_linked_statically() {
    check("a.c -Werror -static-libgcc");
}

#[test]
fn the_linker_may_insist_on_definitions() {
    check("a.c -Werror -Wl,-z,defs");
    check("a.c -Werror -Wl,--no-undefined");
}

#[test]
fn the_last_output_counts() {
    check("a.c -o first -o a.out");
}

#[test]
fn undefined_behaviour_may_be_checked_too() {
    for args in ["a.c -fsanitize=undefined", "a.c -fsanitize=thread,undefined"] {
        check_with(&Build::with("gcc"), args);
        if met(Need::Clang) && met(Need::ClangRuntime) {
            check_with(&Build::with("clang"), args);
        }
    }
}

#[test]
fn standard_libraries_may_be_named_by_hand() {
    for build in Build::each() {
        let file = |name: &str| {
            build.cc(&format!("-print-file-name={name}")).succeeds().stdout.trim().to_owned()
        };
        let objects = format!("{} {} {}", file("crt1.o"), file("crti.o"), file("crtn.o"));
        build.cc(&format!("-nostdlib -no-pie -fno-pie {objects} a.c -lc")).succeeds();
        build.is_controllable("a.out");
    }
}

#[test]
fn compiling_and_linking_may_be_two_calls() {
    for build in Build::each() {
        build.cc("-Werror -O1 -c a.c -o a.o").succeeds();
        let symbols = build.says("nm", "a.o");
        // Clang leaves the read of `shared++` out by default.
        assert!(symbols.contains("U __tsan_read4") && symbols.contains("U __tsan_write4"));
        let link = build.cc("-Werror a.o").succeeds();
        assert_eq!(link.stderr, "", "{}", build.compiler);
        build.is_controllable("a.out");
    }
}

#[test]
fn arguments_may_stand_in_a_file() {
    for build in Build::each() {
        build.dir.file("compile", "-c 'a.c'\n-o \"a.o\"");
        build.cc("-Werror @compile").succeeds();
        assert!(build.says("nm", "a.o").contains("U __tsan_func_entry"));
        build.dir.file("link", "a.o -o a.out");
        build.cc("-Werror @link").succeeds();
        build.is_controllable("a.out");
        build.dir.file("static", "-static");
        build.cc("a.c @static").exits(2);
    }
}

#[test]
fn sources_may_come_from_the_standard_input() {
    for build in Build::each() {
        let mut command = build.dir.command("cc -x c - -o a.out".split(' '));
        command.env("RADDLE_CC", build.compiler).env("RADDLE_CACHE", build.dir.path("cache"));
        command.stdin(std::fs::File::open(build.dir.path("a.c")).unwrap());
        Run::of(command.output().unwrap()).succeeds();
        build.is_controllable("a.out");
    }
}

#[test]
fn shared_libraries_are_instrumented_and_ask_for_the_runtime() {
    for build in Build::each() {
        build.dir.file("lib.c", "int counter; void count(void) { counter++; }");
        build.cc("-Werror -shared -fPIC -Wl,-z,defs lib.c -o libcount.so").succeeds();
        assert!(build.says("readelf", "-d libcount.so").contains("[libraddle_runtime.so]"));
        assert!(build.says("nm", "-D libcount.so").contains("U __tsan_write4"));
    }
}

#[test]
fn what_does_not_link_does_not_warn() {
    for build in Build::each() {
        build.dir.file("b.h", "typedef int number;\n");
        build.dir.file("b.s", ".globl b\nb:\n    ret\n.section .note.GNU-stack,\"\",@progbits\n");
        let calls = [
            "-E a.c",
            "-M a.c",
            "-MM a.c",
            "-fsyntax-only a.c",
            "-S a.c",
            "-c b.s",
            "-x c-header b.h -o b.h.gch",
            "-c a.c",
            "-r a.o b.o -o ab.o",
        ];
        for call in calls {
            let run = build.cc(&format!("-Werror {call}")).succeeds();
            assert_eq!(run.stderr, "", "{} {call}", build.compiler);
        }
        assert!(!build.says("nm", "ab.o").contains("T __tsan_init"));
        build.dir.file("user.c", "#include \"b.h\"\nnumber main(void) { return 0; }\n");
        build.cc("-Werror -Winvalid-pch -include b.h -c user.c").succeeds();
    }
}

#[test]
fn warnings_about_the_arguments_of_the_user_stay() {
    if met(Need::Clang) {
        let run = Build::with("clang").cc("-c a.c -lm").succeeds();
        assert!(run.stderr.contains("-lm: 'linker' input unused"), "{}", run.stderr);
    }
}

#[test]
fn fences_are_no_reason_to_warn() {
    let fence = "int main(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); return 0; }";
    for build in Build::each() {
        build.dir.file("fence.c", fence);
        build.cc("-Wall -Werror -O1 fence.c").succeeds();
    }
}

#[test]
fn the_compiler_answers_for_itself_and_its_status_counts() {
    for build in Build::each() {
        for question in ["--version", "-v", "-dumpmachine"] {
            let direct = Command::new(build.compiler).arg(question).output().unwrap();
            let run = build.cc(question).succeeds();
            assert_eq!(run.stdout, String::from_utf8_lossy(&direct.stdout), "{question}");
        }
        build.dir.file("bad.c", "int main(void) { return nothing; }");
        let run = build.cc("-c bad.c").exits(1);
        assert!(run.stderr.contains("nothing"), "{}", run.stderr);
    }
}

#[test]
fn raddle_keeps_its_own_options_before_the_command() {
    let dir = Dir::new();
    let mut command = dir.command("--color never -q cc -dumpmachine".split(' '));
    let run = Run::of(command.env("RADDLE_CC", "cc").output().unwrap()).succeeds();
    assert!(run.stdout.contains("linux"), "{}", run.stdout);
    for name in ["cc", "c++", "cargo"] {
        let help = dir.raddle(&format!("help {name}")).succeeds().stdout;
        assert!(help.contains("\nExamples:\n  raddle "), "{help}");
    }
}

#[test]
fn what_cannot_work_is_refused_before_anything_is_written() {
    for build in Build::each() {
        for option in ["-static", "-m32", "-fsanitize=address"] {
            let run = build.cc(&format!("{option} a.c")).exits(2);
            assert!(run.stderr.contains(option), "{}", run.stderr);
            assert!(!build.dir.path("a.out").exists());
        }
    }
}

#[test]
fn the_compiler_may_be_a_command_of_several_words() {
    let dir = Dir::with("a.c", THREADS);
    let mut command = dir.command(["cc", "a.c"]);
    command.env("RADDLE_CC", "env LANG=C gcc").env("RADDLE_CACHE", dir.path("cache"));
    Run::of(command.output().unwrap()).succeeds();
    Build { dir, compiler: "gcc" }.is_controllable("a.out");
}

#[test]
fn a_compiler_that_is_missing_or_is_raddle_itself_is_an_error() {
    let dir = Dir::with("a.c", THREADS);
    for name in ["no-such-compiler", env!("CARGO_BIN_EXE_raddle"), env!("CARGO_BIN_EXE_raddle-cc")]
    {
        let mut command = dir.command(["cc", "a.c"]);
        command.env("RADDLE_CC", name).env("RADDLE_CACHE", dir.path("cache"));
        let run = Run::of(command.output().unwrap()).exits(2);
        assert!(run.stderr.contains(name), "{}", run.stderr);
    }
}

#[test]
fn the_names_of_one_word_do_the_same() {
    let source = "#include <thread>\n#include <cstdio>\nint shared;\nint main() {\n\
                  std::thread([] { shared += 2; }).join(); std::printf(\"%d\\n\", shared); }\n";
    let build = Build::with("gcc");
    build.call(env!("CARGO_BIN_EXE_raddle-cc"), "a.c").succeeds();
    build.is_controllable("a.out");
    build.dir.file("a.cpp", source);
    build.call(env!("CARGO_BIN_EXE_raddle-cxx"), "-pthread a.cpp -o cxx").succeeds();
    build.is_controllable("cxx");
    build.call("raddle", "c++ -pthread a.cpp -o sub").succeeds();
    build.is_controllable("sub");
    let link = build.dir.path("raddle-c++");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_raddle-cc"), &link).unwrap();
    build.call(link.to_str().unwrap(), "-pthread a.cpp -o link").succeeds();
    build.is_controllable("link");
    let run = build.call(env!("CARGO_BIN_EXE_raddle-cc"), "-static a.c").exits(2);
    assert!(run.stderr.starts_with("raddle: error: `-static`"), "{}", run.stderr);
}

#[test]
fn blanks_and_commas_in_the_name_of_the_cache_do_no_harm() {
    for build in Build::each() {
        let program = build.dir.path("a.out");
        let mut command = build.dir.command(["cc", "a.c", "-o"]);
        command.arg(&program).env("RADDLE_CC", build.compiler);
        command.env("RADDLE_CACHE", build.dir.path("a cache, of mine"));
        Run::of(command.output().unwrap()).succeeds();
        assert!(Path::new(&program).exists());
        build.is_controllable("a.out");
    }
}
