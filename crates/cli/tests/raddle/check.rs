//! `raddle check`: what it says of programs that fail, and of those that do not.

use serde_json::Value;

use crate::explore::{claim, conditions, report};
use crate::harness::Dir;

/// No thread sets the flag again if it was set and reset before a thread looked.
pub const LIVELOCK: &str = "#include <pthread.h>\n#include <stdatomic.h>\n\
    static atomic_int flag;\n\
    static void *look(void *unused) {\n  while (!flag) { }\n  return unused;\n}\n\
    static void *set(void *unused) {\n  flag = 1;\n  flag = 0;\n  return unused;\n}\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, look, 0);\n\
    pthread_create(&b, 0, set, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";

#[test]
fn a_failure_is_told_with_lines_values_and_the_preemption() {
    let run = Dir::corpus("bank_race.c").raddle("check bank_race.c").exits(1);
    let story = run.stdout.split("replay:").next().unwrap();
    insta::assert_snapshot!(story, @"
    assertion: assertion failed: balance == 120
      in main at bank_race.c:56, thread main
      1 preemption, the fewest possible; 4 switches in total
        --> bank_race.c
         |
      56 |     assert(balance == 120);
         |     ^^^^^^^^^^^^^^^^^^^^^^^ main: assertion

                        main                 deposit#1             withdraw#1
        bank_race.c:51  starts deposit#1                                                pthread_create(&depositor, …
        bank_race.c:52  starts withdraw#1                                               pthread_create(&withdrawer,…
                        waits for the end of deposit#1
        bank_race.c:29                       reads balance = 100                        int seen = balance;
                                             ── interrupted here: preemption 1 ──
        bank_race.c:29                                             reads balance = 100  int seen = balance;
        bank_race.c:30                                             writes balance = 70  balance = seen + amount;
                                                                   ends
        bank_race.c:30                       writes balance = 150                       balance = seen + amount;
                                             ends
        bank_race.c:53  joins deposit#1                                                 pthread_join(depositor, NUL…
        bank_race.c:54  joins withdraw#1                                                pthread_join(withdrawer, NU…
        bank_race.c:56  reads balance = 150                                             assert(balance == 120);
      ▶ bank_race.c:56  the assertion fails                                             assert(balance == 120);
      caused by the race on balance at bank_race.c:30 and bank_race.c:29
        replay the race alone: raddle replay bank_race.c rs1:109582e04af6fcbe.all:0r6,1r4,2r4,0r5
      caused by the race on balance at bank_race.c:30 and bank_race.c:30
        replay the race alone: raddle replay bank_race.c rs1:109582e04af6fcbe.all:0r6,1r4,2r4,0r5

      event hash a4357005ba318a5f
    ");
}

#[test]
fn a_deadlock_says_who_waits_for_what() {
    let run = Dir::corpus("ab_ba.c").raddle("check ab_ba.c").exits(1);
    let text = run.stdout;
    assert!(text.starts_with("deadlock: 3 threads are blocked forever\n"), "{text}");
    assert!(text.contains("go_up#1 waits for b, held by go_down#1, at ab_ba.c:32"), "{text}");
    assert!(text.contains("go_down#1 waits for a, held by go_up#1, at ab_ba.c:43"), "{text}");
}

#[test]
fn a_use_after_free_says_where_that_was() {
    let text = Dir::corpus("refcount.c").raddle("check refcount.c").exits(1).stdout;
    assert!(text.contains("after it was freed\n  in let_go at refcount.c:46"), "{text}");
    assert!(text.contains("  allocated at refcount.c:34\n  freed at refcount.c:47\n"), "{text}");
}

#[test]
fn a_livelock_says_who_spins_where() {
    let text = Dir::with("a.c", LIVELOCK).raddle("check a.c").exits(1).stdout;
    assert!(text.starts_with("livelock: every thread spins\n"), "{text}");
    let marked: Vec<_> = text.lines().filter(|line| line.contains('▶')).collect();
    assert!(matches!(marked[..], [line] if line.contains("while (!flag) { }")), "{text}");
}

/// What is printed as the command that replays does so: the same end, the same events.
#[track_caller]
fn replays(dir: &Dir, check: &str) {
    let text = dir.raddle(check).exits(1).stdout;
    let after = |line: &str, what: &str| line.trim().strip_prefix(what).map(str::to_owned);
    let hashes = text.lines().filter_map(|line| after(line, "event hash "));
    let commands: Vec<_> = text.lines().filter_map(|line| after(line, "replay: ")).collect();
    assert!(!commands.is_empty());
    for (hash, command) in hashes.zip(&commands) {
        let run = dir.shell(command);
        assert!(run.stderr.contains(&format!("event hash {hash}")), "{command}: {}", run.stderr);
    }
    let last = dir.shell(&commands[0]);
    assert_eq!(last.code, 1, "what comes first fails: {}", last.stderr);
}

#[test]
fn the_printed_command_replays() {
    for name in ["bank_race.c", "ab_ba.c", "refcount.c"] {
        replays(&Dir::corpus(name), &format!("check {name}"));
    }
    replays(&Dir::with("a.c", LIVELOCK), "check a.c");
}

#[test]
fn options_and_arguments_are_part_of_the_printed_command() {
    let text = "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <stdio.h>\n\
        #include \"more.h\"\n\
        int __VERIFIER_nondet_int(void);\n\
        static int x; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        static void *add(void *p) { pthread_mutex_lock(&m); x += STEP; pthread_mutex_unlock(&m);\n\
          return p; }\n\
        int main(int n, char **words) { pthread_t a; int c = getchar();\n\
          pthread_create(&a, 0, add, 0);\n\
          pthread_mutex_lock(&m); int seen = x; pthread_mutex_unlock(&m);\n\
          char *p = malloc(1 << 22);\n\
          assert(n != 3 || words[1][0] != 'a' || words[2][2] != '\\'' || c != 'i' || p\n\
            || __VERIFIER_nondet_int() != 2 || seen != STEP);\n\
          pthread_join(a, 0); return 0; }\n";
    let dir = Dir::with("source dir/it's.c", text);
    dir.file("some headers/more.h", "#ifdef unix\n#error unix\n#endif\n");
    dir.file("in put", "i");
    let base = "raddle check 'source dir/it'\\''s.c' -I 'some headers' -D STEP='(2 + 3)' -U unix \
        --stdin='in put' --nondet=-1..3 --max-memory 1MiB --max-steps 100000 --cc cc";
    let run = dir.shell(&format!("{base} -- 'a b' \"it's\"")).exits(1);
    let command = run.stdout.lines().find_map(|line| line.trim().strip_prefix("replay: ")).unwrap();
    let again = dir.shell(command).exits(1);
    assert!(again.stderr.contains("assertion failed"), "{command}: {}", again.stderr);
    for word in ["--max-memory=1048576", "--max-steps=100000", "--nondet=-1..3"] {
        assert!(command.contains(word), "{command}");
    }
    dir.shell(&format!("{base} -- 'a b' its")).exits(0);
}

/// Every finding of a program replays to how the report says that it ended, with the same events.
#[track_caller]
fn findings_replay(dir: &Dir, check: &str) {
    let report = report(dir, check, 1);
    for finding in report["findings"].as_array().unwrap() {
        assert_eq!(finding["verdict"], "replayed");
        let command = finding["replay"].as_str().unwrap();
        assert!(command.contains(finding["schedule"].as_str().unwrap()));
        let again = dir.shell(&format!("{command} --format json")).json();
        assert_eq!(again["event_hash"], finding["details"]["event_hash"], "{command}");
        assert_eq!(again["misfit"], Value::Null);
        let outcome = match finding["outcome"].as_str().unwrap() {
            "passed" => "exited",
            same @ ("deadlock" | "livelock" | "assumption") => same,
            _ => "fault",
        };
        assert_eq!(again["run"]["outcome"], outcome, "{command}");
    }
}

#[test]
fn what_is_shown_and_what_is_replayed_are_one_run_even_if_time_runs_out() {
    // The simplest run of the search has a long loop without points, and takes long to show.
    let text = "#include <pthread.h>\nvolatile int flag;\n\
        static void *set(void *p) { flag = 1; return p; }\n\
        static void *look(void *p) { while (!flag) ; return p; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, set, 0);\n\
          pthread_create(&b, 0, look, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";
    findings_replay(&Dir::with("flag.c", text), "check flag.c --time 4s");
}

#[test]
fn every_finding_replays() {
    let programs = ["buffer_signal.c", "lost_wakeup.c", "rcu_swap.c", "shutdown.c"];
    for name in programs {
        findings_replay(&Dir::corpus(name), &format!("check {name}"));
    }
    findings_replay(&Dir::with("a.c", LIVELOCK), "check a.c");
}

#[test]
fn a_loop_that_never_ends_is_found_unless_steps_end_first() {
    let text = "#include <pthread.h>\nstatic void *go(void *p) { for (;;) { } return p; }\n\
        int main(void) { pthread_t a; pthread_create(&a, 0, go, 0); pthread_join(a, 0); }\n";
    let dir = Dir::with("a.c", text);
    let cut = report(&dir, "check a.c --max-steps 10000", 3);
    assert_eq!(cut["findings"].as_array().unwrap().len(), 0);
    let found = report(&dir, "check a.c", 1);
    assert_eq!(found["findings"][0]["property"], "livelock");
    findings_replay(&dir, "check a.c");
}

/// The two lines of a race are those that its message names, and no two races are the same.
#[track_caller]
fn races_are_told_apart(name: &str, expected: usize) {
    let report = report(&Dir::corpus(name), &format!("check {name} --all"), 1);
    let findings = report["findings"].as_array().unwrap();
    let races: Vec<_> = findings.iter().filter(|f| f["property"] == "race").collect();
    assert_eq!(races.len(), expected, "{report:#}");
    for race in &races {
        let message = race["message"].as_str().unwrap();
        let mut named: Vec<_> = message
            .match_indices(&format!("({name}:"))
            .map(|(at, _)| message[at + 1..].split([':', ')']).nth(1).unwrap().to_owned())
            .collect();
        named.sort();
        let sites = race["locations"].as_array().unwrap();
        let mut shown: Vec<_> = sites.iter().map(|site| site["line"].to_string()).collect();
        shown.sort();
        assert_eq!(named, shown, "{race:#}");
        let frees = sites.iter().any(|site| site["role"].to_string().contains("frees"));
        assert_eq!(frees, message.contains("freed"), "{race:#}");
    }
    let mut fingerprints: Vec<_> = races.iter().map(|r| r["fingerprint"].to_string()).collect();
    fingerprints.sort();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), expected);
}

