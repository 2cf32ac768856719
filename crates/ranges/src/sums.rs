//! Bounds of values that are only ever copied and counted.
//!
//! In: a CTP, and which of its states can be reached together. Out: for each read an interval, where
//! there is one. Propagation joins what different interleavings leave, and then counts a change once
//! for each of them; here each change counts once.
//!
//! - S1: a global is *counted* if its first value is known, and all that is written to it is a constant,
//!   or a constant added to what was read from a counted global.
//! - S2: what a counted global holds is a first value or a constant that was written, and what was added
//!   from there on. On that path each write reads what an earlier one has written, so none is
//!   there twice: the sum lies between that of all negative and that of all positive changes.
//! - S3: for a read, only changes matter that can come before it; if another thread has not come to a
//!   step yet, only those before that step.
//! - S4: if all changes together, whatever their signs, can leave a type, nothing is known.

use raddle_cfront::ir::Binary;

use crate::ctp::{Ancestry, Ctp, GlobalId, StateId};
use crate::expr::{Expr, ExprId, LocalId};
use crate::interval::Interval;
use crate::pairs::Pairs;

/// What is written: a constant, or a change of what was read from a global.
struct Change {
    state: StateId,
    global: GlobalId,
    from: Option<GlobalId>,
    by: i64,
    /// The types that it goes through.
    within: Interval,
}

/// Globals whose values come from each other.
struct Family {
    /// The values that paths begin with.
    first: Interval,
    /// What is added to others, and where.
    changes: Vec<(StateId, i64)>,
}

/// The families of a CTP.
pub(crate) struct Sums {
    families: Vec<Option<Family>>,
    /// Which one each global is of; none for those about which nothing is known.
    of: Vec<Option<usize>>,
    ancestry: Ancestry,
}

impl Sums {
    pub(crate) fn new(ctp: &Ctp) -> Sums {
        let (families, of) = families(ctp);
        Sums { families, of, ancestry: Ancestry::new(ctp) }
    }

    /// The bounds of what a step reads.
    pub(crate) fn bounds(&self, ctp: &Ctp, pairs: &Pairs, read: StateId) -> Option<Interval> {
        let (first, changes) = self.before(ctp, pairs, read)?;
        Some(changes.fold(first, |values, (_, by)| plus(values, by)))
    }

    /// The bounds of what a step reads if another thread, one without branches, has not taken these
    /// steps yet: for each of them, in their order.
    pub(crate) fn bounds_until(
        &self,
        ctp: &Ctp,
        pairs: &Pairs,
        read: StateId,
        steps: &[StateId],
    ) -> Option<Vec<Interval>> {
        let thread = ctp.state(*steps.first()?).thread;
        let (first, changes) = self.before(ctp, pairs, read)?;
        let (theirs, others): (Vec<_>, Vec<_>) =
            changes.partition(|(write, _)| ctp.state(*write).thread == thread);
        let mut values = others.into_iter().fold(first, |values, (_, by)| plus(values, by));
        let mut theirs = theirs.into_iter().peekable();
        let until = |step: &StateId| {
            while let Some((_, by)) = theirs.next_if(|(write, _)| write < step) {
                values = plus(values, by);
            }
            values
        };
        Some(steps.iter().map(until).collect())
    }

    /// S3: what paths begin with, and the changes that can come before a read, in the order of states.
    fn before<'a>(
        &'a self,
        ctp: &'a Ctp,
        pairs: &'a Pairs,
        read: StateId,
    ) -> Option<(Interval, impl Iterator<Item = (StateId, i64)> + 'a)> {
        let (global, _) = ctp.step(read).action.read()?;
        let family = self.families[self.of[global.0 as usize]?].as_ref()?;
        let before = ctp.state(read).parent?;
        let can_precede =
            move |write: StateId| match ctp.state(write).thread == ctp.state(read).thread {
                true => self.ancestry.is_before(write, read),
                false => pairs.can_be_past(before, write),
            };
        let changes = family.changes.iter().copied();
        Some((family.first, changes.filter(move |&(write, _)| can_precede(write))))
    }
}

/// An interval with a change that may have been made.
fn plus(values: Interval, by: i64) -> Interval {
    Interval { lo: values.lo + by.min(0), hi: values.hi + by.max(0) }
}

