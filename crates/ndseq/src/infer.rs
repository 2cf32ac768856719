//! Inference: as few `if(*)` as possible, such that every trace can be serialised.
//!
//! In: traces of one program. Out: the statements that have to stand inside `if(*)`, with a proof
//! that fewer do not suffice; or the cycles that no specification discharges.
//!
//! - I1: constraints are lazy. The solver proposes a specification; the check of given
//!   specifications looks for cycles of events that are relevant under it; these become clauses (E),
//!   until there are none. What is never proposed needs no constraints.
//! - I2: the cycles of the first round are those of Relevant(τ, ∅): what is irrelevant without any
//!   `if(*)` needs none around it.
//! - I3: of the optima, the one with the largest statement is taken, then with the second largest.
//!   S1's formal constraints leave such ties open; its examples take the largest.
//! - I4: a specification that was found wanting is blocked (Appendix C) and the next one is looked for.

use raddle_solve::{Answer, Lit, MinCost, Optimum};

use crate::conflict::{Cycle, Serial, serialise};
use crate::depend::Dependence;
use crate::encode::{Encoder, Statements};
use crate::relevant::{relevant, relevant_unless};
use crate::statement::{Candidate, Lists};
use crate::trace::Trace;

/// Which irrelevant events have to be in an execution that is left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reading {
    /// Branches: the constraints as S1 writes them down.
    #[default]
    Branches,
    /// All that would be relevant otherwise: the constraints as in S1's overview.
    All,
}

/// How to infer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether the dynamic slice is known to be relevant from the start (A′).
    pub slice: bool,
    /// Whether executions without events of the slice are single events; needs the slice.
    pub group: bool,
    /// What has to be covered.
    pub reading: Reading,
    /// How many conflicts one call of the solver may take.
    pub n_conflicts_max: Option<u32>,
}

impl Default for Options {
    fn default() -> Options {
        Options { slice: true, group: true, reading: Reading::default(), n_conflicts_max: None }
    }
}

/// A cycle and the trace that it is in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The number of the trace.
    pub trace: usize,
    /// The cycle.
    pub cycle: Cycle,
}

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inferred {
    /// These statements have to stand inside `if(*)`; fewer do not suffice. Sorted.
    Specification(Vec<Candidate>),
    /// No specification discharges all of these.
    None(Vec<Found>),
    /// The solver's budget ran out.
    Unknown,
}

/// The inference problem of some traces.
pub struct Inference<'a> {
    lists: &'a Lists,
    options: Options,
    encoders: Vec<Encoder<'a>>,
    statements: Statements,
    problem: MinCost,
    /// What makes the clause of each cycle count.
    selectors: Vec<Lit>,
    cycles: Vec<Found>,
}