#[test]
fn races_show_the_accesses_that_race() {
    races_are_told_apart("bank_race.c", 2);
    races_are_told_apart("connection_pool.c", 7);
    races_are_told_apart("michael_scott.c", 4);
    races_are_told_apart("refcount.c", 1);
}

#[test]
fn what_cannot_fail_is_proved_under_conditions() {
    for name in ["ab_ba_fixed.c", "refcount_fixed.c", "peterson_fixed.c"] {
        let report = report(&Dir::corpus(name), &format!("check {name}"), 0);
        assert!(claim(&report).contains("no execution"), "{name}: {}", claim(&report));
        assert_eq!(report["findings"], Value::Array(Vec::new()));
        let said = conditions(&report);
        for part in ["sequentially consistent", "checked for data races"] {
            assert!(said.contains(part), "{name}: {said}");
        }
    }
    let run = Dir::corpus("ab_ba_fixed.c").raddle("check ab_ba_fixed.c").succeeds();
    assert!(run.stdout.contains("\nproved: no execution fails\n  - memory is"), "{}", run.stdout);
}

/// File names can have blanks: places are a list.
#[test]
fn a_livelock_is_at_all_its_places() {
    let spin = "{ while (!x) {} return p; }";
    let text = format!(
        "#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_int x;\n\
         static void *a(void *p) {spin}\nstatic void *b(void *p) {spin}\n\
         int main(void) {{ pthread_t s, t; pthread_create(&s, 0, a, 0);\n\
         pthread_create(&t, 0, b, 0); pthread_join(s, 0); pthread_join(t, 0); return 0; }}\n"
    );
    let dir = Dir::with("two words.c", text);
    let output = dir.command(["check", "two words.c", "--format", "json"]).output().unwrap();
    let report = crate::harness::Run::of(output).exits(1).json();
    let finding = &report["findings"][0];
    let places: Vec<_> = finding["locations"].as_array().unwrap().iter().collect();
    let at = |place: &&serde_json::Value| (place["file"].to_string(), place["line"].as_u64());
    let lines: Vec<_> = places.iter().map(at).collect();
    let file = "\"two words.c\"".to_owned();
    assert_eq!(lines, [(file.clone(), Some(4)), (file, Some(5))], "{finding}");
}

