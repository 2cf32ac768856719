//! What people meet first: the README's lines, files in other languages, options of compilers, unknown formats.

use std::fs;
use std::path::Path;

use crate::harness::{Dir, Run};

const THREADS: &str = "#include <pthread.h>
#include <stdio.h>
static int n;
static void *work(void *p) { n++; return p; }
int main(void) {
    pthread_t a;
    MORE
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    return 0;
}
";

/// A program that does something first.
fn program(more: &str) -> Dir {
    Dir::with("a.c", THREADS.replace("MORE", more))
}

#[track_caller]
fn says(run: &Run, what: &str) {
    assert!(run.stderr.contains(what), "{what:?} is not in {run:?}");
}

#[test]
fn every_line_of_the_readme_runs_as_it_stands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let (_, rest) = readme.split_once("Each of these lines runs as is").unwrap();
    let block = rest.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = Dir::new();
    for folder in ["c", "ndseq", "traces"] {
        for entry in fs::read_dir(root.join("corpus").join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            dir.file(&format!("corpus/{folder}/{name}"), fs::read(&path).unwrap());
        }
    }
    dir.file("target/.here", "");
    for line in block.lines() {
        let run = dir.shell(line);
        assert!(matches!(run.code, 0 | 1), "{line}: {run:?}");
    }
    for made in ["bank.html", "bank.json", "bank.sarif", "run.rdl", "bank", "bank.rdl", "big.rdl"] {
        assert!(dir.path(&format!("target/{made}")).exists(), "{made}");
    }
}

#[test]
fn sources_in_cpp_are_built_first() {
    let dir = Dir::with("queue.cpp", "int main() {}");
    for command in ["check", "explore", "record"] {
        let run = dir.raddle(&format!("{command} queue.cpp")).exits(2);
        says(&run, "`queue.cpp` is C++");
        says(&run, "raddle c++ -pthread queue.cpp && raddle check ./a.out");
    }
    says(&Dir::with("a.rs", "fn main() {}").raddle("check a.rs").exits(2), "raddle cargo build");
}

#[test]
fn functions_that_the_machine_does_not_have_come_with_the_way_out() {
    let way_out = "raddle cc -pthread a.c && raddle check ./a.out";
    let run = program("fopen(\"a\", \"r\");").raddle("check a.c").exits(3);
    assert_eq!(run.stdout, "", "no table of nothing");
    let (reason, rest) = run.stderr.split_once('\n').unwrap();
    assert!(reason.contains("fopen") && reason.contains("a.c:7"), "{reason}");
    assert!(rest.contains(way_out), "{rest}");
    let run = program("int socket(int, int, int); socket(1, 1, 0);").raddle("check a.c").exits(2);
    says(&run, "the function `socket` has no definition");
    says(&run, way_out);
    assert!(!run.stderr.contains("docs/"), "{}", run.stderr);
}

#[test]
fn what_the_machine_has_is_checked_as_ever() {
    let run = program("puts(\"a\");").raddle("check a.c").succeeds();
    assert_eq!(run.stderr.matches("raddle cc").count(), 0, "{}", run.stderr);
}

#[test]
fn options_of_compilers_are_accepted_for_c_files() {
    let dir = program("puts(\"a\");");
    for options in ["-pthread -lm -O2 -g -Wall -std=c99", "-O -lpthread -std=gnu17"] {
        dir.raddle(&format!("check {options} a.c")).succeeds();
        dir.raddle(&format!("explore a.c {options}")).succeeds();
    }
    let is_c99 = "#if __STDC_VERSION__ != 199901L\n#error\n#endif\nint main(void) { return 0; }";
    let dir = Dir::with("a.c", is_c99);
    dir.raddle("record a.c -std=c99 -o a.rdl").succeeds();
    dir.raddle("record a.c -o a.rdl").exits(2);
    // What follows `--` is the program's.
    dir.raddle("record a.c -std=c99 -o a.rdl -- -pthread -O2").succeeds();
}

#[test]
fn compilers_and_cargo_have_help_of_their_own_here() {
    let dir = Dir::new();
    for (command, what) in [
        ("cc", "raddle cc -O1 bank.c"),
        ("c++", "raddle c++ -O1 -std=c++20"),
        ("cargo", "raddle cargo build"),
    ] {
        let run = dir.raddle(&format!("{command} --help")).succeeds();
        assert!(run.stdout.contains(what) && run.stdout.contains("Usage: raddle"), "{run:?}");
    }
    // Anything more is the compiler's.
    assert!(!dir.raddle("cc --help -v").stdout.contains("Usage: raddle"));
}

#[test]
fn traces_in_an_unknown_format_are_told_which_are_read() {
    for content in ["{\"traceEvents\": []}\n", "<?xml version=\"1.0\"?>\n"] {
        let run = Dir::with("t.std", content).raddle("predict t.std").exits(2);
        says(&run, "STD text");
        says(&run, ".rdl");
    }
    let late = "T1|w(x)|1\nT1|frob(x)|2\n";
    let run = Dir::with("t.std", late).raddle("predict t.std").exits(2);
    assert!(!run.stderr.contains(".rdl"), "one line is wrong, not the format: {}", run.stderr);
}

#[test]
fn begin_and_end_of_threads_name_the_other_reading() {
    let enclosing =
        "T1|begin(0)|1\nT1|w(x)|2\nT1|end(0)|3\nT2|begin(0)|4\nT2|w(x)|5\nT2|end(0)|6\n";
    let dir = Dir::with("t.std", enclosing);
    says(&dir.raddle("predict t.std").exits(1), "--begin-end transaction");
    let decided = dir.raddle("predict --begin-end thread t.std").exits(1);
    assert!(!decided.stderr.contains("--begin-end"), "{}", decided.stderr);
}

#[test]
fn the_summary_keeps_terms_of_theory_for_those_who_ask() {
    let dir = Dir::corpus("bank_race.c");
    let jargon = ["Theorem 1", "(K)", "(B)", "(c)", "portfolio"];
    let plain = dir.raddle("check bank_race.c").exits(1).stdout;
    let verbose = dir.raddle("check -v bank_race.c").exits(1).stdout;
    for word in jargon {
        assert!(!plain.contains(word), "{word}: {plain}");
        assert!(verbose.contains(word), "{word}: {verbose}");
    }
    let race = "caused by the race on balance at bank_race.c:30 and bank_race.c:29";
    assert!(plain.contains(&format!("{race}\n")), "{plain}");
    assert!(verbose.contains(&format!("{race} (")), "with its fingerprint: {verbose}");
}
