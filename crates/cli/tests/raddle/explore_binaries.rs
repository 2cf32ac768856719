//! `raddle explore` and `raddle check` on binaries.

use std::sync::atomic::Ordering;

use raddle_explore::{Budget, FailureKind, Races};
use raddle_native::target::Target;
use raddle_session::native::{Binary, Launch};
use raddle_session::{Exploration, Method, Observer};
use serde_json::Value;

use crate::binaries::{dir, installation, raddle, shell};
use crate::check::is_predicted;
use crate::explore::{claim, conditions};
use crate::harness::Dir;

#[track_caller]
fn report(dir: &Dir, args: &str, code: i32) -> Value {
    raddle(dir, &format!("--format json {args}")).exits(code).json()
}

fn findings(report: &Value) -> &[Value] {
    report["findings"].as_array().unwrap()
}

/// What a program does wrong is found, described, and replays to the same events.
#[track_caller]
fn check(program: &str, options: &str, property: &str, outcome: &str, text: &[&str]) {
    let dir = dir(program);
    let said = raddle(&dir, &format!("explore ./{program} {options}")).exits(1).stdout;
    for part in text {
        assert!(said.contains(part), "{part}: {said}");
    }
    let report = report(&dir, &format!("explore ./{program} {options}"), 1);
    let is_it = |found: &&Value| found["property"] == property && found["outcome"] == outcome;
    let found = findings(&report).iter().find(is_it);
    let found = found.unwrap_or_else(|| panic!("no {property}: {report:#}"));
    assert_eq!(found["verdict"], "replayed");
    let command = found["replay"].as_str().unwrap();
    let again = shell(&dir, &format!("{command} --format json")).json();
    assert_eq!(again["event_hash"], found["details"]["event_hash"], "{command}");
}

/// Hears nothing.
struct Deaf;

impl Observer for Deaf {}

#[test]
fn what_nothing_was_done_about_replays_as_it_was_found() {
    for (name, suffix) in [("bank_race", ".at."), ("ab_ba", ":")] {
        let dir = dir(name);
        let target = Target::new(dir.path(name).as_os_str()).unwrap();
        let launch = Launch::with(installation(), target, false, false, None).unwrap();
        let binary = Binary::new(launch.clone(), launch.setup(), Vec::new());
        let budget = Budget { races: Races::Promoted, ..Budget::default() };
        let exploration = Exploration::new(binary, budget);
        let strategy = Method { is_cached: false, ..Method::default() }.strategy();
        let mut explored = exploration.run(strategy, None, &mut Deaf).unwrap();
        exploration.stop.asked.store(true, Ordering::Relaxed);
        exploration.stop.urged.store(true, Ordering::Relaxed);
        let collected = exploration.collect(&mut explored, &mut Deaf).unwrap();
        let is_failure = |kind| kind != FailureKind::Race;
        let mut failures = collected.all.iter().filter(|one| is_failure(one.found.failure.kind));
        let failure = failures.next().unwrap();
        assert!(failure.shown.is_none() && !failure.is_simplified);
        let schedule = failure.schedule.to_string();
        assert!(schedule.contains(suffix), "{schedule}");
        let again = raddle(&dir, &format!("replay ./{name} {schedule}")).exits(1).stderr;
        for place in &failure.found.failure.places {
            let place = format!("{name}.c:{}", place.line.unwrap());
            assert!(again.contains(&place), "{place}: {again}");
        }
    }
}

#[test]
fn a_failed_assertion() {
    let story = [
        "assertion: assertion failed: ",
        "bank_race.c:56",
        "interrupted here: preemption 1",
        "▶ bank_race.c:56",
        "int seen = balance;",
    ];
    check("bank_race", "", "assertion", "assertion", &story);
}

#[test]
fn a_deadlock_with_its_circle() {
    let story = [
        "deadlock: 3 threads are blocked forever",
        "go_up#1 waits for b, held by go_down#1, at",
        "go_down#1 waits for a, held by go_up#1, at",
        "main waits for the end of go_up#1",
    ];
    check("ab_ba", "", "deadlock", "deadlock", &story);
}

#[test]
fn an_abort() {
    check("abort", "", "crash", "abort", &["the program aborts", "abort.c:16, thread second#1"]);
}

#[test]
fn a_crash_with_its_stack() {
    let story = ["null pointer dereference (address 0x0)", "thread second#1", "called from"];
    check("crash", "", "crash", "crash", &story);
}

