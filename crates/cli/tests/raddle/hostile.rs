//! Text from outside never acts on the terminal.

use crate::harness::Dir;

/// Escape sequences, a bell, a C1 control, and text turned around.
const NAME: &str = "x\x1b[31m\x07\u{9b}2J\u{202e}y";

#[track_caller]
fn assert_harmless(text: &str) {
    let acts = |c: &char| (c.is_control() && *c != '\n') || *c == '\u{202e}';
    assert_eq!(text.chars().find(acts), None, "{text:?}");
}

#[test]
fn names_in_traces_are_made_visible_everywhere() {
    let trace = format!("T{NAME}|w({NAME})|{NAME}\nT{NAME}|rel(m{NAME})|2\n");
    let dir = Dir::with("t.std", trace);
    let commands = [
        "trace info t.std",
        "trace validate t.std",
        "trace validate --format json t.std",
        "trace info --normalise t.std",
        "trace validate --normalise t.std",
        "trace validate --normalise --format json t.std",
        "trace convert --normalise t.std -o out.std",
    ];
    for command in commands {
        let run = dir.raddle(command);
        assert_harmless(&run.stdout);
        assert_harmless(&run.stderr);
        assert!((run.stdout + &run.stderr).contains("[31m"), "the name is shown: {command}");
    }
}

#[test]
fn a_bad_line_is_made_visible_and_marked_where_it_is_bad() {
    let dir = Dir::with("t.std", "T\x1b[31m1|fr\x1b[5mob(x)|3\n");
    let run = dir.raddle("trace validate t.std").exits(2);
    insta::assert_snapshot!(run.stderr, @"
    error: unknown operation `fr␛[5mob`
     --> t.std:1:9
      |
    1 | T␛[31m1|fr␛[5mob(x)|3
      |         ^^^^^^^^
    ");
}

#[test]
fn operations_and_lines_are_made_visible() {
    for line in [format!("T|{NAME}(x)|1"), format!("{NAME} and no bar")] {
        let dir = Dir::with("t.std", line);
        let run = dir.raddle("trace validate t.std").exits(2);
        assert_harmless(&run.stderr);
        let run = dir.raddle("trace validate --format json t.std").exits(2);
        assert_harmless(&run.stdout);
    }
}

#[cfg(unix)]
#[test]
fn file_names_are_made_visible() {
    let name = format!("{NAME}.std");
    let dir = Dir::with(&name, "T1|w(x)|1\n");
    let missing = format!("missing{NAME}");
    let out = format!("out{NAME}.rdl");
    let extra = [name.as_str(), name.as_str()];
    let cases: [&[&str]; 8] = [
        &["trace", "info", &name],
        &["trace", "info", "-vv", &name],
        &["trace", "info", "--format", "json", &name],
        &["trace", "validate", &missing],
        &["trace", "convert", &name, "-o", &out],
        &["trace", "convert", &name, "-o", &missing],
        &["trace", "info", "--config", &missing, &name],
        &["trace", "info", extra[0], extra[1]],
    ];
    for args in cases {
        let run = dir.run(args);
        assert_harmless(&run.stdout);
        assert_harmless(&run.stderr);
        assert!(!(run.stdout + &run.stderr).is_empty(), "{args:?}");
    }
}

/// Names of files are bytes. Those that are no text are shown with a mark in their place, in every form.
#[cfg(unix)]
#[test]
fn file_names_that_are_no_text_are_shown_in_every_form() {
    use std::os::unix::ffi::OsStrExt;
    let name = std::ffi::OsStr::from_bytes(b"<b>\xff\xfe\x1b[31m.std");
    let dir = Dir::new();
    std::fs::write(dir.path("").join(name), "T1|w(x)|a.c:1\nT2|w(x)|b.c:7\n").unwrap();
    let forms = ["r.json", "r.html", "r.sarif", "r.xml", "r.csv", "r.perfetto.json", "r.txt"];
    let mut args = ["predict", "--property", "race"].map(std::ffi::OsStr::new).to_vec();
    args.extend(forms.iter().flat_map(|form| ["-o", form]).map(std::ffi::OsStr::new));
    args.push(name);
    let run = dir.run(args).exits(1);
    assert_harmless(&run.stdout);
    assert_harmless(&run.stderr);
    for form in forms {
        assert!(dir.text(form).contains("a.c"), "{form} is text with what was found");
    }
    assert_harmless(&dir.text("r.txt"));
    assert!(!dir.text("r.html").contains("<b>"), "markup in a name stays text");
    assert!(dir.text("r.json").contains('\u{fffd}'));
    crate::sarif::judge(&dir.text("r.sarif"));
}

/// What is no text inside of a trace or as the name of a program is refused, with where it stands.
#[cfg(unix)]
#[test]
fn names_inside_of_files_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let lines: [&[u8]; 3] = [b"T\xff1|w(x)|1\n", b"T1|w(x\xfe)|1\n", b"T1|w(x)|a\xff.c:1\n"];
    for line in lines {
        let run = Dir::with("t.std", line).raddle("predict t.std").exits(2);
        assert!(run.stderr.contains("not valid UTF-8"), "{}", run.stderr);
        assert!(run.stderr.contains("t.std:1:"), "{}", run.stderr);
        assert_harmless(&run.stderr);
    }
    let name = std::ffi::OsStr::from_bytes(b"\xff\x1b[31m.c");
    let dir = Dir::new();
    std::fs::write(dir.path("").join(name), "int main(void) { return 0; }\n").unwrap();
    let run = dir.run([std::ffi::OsStr::new("check"), name]).exits(2);
    assert_harmless(&run.stderr);
    assert!(run.stderr.contains("it is not UTF-8"), "{}", run.stderr);
}

/// Old sources have comments in other encodings; their lines are shown all the same.
#[test]
fn lines_of_a_source_that_is_no_text_are_shown() {
    let source = b"#include <assert.h>\n#include <pthread.h>\nint x;\n\
        void *run(void *none) { x = 1; return none; } /* caf\xe9 <script> */\n\
        int main(void) {\n    pthread_t one;\n    pthread_create(&one, 0, run, 0);\n    \
        assert(x == 0); /* \xfc\x1b[31m */\n    return 0;\n}\n";
    let dir = Dir::with("old.c", source);
    let run = dir.raddle("check old.c -o r.html -o r.sarif").exits(1);
    assert_harmless(&run.stdout);
    assert!(run.stdout.contains("8 |     assert(x == 0); /* \u{fffd}"), "{}", run.stdout);
    let page = dir.text("r.html");
    assert!(page.contains("caf\u{fffd}") && !page.contains("<script> */"));
    crate::sarif::judge(&dir.text("r.sarif"));
    dir.raddle("cc -g old.c -o old -pthread").exits(0);
    let run = dir.raddle("check ./old").exits(1);
    assert!(run.stdout.contains("8 |     assert(x == 0); /* \u{fffd}"), "{}", run.stdout);
}

#[test]
fn the_configuration_is_made_visible() {
    let dir = Dir::with("raddle.toml", format!("\"{NAME}\" = 1\n"));
    assert_harmless(&dir.raddle("trace info x").exits(2).stderr);
    let dir = Dir::with("raddle.toml", "format = \"\u{9b}x\"\n");
    assert_harmless(&dir.raddle("trace info x").exits(2).stderr);
    let dir = Dir::with("raddle.toml", "log = \"\u{9b}=x,y=\"\n");
    assert_harmless(&dir.raddle("trace info x").exits(2).stderr);
}
