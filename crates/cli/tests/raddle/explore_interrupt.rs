//! Ctrl-C ends a search with what is known.

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::Duration;

use raddle_needs::start;

use crate::harness::{Dir, Run, wait_until};
use crate::interrupt::{SIGINT, hearing_signals, stop};

/// Starts a search that takes a while, and stops it.
fn interrupted(dir: &Dir, args: &str) -> Run {
    let mut command = dir.command(args.split_whitespace());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = start(hearing_signals(&mut command));
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
    assert!(run.stderr.contains("resume with --resume saved"), "{}", run.stderr);
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
    assert!(run.stderr.contains("runs until it is stopped"), "{}", run.stderr);
}

/// What a terminal gets; `script` makes one, and passes on what is typed.
#[test]
fn the_progress_line_goes_when_the_search_is_stopped() {
    // Where a key gets lost, the time ends the search.
    let texts = (0..3).map(|_| screen_after_interrupt());
    let text = { texts }.find(|text| text.contains("note: stopping")).unwrap();
    let (before, after) = text.split_once("note: stopping").unwrap();
    // What clears a line is the last thing that happens to it.
    assert!(before.ends_with("\u{1b}[2K") || before.ends_with('\r'), "{before:?}");
    assert!(!after.contains("exploring"), "{after:?}");
}

/// What a terminal shows from where Ctrl-C is pressed while a search goes on.
fn screen_after_interrupt() -> String {
    let dir = Dir::corpus("dining_philosophers_fixed.c");
    let raddle = env!("CARGO_BIN_EXE_raddle");
    let mut script = Command::new("script");
    script.args(["-qefc", &format!("TERM=xterm '{raddle}' {ENDLESS} --time 20s"), "/dev/null"]);
    script.current_dir(dir.path(".")).env("RADDLE_COLOR", "never");
    script.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = start(hearing_signals(&mut script));
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let n = screen.read(&mut buffer).unwrap();
        assert!(n > 0, "it ended: {}", String::from_utf8_lossy(&text));
        text.extend(&buffer[..n]);
        if String::from_utf8_lossy(&text).contains("exploring ") {
            break;
        }
    }
    keys.write_all(b"\x03").unwrap();
    text.clear();
    screen.read_to_end(&mut text).unwrap();
    child.wait().unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_comparison_ends_with_what_is_known() {
    let dir = Dir::corpus("dining_philosophers_fixed.c");
    let args = "explore dining_philosophers_fixed.c --compare random,dfs --time 1h --format json";
    let run = interrupted(&dir, args).exits(3);
    assert_eq!(run.json()["strategies"].as_array().unwrap().len(), 1);
}
