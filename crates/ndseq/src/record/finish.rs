//! The end of a recording: memory becomes variables, segments become transactions.

use raddle_vm::shadow::Piece;

use super::memory::{Access, Cells};
use super::{N_EVENTS_MAX, Recorded, Recorder, Unstructured};
use crate::trace::{
    Event, EventId, EventKind, Thread, Trace, Transaction, TransactionId, VariableId,
};

impl Recorder<'_> {
    /// The trace; an error if its threads are not structured (T5).
    pub fn finish(mut self) -> Result<Recorded, Unstructured> {
        if self.events.len() >= N_EVENTS_MAX {
            return Err(Unstructured::TooLong { limit: N_EVENTS_MAX });
        }
        let program = self.recording.program;
        let threads: Vec<_> = (0..self.threads.len() as u32).map(|t| self.name(t)).collect();
        self.joined()?;
        let library =
            |object: u32| program.globals.get(object as usize).is_some_and(|global| global.library);
        let (focus, marked) = (self.recording.focus, std::mem::take(&mut self.focus));
        let inside = |outer: &Piece, inner: &Piece| {
            (outer.object, outer.birth) == (inner.object, inner.birth)
                && inner.offset < outer.end()
                && outer.offset < inner.end()
        };
        let holds = |piece: &Piece| {
            focus.contains(&piece.object) || marked.iter().any(|mark| inside(mark, piece))
        };
        let cells = Cells::new(&self.accesses, library, holds);
        let names: Vec<_> =
            cells.known.iter().map(|&(object, offset, _)| self.variable(object, offset)).collect();
        self.apart(&cells, &names, &threads)?;
        let mut trace = self.trace(&cells);
        let hidden = (0..).map(VariableId).zip(&cells.known).filter(|(_, known)| library(known.0));
        trace.hidden = hidden.map(|(variable, _)| variable).collect();
        let given = std::mem::take(&mut self.given);
        let pieces = self.threads.iter().any(|thread| thread.split);
        let n_constructs = self.n_constructs;
        Ok(Recorded { trace, names, threads, given, n_constructs, pieces })
    }

    fn name(&self, thread: u32) -> String {
        let function = self.threads[thread as usize].name;
        let main = self.recording.program.main;
        let function = if thread == 0 { main } else { function.unwrap_or(main) };
        self.recording.program.function(function).name.to_string()
    }

    fn variable(&self, object: u32, offset: u32) -> String {
        let named = self.names.get(&(object, offset)).cloned();
        let global = self.recording.program.globals.get(object as usize);
        named.or(global.map(|global| global.name.to_string())).unwrap_or("memory".to_owned())
    }

    /// T5: which thread is joined by which.
    fn joined(&self) -> Result<(), Unstructured> {
        for (thread, of) in (0..).zip(&self.threads).skip(1) {
            let joined = of.ended.is_some_and(|(_, by)| Some(by) == of.parent);
            if !joined {
                return Err(Unstructured::Unjoined { thread, name: self.name(thread) });
            }
            if of.barrier {
                return Err(Unstructured::Barrier { thread, name: self.name(thread) });
            }
        }
        Ok(())
    }

    /// The thread that one has created and that another one is or descends from.
    fn created_towards(&self, creator: u32, descendant: u32) -> Option<u32> {
        let mut at = descendant;
        loop {
            let parent = self.threads[at as usize].parent?;
            if parent == creator {
                return Some(at);
            }
            at = parent;
        }
    }

    /// T5: creators leave alone what threads that run write, and what they read, and what those do that
    /// such threads have created.
    fn apart(
        &self,
        cells: &Cells,
        names: &[String],
        threads: &[String],
    ) -> Result<(), Unstructured> {
        let n = self.threads.len();
        if n < 2 {
            return Ok(());
        }
        // Per global and thread: whether it reads, whether it writes.
        let mut uses = vec![0u8; cells.known.len() * n];
        let globals =
            |access: &Access| cells.of(&access.piece).filter_map(|cell| cells.global(cell));
        for access in &self.accesses {
            for global in globals(access) {
                uses[global as usize * n + access.thread as usize] |= 1 << u8::from(access.write);
            }
        }
        let library = |object: u32| {
            let global = self.recording.program.globals.get(object as usize);
            global.is_some_and(|global| global.library)
        };
        let pairs = (0..n as u32).map(|creator| {
            let towards = |child| Some((child, self.created_towards(creator, child)?));
            (0..n as u32).filter_map(towards).collect::<Vec<_>>()
        });
        let pairs: Vec<_> = pairs.collect();
        for access in self.accesses.iter().filter(|access| !library(access.piece.object)) {
            for &(child, by) in &pairs[access.thread as usize] {
                let of = &self.threads[by as usize];
                let runs =
                    of.began <= access.event && of.ended.is_some_and(|(end, _)| access.event < end);
                let is_split = |thread: u32| self.threads[thread as usize].split;
                if !runs || is_split(child) || is_split(access.thread) {
                    continue;
                }
                for global in globals(access) {
                    let theirs = uses[global as usize * n + child as usize];
                    if theirs & 2 != 0 || access.write && theirs != 0 {
                        return Err(Unstructured::Concurrent {
                            parent: access.thread,
                            thread: child,
                            name: threads[child as usize].clone(),
                            variable: names[global as usize].clone(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn trace(&mut self, cells: &Cells) -> Trace {
        let mut trace = Trace::default();
        trace.threads = self.threads.iter().map(|of| Thread { parent: of.parent }).collect();
        let transaction_of = self.transactions(&mut trace);
        trace.instances = std::mem::take(&mut self.instances);
        trace.jumps = std::mem::take(&mut self.jumps);
        trace.jumps.sort_unstable();
        trace.jumps.dedup();
        trace.focus = cells.known.iter().map(|&(_, _, focus)| focus).collect();
        let mut last = vec![None; cells.len()];
        let mut next = 0;
        let (mut locals, mut reads, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for (number, draft) in (0u32..).zip(&self.events) {
            let row = self.locals.0[number as usize]..self.locals.0[number as usize + 1];
            let sources = &self.locals.1[row.start as usize..row.end as usize];
            locals.extend(sources.iter().map(|&source| EventId(source)));
            while let Some(access) = self.accesses.get(next).filter(|a| a.event == number) {
                for cell in cells.of(&access.piece) {
                    match (cells.global(cell), access.write) {
                        (Some(global), false) => reads.push(VariableId(global)),
                        (Some(global), true) => writes.push(VariableId(global)),
                        (None, false) => locals.extend(last[cell as usize]),
                        (None, true) => last[cell as usize] = Some(EventId(number)),
                    }
                }
                next += 1;
            }
            locals.sort_unstable();
            locals.dedup();
            trace.push(&Event {
                kind: if draft.branch { EventKind::Branch } else { EventKind::Assign },
                thread: draft.thread,
                transaction: transaction_of[draft.segment as usize],
                at: draft.at,
                control: draft.control,
                place: draft.place,
                locals: &locals,
                reads: &reads,
                writes: &writes,
            });
            locals.clear();
            reads.clear();
            writes.clear();
        }
        trace
    }

    /// T4: the transaction of each segment.
    fn transactions(&self, trace: &mut Trace) -> Vec<TransactionId> {
        let root = TransactionId(0);
        trace.transactions.push(Transaction { parent: None, thread: 0 });
        let mut of_segment = vec![root; self.segments.len()];
        let mut last: Vec<Option<TransactionId>> = vec![None; self.threads.len()];
        let mut parents: Vec<Option<TransactionId>> = vec![None; self.threads.len()];
        for (number, segment) in self.segments.iter().enumerate() {
            let thread = &self.threads[segment.thread as usize];
            let unsplit_main = segment.thread == 0 && !thread.split;
            if unsplit_main {
                last[0] = Some(root);
                continue;
            }
            let parent = parents[segment.thread as usize].unwrap_or_else(|| {
                // Creators come before those they create.
                thread.created.map_or(root, |(by, ..)| {
                    let creator = self.segments[by as usize];
                    let whole = !self.threads[creator.thread as usize].split || creator.iteration;
                    let outer = trace.transactions[of_segment[by as usize].0 as usize].parent;
                    if whole { of_segment[by as usize] } else { outer.unwrap_or(root) }
                })
            });
            parents[segment.thread as usize] = Some(parent);
            let own = TransactionId(trace.transactions.len() as u32);
            trace.transactions.push(Transaction { parent: Some(parent), thread: segment.thread });
            if let Some(before) = last[segment.thread as usize] {
                trace.order.push((before, own));
            }
            last[segment.thread as usize] = Some(own);
            of_segment[number] = own;
        }
        of_segment
    }
}