#[test]
fn a_use_after_free_and_a_race_with_both_sides() {
    check(
        "refcount",
        "",
        "crash",
        "use-after-free",
        &["crash: use of heap@refcount.c:34 after it was freed"],
    );
    check(
        "bank_race",
        "--all",
        "race",
        "passed",
        &["race: `balance` is", "and nothing orders them"],
    );
}

#[test]
fn a_double_free() {
    check(
        "double_free",
        "",
        "crash",
        "invalid-free",
        &["crash: heap@double_free.c:16 is freed twice"],
    );
}

#[test]
fn a_livelock() {
    check("livelock", "", "livelock", "livelock", &["livelock: every thread spins"]);
}

#[test]
fn a_status_that_is_not_the_expected_one() {
    let story = ["the program ends with status 3, not 0"];
    check("status", "--expect-exit 0", "assertion", "exit-status", &story);
    let report = report(&dir("status"), "explore ./status", 0);
    assert_eq!(findings(&report).len(), 0);
}

#[test]
fn an_output_that_differs() {
    let story = ["output of the program differs from that of its first run"];
    check("output", "--expect-same-output", "determinism", "output", &story);
    check("output", "--expect-same-output --jobs 3", "determinism", "output", &story);
    assert_eq!(findings(&report(&dir("output"), "explore ./output", 0)).len(), 0);
}

#[test]
fn a_wait_for_something_outside_that_never_comes() {
    let dir = dir("hang");
    let text = raddle(&dir, "explore ./hang --bound 0").exits(1).stdout;
    assert!(text.contains("deadlock: nothing arrives from outside the program"), "{text}");
    assert!(text.contains("second#1 waits for something outside the program"), "{text}");
    let report = report(&dir, "explore ./hang --bound 0", 1);
    let found = &findings(&report)[0];
    assert_eq!((&found["outcome"], &found["verdict"]), (&"hang".into(), &"replayed".into()));
}

#[test]
fn a_run_that_does_not_end_is_lost_and_said_so() {
    let report = report(&dir("endless"), "explore ./endless --timeout 1s --runs 3 --bound 0", 3);
    assert!(report["stats"]["exploration"]["lost"].as_u64() > Some(0), "{report:#}");
    assert!(conditions(&report).contains("the run did not end in time"), "{report:#}");
}

#[test]
fn all_process_models_and_thread_backends_agree() {
    let count = |options: &str| {
        let dir = dir("ab_ba");
        let report = report(&dir, &format!("explore ./ab_ba --bound 1 {options}"), 1);
        let exploration = &report["stats"]["exploration"];
        let hash = findings(&report)[0]["details"]["event_hash"].clone();
        (exploration["executions"].clone(), hash, exploration["model"]["name"].clone())
    };
    let (executions, hash, model) = count("--model spawn");
    assert_eq!(model, "spawn");
    for (options, name) in [
        ("--model fork", "fork"),
        ("--model snapshot", "snapshot"),
        ("", "snapshot"),
        ("--jobs 2", "snapshot"),
        ("--own-threads", "fork"),
    ] {
        assert_eq!(count(options), (executions.clone(), hash.clone(), name.into()), "{options}");
    }
}

#[test]
fn a_fallback_is_named_with_its_reason() {
    let dir = dir("changes_folder");
    let text = raddle(&dir, "explore ./changes_folder").exits(1).stdout;
    assert!(text.contains("process model fork, not snapshot: it calls chdir"), "{text}");
    let report = report(&dir, "explore ./changes_folder", 1);
    let model = &report["stats"]["exploration"]["model"];
    assert_eq!((&model["name"], &model["fallback"]), (&"fork".into(), &"it calls chdir".into()));
    assert!(conditions(&report).contains("every run is a fork of one process"), "{report:#}");
    raddle(&dir, "explore ./changes_folder --model spawn").exits(1);
}

#[test]
fn arguments_input_and_folder_are_those_that_were_given() {
    let echo = dir("echo");
    echo.file("q", "q");
    echo.file("a", "a");
    raddle(&echo, "explore ./echo --stdin q").exits(1);
    raddle(&echo, "explore ./echo --stdin q --model fork").exits(1);
    raddle(&echo, "explore ./echo --stdin a").succeeds();
    let argument = dir("argument");
    let found = raddle(&argument, "explore ./argument -- bad").exits(1).stdout;
    let replay = found.lines().find_map(|line| line.trim().strip_prefix("replay: ")).unwrap();
    assert!(replay.ends_with(" -- bad"), "{replay}");
    shell(&argument, replay).exits(1);
    raddle(&argument, "explore -- ./argument good").succeeds();
    let folder = dir("finds_file");
    folder.file("sub/here", "");
    raddle(&folder, "explore ./finds_file").succeeds();
    raddle(&folder, "explore ./finds_file --directory sub").exits(1);
}

