//! `raddle explore --compare`: how fast strategies come to new states.

use serde_json::Value;

use crate::harness::Dir;

#[test]
fn growth_is_monotone_and_ends_with_the_totals() {
    let dir = Dir::corpus("two_stage.c");
    let args = "explore two_stage.c --compare icb,dfs,random,pct:3,depth:20 --runs 300";
    let run = dir.raddle(&format!("{args} --curves g.json --format json")).succeeds();
    let document = run.json();
    assert_eq!(serde_json::from_str::<Value>(&dir.text("g.json")).unwrap(), document);
    assert_eq!(document["schema"], "raddle.growth/1");
    let strategies = document["strategies"].as_array().unwrap();
    let names: Vec<_> = strategies.iter().map(|s| s["strategy"].as_str().unwrap()).collect();
    assert_eq!(names, ["icb", "dfs", "random", "pct:3", "depth:20"]);
    for strategy in strategies {
        let number = |point: &Value, field: &str| point[field].as_u64().unwrap();
        let curve = strategy["curve"].as_array().unwrap();
        assert!(curve.is_sorted_by(|a, b| number(a, "executions") < number(b, "executions")));
        assert!(curve.is_sorted_by_key(|point| number(point, "states")));
        let last = curve.last().unwrap();
        assert_eq!(
            (&last["executions"], &last["states"]),
            (&strategy["executions"], &strategy["states"])
        );
        assert!(number(strategy, "executions") <= 300);
    }
}

#[test]
fn tables_have_the_same_numbers() {
    let dir = Dir::corpus("two_stage.c");
    let args = "explore two_stage.c --compare icb,delay --runs 100";
    let text = dir.raddle(&format!("{args} --curves g.csv")).succeeds().stdout;
    let document = dir.raddle(&format!("{args} --format json")).succeeds().json();
    let table = dir.text("g.csv");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("strategy,executions,states,bound"));
    let mut expected = Vec::new();
    for strategy in document["strategies"].as_array().unwrap() {
        let name = strategy["strategy"].as_str().unwrap();
        for point in strategy["curve"].as_array().unwrap() {
            let Value::Number(bound) = &point["bound"] else { panic!("{point}") };
            expected.push(format!("{name},{},{},{bound}", point["executions"], point["states"]));
        }
        let row: Vec<_> =
            text.lines().find(|l| l.starts_with(name)).unwrap().split_whitespace().collect();
        assert!(row.contains(&strategy["states"].to_string().as_str()), "{text}");
    }
    assert_eq!(lines.collect::<Vec<_>>(), expected);
}

#[test]
fn a_strategy_that_is_done_has_all_states() {
    let dir = Dir::corpus("ab_ba_fixed.c");
    let document = dir
        .raddle("explore ab_ba_fixed.c --bound all --compare icb,dfs --format json")
        .succeeds()
        .json();
    let [icb, dfs] = &document["strategies"].as_array().unwrap()[..] else { panic!("{document}") };
    assert_eq!((&icb["exhausted"], &dfs["exhausted"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(icb["states"], dfs["states"]);
    assert_eq!(icb["executions"], dfs["executions"]);
}

#[test]
fn memory_that_runs_out_is_said() {
    let dir = Dir::corpus("two_stage.c");
    let run = dir.raddle("explore two_stage.c --compare icb --memory 1k").exits(3);
    assert!(run.stderr.contains("icb ended early: --memory"), "{}", run.stderr);
}

#[track_caller]
fn refused(options: &str, why: &str) {
    let dir = Dir::corpus("two_stage.c");
    let run = dir.raddle(&format!("explore two_stage.c --runs 20 {options}")).exits(2);
    assert!(run.stderr.contains(why), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    assert_eq!(dir.names(), ["two_stage.c"]);
}

#[test]
fn places_that_cannot_be_written_are_errors() {
    refused("--compare icb --curves none/g.csv", "cannot write `none/g.csv`");
    refused("--compare icb --curves .", "it is a directory");
    #[cfg(target_os = "linux")]
    refused("--compare icb --curves /dev/full", "No space left on device");
}

#[test]
fn what_a_comparison_would_ignore_is_refused() {
    refused("--compare icb,nope", "strategies are\n  icb ");
    refused("--curves g.csv", "--compare");
    refused("--compare icb --cache on", "--cache");
    for option in
        ["--reduction partial-order", "--part 1/2", "--findings 1", "--resume x", "--checkpoint x"]
    {
        let name = option.split(' ').next().unwrap();
        refused(&format!("--compare icb {option}"), name);
    }
    refused("--compare icb --strategy dfs", "--strategy");
}
