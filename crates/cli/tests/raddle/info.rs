//! `raddle trace info`

use serde_json::json;

use crate::harness::{Dir, GOOD};

const WAITS: &str = "\
T0|acq(m)|1
T0|rel(m)|2
T0|wait(m)|2
T1|acq(m)|3
T1|notify(m)|4
T1|rel(m)|5
T0|acq(m)|2
T0|rel(m)|6
";

/// The text without the columns and numbers that depend on how traces are kept in memory.
fn steady(text: &str) -> String {
    let line = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            ["memory", ..] => "memory".to_owned(),
            ["\"bytes\":", _] => "\"bytes\": …,".to_owned(),
            ["\"bytes_per_event\":", _] => "\"bytes_per_event\": …".to_owned(),
            _ => words.join(" "),
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_table_counts_everything() {
    let run = Dir::with("t.std", GOOD).raddle("trace info t.std").succeeds();
    insta::assert_snapshot!(steady(&run.stdout), @"
    t.std (STD text)

    events 8
    read 1 12.5 %
    write 1 12.5 %
    acquire 2 25.0 %
    release 2 25.0 %
    fork 1 12.5 %
    join 1 12.5 %
    threads 2 1 never forked
    locks 1
    scopes 2 a thread holds at most 1 lock at once
    variables 1 1 shared between threads and written
    locations 8
    waits 0
    transactions 0
    switches 2 from one thread to another
    memory
    repairs 0
    ");
    assert_eq!(run.stderr, "");
}

#[test]
fn json_has_the_same_numbers_under_stable_keys() {
    let run = Dir::with("t.std", GOOD).raddle("trace info --format json t.std").succeeds();
    insta::assert_snapshot!(steady(&run.stdout), @r#"
    {
    "schema": "raddle.trace-info/1",
    "file": "t.std",
    "format": "std",
    "compression": "none",
    "begin_end": null,
    "nested_locks": false,
    "events": {
    "total": 8,
    "by_kind": {
    "read": 1,
    "write": 1,
    "read_modify_write": 0,
    "acquire": 2,
    "release": 2,
    "request": 0,
    "try_fail": 0,
    "fork": 1,
    "join": 1,
    "thread_begin": 0,
    "thread_end": 0,
    "wait": 0,
    "wake": 0,
    "notify": 0,
    "notify_all": 0,
    "semaphore_post": 0,
    "semaphore_take": 0,
    "barrier_arrive": 0,
    "barrier_leave": 0,
    "transaction_begin": 0,
    "transaction_end": 0,
    "branch": 0,
    "assert": 0,
    "alloc": 0,
    "free": 0
    }
    },
    "threads": {
    "total": 2,
    "never_forked": 1
    },
    "locks": {
    "total": 1,
    "scopes": 2,
    "max_nesting": 1
    },
    "variables": {
    "total": 1,
    "shared": 1
    },
    "locations": 8,
    "waits": {
    "total": 0,
    "matched": 0,
    "unmatched": 0
    },
    "transactions": 0,
    "switches": 2,
    "memory": {
    "bytes": …,
    "bytes_per_event": …
    },
    "repairs": [],
    "loss": null
    }
    "#);
    assert_eq!(run.stderr, "");
}

#[test]
fn waits_are_counted_by_whether_a_notify_matches() {
    let dir = Dir::with("t.std", WAITS);
    let json = dir.raddle("trace info --format json t.std").succeeds().json();
    assert_eq!(json["waits"], json!({"total": 1, "matched": 1, "unmatched": 0}));
    let text = dir.raddle("trace info t.std").succeeds().stdout;
    assert!(text.contains("1 matched with a notify, 0 not"), "{text}");
}

#[test]
fn begin_and_end_mean_what_was_said_or_found() {
    let enclosing = "T1|begin(0)|1\nT1|w(x)|2\nT1|end(0)|3\n";
    let inside = "T1|w(x)|0\nT1|begin(0)|1\nT1|w(x)|2\nT1|end(0)|3\n";
    let cases = [
        (enclosing, "", "thread", 0),
        (enclosing, "--begin-end transaction", "transaction", 1),
        (inside, "", "transaction", 1),
        (inside, "--begin-end auto", "transaction", 1),
    ];
    for (trace, flags, meaning, n_transactions) in cases {
        let dir = Dir::with("t.std", trace);
        let run = dir.raddle(&format!("trace info --format json {flags} t.std")).succeeds();
        assert_eq!(run.json()["begin_end"], meaning, "{trace} {flags}");
        assert_eq!(run.json()["transactions"], n_transactions, "{trace} {flags}");
    }
    let run = Dir::with("t.std", inside).raddle("trace info --begin-end thread t.std").exits(2);
    assert!(run.stderr.starts_with("error[B1]"), "{}", run.stderr);
}

#[test]
fn the_standard_input_is_a_trace_too() {
    let run = Dir::new().raddle_with_input("trace info -", GOOD.as_bytes()).succeeds();
    assert!(run.stdout.starts_with("<stdin> (STD text)\n"), "{}", run.stdout);
}

#[test]
fn repairs_are_listed() {
    let dir = Dir::with("t.std", "T1|w(x)|1\nT1|rel(m)|2\n");
    let run = dir.raddle("trace info --normalise t.std").succeeds();
    insta::assert_snapshot!(steady(&run.stdout), @"
    t.std (STD text)

    events 1
    write 1 100.0 %
    threads 1 1 never forked
    locks 1
    scopes 0
    variables 1 0 shared between threads and written
    locations 2
    waits 0
    transactions 0
    switches 0 from one thread to another
    memory
    repairs 1

    Repairs
    line 2: `T1|rel(m)`: dropped (M2: T1 does not hold m)
    ");
    let json = dir.raddle("trace info --normalise --format json t.std").succeeds().json();
    insta::assert_snapshot!(json["repairs"], @r#"[{"action":"dropped","detail":"T1 does not hold m","event":"T1|rel(m)","line":2,"position":1,"rule":"M2"}]"#);
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let dir = Dir::with("t.std", GOOD);
    let runs = [0, 1].map(|_| dir.raddle("trace info --format json t.std").succeeds().stdout);
    assert_eq!(runs[0], runs[1]);
}
