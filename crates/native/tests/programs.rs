//! Programs do under control what their first lines say, whatever runs their threads and in
//! whatever order, and each run can be done again.
//!
//! A program begins with `// expect: OUTCOME`, what it writes as `// output: LINE`, and with what
//! its compiler gets as `// flags: …`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::{Compiler, Workshop, compilers, drawn, for_each, share};
use raddle_native::launch::{Answer, Request};
use raddle_native::target::Target;
use raddle_wire::{OutcomeKind, Threading};

/// The run without preemptions, and some at random.
const SEEDS: std::ops::Range<u64> = 0..4;

const THREADINGS: [Threading; 2] = [Threading::Coroutines, Threading::Threads];

/// A program and what it says about itself.
struct Program {
    path: PathBuf,
    expected: String,
    output: Option<String>,
    flags: Vec<String>,
}

impl Program {
    fn all() -> Vec<Program> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let mut programs: Vec<_> = files.map(Program::read).collect();
        programs.sort_by(|a, b| a.path.cmp(&b.path));
        programs
    }

    fn read(path: PathBuf) -> Program {
        let text = fs::read_to_string(&path).unwrap();
        let lines = |key: &str| -> Vec<String> {
            let start = format!("// {key}:");
            let lines = text.lines().filter_map(|line| line.strip_prefix(&start));
            lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned()).collect()
        };
        let [expected] = &lines("expect")[..] else { panic!("{}: expect", path.display()) };
        let output = lines("output");
        let flags =
            lines("flags").iter().flat_map(|line| line.split(' ')).map(str::to_owned).collect();
        Program {
            expected: expected.clone(),
            output: (!output.is_empty()).then(|| output.join("\n") + "\n"),
            flags,
            path,
        }
    }
}

/// One program, built.
struct Trial<'a> {
    workshop: &'a Workshop,
    program: &'a Program,
    target: Target,
}

impl Trial<'_> {
    /// Runs it, and once more along what it did, with the other kind of threads and an environment of another size.
    fn check(&self, threading: Threading, seed: u64) -> Result<(), String> {
        let request = Request { threading, seed: drawn(seed), ..Request::default() };
        let run = self.workshop.run(&self.target, &request)?;
        self.is_as_said(&run)?;
        let [other] =
            THREADINGS.into_iter().filter(|&other| other != threading).collect::<Vec<_>>()[..]
        else {
            return Err("there are two kinds of threads".to_owned());
        };
        let request = Request { threading: other, plan: &run.taken, ..Request::default() };
        let mut target = self.target.clone();
        let size = OsString::from("x".repeat(9 + 40 * seed as usize));
        target.environment.push(("SIZE".into(), Some(size)));
        let again = self.workshop.run(&target, &request)?;
        self.is_as_said(&again).map_err(|error| format!("again: {error}"))?;
        let essence = |answer: &Answer| (answer.event_hash, answer.counts.events, answer.thread);
        if essence(&run) != essence(&again) {
            return Err(format!("again: {:x?} became {:x?}", essence(&run), essence(&again)));
        }
        Ok(())
    }

    fn is_as_said(&self, answer: &Answer) -> Result<(), String> {
        let (expected, outcome) = (&self.program.expected, name(answer));
        if *expected != outcome {
            return Err(format!("{outcome} ({}) instead of {expected}", answer.message));
        }
        let (output, errors) = answer.output.as_ref().unwrap();
        let output = String::from_utf8_lossy(output);
        match &self.program.output {
            Some(expected) if *expected != output => Err(format!(
                "wrote {output:?} instead of {expected:?}; {}",
                String::from_utf8_lossy(errors)
            )),
            _ => Ok(()),
        }
    }
}

fn name(answer: &Answer) -> String {
    match answer.outcome {
        OutcomeKind::Exited => format!("exited {}", answer.exit.code),
        OutcomeKind::UseAfterFree => "use-after-free".to_owned(),
        OutcomeKind::BadFree => "bad-free".to_owned(),
        OutcomeKind::None if answer.timed_out => "time is over".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn check(workshop: &Workshop, compiler: Compiler, program: &Program) -> Vec<String> {
    let title = format!("{} by {}", program.path.file_name().unwrap().display(), compiler.c);
    let mut flags = vec!["-O1"];
    flags.extend(program.flags.iter().map(String::as_str));
    let target = match workshop.build(compiler, &program.path, &flags) {
        Ok(target) => target,
        Err(error) => return vec![format!("{title}: {error}")],
    };
    let trial = Trial { workshop, program, target };
    let mut faults = Vec::new();
    for threading in THREADINGS {
        for seed in SEEDS {
            if let Err(error) = trial.check(threading, seed) {
                faults.push(format!("{title}, {threading:?}, seed {seed}: {error}"));
            }
        }
    }
    faults
}

#[test]
fn programs_do_what_they_say_and_do_it_again() {
    let (workshop, programs, compilers) = (Workshop::new(), Program::all(), compilers());
    assert!(!programs.is_empty());
    let trials: Vec<_> = programs
        .iter()
        .enumerate()
        .flat_map(|(index, program)| {
            share(index, &compilers).into_iter().map(move |compiler| (program, compiler))
        })
        .collect();
    let faults = for_each(&trials, |&(program, compiler)| check(&workshop, compiler, program));
    let faults: Vec<_> = faults.into_iter().flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
