//! `raddle explore --checkpoint` and `--resume`: a search in pieces is the search in one piece.

use std::fs;
use std::process::Stdio;

use raddle_needs::{Started, start};

use crate::explore::{report, steady};
use crate::harness::{Dir, wait_until};
use crate::interrupt::{SIGINT, hearing_signals, stop};

/// Searches in pieces of so many executions, and compares with the search in one piece.
#[track_caller]
fn check(name: &str, options: &str, step: usize) {
    let dir = Dir::corpus(name);
    let whole = steady(&dir, &format!("explore {name} {options}"), 1);
    let mut args = format!("explore {name} {options} --checkpoint saved --runs");
    let mut last = String::new();
    for n in 1.. {
        assert!(n < 500, "it does not come to an end");
        let run = dir.raddle(&format!("{args} {} --format json", n * step));
        assert!([1, 3].contains(&run.code), "{run:?}");
        last.clone_from(&run.stdout);
        if !dir.names().contains(&"saved".to_owned()) {
            assert!(n > 2, "there were not several pieces");
            break;
        }
        assert!(run.stderr.contains("note: saved; resume with --resume saved"), "{}", run.stderr);
        args = format!("explore {name} {options} --resume saved --checkpoint saved --runs");
    }
    let mut report: serde_json::Value = serde_json::from_str(&last).unwrap();
    report.as_object_mut().unwrap().remove("timing").unwrap();
    assert_eq!(format!("{report:#}"), whole, "{name} {options}");
}

#[test]
fn pieces_make_up_the_search_without_races() {
    check("ab_ba.c", "", 12);
    check("ab_ba.c", "--cache off --bound 1", 8);
}

#[test]
fn pieces_make_up_the_search_with_points_that_races_made() {
    check("bank_race.c", "", 7);
    check("bank_race.c", "--cache off --bound 1", 6);
    check("bank_race.c", "--races points", 7);
}

#[test]
fn pieces_make_up_other_searches() {
    check("ab_ba.c", "--reduction partial-order", 25);
    check("ab_ba.c", "--strategy idepth:10", 350);
    check("bank_race.c", "--strategy portfolio", 35);
}

/// A directory with a search of a program in `saved`.
fn saved() -> Dir {
    let dir = Dir::corpus("bank_race.c");
    dir.raddle("explore bank_race.c --runs 5 --checkpoint saved");
    dir
}

