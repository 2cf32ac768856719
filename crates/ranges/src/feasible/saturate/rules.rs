//! What the rules of saturation look at: sections, forks, ends and waits of a trace program.

use crate::ctp::{Action, Ancestry, Ctp, StateId};
use crate::feasible::section::{Section, rivals, sections};

/// What the rules look at, made once.
pub(in crate::feasible) struct Rules {
    pub(in crate::feasible) sections: Vec<Section>,
    /// Pairs of sections that cannot be open at once.
    pub(in crate::feasible) rivals: Vec<(usize, usize)>,
    pub(in crate::feasible) ancestry: Ancestry,
    pub(in crate::feasible) children: Vec<Vec<StateId>>,
    /// For each thread the places where it is forked, and its last states.
    pub(in crate::feasible) forks: Vec<Vec<StateId>>,
    pub(in crate::feasible) ends: Vec<Vec<StateId>>,
    pub(in crate::feasible) waits: Vec<Wait>,
}

/// A wait that was ended.
pub(in crate::feasible) struct Wait {
    pub(in crate::feasible) start: Option<StateId>,
    pub(in crate::feasible) woken: StateId,
    pub(in crate::feasible) notifies: Vec<StateId>,
}

impl Rules {
    pub(in crate::feasible) fn new(ctp: &Ctp) -> Rules {
        let sections = sections(ctp);
        let rivals = rivals(ctp, &sections);
        let mut forks = vec![Vec::new(); ctp.threads.len()];
        for id in ctp.state_ids() {
            ctp.step(id).forks.iter().for_each(|child| forks[child.0 as usize].push(id));
        }
        let children = ctp.children();
        let mut ends = vec![Vec::new(); ctp.threads.len()];
        for id in ctp.state_ids().filter(|id| children[id.0 as usize].is_empty()) {
            ends[ctp.state(id).thread.0 as usize].push(id);
        }
        let ancestry = Ancestry::new(ctp);
        Rules { sections, rivals, ancestry, children, forks, ends, waits: waits(ctp) }
    }
}

fn waits(ctp: &Ctp) -> Vec<Wait> {
    let mut found = Vec::new();
    for woken in ctp.state_ids() {
        let Action::Acquire { woken: Some(cond), .. } = ctp.step(woken).action else { continue };
        let starts = |state: &StateId| {
            matches!(ctp.step(*state).action,
                Action::Release { waits: Some(on), .. } if on == cond)
        };
        let notifies = ctp.state_ids().filter(|&id| {
            matches!(ctp.step(id).action, Action::Notify { cond: c, .. } if c == cond)
                && ctp.state(id).thread != ctp.state(woken).thread
        });
        let start = ctp.path_to(woken).into_iter().rev().find(starts);
        found.push(Wait { start, woken, notifies: notifies.collect() });
    }
    found
}