impl<'a> Inference<'a> {
    /// No constraints yet; slices the traces.
    pub fn new(traces: &'a [Trace], lists: &'a Lists, options: Options) -> Inference<'a> {
        let encoder = |trace| Encoder::new(Dependence::new(trace), lists, &options);
        Inference {
            lists,
            options,
            encoders: traces.iter().map(encoder).collect(),
            statements: Statements::default(),
            problem: MinCost::new(),
            selectors: Vec::new(),
            cycles: Vec::new(),
        }
    }

    /// The data dependence of each trace.
    pub fn flows(&self) -> impl Iterator<Item = &Dependence<'a>> {
        self.encoders.iter().map(|encoder| &encoder.flow)
    }

    /// Per trace, how many events are not in the slice.
    pub fn n_sliced_out(&self) -> Vec<usize> {
        let outside = |of: &Encoder<'_>| of.flow.trace().len() - of.fixed.count();
        self.encoders.iter().map(outside).collect()
    }

    /// The cycles that had to be discharged so far.
    pub fn cycles(&self) -> &[Found] {
        &self.cycles
    }

    /// The best specification (I1–I3).
    pub fn solve(&mut self) -> Inferred {
        match self.least() {
            Ok(found) => match self.largest(found) {
                Some(best) => Inferred::Specification(best),
                None => Inferred::Unknown,
            },
            Err(outcome) => outcome,
        }
    }

    /// Any specification, with as few or more `if(*)`: what a plain SAT solver would answer.
    pub fn satisfy(&mut self) -> Inferred {
        loop {
            let answer =
                self.problem.clauses().solve(&self.selectors, self.options.n_conflicts_max);
            match answer {
                Answer::Unknown => return Inferred::Unknown,
                Answer::No => {
                    let core = self.problem.clauses().core(&self.selectors);
                    return self.impossible(&core);
                }
                Answer::Yes if self.refine(&self.proposed()) => {}
                Answer::Yes => return Inferred::Specification(self.proposed()),
            }
        }
    }

    /// Rules out a specification, and every larger one (I4).
    pub fn block(&mut self, specification: &[Candidate]) {
        let Inference { statements, problem, .. } = self;
        let lits: Vec<_> = specification.iter().map(|&s| !statements.lit(s, problem)).collect();
        problem.clauses().clause(&lits);
    }

    /// A specification with as few `if(*)` as possible.
    fn least(&mut self) -> Result<Vec<Candidate>, Inferred> {
        loop {
            match self.problem.minimise(&self.selectors, self.options.n_conflicts_max) {
                Optimum::Unknown => return Err(Inferred::Unknown),
                Optimum::None(core) => return Err(self.impossible(&core)),
                Optimum::Cost(cost) => {
                    let proposed = self.proposed();
                    assert_eq!(proposed.len() as u32, cost, "the cost is the number of statements");
                    if !self.refine(&proposed) {
                        return Ok(proposed);
                    }
                }
            }
        }
    }

    /// Of the optima, the one with the largest statements (I3).
    fn largest(&mut self, mut best: Vec<Candidate>) -> Option<Vec<Candidate>> {
        let mut known = self.statements.known.clone();
        known.sort_by_key(|&(candidate, _)| {
            (std::cmp::Reverse(self.lists.size(&candidate)), candidate)
        });
        let mut kept = Vec::new();
        for (candidate, lit) in known {
            if kept.len() == best.len() {
                break;
            }
            // Those kept so far are in `best`; if it has this one, too, there is nothing to ask.
            while !best.contains(&candidate) {
                let all: Vec<_> =
                    self.selectors.iter().chain(&kept).copied().chain([lit]).collect();
                match self.problem.admits(&all, self.options.n_conflicts_max) {
                    Answer::Unknown => return None,
                    Answer::No => break,
                    Answer::Yes => {
                        let proposed = self.proposed();
                        if !self.refine(&proposed) {
                            best = proposed;
                        }
                    }
                }
            }
            if best.contains(&candidate) {
                kept.push(lit);
            }
        }
        best.sort_unstable();
        Some(best)
    }

    /// What the solver's assignment puts inside `if(*)`.
    fn proposed(&self) -> Vec<Candidate> {
        let known = self.statements.known.iter();
        let mut found: Vec<_> = known
            .filter(|(_, lit)| self.problem.value(*lit))
            .map(|&(candidate, _)| candidate)
            .collect();
        found.sort_unstable();
        found
    }

    /// Looks for cycles under a specification; answers whether there are, and adds them.
    fn refine(&mut self, specification: &[Candidate]) -> bool {
        let mut any = false;
        for trace in 0..self.encoders.len() {
            let Encoder { flow, base, .. } = &self.encoders[trace];
            let counts = match self.options.reading {
                Reading::Branches => relevant(flow, specification).events,
                Reading::All => relevant_unless(flow, specification, |e| base.has(e)).events,
            };
            let Serial::Cycles(cycles) = serialise(flow.trace(), &counts) else { continue };
            any = true;
            for cycle in cycles {
                self.add(trace, cycle);
            }
        }
        any
    }

    fn add(&mut self, trace: usize, cycle: Cycle) {
        let Inference { encoders, statements, problem, .. } = self;
        let mut clause = encoders[trace].discharge(&cycle.events(), statements, problem);
        let selector = problem.clauses().fresh();
        clause.push(!selector);
        problem.clauses().clause(&clause);
        self.selectors.push(selector);
        self.cycles.push(Found { trace, cycle });
    }

    /// The cycles that a core names.
    fn impossible(&self, core: &[Lit]) -> Inferred {
        let named = self.selectors.iter().zip(&self.cycles);
        Inferred::None(named.filter(|(s, _)| core.contains(s)).map(|(_, f)| f.clone()).collect())
    }
}