/// Going on with these bytes is refused.
#[track_caller]
fn refused(dir: &Dir, bytes: impl AsRef<[u8]>, why: &str) {
    dir.file("other", bytes);
    let run = dir.raddle("explore bank_race.c --resume other").exits(2);
    assert!(run.stderr.starts_with("error: cannot resume `other`"), "{}", run.stderr);
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn what_is_no_whole_checkpoint_is_refused() {
    let dir = saved();
    let bytes = dir.read("saved");
    refused(&dir, "", "this is not a checkpoint");
    refused(&dir, "int main(void) { return 0; }", "this is not a checkpoint");
    refused(&dir, &bytes[..bytes.len() - 1], "bytes");
    refused(&dir, &bytes[..10], "of 28 bytes");
    refused(&dir, [&bytes[..], b"x"].concat(), "1 bytes too many");
    for at in (0..bytes.len()).step_by(bytes.len() / 3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        refused(&dir, damaged, "checkpoint");
    }
    let run = dir.raddle("explore bank_race.c --resume none").exits(2);
    assert!(run.stderr.contains("No such file"), "{}", run.stderr);
}

#[test]
fn a_search_of_something_else_is_refused() {
    let dir = saved();
    for options in ["--bound 3", "--strategy dfs", "--spurious"] {
        let run = dir.raddle(&format!("explore bank_race.c --resume saved {options}")).exits(2);
        assert!(run.stderr.contains("saved with different options"), "{options}: {}", run.stderr);
    }
    dir.raddle("explore bank_race.c --resume saved --jobs 2 --time 1m --memory 1GiB").exits(1);
    let text = dir.text("bank_race.c");
    dir.file("bank_race.c", text.replace("balance == 120", "balance != 150"));
    let run = dir.raddle("explore bank_race.c --resume saved").exits(2);
    assert!(run.stderr.contains("belongs to program"), "{}", run.stderr);
}

/// Saving there is refused before the search, and what is there stays.
#[track_caller]
fn never_saved(place: &str, why: &str) {
    let dir = Dir::corpus("ab_ba.c");
    dir.file("folder/file", "");
    dir.file("notes.txt", "something else");
    // This search comes to its end, after which checkpoints are removed.
    let run = dir.raddle(&format!("explore ab_ba.c --bound 0 --checkpoint {place}")).exits(2);
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(run.stdout, "", "it is said before the search");
    assert_eq!(dir.names(), ["ab_ba.c", "folder", "notes.txt"]);
    assert_eq!(dir.text("notes.txt"), "something else");
}

#[test]
fn what_is_no_checkpoint_is_never_replaced_or_removed() {
    never_saved("ab_ba.c", "refusing to overwrite a file that is not a checkpoint");
    never_saved("notes.txt", "refusing to overwrite a file that is not a checkpoint");
    never_saved("folder", "a checkpoint must be a regular file");
    never_saved("none/saved", "cannot write `none/saved`");
    never_saved("-", "a checkpoint must be a regular file");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_are_no_place_for_checkpoints() {
    never_saved("/dev/full", "a checkpoint must be a regular file");
    assert!(fs::metadata("/dev/full").is_ok());
}

#[test]
fn a_search_that_comes_to_its_end_leaves_no_checkpoint() {
    let dir = saved();
    dir.raddle("explore bank_race.c --resume saved --checkpoint saved").exits(1);
    assert_eq!(dir.names(), ["bank_race.c"]);
}

/// Waits until the checkpoint is another one than `last`, so many times.
#[track_caller]
fn saved_anew(dir: &Dir, child: &mut Started, name: &str, mut last: Vec<u8>, times: usize) {
    for _ in 0..times {
        let mut now = last.clone();
        wait_until(child, "the search is saved", || {
            now = fs::read(dir.path(name)).unwrap_or_default();
            !now.is_empty() && now != last
        });
        last = now;
    }
}

#[cfg(unix)]
#[test]
fn results_are_shown_even_if_they_cannot_be_saved() {
    let dir = Dir::corpus("bank_race.c");
    dir.file("folder/x", "");
    let explore = "explore bank_race.c --strategy random --checkpoint folder/saved";
    dir.raddle(&format!("{explore} --runs 200")).exits(1);
    // The folder goes away while the search is on.
    let args = format!("{explore} --resume folder/saved --checkpoint-every 1ms");
    let mut command = dir.command(args.split_whitespace());
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(hearing_signals(command));
    saved_anew(&dir, &mut child, "folder/saved", dir.read("folder/saved"), 1);
    fs::rename(dir.path("folder"), dir.path("elsewhere")).unwrap();
    let run = stop(child, SIGINT).exits(2);
    assert!(run.stdout.contains("assertion failed: balance == 120"), "{}", run.stdout);
    assert!(run.stderr.contains("cannot write `folder/saved`"), "{}", run.stderr);
}

/// It is killed at any moment of saving, which happens all the time.
#[cfg(unix)]
#[test]
fn a_search_that_is_killed_leaves_a_whole_checkpoint() {
    let dir = Dir::corpus("dining_philosophers_fixed.c");
    let base = "explore dining_philosophers_fixed.c --bound all --cache off";
    let args = format!("{base} --checkpoint saved --checkpoint-every 1ms");
    let mut last = Vec::new();
    for round in 1..5 {
        let mut command = dir.command(args.split_whitespace());
        let mut child = start(command.stdout(Stdio::null()).stderr(Stdio::null()));
        saved_anew(&dir, &mut child, "saved", last, round);
        child.kill().unwrap();
        child.wait().unwrap();
        let report = report(&dir, &format!("{base} --resume saved --runs 1"), 3);
        assert!(report["stats"]["exploration"]["executions"].as_u64().unwrap() > 0);
        last = dir.read("saved");
    }
}
