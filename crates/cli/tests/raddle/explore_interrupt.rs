//! Ctrl-C ends a search with what is known.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::harness::{Dir, Run, wait_until};
use crate::interrupt::{SIGINT, hearing_signals, stop};

/// Starts a search that takes a while, and stops it.
fn interrupted(dir: &Dir, args: &str) -> Run {
    let mut command = dir.command(args.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = hearing_signals(&mut command).spawn().unwrap();
    // There is no sign on stderr that the search is on: it takes a tenth of this time of the processor.
    let worked = Duration::from_secs(1);
    let stat = format!("/proc/{}/stat", child.id());
    wait_until(&mut child, "the search is on", || time_of(&stat) >= worked);
    stop(child, SIGINT)
}

/// How long a process has worked.
fn time_of(stat: &str) -> Duration {
    let text = fs::read_to_string(stat).unwrap();
    // Behind the name, which may have anything in it, the twelfth and thirteenth are hundredths of a second.
    let (_, fields) = text.rsplit_once(')').unwrap();
    let ticks = fields.split_whitespace().skip(11).take(2).map(|n| n.parse::<u64>().unwrap());
    Duration::from_millis(10 * ticks.sum::<u64>())
}

const ENDLESS: &str = "explore dining_philosophers_fixed.c --strategy random";

#[test]
fn a_search_without_findings_ends_incomplete_and_can_go_on() {
    let dir = Dir::corpus("dining_philosophers_fixed.c");
    let run = interrupted(&dir, &format!("{ENDLESS} --format json --checkpoint saved")).exits(3);
    assert!(run.stderr.contains("note: stopping; the results so far follow"), "{}", run.stderr);
    assert!(run.stderr.contains("go on with --resume saved"), "{}", run.stderr);
    assert!(run.stderr.contains("warning: interrupted; the results are incomplete"));
    assert_eq!(run.json()["stats"]["exploration"]["ending"], "stopped");
    let n = run.json()["stats"]["exploration"]["executions"].as_u64().unwrap();
    let args = format!("{ENDLESS} --resume saved --runs {} --format json", n + 5);
    let more = dir.raddle(&args).exits(3).json();
    assert_eq!(more["stats"]["exploration"]["executions"], n + 5);
}

#[test]
fn a_search_with_findings_ends_with_them() {
    let dir = Dir::corpus("bank_race.c");
    let run = interrupted(&dir, "explore bank_race.c --strategy pos").exits(1);
    assert!(run.stdout.contains("assertion failed: balance == 120"), "{}", run.stdout);
    assert!(run.stdout.contains("; stopped\n"), "{}", run.stdout);
    assert!(run.stderr.contains("goes on until it is stopped"), "{}", run.stderr);
}

#[test]
fn a_comparison_ends_with_what_is_known() {
    let dir = Dir::corpus("dining_philosophers_fixed.c");
    let args = "explore dining_philosophers_fixed.c --compare random,dfs --time 1h --format json";
    let run = interrupted(&dir, args).exits(3);
    assert_eq!(run.json()["strategies"].as_array().unwrap().len(), 1);
}