/// The families, and which one each global is of; none for those about which nothing is known.
fn families(ctp: &Ctp) -> (Vec<Option<Family>>, Vec<Option<usize>>) {
    let source = sources(ctp);
    let (changes, counted) = counted(ctp, &source);
    let mut family: Vec<usize> = (0..ctp.globals.len()).collect();
    for change in &changes {
        if let Some(from) = change.from {
            let (a, b) = (family[change.global.0 as usize], family[from.0 as usize]);
            family.iter_mut().filter(|of| **of == b).for_each(|of| *of = a);
        }
    }
    let made = (0..ctp.globals.len()).map(|number| {
        let is_in =
            |global: GlobalId| counted[global.0 as usize] && family[global.0 as usize] == number;
        Family::new(ctp, changes.iter().filter(|change| is_in(change.global)), &is_in)
    });
    let families = made.collect();
    let of = |(index, number): (usize, usize)| counted[index].then_some(number);
    (families, family.into_iter().enumerate().map(of).collect())
}

impl Family {
    /// S2, if S4 allows it.
    fn new<'a>(
        ctp: &Ctp,
        all: impl Iterator<Item = &'a Change>,
        is_in: &impl Fn(GlobalId) -> bool,
    ) -> Option<Family> {
        let globals = (0..ctp.globals.len() as u32).map(GlobalId).filter(|&global| is_in(global));
        let globals = globals.map(|global| &ctp.globals[global.0 as usize]);
        let mut first: Option<Interval> = None;
        let mut within = Interval::ALL;
        for global in globals {
            let value = Interval::one(global.initial? as i64);
            first = Some(first.map_or(value, |first| first.join(value)));
            within = within.meet(Interval::of(global.kind))?;
        }
        let mut first = first?;
        let mut changes = Vec::new();
        let mut most = 0i128;
        for change in all {
            within = within.meet(change.within)?;
            match change.from {
                Some(_) => changes.push((change.state, change.by)),
                None => first = first.join(Interval::one(change.by)),
            }
            most += i128::from(change.by).abs();
        }
        let fits = i128::from(within.lo) <= i128::from(first.lo) - most
            && i128::from(first.hi) + most <= i128::from(within.hi);
        fits.then_some(Family { first, changes })
    }
}

/// S1: what is written to counted globals, and which globals are.
fn counted(ctp: &Ctp, source: &[Option<GlobalId>]) -> (Vec<Change>, Vec<bool>) {
    let mut counted: Vec<bool> = ctp.globals.iter().map(|g| g.initial.is_some()).collect();
    let mut changes = Vec::new();
    for id in ctp.state_ids() {
        let Some((global, value)) = ctp.step(id).action.written() else { continue };
        match change(ctp, source, id, global, value) {
            Some(change) => changes.push(change),
            None => counted[global.0 as usize] = false,
        }
    }
    loop {
        let lost = changes.iter().find(|change| {
            counted[change.global.0 as usize]
                && change.from.is_some_and(|from| !counted[from.0 as usize])
        });
        match lost {
            Some(change) => counted[change.global.0 as usize] = false,
            None => break,
        }
    }
    changes.retain(|change| counted[change.global.0 as usize]);
    (changes, counted)
}

/// The global that each local was read from, if it holds what that held.
fn sources(ctp: &Ctp) -> Vec<Option<GlobalId>> {
    let mut source = vec![None; ctp.locals.len()];
    for id in ctp.state_ids() {
        if let Some((global, LocalId(to))) = ctp.step(id).action.read() {
            let same = ctp.locals[to as usize].kind == ctp.globals[global.0 as usize].kind;
            source[to as usize] = same.then_some(global);
        }
    }
    source
}

