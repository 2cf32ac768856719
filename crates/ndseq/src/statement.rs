//! Statements that a specification may leave out, and how their executions lie in each other.
//!
//! A *list* is the statements of one block, in order. What can stand inside `if(*)` is a run of
//! consecutive statements of a list (a [`Candidate`]); one statement is a run of one. An *instance*
//! is one execution of a list. Lists of called functions, and those of threads that are created, lie
//! in the statement that calls or creates: leaving that out leaves them out.

use std::collections::BTreeSet;

/// A list of statements of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListId(pub u32);

/// An execution of a list in a trace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InstanceId(pub u32);

/// A run of statements of one list that can stand inside `if(*)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Candidate {
    /// The list.
    pub list: ListId,
    /// The position of the first statement.
    pub first: u32,
    /// That of the last one.
    pub last: u32,
}

impl Candidate {
    /// Whether a position of its list belongs to it.
    pub fn has(&self, position: u32) -> bool {
        (self.first..=self.last).contains(&position)
    }

    /// Whether both cannot stand inside `if(*)` at once: they share statements, and none of them
    /// has all of the other's.
    pub fn overlaps(&self, other: &Candidate) -> bool {
        let (a, b) = if self.first <= other.first { (self, other) } else { (other, self) };
        self.list == other.list && a.first < b.first && b.first <= a.last && a.last < b.last
    }
}

/// A list of statements.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct List {
    /// Per position, how many statements it has, those inside it included.
    pub sizes: Vec<u32>,
    /// Whether no run of it can stand inside `if(*)`.
    pub closed: bool,
    /// Runs that cannot, because the rest of the program would not be a program any more.
    pub forbidden: BTreeSet<(u32, u32)>,
}

/// All lists of a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lists(pub Vec<List>);

impl Lists {
    /// The list with this number.
    pub fn get(&self, list: ListId) -> &List {
        &self.0[list.0 as usize]
    }

    /// Whether a run can stand inside `if(*)`.
    pub fn allows(&self, candidate: &Candidate) -> bool {
        let list = self.get(candidate.list);
        let there =
            candidate.first <= candidate.last && (candidate.last as usize) < list.sizes.len();
        there && !list.closed && !list.forbidden.contains(&(candidate.first, candidate.last))
    }

    /// How many statements a run has.
    pub fn size(&self, candidate: &Candidate) -> u32 {
        let sizes = &self.get(candidate.list).sizes;
        sizes[candidate.first as usize..=candidate.last as usize].iter().sum()
    }

    /// All runs that can stand inside `if(*)`, in the order of lists and positions.
    pub fn candidates(&self) -> impl Iterator<Item = Candidate> + '_ {
        (0..).map(ListId).zip(&self.0).flat_map(|(list, of)| {
            let n = of.sizes.len() as u32;
            let runs = (0..n).flat_map(move |first| (first..n).map(move |last| (first, last)));
            let run = move |(first, last)| Candidate { list, first, last };
            runs.map(run).filter(|candidate| self.allows(candidate))
        })
    }
}

/// An execution of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The list.
    pub list: ListId,
    /// The execution and the position that it lies in.
    pub parent: Option<(InstanceId, u32)>,
}

/// A jump out of a statement in an execution of its list: `break`, `continue`, `return`, `goto`.
///
/// Leaving out a run that ends in such a jump would go on somewhere else, so it is no execution of
/// the specification; unless what follows the run is where the jump leads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Jump {
    /// The execution.
    pub instance: InstanceId,
    /// The position that it leaves.
    pub from: u32,
    /// The last position of the runs behind which it goes on; none if there are no such runs.
    pub behind: Option<u32>,
}

impl Jump {
    /// Whether an execution with this jump cannot leave out a run.
    pub fn forbids(&self, first: u32, last: u32) -> bool {
        (first..=last).contains(&self.from) && self.behind != Some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(list: u32, first: u32, last: u32) -> Candidate {
        Candidate { list: ListId(list), first, last }
    }

    #[test]
    fn runs_overlap_only_if_neither_has_the_other() {
        assert!(run(0, 0, 1).overlaps(&run(0, 1, 2)));
        assert!(run(0, 1, 2).overlaps(&run(0, 0, 1)));
        assert!(!run(0, 0, 2).overlaps(&run(0, 1, 2)));
        assert!(!run(0, 0, 1).overlaps(&run(0, 2, 3)));
        assert!(!run(0, 0, 1).overlaps(&run(1, 1, 2)));
        assert!(!run(0, 0, 1).overlaps(&run(0, 0, 1)));
    }

    #[test]
    fn a_list_of_four_has_ten_runs() {
        let lists = Lists(vec![List { sizes: vec![1, 1, 1, 2], ..List::default() }]);
        assert_eq!(lists.candidates().count(), 10);
        assert_eq!(lists.size(&run(0, 0, 3)), 5);
    }
}
