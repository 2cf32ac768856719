//! What makes running a real program again and again hard, one small program each.
//!
//! Each is explored in every way there is, and all of them come to the same. A program begins with
//! `// finds: KIND, …` (or `nothing`), which are all kinds that may and must be found, and with
//! `// forks: REASON` if its memory cannot be put back. It may say what it reads (`// input: TEXT`),
//! what its compiler is (`// compiler: …`) and gets (`// flags: …`), how many runs are made
//! of it at most (`// runs: N`), what has to be in the message of its finding (`// says: …`), and that it takes long
//! without computing (`// waits: FOR WHAT`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::harness::search::{Explored, FORKED, SPAWNED, THREADS, USUAL, Way};
use crate::harness::{Compiler, Workshop, compilers, for_each, share};
use raddle_explore::{Bounded, Portfolio};
use raddle_native::target::{Stdin, Target};
use raddle_wire::board::Model;

/// So many runs are made with the memory put back, unless a program says otherwise.
const N_RUNS: u64 = 400;
/// With a child for each, and with a process for each.
const N_FORKED: u64 = 60;
const N_SPAWNED: u64 = 12;

/// A program and what it says about itself.
struct Hazard {
    path: PathBuf,
    lines: Vec<(String, String)>,
}

impl Hazard {
    fn all() -> Vec<Hazard> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hazards");
        let mut paths: Vec<_> =
            folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(Hazard::read).collect()
    }

    fn read(path: PathBuf) -> Hazard {
        let text = fs::read_to_string(&path).unwrap();
        let line = |line: &str| {
            let (key, value) = line.strip_prefix("// ")?.split_once(": ")?;
            Some((key.to_owned(), value.to_owned()))
        };
        Hazard {
            path,
            lines: text
                .lines()
                .map_while(|text| text.starts_with("//").then(|| line(text)))
                .flatten()
                .collect(),
        }
    }

    fn value(&self, key: &str) -> Option<&str> {
        let line = self.lines.iter().find(|(other, _)| other == key);
        line.map(|(_, value)| value.as_str())
    }

    /// The kinds of what is found.
    fn kinds(&self) -> BTreeSet<&str> {
        let finds = self.value("finds").expect("every program says what is found");
        finds.split(", ").filter(|kind| *kind != "nothing").collect()
    }

    fn is_for(&self, compiler: &str) -> bool {
        self.value("compiler").is_none_or(|wanted| wanted == compiler)
    }
}

/// A program that was built.
struct Trial<'a> {
    workshop: &'a Workshop,
    hazard: &'a Hazard,
    target: Target,
}

impl Trial<'_> {
    /// Explores it by sampling and bounded search, both from the beginning.
    fn explore(&self, way: Way, n_runs: u64) -> Result<Explored, String> {
        let strategy = Portfolio::new(Bounded::icb(Some(2)), 1);
        let folder = tempfile::tempdir().unwrap();
        let target = Target { directory: Some(folder.path().to_owned()), ..self.target.clone() };
        let explored = self.workshop.explore(&target, way, strategy, n_runs);
        explored.map_err(|error| format!("{way:?}: {error}"))
    }

    /// Everything is found, nothing else is, and each way of running finds the same.
    fn check(&self) -> Result<(), String> {
        let n_runs = self.hazard.value("runs").map_or(N_RUNS, |n| n.parse().unwrap());
        let usual = self.explore(USUAL, n_runs)?;
        self.check_model(&usual)?;
        self.check_findings(&usual)?;
        for (ways, n_most) in
            [(&[USUAL, FORKED, THREADS][..], N_FORKED), (&[USUAL, SPAWNED], N_SPAWNED)]
        {
            let n_runs = n_runs.min(n_most);
            let expected = self.explore(ways[0], n_runs)?.essence();
            for &way in &ways[1..] {
                let other = self.explore(way, n_runs)?.essence();
                if other != expected {
                    return Err(format!("{way:?}: {other}\ninstead of {expected}"));
                }
            }
        }
        Ok(())
    }

    fn check_model(&self, explored: &Explored) -> Result<(), String> {
        let reason = self.hazard.value("forks").map(str::to_owned);
        let model = if reason.is_some() { Model::Fork } else { Model::Snapshot };
        match explored.model == (model, reason) {
            true => Ok(()),
            false => Err(format!("was explored by {:?}", explored.model)),
        }
    }

    fn check_findings(&self, explored: &Explored) -> Result<(), String> {
        let found = &explored.report.findings;
        let kinds: BTreeSet<_> = found.iter().map(|found| found.failure.kind.name()).collect();
        let says = self.hazard.value("says").unwrap_or_default();
        let is_said = found.iter().all(|found| found.failure.message.contains(says));
        match kinds == self.hazard.kinds() && is_said && explored.report.n_lost == 0 {
            true => Ok(()),
            false => Err(explored.essence()),
        }
    }
}

fn check(workshop: &Workshop, hazard: &Hazard, compiler: Compiler) -> Result<(), String> {
    let flags = hazard.value("flags").unwrap_or("-O1");
    let flags: Vec<_> = flags.split(' ').collect();
    let mut target = workshop.build(compiler, &hazard.path, &flags)?;
    if let Some(input) = hazard.value("input") {
        let path = workshop.file();
        fs::write(&path, input).unwrap();
        target.stdin = Stdin::File(path);
    }
    Trial { workshop, hazard, target }.check()
}

#[test]
fn hazards_change_nothing_however_runs_are_made() {
    check_all(|hazard| hazard.value("waits").is_none());
}

/// Apart from the others, since nothing is computed meanwhile.
#[test]
fn nor_do_those_that_wait_for_long() {
    check_all(|hazard| hazard.value("waits").is_some());
}

fn check_all(choose: impl Fn(&Hazard) -> bool) {
    let (workshop, mut all, compilers) = (Workshop::new(), Hazard::all(), compilers());
    all.retain(choose);
    assert!(!all.is_empty());
    let mut trials = Vec::new();
    for (index, hazard) in all.iter().enumerate() {
        let fit = compilers.iter().copied().filter(|compiler| hazard.is_for(compiler.c));
        let fit: Vec<_> = fit.collect();
        let ways = if fit.len() == 1 { fit } else { share(index, &fit) };
        trials.extend(ways.into_iter().map(|compiler| (hazard, compiler)));
    }
    let results = for_each(&trials, |&(hazard, compiler)| {
        let name = hazard.path.file_name().unwrap().to_string_lossy();
        check(&workshop, hazard, compiler)
            .map_err(|error| format!("{name} by {}: {error}", compiler.c))
    });
    let faults: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
