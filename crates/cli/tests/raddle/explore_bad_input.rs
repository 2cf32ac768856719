//! `raddle explore` and `raddle check` on input that is wrong, hostile, or more than they can do.

use raddle_explore::STRATEGIES;

use crate::explore::{claim, conditions, report};
use crate::harness::Dir;

/// Refuses to search, for this reason.
#[track_caller]
fn refused(program: impl AsRef<[u8]>, options: &str, why: &str) {
    let dir = Dir::with("a.c", program);
    for command in ["check", "explore"] {
        let run = dir.raddle(&format!("{command} a.c {options}")).exits(2);
        assert!(run.stderr.contains(why), "{command}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{command}");
    }
}

const TWO: &str = "#include <pthread.h>\n#include <stdatomic.h>\n\
    int __VERIFIER_nondet_int(void);\nstatic atomic_int x;\n\
    static void *set(void *p) { x = VALUE; return p; }\n\
    int main(void) { pthread_t a; pthread_create(&a, 0, set, 0);\n\
    MORE\n  pthread_join(a, 0); return 0; }\n";

fn two(value: &str, more: &str) -> Dir {
    Dir::with("a.c", TWO.replace("VALUE", value).replace("MORE", more))
}

#[test]
fn programs_that_cannot_be_read() {
    refused("int main(void) {\n  return cuont;\n}\n", "", "return cuont;");
    refused("int f(void) { return 0; }", "", "the program has no function `main`");
    refused("", "", "the program has no function `main`");
    let missing = "int frob(int); int main(void) { return frob(1); }";
    refused(missing, "", "`frob` has no definition");
    assert!(Dir::new().raddle("check none.c").exits(2).stderr.contains("none.c"));
}

#[test]
fn options_that_do_not_exist_or_do_not_go_together() {
    let good = "int main(void) { return 0; }";
    refused(good, "--part 0/3", "`0/3` is not a part");
    refused(good, "--part 4/3", "`4/3` is not a part");
    refused(good, "--part 1/0", "`1/0` is not a part");
    refused(good, "--bound -1", "'-1'");
    refused(good, "--bound some", "`some` is not a bound");
    refused(good, "--reduction partial-order --cache on", "--reduction partial-order");
    refused(good, "--checkpoint-every 1s", "--checkpoint");
    let dir = Dir::with("a.c", good);
    for (way, why) in [
        ("frob", "strategies are\n  icb "),
        ("depth:0", "needs a number from 1"),
        ("depth:x", "needs a number from 1"),
        ("depth", "write it like `depth:20`"),
        ("icb:3", "\n  pct:D      sampled: "),
        ("", "strategies are\n  icb "),
    ] {
        let run = dir.run(["explore", "a.c", "--strategy", way]).exits(2);
        assert!(run.stderr.contains(why), "{way}: {}", run.stderr);
    }
    for options in [
        "--strategy delay --reduction partial-order",
        "--strategy random --cache on",
        "--strategy depth:9 --cache on",
        "--strategy dfs --part 1/2",
        "--reduction partial-order --part 1/2",
    ] {
        let run = dir.raddle(&format!("explore a.c {options}")).exits(2);
        assert!(run.stderr.contains("= help:"), "{options}: {}", run.stderr);
    }
}

#[test]
fn strategies_are_listed_for_those_who_ask() {
    let dir = Dir::new();
    let all = dir.raddle("explore --strategy list").exits(0).stdout;
    let names = |list: &str| {
        let names = list.lines().map(|line| line.split_whitespace().next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&all), STRATEGIES.iter().map(|entry| entry.form).collect::<Vec<_>>());
    let sampling = dir.raddle("infer --strategy list").exits(0).stdout;
    assert_eq!(names(&sampling), ["random", "pct:D", "pos", "walk", "surw", "race"]);
    let refused = dir.raddle("infer a.c --strategy icb").exits(2).stderr;
    assert!(refused.contains(sampling.trim_end()), "{refused}");
}

#[test]
fn a_program_without_threads_is_never_proved() {
    let dir = Dir::with("a.c", "int main(void) { return 0; }");
    for command in ["check", "explore", "explore --strategy dfs", "explore --bound all"] {
        let report = report(&dir, &format!("{command} a.c"), 3);
        assert!(claim(&report).contains("never runs a second thread"), "{}", claim(&report));
        assert_eq!(report["stats"]["exploration"]["complete"], false);
    }
}

#[test]
fn a_main_that_never_returns_is_found() {
    let dir = Dir::with("a.c", "int main(void) {\n  for (;;) { }\n}\n");
    let run = dir.raddle("check a.c").exits(1);
    assert!(run.stdout.starts_with("livelock: every thread spins\n"), "{}", run.stdout);
    assert!(run.stdout.contains("▶ a.c:2"), "{}", run.stdout);
    let run = dir.raddle("check a.c --max-steps 5000").exits(3);
    assert!(run.stdout.contains("nothing is covered"), "{}", run.stdout);
}

