//! `raddle infer`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::Dir;

fn corpus(name: &str) -> Dir {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/ndseq");
    Dir::with(name, fs::read(programs.join(name)).unwrap())
}

#[track_caller]
fn report(dir: &Dir, args: &[&str], code: i32) -> Value {
    let words = ["infer", "--format", "json"].iter().chain(args);
    let run = dir.run(words).exits(code);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let schema = include_str!("../../../ndseq/schema/raddle.infer-1.json");
    compiler.add_resource("infer.json", serde_json::from_str(schema).unwrap()).unwrap();
    let index = compiler.compile("infer.json", &mut schemas).unwrap();
    if let Err(error) = schemas.validate(&report, index) {
        panic!("{error}\n{report:#}");
    }
    report
}

#[test]
fn a_specification_is_inferred_written_and_checked() {
    let dir = corpus("cas.c");
    let found = report(&dir, &["cas.c", "--focus", "x", "--spec", "cas.toml", "--stats"], 0);
    assert_eq!(found["verdict"], "inferred");
    assert_eq!(found["if_star"], json!([{"file": "cas.c", "from": 17, "to": 22}]));
    assert_eq!((&found["traces"], &found["replayed"]), (&json!(5), &json!(5)));
    assert!(found["stats"]["sliced_out"].as_u64() < found["stats"]["events"].as_u64());
    let checked = report(&dir, &["cas.c", "--spec", "cas.toml", "--check"], 0);
    assert_eq!(checked["verdict"], "inferred");
    fs::write(dir.path("cas.toml"), "schema = \"raddle.specification/1\"\nfocus = [\"x\"]\n")
        .unwrap();
    let checked = report(&dir, &["cas.c", "--spec", "cas.toml", "--check"], 1);
    assert_eq!(checked["verdict"], "none", "without if(*) there is a cycle");
}

#[test]
fn a_specification_is_a_page_and_a_report() {
    let dir = corpus("cas.c");
    dir.raddle("infer cas.c --focus x -q -o cas.html -o cas.json -o cas.sarif").exits(0);
    assert!(dir.text("cas.html").contains("int prev"), "the lines are in the page");
    let report = raddle_finding::Report::from_json(&dir.text("cas.json")).unwrap();
    assert_eq!(report.stats["specification"]["cost"], 1);
    assert_eq!(report.stats["specification"]["if_star"][0]["from"], 17);
    assert!(report.findings.is_empty());
    fs::write(dir.path("no.toml"), "schema = \"raddle.specification/1\"\nfocus = [\"x\"]\n")
        .unwrap();
    dir.raddle("infer cas.c --spec no.toml --check -q -o none.json").exits(1);
    let report = raddle_finding::Report::from_json(&dir.text("none.json")).unwrap();
    let finding = &report.findings[0];
    assert_eq!(finding.property, raddle_finding::Property::Serializability);
    assert!(finding.locations.len() >= 2 && finding.objects[0].name == "x", "{finding:?}");
}

#[test]
fn the_difference_shows_where_the_if_star_goes() {
    let dir = corpus("cas.c");
    let run = dir.run(["infer", "cas.c", "--focus", "x"]).exits(0);
    let expected = "     while (!done) {\n+        if (*) {\n         int prev";
    assert!(run.stdout.contains(expected), "{}", run.stdout);
}

#[test]
fn switches_do_not_change_the_answer() {
    let dir = corpus("cas.c");
    for switch in [&["--no-slice"][..], &["--no-groups"], &["--no-slice", "--no-groups"]] {
        let args: Vec<_> = ["cas.c", "--focus", "x"].iter().chain(switch).copied().collect();
        assert_eq!(report(&dir, &args, 0)["if_star"][0]["from"], 17, "{switch:?}");
    }
}

#[test]
fn an_atomicity_error_has_no_specification_and_names_the_accesses() {
    let dir = corpus("search_wrong.c");
    let found = report(&dir, &["search_wrong.c", "--focus", "best", "--runs", "12"], 1);
    assert_eq!(found["verdict"], "none");
    let cycle = found["cycle"].as_array().unwrap();
    assert!(cycle.len() >= 2);
    assert!(cycle.iter().all(|c| c["variable"] == "best" && c["before"]["line"].is_u64()));
}

#[test]
fn races_are_told_first() {
    let dir = corpus("raytracer_wrong.c");
    let run =
        dir.run(["infer", "raytracer_wrong.c", "--focus", "checksum", "--runs", "12"]).exits(1);
    assert!(run.stderr.contains("data race"), "{}", run.stderr);
}

#[test]
fn without_conflicts_it_says_why_nothing_is_needed() {
    let dir = corpus("series.c");
    let found = report(&dir, &["series.c", "--focus", "coefficients"], 0);
    assert_eq!((&found["verdict"], &found["conflicts"]), (&json!("serializable"), &json!(false)));
    let run = dir.run(["infer", "series.c", "--focus", "coefficients"]).exits(0);
    assert!(run.stdout.contains("No iteration accesses"), "{}", run.stdout);
}