/// What the replay of the first finding of a program says.
fn replayed(program: &str) -> String {
    let dir = dir(program);
    let found = raddle(&dir, &format!("explore ./{program} --strategy icb -q")).exits(1).stdout;
    let replay = found.lines().find_map(|line| line.trim().strip_prefix("replay: ")).unwrap();
    shell(&dir, replay).exits(1).stderr
}

#[test]
fn a_replay_names_what_a_finding_is_about() {
    let text = replayed("same_use_after_free");
    let wrong = "error: use of heap@same_use_after_free.c:33 after it was freed";
    assert!(text.contains(wrong), "{text}");
    let text = replayed("same_stack");
    assert!(text.contains("waits for the lock main:here, held by thread "), "{text}");
    assert!(text.contains("waits for the lock heap@same_stack.c:29, held by thread "), "{text}");
}

#[test]
fn a_race_that_only_steering_shows_is_a_finding() {
    let dir = dir("predicted");
    let explored = report(&dir, "explore ./predicted --strategy icb --bound 0", 0);
    is_predicted(&report(&dir, "check ./predicted --runs 1", 1), &explored);
}

#[test]
fn what_is_clean_is_proved_under_conditions() {
    let report = report(&dir("ab_ba_fixed"), "explore ./ab_ba_fixed --bound 1", 0);
    // It has no condition variables, on which waits could end spuriously.
    assert_eq!(claim(&report), "no execution with at most 1 preemption fails");
    let said = conditions(&report);
    for part in [
        "sequentially consistent",
        "every execution was checked for data races",
        "code that was not built with `raddle cc` is not interrupted",
        "one process makes all runs: its memory is restored after every run",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let alone = raddle(&dir("alone"), "explore ./alone --preload").exits(3).stdout;
    assert!(alone.contains("there is nothing to interleave"), "{alone}");
}

#[test]
fn what_only_asks_the_system_needs_no_processes() {
    let asks = report(&dir("asks_system"), "explore ./asks_system --bound 1", 0);
    assert!(conditions(&asks).contains("one process makes all runs"), "{asks:#}");
    let changes = report(&dir("changes_system"), "explore ./changes_system --bound 1", 0);
    let why = "every run is a fork of one process, since it calls setpriority";
    assert!(conditions(&changes).contains(why), "{changes:#}");
}

#[test]
fn a_program_without_instrumentation_is_seen_at_its_calls() {
    let plain = dir("plain");
    let refused = raddle(&plain, "explore ./plain").exits(2).stderr;
    assert!(refused.contains("not instrumented"), "{refused}");
    let report = report(&plain, "explore ./plain --preload --bound 1", 1);
    assert_eq!(findings(&report)[0]["property"], "deadlock");
    assert!(conditions(&report).contains("none of its accesses is seen"), "{report:#}");
    assert!(claim(&report).contains("the program is not instrumented"), "{report:#}");
}

#[test]
fn strategies_points_and_reduction() {
    for options in [
        "--strategy pct:3 --runs 300 --seed 7",
        "--strategy surw --runs 300",
        "--strategy race --runs 300",
        "--strategy portfolio --runs 300",
        "--reduction partial-order",
        "--points all --races off --bound 1",
        "--findings 1",
    ] {
        let report = report(&dir("bank_race"), &format!("explore ./bank_race {options}"), 1);
        assert!(!findings(&report).is_empty(), "{options}: {report:#}");
    }
    let off = report(&dir("bank_race"), "explore ./bank_race --races off", 0);
    assert!(
        claim(&off).contains("if there are no data races: they were not checked for"),
        "{off:#}"
    );
}

#[track_caller]
fn check_refused(program: &str, args: &str, expected: &str) {
    let run = raddle(&dir(program), args).exits(2);
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn what_takes_the_machine_is_refused() {
    check_refused("clean", "explore ./clean --cache on", "--cache on cannot be used with a binary");
    check_refused("clean", "check ./clean --symmetry", "--symmetry cannot be used with a binary");
    check_refused("clean", "explore ./clean --compare icb,dfs", "--compare cannot be used");
    check_refused("clean", "explore ./clean -D X", "-D cannot be used with a binary");
    check_refused("clean", "explore ./clean --stdin -", "many runs cannot share one");
    check_refused("clean", "explore ./clean --model snapshot --own-threads", "--own-threads");
    check_refused("clean", "explore", "there is no program to run");
    let source = Dir::corpus("ab_ba.c");
    let run = source.raddle("explore ab_ba.c --model fork").exits(2);
    assert!(run.stderr.contains("--model cannot be used with C files"), "{}", run.stderr);
}

#[test]
fn a_search_goes_on_where_it_was() {
    let dir = dir("ab_ba");
    let whole = report(&dir, "explore ./ab_ba", 1);
    report(&dir, "explore ./ab_ba --runs 30 --checkpoint search", 1);
    let rest = report(&dir, "explore ./ab_ba --resume search", 1);
    let executions = |report: &Value| report["stats"]["bounds"].clone();
    assert_eq!(executions(&rest), executions(&whole));
    let other = raddle(&dir, "explore ./ab_ba --resume search -- more").exits(2);
    assert!(other.stderr.contains("different options"), "{}", other.stderr);
}

#[test]
fn what_does_not_show_again_is_no_finding() {
    let dir = dir("fails_once");
    let run = raddle(&dir, "explore ./fails_once --bound 0 --format json").exits(3);
    assert!(run.stderr.contains("uncontrolled nondeterminism"), "{}", run.stderr);
    let report = run.json();
    assert_eq!(findings(&report).len(), 0);
    let unrepeated = &report["stats"]["exploration"]["unrepeated"][0];
    assert_eq!(unrepeated["kind"], "assertion", "{report:#}");
    assert!(claim(&report).contains("is not determined by the schedule alone"), "{report:#}");
}

#[test]
fn a_search_that_cannot_follow_says_where() {
    let run = raddle(&dir("drifts"), "explore ./drifts").exits(2);
    assert!(run.stderr.contains("is not determined by the schedule alone"), "{}", run.stderr);
    assert!(run.stderr.contains("at point"), "{}", run.stderr);
    assert!(run.stderr.contains("the first run continued with thread"), "{}", run.stderr);
}

#[test]
fn check_predicts_and_tells_one_cause_once() {
    let dir = dir("ab_ba");
    let report = report(&dir, "check ./ab_ba", 1);
    let deadlocks = findings(&report).iter().filter(|found| found["property"] == "deadlock");
    assert_eq!(deadlocks.count(), 1, "{report:#}");
    assert_eq!(findings(&report)[0]["details"]["predicted"], true);
    let prediction = &report["stats"]["prediction"];
    assert_eq!((&prediction["findings"], &prediction["replayed"]), (&1.into(), &1.into()));
    assert_eq!(prediction["found_by_search"], 1);
    assert_eq!(report["stats"]["exploration"]["strategy"], "portfolio");
    let text = raddle(&dir, "check -- ./ab_ba").exits(1).stdout;
    assert_eq!(text.matches("deadlock: ").count(), 1, "{text}");
    assert!(text.contains("1 finding predicted from one recorded run"), "{text}");
}

#[test]
fn check_shows_what_only_the_prediction_found() {
    // Without a preemption no search can find it.
    let report = report(&dir("ab_ba"), "check ./ab_ba --bound 0 --runs 1", 1);
    let found = findings(&report);
    assert_eq!(found.len(), 1, "{report:#}");
    assert_eq!(
        (&found[0]["property"], &found[0]["verdict"]),
        (&"deadlock".into(), &"replayed".into())
    );
    assert_eq!(found[0]["witness"]["kind"], "schedule");
    assert_eq!(found[0]["details"]["predicted"], true);
}

#[test]
fn whoever_waits_for_a_lost_wake_up_is_told_once() {
    let report = report(&dir("lost_wakeup"), "check ./lost_wakeup", 1);
    let has = |name: &str| findings(&report).iter().any(|found| found["property"] == name);
    assert!(has("deadlock") && !has("lost-wakeup"), "{report:#}");
}

#[test]
fn a_message_is_about_the_run_that_is_shown() {
    let text = raddle(&dir("refcount"), "explore ./refcount").exits(1).stdout;
    let title = text.lines().find_map(|line| line.strip_prefix("crash: use of ")).unwrap();
    let marked = text.lines().find(|line| line.contains('▶') && line.contains("use of"));
    assert!(marked.unwrap().contains(title), "{text}");
    assert!(text.contains("  freed at ") && text.contains("refcount.c:47\n"), "{text}");
}

#[test]
fn the_result_does_not_depend_on_the_jobs() {
    let of = |jobs: u32| {
        let mut report = report(&dir("bank_race"), &format!("check ./bank_race --jobs {jobs}"), 1);
        report.as_object_mut().unwrap().remove("timing");
        report
    };
    assert_eq!(of(1), of(2));
}
