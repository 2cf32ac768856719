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