/// One execution shows no deadlock; what a plain run predicts does, described and replayed like any other.
#[test]
fn what_is_predicted_and_replayed_is_a_finding() {
    let dir = Dir::corpus("ab_ba.c");
    let report = report(&dir, "check ab_ba.c --runs 1", 1);
    assert_eq!(report["stats"]["exploration"]["executions"], 1);
    let prediction = &report["stats"]["prediction"];
    assert_eq!((&prediction["replayed"], &prediction["found_by_search"]), (&1.into(), &0.into()));
    let finding = &report["findings"][0];
    assert_eq!(
        (&finding["property"], &finding["verdict"]),
        (&"deadlock".into(), &"replayed".into())
    );
    assert_eq!(finding["details"]["predicted"], true);
    assert_eq!(finding["details"].get("execution"), None);
    findings_replay(&dir, "check ab_ba.c --runs 1");
    let found = self::report(&dir, "check ab_ba.c", 1);
    assert_eq!(
        found["findings"][0]["fingerprint"], finding["fingerprint"],
        "the same, found otherwise"
    );
    assert_eq!(found["findings"][0]["details"]["predicted"], true);
}

/// Without a preemption there is one execution, in which the lock orders the writes: it shows no race, but its
/// trace predicts one, and the program steered along that does.
pub const PREDICTED: &str = "#include <pthread.h>\n\
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;\nint shared;\n\
    static void *work(void *p) {\n  pthread_mutex_lock(&mutex);\n  pthread_mutex_unlock(&mutex);\n  \
    shared = 2;\n  return p;\n}\n\
    int main(void) {\n  pthread_t thread;\n  pthread_create(&thread, 0, work, 0);\n  shared = 1;\n  \
    pthread_mutex_lock(&mutex);\n  pthread_mutex_unlock(&mutex);\n  pthread_join(thread, 0);\n  \
    return 0;\n}\n";

