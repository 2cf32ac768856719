//! What a recording does where there is no room, no time, or no control.

use super::harness::{Dir, Run};
use super::native::{BUILT, dir, raddle};

/// Counts in a shell that sets something up before, and says after it how long the recording is.
fn record_after(dir: &Dir, before: &str, options: &str, n: u32) -> Run {
    let cache = BUILT.folder.path().display();
    dir.shell(&format!(
        "export RADDLE_CACHE='{cache}'; {before}; \
         raddle record ./counter -o t.rdl {options} -- number {n}; \
         code=$?; stat -c %s t.rdl; raddle trace info t.rdl >info || code=1; exit $code"
    ))
}

/// The program ended as it would have, the recording earlier, about as late as it could.
#[track_caller]
fn check_cut(run: Run, room: u64) {
    let run = run.exits(3);
    assert!(run.stderr.contains("the program ended with status 0"), "{}", run.stderr);
    assert!(run.stderr.contains("the disk is full"), "{}", run.stderr);
    let len: u64 = run.stdout.trim().parse().unwrap();
    // What threads at once write is cut at a megabyte.
    assert!((room.saturating_sub(1 << 20).max(60_000)..=room).contains(&len), "{len}");
}

#[test]
fn a_limit_of_files_ends_the_recording_and_not_the_program() {
    let cases = [
        ("", 1 << 10, 100_000),
        ("--own-threads", 1 << 10, 100_000),
        ("--parallel", 1 << 10, 100_000),
    ];
    for (options, kilobytes, n) in cases {
        let run = record_after(&dir("counter"), &format!("ulimit -f {kilobytes}"), options, n);
        check_cut(run, kilobytes << 10);
    }
}

#[test]
fn a_limit_that_leaves_no_room_is_refused() {
    let run = record_after(&dir("counter"), "ulimit -f 100", "", 10);
    assert!(run.stderr.contains("raise `ulimit -f` to "), "{}", run.stderr);
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let dir = dir("counter");
    // Only where no other process sees it.
    let mount = "mkdir -p disk; mount -t tmpfs -o size=2m tmpfs disk";
    if dir.shell(&format!("unshare -m sh -c '{mount}'")).code != 0 {
        eprintln!("not tried: this user may not mount a small disk");
        return;
    }
    for options in ["", "--parallel"] {
        let cache = BUILT.folder.path().display();
        let run = dir.shell(&format!(
            "RADDLE_CACHE={cache} unshare -m sh -c '{mount}; \
             raddle record ./counter -o disk/t.rdl {options} -- number 300000; \
             code=$?; stat -c %s disk/t.rdl; raddle trace info disk/t.rdl >info || code=1; exit $code'"
        ));
        check_cut(run, 2 << 20);
    }
}

#[test]
fn a_program_that_takes_too_long_is_ended() {
    let dir = dir("counter");
    // What it writes within a second depends on the machine.
    let run = raddle(&dir, "record ./counter --timeout 1s --max-size 0").exits(3);
    assert!(run.stderr.contains("timed out"), "{}", run.stderr);
    raddle(&dir, "trace info counter.rdl").succeeds();
}

#[test]
fn threads_of_the_system_do_the_same() {
    let dir = dir("ab_ba");
    let recorded =
        |args: &str| raddle(&dir, &format!("--format json record ./ab_ba {args}")).json();
    for seed in 0..5 {
        let plain = recorded(&format!("--seed {seed}"));
        let own = recorded(&format!("--seed {seed} --own-threads"));
        assert_eq!(plain["event_hash"], own["event_hash"]);
        assert_eq!(plain["schedule"], own["schedule"]);
    }
}

#[test]
fn a_script_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let dir = dir("ab_ba");
    dir.file("script", "#!/bin/sh\nexec ./ab_ba\n");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(dir.path("script"), executable).unwrap();
    dir.shell("./script").succeeds();
    let run = raddle(&dir, "record -- ./script").exits(2);
    assert!(run.stderr.contains("a script"), "{}", run.stderr);
}
