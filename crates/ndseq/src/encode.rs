//! The constraints of one trace, as far as they are needed.
//!
//! In: cycles of events that are relevant so far. Out: clauses over "this event is irrelevant" (X_e),
//! "this execution is left out" (X_E) and "this statement stands inside `if(*)`" (X_s), which are
//! shared by all traces. S1 writes the constraints down for all events; here an event gets its own
//! when a cycle, another event's constraint or an execution first mentions it.
//!
//! - A: X_e is false for what is known to be relevant: final writes, with A′ the whole slice. It is
//!   true for what is irrelevant without any `if(*)`.
//! - B1: a branch is irrelevant only if an execution around it is left out. (Under
//!   [`Reading::All`], so is every event.)
//! - B2: an execution is left out only if its statement stands inside `if(*)`, and the execution
//!   did not end in a jump (R5).
//! - B3: everything in an execution that is left out is irrelevant.
//! - C: what flows into a relevant event is relevant.
//! - D: runs that overlap do not both stand inside `if(*)`.
//! - E: some event of each cycle is irrelevant.

mod unit;

use rustc_hash::{FxHashMap, FxHashSet};

use raddle_solve::{Lit, MinCost};

use crate::depend::Dependence;
use crate::infer::{Options, Reading};
use crate::relevant::relevant;
use crate::slice::{Events, slice};
use crate::statement::{Candidate, InstanceId, Lists};
use crate::trace::EventId;
use unit::Units;

/// The statements that stand inside `if(*)` or do not.
#[derive(Default)]
pub(crate) struct Statements {
    lits: FxHashMap<Candidate, Lit>,
    /// In the order in which they came up.
    pub(crate) known: Vec<(Candidate, Lit)>,
}

impl Statements {
    /// X_s; costs 1.
    pub(crate) fn lit(&mut self, candidate: Candidate, problem: &mut MinCost) -> Lit {
        if let Some(&lit) = self.lits.get(&candidate) {
            return lit;
        }
        let lit = problem.clauses().fresh();
        problem.charge(lit);
        for (other, their) in self.known.iter().filter(|(other, _)| other.overlaps(&candidate)) {
            debug_assert_eq!(other.list, candidate.list);
            problem.clauses().clause(&[!lit, !*their]); // D
        }
        self.lits.insert(candidate, lit);
        self.known.push((candidate, lit));
        lit
    }
}

