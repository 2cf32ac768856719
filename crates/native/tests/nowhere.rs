//! Calls about objects that are not there: they crash under control where they do without it, as far as the C library is
//! concerned that is here, and the crash is one of the program, at the place of the call, however runs are made.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use crate::harness::search::{FORKED, THREADS, USUAL, Way};
use crate::harness::{GCC, Workshop, for_each};
use raddle_explore::{Engine, Failure, Outcome, Plan, Run};
use raddle_native::launch::Request;
use raddle_native::target::Target;
use raddle_wire::OutcomeKind;

const SOURCE: &str = "tests/nowhere/calls.c";

/// Kinds of objects: none, one that is not there, one that cannot be written, one that is all zero.
const KINDS: [&str; 4] = ["null", "gone", "constant", "zero"];
const NULL: usize = 0;
const ZERO: usize = 3;

const SIGSEGV: i32 = 11;

/// A call: its number, and the line that it is in.
struct Call {
    number: usize,
    place: String,
    text: String,
}

fn calls() -> Vec<Call> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(SOURCE);
    let text = fs::read_to_string(&source).unwrap();
    let call = |(line, text): (usize, &str)| {
        let (number, text) = text.trim().strip_prefix("case ")?.split_once(": ")?;
        let (number, place) = (number.parse().ok()?, format!("calls.c:{}", line + 1));
        Some(Call { number, place, text: text.to_owned() })
    };
    text.lines().enumerate().filter_map(call).collect()
}

/// What becomes of a plain run by an empty schedule, of that run again in a process of its own, and of its steps.
fn ends(workshop: &Workshop, target: &Target, way: Way) -> Result<[Option<Failure>; 2], String> {
    let mut engine = workshop.engine(target, way)?;
    let (mut run, plan) = (Run::new(), Plan::default());
    let crash = |outcome: &Outcome| {
        outcome.failure().filter(|failure| failure.kind.name() == "crash").cloned()
    };
    engine.run(&plan, &(), &mut run).map_err(|error| error.to_string())?;
    let searched = crash(&run.outcome);
    let plan = Plan { prefix: run.choices().collect(), ..Plan::default() };
    let answer = engine.run_alone(&plan, &mut run).map_err(|error| error.to_string())?;
    let alone = crash(&run.outcome);
    let request = Request { plan: &answer.taken, threading: way.threading, ..Request::default() };
    let replayed = workshop.run(target, &request)?;
    let end = |outcome, pc| if outcome == OutcomeKind::Crash { pc } else { 0 };
    if end(replayed.outcome, replayed.pc) != end(answer.outcome, answer.pc) {
        return Err(format!(
            "{:?} at {:#x} is {:?} at {:#x} when it is replayed",
            answer.outcome, answer.pc, replayed.outcome, replayed.pc
        ));
    }
    Ok([searched, alone])
}

/// Whether the plain program crashes.
fn crashes(plain: &Path, call: &Call, kind: usize) -> bool {
    let arguments = [call.number, kind].map(|number| number.to_string());
    let status = Command::new("timeout").arg("5").arg(plain).args(arguments).status().unwrap();
    status.signal() == Some(SIGSEGV) || status.code() == Some(128 + SIGSEGV)
}

fn check(
    workshop: &Workshop,
    (target, plain): (&Target, &Path),
    call: &Call,
    kind: usize,
) -> Result<(), String> {
    let arguments = [call.number, kind].map(|number| number.to_string().into());
    let target = Target { arguments: arguments.to_vec(), ..target.clone() };
    let expected = kind != ZERO && crashes(plain, call, kind);
    let n_ways = if kind == NULL { 3 } else { 1 };
    for way in &[USUAL, FORKED, THREADS][..n_ways] {
        for crash in ends(workshop, &target, *way)? {
            let place = crash
                .as_ref()
                .map(|crash| crash.places.iter().map(|place| &*place.name).collect::<String>());
            let fits = match &place {
                Some(place) => expected && place.ends_with(&call.place),
                None => !expected,
            };
            if !fits {
                return Err(format!("{way:?}: {crash:?}, and without control {expected}"));
            }
        }
    }
    Ok(())
}

#[test]
fn a_call_about_what_is_not_there_crashes_at_its_place() {
    let (workshop, compiler) = (Workshop::new(), GCC);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(SOURCE);
    let target = workshop.build(compiler, &source, &["-O1"]).unwrap();
    let plain = workshop.file();
    let mut command = Command::new(compiler.c);
    command.args(["-w", "-O1", "-pthread", "-o"]).arg(&plain).arg(&source);
    assert!(command.status().unwrap().success());
    let all: Vec<_> = calls()
        .into_iter()
        .flat_map(|call| (0..KINDS.len()).map(move |kind| (call.number, kind)))
        .collect();
    let calls = calls();
    assert_eq!(calls.len(), 60);
    let results = for_each(&all, |&(number, kind)| {
        let call = &calls[number];
        check(&workshop, (&target, &plain), call, kind)
            .map_err(|error| format!("{} {}: {error}", KINDS[kind], call.text))
    });
    let faults: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
