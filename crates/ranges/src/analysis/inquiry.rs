//! Questions about a trace program, and verdicts that were replayed.

use std::sync::Arc;

use raddle_cfront::ir::Program;
use raddle_finding::Schedule;
use raddle_vm::{Settings, SetupError};

use super::{Analysed, guards};
use crate::assertion::{Assertion, Claim, claim};
use crate::ctp::{Ctp, Line, Otherwise, StateId};
use crate::feasible::{Feasibility, Options, Query, Solver};
use crate::graph::{Graph, GraphKind};
use crate::propagate::Ranges;
use crate::record::Failure;
use crate::replay::replay;

/// How many steps of other threads that end the program are avoided, one after the other.
const N_FATAL_MAX: usize = 16;

const NOT_REPLAYED: &str = "the execution that was found could not be replayed";

/// What was found out about an assertion or a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It holds, or the place is not reached, in every interleaving of the trace program.
    Proved {
        /// Whether intervals were enough.
        by_intervals: bool,
    },
    /// The same, and threads can take paths that no run shows: it holds for the others.
    Limited {
        /// Whether intervals were enough.
        by_intervals: bool,
    },
    /// This schedule breaks it, or comes to the place.
    Refuted(Schedule),
    /// Neither, and why.
    Unknown(String),
}

impl Verdict {
    /// What it is worth if some paths that threads can take are not covered.
    pub fn with_open(self, is_open: bool) -> Verdict {
        match self {
            Verdict::Proved { by_intervals } if is_open => Verdict::Limited { by_intervals },
            other => other,
        }
    }
}

/// Answers questions exactly, one after the other.
pub struct Inquiry<'a> {
    program: &'a Arc<Program>,
    settings: &'a Settings,
    ctp: &'a Ctp,
    ranges: &'a Ranges,
    solver: Option<Solver<'a>>,
    /// For conditions on several variables at one moment.
    stepwise: Option<Solver<'a>>,
    options: Options,
    kind: GraphKind,
}

impl<'a> Inquiry<'a> {
    /// One about a trace program; intervals narrow the values.
    pub fn new(
        program: &'a Arc<Program>,
        settings: &'a Settings,
        ctp: &'a Ctp,
        analysed: &'a Analysed,
        options: Options,
    ) -> Inquiry<'a> {
        let (ranges, kind) = (&analysed.ranges, analysed.graph.kind);
        Inquiry { program, settings, ctp, ranges, solver: None, stepwise: None, options, kind }
    }

    /// Whether an assertion holds after every write.
    pub fn check(&mut self, assertion: &Assertion) -> Result<Verdict, SetupError> {
        let condition = match assertion.condition(self.ctp) {
            Ok(condition) => condition,
            Err(name) => {
                return Ok(Verdict::Unknown(format!("the runs use no variable called {name}")));
            }
        };
        match claim(&condition, self.ctp, self.ranges) {
            Claim::Holds => Ok(Verdict::Proved { by_intervals: true }),
            Claim::FailsAtStart => {
                let machine = raddle_vm::Machine::new(self.program.clone(), self.settings)?;
                Ok(Verdict::Refuted(Schedule::new(machine.program_id())))
            }
            Claim::Open(queries) => self.any(&queries),
        }
    }

    /// The assertions of the program itself: where they are, and whether they hold. Those that have
    /// failed in runs of the trace program do not.
    pub fn own_assertions(
        &mut self,
        failures: &[Failure],
    ) -> Result<Vec<(Option<Line>, Verdict)>, SetupError> {
        let failed = failures.iter().map(|failure| (failure.line.clone(), Vec::new()));
        let mut places: Vec<(Option<Line>, Vec<Query>)> = failed.collect();
        for (state, number, guard) in guards(self.ctp) {
            if guard.otherwise != Otherwise::Fails {
                continue;
            }
            let query = Query::Fails(state, number);
            match places.iter_mut().find(|(line, _)| *line == guard.line) {
                Some((_, queries)) => queries.push(query),
                None => places.push((guard.line.clone(), vec![query])),
            }
        }
        places.sort_by(|a, b| a.0.cmp(&b.0));
        places.dedup_by(|a, b| a.0 == b.0);
        let verdict = |(line, queries): (_, Vec<Query>)| {
            let verdict = match failures.iter().find(|failure| failure.line == line) {
                Some(failure) => Verdict::Refuted(failure.schedule.clone()),
                None => self.any(&queries)?,
            };
            Ok((line, verdict))
        };
        places.into_iter().map(verdict).collect()
    }

    /// Whether some interleaving comes to a line: `Refuted` has the schedule that does.
    pub fn reach(&mut self, is_it: &dyn Fn(&Line) -> bool) -> Result<Verdict, SetupError> {
        let here = |line: &Option<Line>| line.as_ref().is_some_and(is_it);
        let mut queries = Vec::new();
        for (state, number, guard) in guards(self.ctp) {
            if matches!(&guard.otherwise, Otherwise::Elsewhere(line) if here(line)) {
                queries.push(Query::Fails(state, number));
            }
        }
        let on_line =
            |id: &StateId| self.ctp.state(*id).parent.is_some() && here(&self.ctp.step(*id).line);
        queries.extend(self.ctp.state_ids().filter(on_line).map(Query::Reaches));
        if queries.is_empty() {
            return Ok(Verdict::Unknown("no branch of the trace program leads there".to_owned()));
        }
        self.any(&queries)
    }

    /// Refuted by the first query that is feasible and replays.
    fn any(&mut self, queries: &[Query]) -> Result<Verdict, SetupError> {
        let mut doubt = None;
        for query in queries {
            match self.answer(query)? {
                Verdict::Proved { .. } | Verdict::Limited { .. } => {}
                Verdict::Unknown(why) => doubt = Some(why),
                refuted => return Ok(refuted),
            }
        }
        Ok(doubt.map_or(Verdict::Proved { by_intervals: false }, Verdict::Unknown))
    }

    /// One query.
    pub fn answer(&mut self, query: &Query) -> Result<Verdict, SetupError> {
        let (ctp, ranges, options) = (self.ctp, self.ranges, self.options);
        let is_moment =
            matches!(query, Query::Breaks(_, condition) if condition.globals().len() > 1);
        let kind = self.kind;
        let solver = if is_moment {
            self.stepwise.get_or_insert_with(|| {
                Solver::new(ctp, &Graph::stepwise(ctp), Some(ranges), options)
            })
        } else {
            self.solver.get_or_insert_with(|| {
                Solver::new(ctp, &Graph::with(ctp, kind, true), Some(ranges), options)
            })
        };
        let mut fatal = Vec::new();
        loop {
            let steps = match solver.ask_without(query, &fatal) {
                Feasibility::Feasible(steps) => steps,
                Feasibility::Infeasible if fatal.is_empty() => {
                    return Ok(Verdict::Proved { by_intervals: false });
                }
                Feasibility::Infeasible => return Ok(unknown(NOT_REPLAYED)),
                Feasibility::Unknown => return Ok(unknown("the budget of the solver ran out")),
            };
            let replayed = replay(self.program, self.settings, self.ctp, &steps, query)?;
            if replayed.confirmed {
                return Ok(Verdict::Refuted(replayed.schedule));
            }
            // Another thread may have failed before; there may be an execution without that.
            match replayed.fatal.filter(|step| !fatal.contains(step)) {
                Some(step) if fatal.len() < N_FATAL_MAX => fatal.push(step),
                _ => return Ok(unknown(NOT_REPLAYED)),
            }
        }
    }
}

fn unknown(why: &str) -> Verdict {
    Verdict::Unknown(why.to_owned())
}
