//! Where locals live while intervals are propagated: those that are never needed at the same time
//! share a slot, so that a state stays small.

use crate::ctp::Ctp;
use crate::expr::LocalId;

/// The places of a state: globals first, then the slots of locals.
#[derive(Debug)]
pub struct Slots {
    n_globals: usize,
    n_slots: usize,
    slot_of: Vec<u32>,
}

impl Slots {
    /// The slots of a CTP. A local is needed from the state that reads it to the last one, in
    /// order, that names it.
    pub fn new(ctp: &Ctp) -> Slots {
        let n_globals = ctp.globals.len();
        let mut last = vec![0u32; ctp.locals.len()];
        for id in ctp.state_ids() {
            let step = ctp.step(id);
            let thread = ctp.state(id).thread;
            // What was handed to another thread is needed for as long as that one likes.
            let mut note = |local: LocalId| {
                let own = ctp.locals[local.0 as usize].thread == thread;
                let until = if own { id.0 } else { u32::MAX };
                let known = &mut last[local.0 as usize];
                *known = (*known).max(until);
            };
            step.guards.iter().for_each(|guard| ctp.exprs.locals(guard.condition, &mut note));
            if let Some((_, value)) = step.action.written() {
                ctp.exprs.locals(value, &mut note);
            }
        }
        let mut free: Vec<Vec<(u32, u32)>> = vec![Vec::new(); ctp.threads.len()];
        let mut slot_of = vec![0; ctp.locals.len()];
        let mut n_slots = 0u32;
        for id in ctp.state_ids() {
            let Some((_, local)) = ctp.step(id).action.read() else { continue };
            let free = &mut free[ctp.state(id).thread.0 as usize];
            let until = last[local.0 as usize].max(id.0);
            let slot = match free.iter_mut().find(|(busy, _)| *busy < id.0) {
                Some(entry) => {
                    entry.0 = until;
                    entry.1
                }
                None => {
                    n_slots += 1;
                    free.push((until, n_slots - 1));
                    n_slots - 1
                }
            };
            slot_of[local.0 as usize] = n_globals as u32 + slot;
        }
        Slots { n_globals, n_slots: n_slots as usize, slot_of }
    }

    /// Slots without sharing.
    pub fn separate(ctp: &Ctp) -> Slots {
        let n_globals = ctp.globals.len();
        let slot_of = (n_globals as u32..).take(ctp.locals.len()).collect();
        Slots { n_globals, n_slots: ctp.locals.len(), slot_of }
    }

    /// The place of a local.
    pub fn of(&self, local: LocalId) -> usize {
        self.slot_of[local.0 as usize] as usize
    }

    /// How many slots locals need.
    pub fn n_locals(&self) -> usize {
        self.n_slots
    }

    /// How many places a state has.
    pub fn width(&self) -> usize {
        self.n_globals + self.n_slots
    }
}