fn change(
    ctp: &Ctp,
    source: &[Option<GlobalId>],
    state: StateId,
    global: GlobalId,
    value: ExprId,
) -> Option<Change> {
    let constant =
        |from, by: u64, within| Some(Change { state, global, from, by: by as i64, within });
    let read = |id| match ctp.exprs.get(id) {
        Expr::Local(local) => source[local.0 as usize],
        _ => None,
    };
    match ctp.exprs.get(value) {
        Expr::Const(value) => constant(None, value, Interval::ALL),
        Expr::Local(_) => constant(Some(read(value)?), 0, Interval::ALL),
        Expr::Binary(op, kind, left, right) if !kind.is_float() => {
            let known = |id| ctp.exprs.constant(id);
            let (from, by) = match op {
                Binary::Add => match (read(left), read(right)) {
                    (Some(from), _) => (from, known(right)?),
                    (_, Some(from)) => (from, known(left)?),
                    _ => return None,
                },
                Binary::Subtract => (read(left)?, (known(right)? as i64).checked_neg()? as u64),
                _ => return None,
            };
            constant(Some(from), by, Interval::of(kind))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctp::{Action, Global, Step, ThreadId};
    use raddle_cfront::ir::Kind;

    /// Two threads that change one global by turns of reading and writing, without branches.
    fn program(kind: Kind, changes: [&[i64]; 2], op: Binary) -> Ctp {
        let mut ctp = Ctp::default();
        ctp.globals.push(Global { name: "x".into(), kind, initial: Some(0) });
        let global = GlobalId(0);
        for changes in changes {
            let thread = ctp.add_thread("thread", 0);
            let mut state = ctp.threads[thread.0 as usize].root;
            for &by in changes {
                let to = ctp.add_local("local", thread, kind);
                let (local, by) = (ctp.exprs.local(to), ctp.exprs.value(by as u64));
                let value = ctp.exprs.binary(op, kind, local, by);
                for action in [Action::Read { global, to }, Action::Write { global, value }] {
                    state = ctp.add_step(state, Step { action, ..Step::default() });
                }
            }
        }
        ctp
    }

    /// The bounds of all reads, in order.
    fn found(ctp: &Ctp) -> Vec<Option<(i64, i64)>> {
        let (sums, pairs) = (Sums::new(ctp), Pairs::of(ctp));
        let reads = ctp.state_ids().filter(|&id| ctp.step(id).action.read().is_some());
        reads.map(|id| sums.bounds(ctp, &pairs, id).map(|values| (values.lo, values.hi))).collect()
    }

    #[test]
    fn changes_that_can_come_before_add_up() {
        let ctp = program(Kind::I32, [&[2, 3], &[-1]], Binary::Add);
        assert_eq!(found(&ctp), [Some((-1, 0)), Some((-1, 2)), Some((0, 5))]);
        let ctp = program(Kind::I32, [&[2, -3], &[1]], Binary::Subtract);
        assert_eq!(found(&ctp), [Some((-1, 0)), Some((-3, 0)), Some((-2, 3))]);
    }

    #[test]
    fn what_a_thread_has_not_come_to_does_not_count() {
        let ctp = program(Kind::I32, [&[2, 3], &[-1, 4, -2]], Binary::Add);
        let (sums, pairs) = (Sums::new(&ctp), Pairs::of(&ctp));
        let theirs = &ctp.paths(ThreadId(1))[0];
        let writes: Vec<_> = theirs[1..].iter().copied().skip(1).step_by(2).collect();
        let second = ctp.paths(ThreadId(0))[0][3];
        let found = sums.bounds_until(&ctp, &pairs, second, &writes).unwrap();
        let found: Vec<_> = found.iter().map(|values| (values.lo, values.hi)).collect();
        assert_eq!(found, [(0, 2), (-1, 2), (-1, 6)]);
        assert_eq!(sums.bounds(&ctp, &pairs, second), Some(Interval { lo: -3, hi: 6 }));
    }

    #[test]
    fn nothing_is_known_of_what_may_wrap_around() {
        assert_eq!(found(&program(Kind::I8, [&[100], &[-20]], Binary::Add)).len(), 2);
        assert!(
            found(&program(Kind::I8, [&[100], &[-20]], Binary::Add)).iter().all(Option::is_some)
        );
        assert_eq!(found(&program(Kind::I8, [&[100], &[-28]], Binary::Add)), [None, None]);
    }

    #[test]
    fn nothing_is_known_of_products() {
        assert_eq!(found(&program(Kind::I32, [&[2], &[3]], Binary::Multiply)), [None, None]);
    }
}
