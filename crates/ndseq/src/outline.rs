//! The lists of statements of a C program.
//!
//! In: a program. Out: its lists; for each transition the innermost list and position; and where a
//! thread goes on behind each position. The statements of a block are a list; any other statement
//! inside another one is a list of its own. Lists of the embedded library do not exist.
//!
//! Runs that cannot stand inside `if(*)` are left out: those that something outside jumps into, and
//! those that declare what is used outside.

use std::collections::BTreeSet;

use raddle_cfront::ir::{Function, FunctionId, Op, Place, Program, StatementId, StatementKind};
use raddle_vm::Site;

use crate::statement::{Candidate, List, ListId, Lists};

/// Stands for the end of a function.
pub(crate) const RETURN: u32 = u32::MAX;

/// The lists of a program.
#[derive(Debug)]
pub struct Outline {
    /// The lists.
    pub lists: Lists,
    pub(crate) infos: Vec<ListInfo>,
    functions: Vec<Vec<Option<(ListId, u32)>>>,
    /// Where the numbers of the transitions of each function begin.
    bases: Vec<u32>,
}

/// Where a list stands.
#[derive(Debug)]
pub(crate) struct ListInfo {
    pub(crate) function: FunctionId,
    pub(crate) statements: Vec<StatementId>,
    pub(crate) parent: Option<(ListId, u32)>,
    /// Per position, the transition behind it.
    pub(crate) after: Vec<u32>,
}

impl Outline {
    /// The outline of a program.
    pub fn new(program: &Program) -> Outline {
        let mut outline = Outline {
            lists: Lists::default(),
            infos: Vec::new(),
            functions: Vec::new(),
            bases: vec![0],
        };
        for (number, function) in (0..).map(FunctionId).zip(&program.functions) {
            let places = match function.library {
                true => vec![None; function.code.len()],
                false => outline.function(number, function),
            };
            outline.functions.push(places);
            let base = outline.bases[outline.bases.len() - 1] + function.code.len() as u32;
            outline.bases.push(base);
        }
        outline
    }

    /// The innermost list and position of a transition.
    pub(crate) fn place(&self, site: Site) -> Option<(ListId, u32)> {
        self.functions[site.function.0 as usize][site.op as usize]
    }

    pub(crate) fn info(&self, list: ListId) -> &ListInfo {
        &self.infos[list.0 as usize]
    }

    /// The number of a transition.
    pub(crate) fn number(&self, site: Site) -> u32 {
        self.bases[site.function.0 as usize] + site.op
    }

    /// The transition with a number.
    pub fn site(&self, number: u32) -> Site {
        let function = self.bases.partition_point(|&base| base <= number) - 1;
        Site { function: FunctionId(function as u32), op: number - self.bases[function] }
    }

    /// The function and the transitions of a run.
    pub fn code(&self, program: &Program, run: &Candidate) -> (FunctionId, std::ops::Range<u32>) {
        let info = self.info(run.list);
        let statements = &program.function(info.function).statements;
        let of = |position: u32| &statements[info.statements[position as usize].0 as usize].code;
        (info.function, of(run.first).start..of(run.last).end)
    }

    /// The file, the first and the last line of a run.
    pub fn lines(&self, program: &Program, run: &Candidate) -> (String, u32, u32) {
        let info = self.info(run.list);
        let statements = &program.function(info.function).statements;
        let span = |position: u32| statements[info.statements[position as usize].0 as usize].span;
        let from = program.sources.locate(span(run.first).start);
        let to = program.sources.locate(span(run.last).end.saturating_sub(1));
        (from.file.to_string(), from.line, to.line)
    }

    /// The run of exactly these lines.
    pub fn find(&self, program: &Program, file: &str, from: u32, to: u32) -> Option<Candidate> {
        let mut runs: Vec<_> = self.lists.candidates().collect();
        runs.sort_by_key(|run| std::cmp::Reverse(self.lists.size(run)));
        runs.into_iter().find(|run| {
            let (known, first, last) = self.lines(program, run);
            (first, last) == (from, to) && std::path::Path::new(&known).ends_with(file)
        })
    }