#[test]
fn a_program_that_is_not_conflict_serialisable_may_need_nothing() {
    let dir = corpus("montecarlo.c");
    let found = report(&dir, &["montecarlo.c", "--focus", "total", "--runs", "12"], 0);
    assert_eq!(found["verdict"], "serializable");
    assert_eq!(found["conflict_serializable"], false);
}

#[test]
fn an_unknown_variable_is_an_error_that_names_the_known_ones() {
    let dir = corpus("cas.c");
    let run = dir.run(["infer", "cas.c", "--focus", "z"]).exits(2);
    assert!(run.stderr.contains("no global variable `z`"), "{}", run.stderr);
    assert!(run.stderr.contains("its global variables are x"), "{}", run.stderr);
}

#[test]
fn unstructured_threads_are_an_error() {
    let text = "#include <pthread.h>\nint x;\nstatic void *f(void *p) { x = 1; return p; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_detach(t); \
                pthread_exit(0); }\n";
    let dir = Dir::with("loose.c", text);
    let run = dir.run(["infer", "loose.c", "--focus", "x"]).exits(2);
    assert!(run.stderr.contains("not joined"), "{}", run.stderr);
}

#[test]
fn marks_in_the_source_are_a_specification() {
    let marked = |mark: &str| {
        let text = format!(
            "#include <pthread.h>\n#include <stdatomic.h>\n#include <raddle.h>\natomic_int x;\n\
             static void *f(void *p) {{\nint done = 0;\nwhile (!done) {{\n{mark} {{\n\
             int o = atomic_load(&x);\nif (atomic_compare_exchange_strong(&x, &o, 2 * o + 1))\n\
             done = 1;\n}}\n}}\nreturn p; }}\n\
             int main(void) {{ pthread_t t[2]; raddle_focus(x);\n\
             for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);\n\
             for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }}\n"
        );
        Dir::with("marked.c", text)
    };
    let args = ["marked.c", "--check", "--runs", "12"];
    assert_eq!(report(&marked("raddle_if_star"), &args, 0)["verdict"], "inferred");
    assert_eq!(report(&marked(""), &args, 1)["verdict"], "none");
}

/// Two threads that each do something twice under a lock: each time is as if alone, both together are not.
#[test]
fn marked_transactions_may_be_serialisable_where_threads_are_not() {
    let text = "#include <pthread.h>\n#include <raddle.h>\nint x;\n\
                pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
                static void *f(void *p) {\nfor (int i = 0; i < 2; i++) {\n\
                raddle_begin_atomic(\"add\");\npthread_mutex_lock(&m);\nx = 2 * x + 1;\n\
                pthread_mutex_unlock(&m);\nraddle_end_atomic();\n}\nreturn p; }\n\
                int main(void) { pthread_t t[2];\n\
                for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);\n\
                for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n";
    let dir = Dir::with("twice.c", text);
    let args = ["twice.c", "--focus", "x", "--runs", "12"];
    assert_eq!(report(&dir, &args, 1)["verdict"], "none");
    let args: Vec<_> = args.into_iter().chain(["--transactions"]).collect();
    assert_eq!(report(&dir, &args, 0)["verdict"], "serializable");
}

/// To leave out the whole round would be as cheap, but the program counts its rounds.
#[test]
fn a_specification_whose_sequential_program_fails_is_ruled_out() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\natomic_int x;\n\
                static void *f(void *p) {\nint done = 0, looked = 0, n;\n\
                for (n = 0; !done; n++) {\nlooked++;\nint o = atomic_load(&x);\n\
                if (atomic_compare_exchange_strong(&x, &o, 2 * o + 1))\ndone = 1;\n}\n\
                CHECK\nreturn p; }\n\
                int main(void) { pthread_t t[2];\n\
                for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0);\n\
                for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n";
    let inferred = |check: &str| {
        let dir = Dir::with("rounds.c", text.replace("CHECK", check));
        let found = report(&dir, &["rounds.c", "--focus", "x", "--runs", "12"], 0);
        assert_eq!(found["functional"]["holds"], true, "{found:#}");
        found["if_star"].clone()
    };
    let star = |from: u32| json!([{ "file": "rounds.c", "from": from, "to": 11 }]);
    assert_eq!(inferred(""), star(8));
    assert_eq!(inferred("assert(looked == n);"), star(9));
}

#[test]
fn the_header_can_be_had() {
    let dir = corpus("cas.c");
    let run = dir.run(["infer", "--header"]).exits(0);
    assert!(run.stdout.contains("#define raddle_if_star\n"), "{}", run.stdout);
}
