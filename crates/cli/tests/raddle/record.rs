//! `raddle record` and `raddle replay` on input that is wrong, large or hostile.

use crate::harness::Dir;

/// Runs `record` on a program and expects the code and a text on stderr.
#[track_caller]
fn check(program: impl AsRef<[u8]>, options: &str, code: i32, expected: &str) {
    let dir = Dir::with("a.c", program);
    let run = dir.raddle(&format!("record a.c {options}")).exits(code);
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn errors_show_the_line() {
    check("int main(void) {\n  return cuont;\n}\n", "", 2, "`cuont` is not declared");
    check("int main(void) {\n  return cuont;\n}\n", "", 2, "return cuont;");
}

#[test]
fn programs_that_cannot_be_read() {
    check("int f(void) { return 0; }", "", 2, "the program has no function `main`");
    check("", "", 2, "the program has no function `main`");
    check("#include <nothing.h>\nint main(void) { return 0; }", "", 2, "nothing.h");
    check("int main(void) { return 0; }", "--cc nonexistent", 2, "'nonexistent'");
    check(b"int main(void) { return \xff; }".as_slice(), "", 2, "UTF-8");
}

#[test]
fn missing_files_and_directories() {
    let dir = Dir::with("d.c/x", "");
    assert!(dir.raddle("record b.c").exits(2).stderr.contains("b.c"));
    assert!(dir.raddle("record d.c").exits(2).stderr.contains("directory"));
}

#[test]
fn unbounded_recursion_is_found() {
    let text = "int f(int n) { return n + f(n + 1); } int main(void) { return f(0); }";
    check(text, "", 1, "stack");
}

#[test]
fn endless_loops_are_given_up() {
    check("int main(void) { for (;;) { } }", "--max-steps 1000", 3, "transitions");
}

#[test]
fn arguments_reach_the_program() {
    let text = "int main(int n, char **a) { return n == 3 && a[2][0] == 'y' ? 7 : 1; }";
    check(text, "-- x y", 0, "status 7");
}

#[test]
fn macros_and_models_reach_the_program() {
    check("int main(void) { return N; }", "-D N=5", 0, "status 5");
    check("int main(void) { return sizeof(long); }", "--data-model ilp32", 0, "status 4");
}

#[test]
fn a_malformed_schedule_is_refused() {
    check("int main(void) { return 0; }", "--schedule nonsense", 2, "schedule");
}

#[test]
fn names_cannot_forge_output() {
    let dir = Dir::with("a\u{1b}[31m.c", "int main(void) { return x; }");
    let run = dir.run(["record", "a\u{1b}[31m.c"]);
    assert_eq!(run.code, 2);
    assert!(!run.stderr.contains('\u{1b}'), "{:?}", run.stderr);
}

#[test]
fn huge_allocations_are_refused_by_malloc() {
    let text =
        "#include <stdlib.h>\nint main(void) { return malloc(5000000000u) == NULL ? 4 : 0; }";
    check(text, "", 0, "status 4");
    let text = "#include <stdlib.h>\nint main(void) { char *p = malloc(1u << 29); p[9] = 1; return p[9]; }";
    check(text, "--max-memory 1MiB", 1, "null pointer");
}

#[test]
fn huge_globals_are_said_to_be_too_large() {
    check("char big[2000000000]; int main(void) { return big[5]; }", "", 2, "do not fit");
    check("int a[99999999999]; int main(void) { return a[0]; }", "", 2, "2 GiB");
}

#[test]
fn nondeterministic_values_have_a_range() {
    let text =
        "int __VERIFIER_nondet_int(void);\nint main(void) { return __VERIFIER_nondet_int(); }";
    check(text, "", 0, "status 0");
    check(text, "--nondet 3..3", 0, "status 3");
    check(text, "--nondet -2..9 --seed 1", 0, "status");
    check(text, "--nondet 9..3", 2, "the range is empty");
}

#[test]
fn several_files_and_folders_of_headers_are_linked() {
    let dir = Dir::with("main.c", "#include \"answer.h\"\nint main(void) { return answer(); }\n");
    dir.file("answer.c", "#include <answer.h>\nint answer(void) { return 42; }\n");
    dir.file("include/answer.h", "int answer(void);\n");
    let run = dir.raddle("record main.c answer.c -I include").succeeds();
    assert!(run.stderr.contains("status 42"), "{}", run.stderr);
    let run = dir.raddle("record main.c -I include").exits(2);
    assert!(run.stderr.contains("`answer`"), "{}", run.stderr);
}

#[test]
fn preprocessed_files_need_no_compiler_of_their_own() {
    let dir = Dir::with("a.i", "# 1 \"a.c\"\nint main(void) { return 6; }\n");
    assert!(dir.raddle("record a.i").succeeds().stderr.contains("status 6"));
    dir.file("b.i", "typedef unsigned int size_t;\nint main(void) { return sizeof(long); }\n");
    assert!(dir.raddle("record b.i").succeeds().stderr.contains("status 4"));
    assert!(dir.raddle("record b.i --data-model lp64").succeeds().stderr.contains("status 8"));
}

#[test]
fn standard_input_comes_from_a_file() {
    let text = "#include <stdio.h>\nint main(void) { int n = 0; scanf(\"%d\", &n); return n; }";
    let dir = Dir::with("a.c", text);
    dir.file("in.txt", "17\n");
    assert!(dir.raddle("record a.c --stdin in.txt").succeeds().stderr.contains("status 17"));
    assert!(dir.raddle("record a.c --stdin none.txt").exits(2).stderr.contains("none.txt"));
}

/// A program that prints what it does in the order of its threads.
const TWO: &str = "#include <pthread.h>\n#include <stdio.h>\n\
    static void *say(void *what) { puts(what); return 0; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, say, \"a\");\n\
    pthread_create(&b, 0, say, \"b\"); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

#[test]
fn replaying_does_the_same_again() {
    let dir = Dir::with("two.c", TWO);
    for seed in 1..=5 {
        let first = dir.raddle(&format!("record two.c --seed {seed} -o t.rdl")).succeeds();
        let command = first.stderr.split("raddle replay ").nth(1).unwrap().trim();
        let again = dir.raddle(&format!("replay {command}")).succeeds();
        assert_eq!(first.stdout, again.stdout);
        let document = dir.raddle(&format!("replay {command} --format json")).succeeds().json();
        assert_eq!(document["schema"], "raddle.replay/1");
        assert_eq!(document["schedule"], document["taken"]);
        assert_eq!(document["run"]["outcome"], "exited");
    }
}

#[test]
fn a_schedule_of_another_program_is_refused() {
    let dir = Dir::with("two.c", TWO);
    let run = dir.raddle("replay two.c rs1:1234:0r5").exits(2);
    assert!(run.stderr.contains("does not belong to this program"), "{}", run.stderr);
    let first = dir.raddle("record two.c").succeeds();
    let command = first.stderr.split("raddle replay ").nth(1).unwrap().trim().to_owned();
    let run = dir.raddle(&format!("replay {command} -D MORE")).succeeds();
    assert_eq!(run.stdout, first.stdout, "a macro that nothing uses changes nothing");
    dir.file("two.c", TWO.replace("return 0; }\n", "return 1; }\n"));
    dir.raddle(&format!("replay {command}")).exits(2);
}

#[test]
fn a_choice_that_does_not_fit_is_named() {
    let dir = Dir::with("two.c", TWO);
    let first = dir.raddle("record two.c").succeeds();
    let command = first.stderr.split("raddle replay ").nth(1).unwrap().trim();
    let identity = command.rsplit_once(':').unwrap().0;
    let run = dir.raddle(&format!("replay {identity}:0,7")).exits(2);
    assert!(run.stderr.contains("choice 2 is 7"), "{}", run.stderr);
}

#[test]
fn the_document_of_record_says_how_the_run_ended() {
    let text = "#include <assert.h>\nint main(void) { assert(1 == 2); }";
    let dir = Dir::with("a.c", text);
    let document = dir.raddle("record a.c --format json").exits(1).json();
    assert_eq!(document["schema"], "raddle.record/1");
    assert_eq!(document["run"]["outcome"], "fault");
    assert_eq!(document["run"]["message"], "assertion failed: 1 == 2");
    assert_eq!(document["run"]["stack"][0]["location"], "a.c:2");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error_before_the_run() {
    let dir = Dir::with("two.c", TWO);
    let run = dir.raddle("record two.c -o none/t.rdl").exits(2);
    assert_eq!(run.stdout, "", "the program must not have run");
}