/// What a check with one execution says of it, and a search of all executions without preemptions.
pub fn is_predicted(checked: &Value, explored: &Value) {
    assert_eq!(explored["findings"], Value::Array(Vec::new()));
    assert_eq!(explored["stats"]["exploration"]["executions"], 1);
    assert_eq!(checked["stats"]["exploration"]["executions"], 1);
    let prediction = &checked["stats"]["prediction"];
    assert_eq!((&prediction["replayed"], &prediction["found_by_search"]), (&1.into(), &0.into()));
    let [race] = checked["findings"].as_array().unwrap().as_slice() else { panic!("{checked:#}") };
    assert_eq!((&race["property"], &race["verdict"]), (&"race".into(), &"replayed".into()));
    assert_eq!(race["details"]["predicted"], true);
    let sites = race["locations"].as_array().unwrap().iter();
    let mut lines: Vec<_> = sites.map(|site| site["line"].as_u64()).collect();
    lines.sort_unstable();
    assert_eq!(lines, [Some(7), Some(13)]);
}

#[test]
fn a_race_that_only_steering_shows_is_a_finding() {
    let dir = Dir::with("a.c", PREDICTED);
    let explored = report(&dir, "explore a.c --strategy icb --bound 0", 0);
    is_predicted(&report(&dir, "check a.c --runs 1", 1), &explored);
    findings_replay(&dir, "check a.c --runs 1");
}

#[test]
fn nothing_is_predicted_of_what_is_fixed() {
    for name in ["ab_ba_fixed.c", "lost_wakeup_fixed.c", "dining_philosophers_fixed.c"] {
        let report = report(&Dir::corpus(name), &format!("check {name} --runs 1"), 3);
        assert_eq!(report["findings"], Value::Array(Vec::new()), "{name}");
        assert!(report["stats"]["prediction"]["events"].as_u64() > Some(10), "{name}");
    }
}

/// The races that break the sum are causes of the assertion; as findings of their own they are the same.
#[test]
fn a_race_that_is_part_of_a_failure_is_its_cause() {
    let dir = Dir::corpus("bank_race.c");
    let folded = report(&dir, "check bank_race.c", 1);
    let all = report(&dir, "check bank_race.c --all", 1);
    let fingerprints = |list: &Value| -> Vec<String> {
        list.as_array().unwrap().iter().map(|one| one["fingerprint"].to_string()).collect()
    };
    let races = fingerprints(&all["findings"]).split_off(1);
    let [failure] = folded["findings"].as_array().unwrap().as_slice() else { panic!("{folded:#}") };
    assert_eq!(failure["property"], "assertion");
    let mut causes = fingerprints(&failure["causes"]);
    causes.sort();
    assert_eq!(causes, {
        let mut races = races;
        races.sort();
        races
    });
    assert_eq!(fingerprints(&all["findings"][0]["causes"]).len(), causes.len());
    for cause in failure["causes"].as_array().unwrap() {
        assert_eq!(cause["objects"][0]["name"], "balance");
        let again = dir.shell(&format!("{} --format json", cause["replay"].as_str().unwrap()));
        assert_eq!(again.json()["misfit"], Value::Null);
    }
    // A race that breaks nothing in sight is a finding.
    let alone = "#include <pthread.h>\nstatic int x;\nstatic void *go(void *p) { x = 1; return p; }\n\
        int main(void) { pthread_t a; pthread_create(&a, 0, go, 0); x = 2; pthread_join(a, 0); }\n";
    let alone = report(&Dir::with("a.c", alone), "check a.c", 1);
    assert_eq!(alone["findings"][0]["property"], "race");
}
