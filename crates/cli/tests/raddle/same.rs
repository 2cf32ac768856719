//! The same bug, through the machine, as a binary and in Rust, reads the same.
//!
//! Before texts are compared, this is made equal, and nothing else is:
//!
//! - S1: files and lines, since programs are different files, and how wide columns are; in which column
//!   something stands is compared. A function in Rust does not know its name.
//! - S2: lines of the source and the marks below them, since C is not Rust.
//! - S3: names of variables, locks and conditions: in Rust they have none, and are called after the place
//!   where they were made.
//! - S4: the event hash, which the library does not make.
//! - S5: the commands that replay it.
//!
//! A C file and a binary that is made of it are compared without S1 to S3: all files, lines and names are the
//! same there. In place of these:
//!
//! - S6: values that are addresses: memory lies elsewhere in a process.
//!
//! Interleavings are tried in the same order everywhere, so that none shows the mirror image of another's.

mod corpus;
pub(crate) mod normal;
mod rust;
mod twins;

use crate::binaries;
use crate::harness::Dir;
use normal::{findings, normal};

/// Compares the findings of a program in C with those of its binary, word by word.
#[track_caller]
fn check_c(name: &str, command: &str) -> String {
    let file = format!("{name}.c");
    let dir = Dir::new();
    dir.file(&file, binaries::source(name));
    let machine = dir.raddle(&format!("{command} {file} -q")).exits(1).stdout;
    let machine = findings(&machine, "");
    let binary = binaries::raddle(&binaries::dir(name), &format!("{command} ./{name} -q"));
    assert_eq!(findings(&binary.exits(1).stdout, &binaries::folder()), machine);
    machine
}

#[test]
fn a_race_that_only_steering_shows() {
    let text = check_c("predicted", "check --runs 1");
    assert!(text.starts_with("race: `shared` is written by "), "{text}");
    assert_eq!(text.matches("▶").count(), 2, "{text}");
    assert!(
        text.contains("  writes shared = 1 ") && text.contains("  writes shared = 2 "),
        "{text}"
    );
}

/// What is said of a binary, with files in the current folder: the one where it was built may have spaces in its name.
fn without_folder(text: &str) -> String {
    text.replace(&format!("{}/", binaries::folder()), "")
}

/// Compares the first finding of a program in C with that of a closure.
#[track_caller]
fn check(name: &str, names: &[&str], n_findings: usize, closure: fn()) -> String {
    let file = format!("{name}.c");
    let dir = Dir::new();
    let source = binaries::source(name);
    dir.file(&file, &source);
    let machine = dir.raddle(&format!("explore {file} --strategy icb -q")).exits(1).stdout;
    let machine = normal(&machine, &source, names);
    let built = binaries::dir(name);
    let explore = format!("explore ./{name} --strategy icb -q");
    let binary = without_folder(&binaries::raddle(&built, &explore).exits(1).stdout);
    assert_eq!(normal(&binary, &source, names), machine);
    let config = raddle::Config::new().search(raddle::Search::Bounded).findings(n_findings);
    let found = config.explore(closure).findings[0].to_string();
    assert_eq!(normal(&found, include_str!("same/rust.rs"), &[]), machine);
    machine
}

#[test]
fn a_deadlock() {
    let text = check("ab_ba", &["a", "b"], 1, rust::ab_ba);
    assert!(text.contains("1: ▶ PLACE asks for NAME-2"), "{text}");
}

#[test]
fn a_deadlock_in_one_line() {
    let (dir, explore) = (Dir::corpus("ab_ba.c"), "--strategy icb -q --format short");
    let machine = dir.raddle(&format!("explore ab_ba.c {explore}")).exits(1).stdout;
    let binary = binaries::raddle(&binaries::dir("ab_ba"), &format!("explore ./ab_ba {explore}"));
    let binary = without_folder(&binary.exits(1).stdout);
    let files = binary.split_whitespace().map(|word| word.rsplit('/').next().unwrap());
    let binary = files.collect::<Vec<_>>().join(" ");
    let document = raddle::Config::new().search(raddle::Search::Bounded).explore(rust::ab_ba);
    let document = raddle_finding::Report::from_json(&document.to_json()).unwrap();
    let expected = "ab_ba.c:56: error: deadlock: main waits for the end of go_up#1 at ab_ba.c:56; \
        go_up#1 waits for b, held by go_down#1, at ab_ba.c:32; \
        go_down#1 waits for a, held by go_up#1, at ab_ba.c:43 [";
    assert!(machine.starts_with(expected), "{machine}");
    assert!(binary.starts_with(expected), "{binary}");
    let words = document.findings[0].message.split_whitespace();
    let words: Vec<_> = words.filter(|word| !word.contains(".rs:")).collect();
    let expected = "main waits for the end of go_up#1 at go_up#1 waits for held by go_down#1, at \
        go_down#1 waits for held by go_up#1, at";
    assert_eq!(words.join(" "), expected);
}

#[test]
fn a_race() {
    let text = check("same_race", &["counter"], 1, rust::race);
    let begin = "race: `NAME-1` is written by count#1 PLACE and read by count#2 PLACE, and nothing";
    assert!(text.starts_with(begin), "{text}");
    assert!(text.contains("1: ▶ PLACE writes NAME-1 = 1\n"), "{text}");
}

