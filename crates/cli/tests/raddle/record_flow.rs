//! `raddle record --flow`.

use crate::harness::Dir;

const PROGRAM: &str = "
#include <pthread.h>
int x = 1, y;
int __VERIFIER_nondet_int(void);
static void *other(void *unused) { y = x; return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    y = x + __VERIFIER_nondet_int();
    pthread_join(t, 0);
    return 0;
}
";

#[test]
fn flows_name_events_and_values() {
    let dir = Dir::with("p.c", PROGRAM);
    dir.raddle("record p.c --flow p.jsonl").succeeds();
    let text = dir.text("p.jsonl");
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["schema"], "raddle.flow/1");
    assert_eq!(lines[0]["trace"], "p.rdl");
    assert_eq!(lines[0]["values"], 1);
    let with_value = |line: &&serde_json::Value| {
        line["data"].as_array().is_some_and(|data| data.len() == 2 && data[1] == "v0")
    };
    assert_eq!(lines.iter().filter(with_value).count(), 1, "{text}");
    assert!(dir.names().contains(&"p.rdl".to_owned()));
}

#[test]
fn the_trace_and_its_flow_are_two_files() {
    let dir = Dir::with("p.c", PROGRAM);
    dir.raddle("record p.c -o - --to std --flow -").exits(2);
    dir.raddle("record p.c --format json --flow -").exits(2);
    assert_eq!(dir.names(), ["p.c"]);
}