    fn function(&mut self, id: FunctionId, function: &Function) -> Vec<Option<(ListId, u32)>> {
        let statements = &function.statements;
        let mut place_of: Vec<Option<(ListId, u32)>> = vec![None; statements.len()];
        let mut list_of: Vec<Option<ListId>> = vec![None; statements.len()];
        // Parents come before children.
        for (number, statement) in statements.iter().enumerate().skip(1) {
            let parent = statement.parent.map_or(0, |parent| parent.0 as usize);
            let kind = statements[parent].kind;
            let is_list = matches!(kind, StatementKind::Body | StatementKind::Block);
            let list = match list_of[parent].filter(|_| is_list) {
                Some(list) => list,
                None => {
                    let list = ListId(self.infos.len() as u32);
                    let parent_place = place_of[parent];
                    // A block is the run of all its statements; what a `for` begins with, and what a
                    // label stands before, belong to it.
                    let bare = !is_list && statement.kind == StatementKind::Block;
                    let first = kind == StatementKind::For && list_of[parent].is_none();
                    let closed = bare || first || kind == StatementKind::Label;
                    self.infos.push(ListInfo {
                        function: id,
                        statements: Vec::new(),
                        parent: parent_place,
                        after: Vec::new(),
                    });
                    self.lists.0.push(List { closed, ..List::default() });
                    list_of[parent] = Some(list);
                    list
                }
            };
            let info = &mut self.infos[list.0 as usize];
            place_of[number] = Some((list, info.statements.len() as u32));
            info.statements.push(StatementId(number as u32));
            info.after.push(behind(function, statement.code.end));
            self.lists.0[list.0 as usize].sizes.push(1);
        }
        for number in (1..statements.len()).rev() {
            let size = place_of[number].map(|(list, at)| self.lists.get(list).sizes[at as usize]);
            let parent = statements[number].parent.map_or(0, |parent| parent.0 as usize);
            if let (Some((list, at)), Some(size)) = (place_of[parent], size) {
                self.lists.0[list.0 as usize].sizes[at as usize] += size;
            }
        }
        self.forbid(id, function);
        function.statement_of.iter().map(|statement| place_of[statement.0 as usize]).collect()
    }

    /// Notes the runs of a function that cannot stand inside `if(*)`.
    fn forbid(&mut self, id: FunctionId, function: &Function) {
        let jumps = jumps(function);
        let uses = uses(function);
        for (list, info) in self.lists.0.iter_mut().zip(&self.infos) {
            if info.function != id || list.closed {
                continue;
            }
            let of = |at: usize| &function.statements[info.statements[at].0 as usize];
            let n = info.statements.len();
            let mut forbidden = BTreeSet::new();
            for (first, last) in (0..n).flat_map(|first| (first..n).map(move |last| (first, last)))
            {
                let code = of(first).code.start..of(last).code.end;
                let span = of(first).span.start..of(last).span.end;
                let enters = |&(from, to): &(u32, u32)| {
                    !code.contains(&from) && code.contains(&to) && to != code.start
                };
                let escapes = |&(declared, low, high): &(u32, u32, u32)| {
                    span.contains(&declared) && (low < code.start || high >= code.end)
                };
                if code.is_empty() || jumps.iter().any(enters) || uses.iter().any(escapes) {
                    forbidden.insert((first as u32, last as u32));
                }
            }
            list.forbidden = forbidden;
        }
    }
}

/// The transition that a thread comes to at an index: jumps are followed.
fn behind(function: &Function, mut op: u32) -> u32 {
    for _ in 0..function.code.len() {
        match function.code.get(op as usize) {
            Some(Op::Jump { to }) => op = *to,
            Some(Op::Return { .. }) | None => return RETURN,
            Some(_) => return op,
        }
    }
    op
}

/// From where to where a function jumps.
fn jumps(function: &Function) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for (from, op) in (0..).zip(&function.code) {
        match *op {
            Op::Jump { to } => found.push((from, to)),
            Op::Branch { yes, no, .. } => found.extend([(from, yes), (from, no)]),
            Op::Switch { table, .. } => {
                let switch = &function.switches[table as usize];
                found.extend(switch.cases.iter().map(|case| (from, case.to)));
                found.push((from, switch.default));
            }
            _ => {}
        }
    }
    found
}

/// Where locals are declared, and the first and the last transition that uses each.
fn uses(function: &Function) -> Vec<(u32, u32, u32)> {
    let mut found = Vec::new();
    let mut note = |declared: u32, users: &mut dyn Iterator<Item = u32>| {
        let users: Vec<_> = users.collect();
        if let (Some(&low), Some(&high)) = (users.first(), users.last()) {
            found.push((declared, low, high));
        }
    };
    let code = || (0u32..).zip(&function.code);
    for local in &function.locals {
        let is_used = |op: &Op| {
            let mut used = false;
            op.reads(function, |register| used |= register == local.reg);
            op.writes(|register| used |= register == local.reg);
            used
        };
        let users = code().filter(|(at, op)| local.scope.contains(at) && is_used(op));
        note(local.span.start, &mut users.map(|(at, _)| at));
    }
    for (slot, of) in (0..).zip(&function.slots).filter(|(_, of)| !of.name.is_empty()) {
        let is_used = |op: &Op| {
            let named = |place: Place| matches!(place, Place::Slot(used, _) if used.0 == slot);
            matches!(*op, Op::Address { place, .. } if named(place))
                || op.access().is_some_and(|access| named(access.place))
        };
        note(of.span.start, &mut code().filter(|(_, op)| is_used(op)).map(|(at, _)| at));
    }
    found
}