#[test]
fn a_failed_assertion_and_its_causes() {
    let text = check("same_assertion", &["balance"], 10, rust::assertion);
    assert!(text.starts_with("assertion: assertion failed: left == 20\n"), "{text}");
    assert!(text.contains("1: PLACE writes NAME-1 = -30\n"), "{text}");
    assert_eq!(text.matches("caused by the race on NAME-1").count(), 3, "{text}");
}

#[test]
fn changes_have_both_values() {
    let text = check("same_change", &["tickets", "owner"], 1, rust::change);
    assert!(text.contains("0: PLACE writes NAME-1 = 0\n"), "{text}");
    assert!(text.contains("1: PLACE changes NAME-2 = 0 -> 1\n"), "{text}");
    assert!(text.contains("2: PLACE changes NAME-1 = 0 -> 7\n"), "{text}");
    assert!(text.contains("0: waits for the end of enter#1\n"), "{text}");
}

#[test]
fn a_lost_wake_up() {
    let names = ["ready", "mutex", "delivered"];
    let text = check("same_lost_wakeup", &names, 10, rust::lost_wakeup);
    assert!(text.contains("0: PLACE reads NAME-2 = 0\n"), "{text}");
    assert!(text.contains("caused by the race on NAME-2"), "{text}");
}

#[test]
fn a_use_after_free() {
    let text = check_c("same_use_after_free", "explore --strategy icb");
    let begin = "crash: use of heap@same_use_after_free.c:33 after it was freed\n  in publish at";
    assert!(text.starts_with(begin), "{text}");
    assert!(
        text.contains("main: allocates it\n") && text.contains("retire#1: frees it\n"),
        "{text}"
    );
}

#[test]
fn a_misuse_of_a_lock() {
    let text = check_c("same_misuse", "explore --strategy icb");
    let begin = "crash: unlock of heap@same_misuse.c:22+8, which no thread holds\n  in leave at";
    assert!(text.starts_with(begin), "{text}");
}

/// What fails because a lock was unlocked by who did not hold it says so, unless runs end there.
#[test]
fn a_failure_behind_a_misuse() {
    let dir = Dir::new();
    dir.file("same_behind.c", binaries::source("same_behind"));
    let command = "explore --strategy icb --bound 1";
    let on_machine = |options: &str| dir.raddle(&format!("{command} {options} same_behind.c -q"));
    let as_binary = |options: &str| {
        let command = format!("{command} {options} ./same_behind -q");
        binaries::raddle(&binaries::dir("same_behind"), &command)
    };
    for text in [on_machine("").exits(1).stdout, as_binary("").exits(1).stdout] {
        for part in [
            "crash: unlock of mutex, which no thread holds\n",
            "raddle replay --strict-locks ",
            "assertion failed: number == expected\n",
            "\n  after a misuse: unlock of mutex, which another thread holds at ",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
    for text in [on_machine("--strict-locks"), as_binary("--strict-locks")] {
        let text = text.exits(1).stdout;
        assert!(text.contains("crash: unlock of mutex, which ") && !text.contains("assertion"));
    }
}

#[test]
fn a_deadlock_of_locks_that_are_no_globals() {
    let text = check_c("same_stack", "explore --strategy icb");
    assert!(text.contains(" asks for main:here"), "{text}");
    assert!(text.contains(" waits for heap@same_stack.c:29, held by "), "{text}");
    assert!(text.contains("reads main:pair.first = "), "{text}");
}

#[test]
fn what_functions_for_text_and_memory_do() {
    let text = check_c("same_strings", "explore --strategy icb");
    for step in [
        "writes title[0..6] = \"hello\"",
        "reads title[0..6] = \"hello\"",
        "writes note.text[0..5] = \"ben\"",
        "writes heap@same_strings.c:35[0..5] = \"ben\"",
        "reads title[0..6] = \"hello \"",
        "reads note.text[1] = 101",
    ] {
        assert!(text.contains(step), "{step}\n{text}");
    }
}

#[test]
fn a_text_that_is_as_long_as_a_number() {
    let text = check_c("same_words", "explore --strategy icb");
    assert!(text.contains("writes state[0..8] = \"started\""), "{text}");
    assert!(text.contains("reads state[0] = 115"), "{text}");
    // Two numbers, and not four characters.
    assert!(text.contains("writes pair = 16961"), "{text}");
}

#[test]
fn a_double_free() {
    let text = check_c("same_double_free", "explore --strategy icb");
    assert!(text.starts_with("crash: heap@same_double_free.c:25#2 is freed twice\n"), "{text}");
    assert!(text.contains("  allocated at same_double_free.c:25\n  freed at "), "{text}");
}

#[test]
fn a_free_of_what_was_never_allocated() {
    let text = check_c("same_bad_free", "explore --strategy icb");
    let begin = "crash: free of heap@same_bad_free.c:9+4, which malloc did not return\n";
    assert!(text.starts_with(begin), "{text}");
}

#[test]
fn a_null_pointer_and_an_abort() {
    let text = check_c("same_null", "explore --strategy icb");
    assert!(text.starts_with("crash: null pointer dereference (address 0x0)\n"), "{text}");
    let text = check_c("same_abort", "explore --strategy icb");
    assert!(text.starts_with("crash: the program aborts\n"), "{text}");
}

#[test]
fn an_assertion_about_what_one_thread_alone_accesses() {
    let text = check_c("same_looked_at", "explore --strategy icb");
    assert!(text.contains("reads n_rounds = 2 "), "{text}");
    assert!(!text.contains("writes n_rounds"), "{text}");
}
