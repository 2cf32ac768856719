//! Sections of locks: where they are taken, and where they may be given back.

use rustc_hash::FxHashMap;

use crate::ctp::{Action, Ctp, LockId, StateId};

/// A section of a lock.
pub(super) struct Section {
    pub(super) lock: LockId,
    pub(super) shared: bool,
    pub(super) taken: StateId,
    /// Where it may end: one place a path; none on a path that stops inside.
    pub(super) ends: Vec<StateId>,
}

impl Section {
    /// Whether two sections cannot be open at once, of which threads do not know by themselves.
    fn excludes(&self, other: &Section, ctp: &Ctp) -> bool {
        self.lock == other.lock
            && ctp.state(self.taken).thread != ctp.state(other.taken).thread
            && !(self.shared && other.shared)
    }
}

/// All sections, by where they are taken.
pub(super) fn sections(ctp: &Ctp) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut taken_at = FxHashMap::default();
    for id in ctp.state_ids() {
        match ctp.step(id).action {
            Action::Acquire { lock, shared, .. } => {
                taken_at.insert(id, sections.len());
                sections.push(Section { lock, shared, taken: id, ends: Vec::new() });
            }
            Action::Release { lock, shared, .. } => {
                let taken = taken(ctp, id, lock, shared);
                if let Some(section) = taken.and_then(|taken| taken_at.get(&taken)) {
                    sections[*section].ends.push(id);
                }
            }
            _ => {}
        }
    }
    sections
}

/// The pairs of sections that cannot be open at once, by their numbers.
pub(super) fn rivals(ctp: &Ctp, sections: &[Section]) -> Vec<(usize, usize)> {
    let mut rivals = Vec::new();
    for (n, one) in sections.iter().enumerate() {
        let others = sections[..n].iter().enumerate();
        rivals.extend(others.filter(|(_, s)| s.excludes(one, ctp)).map(|(m, _)| (n, m)));
    }
    rivals
}

/// Where the lock was taken that a step gives back.
fn taken(ctp: &Ctp, release: StateId, lock: LockId, shared: bool) -> Option<StateId> {
    let mut depth = 0;
    let mut at = ctp.state(release).parent;
    while let Some(state) = at {
        match ctp.step(state).action {
            Action::Release { lock: l, shared: s, .. } if (l, s) == (lock, shared) => depth += 1,
            Action::Acquire { lock: l, shared: s, .. } if (l, s) == (lock, shared) => {
                if depth == 0 {
                    return Some(state);
                }
                depth -= 1;
            }
            _ => {}
        }
        at = ctp.state(state).parent;
    }
    None
}