#[test]
fn runs_that_take_too_long_are_not_counted_as_seen() {
    let dir = two("1", "for (int i = 0; i < 9999; i++) x = i;");
    let report = report(&dir, "explore a.c --max-steps 2000 --bound 1", 3);
    assert!(claim(&report).starts_with("nothing is covered"), "{}", claim(&report));
    assert!(conditions(&report).contains("--max-steps"), "{}", conditions(&report));
    assert_eq!(report["stats"]["bounds"][0]["complete"], false);
}

#[test]
fn what_is_not_supported_on_some_path_leaves_the_bound_open() {
    let dir = two("1", "if (x) fork();");
    dir.file("a.c", format!("#include <unistd.h>\n{}", dir.text("a.c")));
    let report = report(&dir, "explore a.c", 3);
    assert_eq!(report["stats"]["bounds"][0]["complete"], true, "without preemption it is not 1");
    assert_eq!(report["stats"]["bounds"][1]["complete"], false);
    assert_eq!(claim(&report), "no execution without preemptions fails");
    assert!(
        conditions(&report).contains("not followed to the end: fork"),
        "{}",
        conditions(&report)
    );
}

#[test]
fn more_values_than_can_be_tried_are_not_counted_as_tried() {
    let dir = two("__VERIFIER_nondet_int()", "");
    let many = report(&dir, "check a.c --nondet 0..100000", 3);
    assert!(claim(&many).starts_with("nothing is covered"), "{}", claim(&many));
    assert!(conditions(&many).contains("more than 65536 values"), "{}", conditions(&many));
    let few = report(&dir, "check a.c --nondet 0..3", 0);
    assert!(claim(&few).ends_with("for inputs among 0..3"), "{}", claim(&few));
}

#[test]
fn inputs_from_a_set_stand_in_the_headline() {
    let said = "for inputs among 0, 1, -1";
    let asks = report(&two("__VERIFIER_nondet_int()", ""), "check a.c", 0);
    assert!(claim(&asks).contains(said), "{}", claim(&asks));
    let does_not = report(&two("1", ""), "check a.c", 0);
    assert!(!claim(&does_not).contains(said), "{}", claim(&does_not));
}

#[test]
fn a_schedule_of_another_build_is_refused() {
    let dir = Dir::corpus("bank_race.c");
    let report = report(&dir, "check bank_race.c", 1);
    let command = report["findings"][0]["replay"].as_str().unwrap();
    let text = dir.text("bank_race.c");
    dir.file("bank_race.c", text.replace("balance == 120", "balance != 150"));
    let run = dir.shell(command).exits(2);
    assert!(run.stderr.contains("the schedule does not belong to this program"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn the_printed_command_works_whatever_files_are_called() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let text = Dir::corpus("ab_ba.c").text("ab_ba.c");
    let names: [&[u8]; 3] = [
        b"it's \"quoted\" $HOME `id` \\.c",
        b"new\n\x1b[31mline\x07.c",
        "turned\u{202e}round.c".as_bytes(),
    ];
    for name in names {
        let dir = Dir::new();
        let name = OsStr::from_bytes(name);
        std::fs::write(dir.path("").join(name), &text).unwrap();
        let run = dir.run([OsStr::new("check"), name]).exits(1);
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!run.stdout.contains(acts), "{:?}", run.stdout);
        assert!(!run.stderr.contains(acts), "{:?}", run.stderr);
        let command = run.stdout.lines().find_map(|line| line.trim().strip_prefix("replay: "));
        let again = dir.shell(command.unwrap()).exits(1);
        assert!(again.stderr.contains("deadlock: 3 threads"), "{name:?}: {}", again.stderr);
    }
}

#[test]
fn several_files_in_other_folders_replay() {
    let text = Dir::corpus("ab_ba.c").text("ab_ba.c");
    let (head, main) = text.split_at(text.find("int main").unwrap());
    let dir = Dir::with(
        "one/main.c",
        format!(
            "#include <pthread.h>\n#include <assert.h>\nvoid *go_up(void *); void *go_down(void *);\n{}",
            main.replace("rounds", "2"),
        ),
    );
    dir.file("two/threads.c", head.replace("static void *", "void *"));
    let run = dir.raddle("check one/main.c two/threads.c").exits(1);
    let command = run.stdout.lines().find_map(|line| line.trim().strip_prefix("replay: ")).unwrap();
    assert!(command.starts_with("raddle replay one/main.c two/threads.c rs1:"), "{command}");
    let again = dir.shell(command).exits(1);
    assert!(again.stderr.contains("at two/threads.c:"), "{}", again.stderr);
}