/// The constraints of one trace.
pub(crate) struct Encoder<'a> {
    pub(crate) flow: Dependence<'a>,
    lists: &'a Lists,
    reading: Reading,
    /// What is relevant whatever the specification (A).
    pub(crate) fixed: Events,
    /// What is relevant without a specification.
    pub(crate) base: Events,
    /// What the constraints are about; made when there are any.
    units: Option<Box<Units>>,
    groups: bool,
    lits: FxHashMap<u32, Lit>,
    whole: FxHashMap<u32, Lit>,
    runs: FxHashMap<(InstanceId, u32, u32), Lit>,
    open: Vec<u32>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(flow: Dependence<'a>, lists: &'a Lists, options: &Options) -> Encoder<'a> {
        let fixed = match options.slice {
            true => slice(&flow),
            false => Events::of(flow.trace().len(), flow.results()),
        };
        let base = relevant(&flow, &[]).events;
        Encoder {
            flow,
            lists,
            reading: options.reading,
            fixed,
            base,
            units: None,
            groups: options.slice && options.group,
            lits: FxHashMap::default(),
            whole: FxHashMap::default(),
            runs: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// E: what discharges a cycle.
    pub(crate) fn discharge(
        &mut self,
        events: &[EventId],
        statements: &mut Statements,
        problem: &mut MinCost,
    ) -> Vec<Lit> {
        let lits = events.iter().map(|&event| self.event(event, problem)).collect();
        while let Some(unit) = self.open.pop() {
            self.constrain(unit, statements, problem);
        }
        lits
    }

    /// X_e.
    fn event(&mut self, event: EventId, problem: &mut MinCost) -> Lit {
        if self.fixed.has(event) {
            return Lit::FALSE;
        }
        if !self.base.has(event) {
            return Lit::TRUE;
        }
        let Encoder { units, flow, lists, fixed, base, groups, .. } = self;
        let make = || Box::new(Units::new(flow, lists, fixed, base, *groups));
        let unit = units.get_or_insert_with(make).of(event);
        *self.lits.entry(unit).or_insert_with(|| {
            self.open.push(unit);
            problem.clauses().fresh()
        })
    }

    fn units(&self) -> &Units {
        self.units.as_ref().expect("made before the first unit came up")
    }

    /// B1 and C for the events of a unit.
    fn constrain(&mut self, unit: u32, statements: &mut Statements, problem: &mut MinCost) {
        let own = self.lits[&unit];
        let events: Vec<_> = self.units().events(unit).collect();
        let mut seen = FxHashSet::default();
        for &event in &events {
            let users: Vec<_> = self.units().users(event).collect();
            for user in users {
                let lit = self.event(user, problem);
                if lit != own && seen.insert(lit) {
                    problem.clauses().clause(&[!own, lit]); // C
                }
            }
        }
        for event in events {
            if self.reading == Reading::All || self.flow.trace().is_branch(event) {
                let mut clause = self.covers(event, statements, problem);
                clause.push(!own);
                problem.clauses().clause(&clause); // B1
            }
        }
    }

    /// The executions around an event that can be left out.
    fn covers(
        &mut self,
        event: EventId,
        statements: &mut Statements,
        problem: &mut MinCost,
    ) -> Vec<Lit> {
        let trace = self.flow.trace();
        let mut lits = Vec::new();
        let mut at = trace.at(event);
        while let Some((instance, position)) = at {
            if self.units().is_blocked(instance, position) {
                break;
            }
            let list = trace.instance(instance).list;
            let (low, high) = self.units().free_around(instance, position);
            for first in low..=position {
                for last in position..=high {
                    let candidate = Candidate { list, first, last };
                    let jumped = trace.jumps_of(instance).iter().any(|j| j.forbids(first, last));
                    if self.lists.allows(&candidate) && !jumped {
                        lits.push(self.run(instance, candidate, statements, problem));
                    }
                }
            }
            at = trace.instance(instance).parent;
        }
        lits
    }

    /// X_E.
    fn run(
        &mut self,
        instance: InstanceId,
        candidate: Candidate,
        statements: &mut Statements,
        problem: &mut MinCost,
    ) -> Lit {
        let key = (instance, candidate.first, candidate.last);
        if let Some(&lit) = self.runs.get(&key) {
            return lit;
        }
        let lit = problem.clauses().fresh();
        self.runs.insert(key, lit);
        let statement = statements.lit(candidate, problem);
        problem.clauses().clause(&[!lit, statement]); // B2
        for position in candidate.first..=candidate.last {
            let whole = self.whole(self.units().index(instance, position), problem);
            problem.clauses().clause(&[!lit, whole]); // B3
        }
        lit
    }

    /// Everything at a position of an execution is irrelevant.
    fn whole(&mut self, place: u32, problem: &mut MinCost) -> Lit {
        if let Some(&lit) = self.whole.get(&place) {
            return lit;
        }
        let lit = problem.clauses().fresh();
        self.whole.insert(place, lit);
        // A group is one event: its first stands for all.
        let group = self.units().group(place);
        let events: Vec<_> = match group {
            Some(group) => self.units().events(group).take(1).collect(),
            None => self.units().here(place).collect(),
        };
        for event in events {
            let event = self.event(event, problem);
            problem.clauses().clause(&[!lit, event]);
        }
        let inside = group.is_none().then(|| self.units().inside(place).collect::<Vec<_>>());
        for place in inside.into_iter().flatten() {
            let part = self.whole(place, problem);
            problem.clauses().clause(&[!lit, part]);
        }
        lit
    }
}
