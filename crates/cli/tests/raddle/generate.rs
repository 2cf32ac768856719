//! `raddle trace generate`

use crate::harness::Dir;

#[test]
fn text_goes_to_the_standard_output_by_default() {
    let run = Dir::new().raddle("trace generate --preset tiny").succeeds();
    assert_eq!(run.stdout.lines().count(), 30);
    assert!(run.stdout.lines().all(|line| line.matches('|').count() == 2), "{}", run.stdout);
    assert_eq!(run.stderr, "note: the seed is 1\n");
}

#[test]
fn the_seed_decides() {
    let dir = Dir::new();
    let trace = |seed| dir.raddle(&format!("trace generate --seed {seed}")).succeeds().stdout;
    assert_eq!(trace(7), trace(7));
    assert_ne!(trace(7), trace(8));
}

#[test]
fn what_was_asked_for_is_what_comes() {
    let dir = Dir::new();
    let args = "--events 5000 --threads 7 --locks 3 --vars 11 --transaction 0.1 --seed 3";
    dir.raddle(&format!("trace generate {args} -o t.rdl")).succeeds();
    let json = dir.raddle("trace info --format json t.rdl").succeeds().json();
    assert_eq!(json["events"]["total"], 5000);
    assert_eq!(json["threads"]["total"], 7);
    assert_eq!(json["locks"]["total"], 3);
    assert_eq!(json["variables"]["total"], 11);
    assert_ne!(json["transactions"], 0);
}

#[test]
fn every_shape_passes_the_strict_check_in_either_format() {
    let dir = Dir::new();
    for preset in ["small", "small-local", "small-full", "10k-full"] {
        for name in ["t.rdl", "t.std.zst"] {
            dir.raddle(&format!("trace generate --preset {preset} -o {name}")).succeeds();
            dir.raddle(&format!("trace validate {name}")).succeeds();
        }
    }
}

#[test]
fn text_of_every_kind_of_event_survives_the_native_format() {
    let dir = Dir::new();
    dir.raddle("trace generate --preset 10k-full -o a.std").succeeds();
    dir.raddle("trace convert a.std -o b.rdl").succeeds();
    dir.raddle("trace convert b.rdl -o c.std").succeeds();
    assert!(dir.read("a.std") == dir.read("c.std"), "the text has changed");
}

#[test]
fn switches_can_be_turned_off() {
    let dir = Dir::new();
    let joins = |flags: &str| {
        let run = dir.raddle(&format!("trace generate {flags}")).succeeds();
        run.stdout.lines().filter(|line| line.contains("|join(")).count()
    };
    assert_eq!(joins("--join=false"), 0);
    assert_eq!(joins(""), 3);
}

#[test]
fn knobs_that_make_no_sense_are_named_as_flags() {
    let cases = [
        ("--threads 0", "`--threads` must not be zero"),
        ("--fork-span 2", "`--fork-span` is 2, which is not between 0 and 1"),
        ("--threads 70000 --events 1000000", "`--threads` is 70000, which is more than 65536"),
        ("--threads 9 --events 3", "3 events are too few"),
    ];
    for (flags, expected) in cases {
        let dir = Dir::new();
        let run = dir.raddle(&format!("trace generate {flags} -o t.rdl")).exits(2);
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
        assert!(dir.names().is_empty());
    }
    Dir::new().raddle("trace generate --preset huge").exits(2);
}

#[test]
fn json_reports_the_seed_and_the_file() {
    let dir = Dir::new();
    let json = dir.raddle("trace generate --seed 9 -o t.rdl --format json").succeeds().json();
    assert_eq!(json["schema"], "raddle.trace-generate/1");
    assert_eq!(json["seed"], 9);
    assert_eq!(json["events"], 1000);
    assert_eq!(json["output"]["file"], "t.rdl");
    assert_eq!(json["output"]["bytes"], dir.read("t.rdl").len());
}
