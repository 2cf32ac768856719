//! Which locks are held when: from the steps of a story.

use raddle_finding::{Action, Story};

/// A lock that a thread holds from one step to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scope {
    pub(crate) thread: u32,
    pub(crate) lock: Option<u32>,
    /// The step that takes it.
    pub(crate) from: u32,
    /// The step that lets it go; none if none does.
    pub(crate) to: Option<u32>,
}

/// All scopes, by the steps that take the locks.
pub(crate) fn scopes(story: &Story) -> Vec<Scope> {
    let mut scopes: Vec<Scope> = Vec::new();
    // Per thread, the scopes that are open.
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); story.threads.len()];
    for (n, step) in (0..).zip(&story.steps) {
        let Some(open) = open.get_mut(step.thread as usize) else { continue };
        match step.action {
            Action::Lock | Action::LockShared => {
                open.push(scopes.len());
                let (thread, lock) = (step.thread, step.object);
                scopes.push(Scope { thread, lock, from: n, to: None });
            }
            Action::Unlock => {
                if let Some(at) = open.iter().rposition(|&scope| scopes[scope].lock == step.object)
                {
                    scopes[open.remove(at)].to = Some(n);
                }
            }
            _ => {}
        }
    }
    scopes
}

impl Scope {
    /// Whether the lock is held at a step of the thread, the ends included.
    pub(crate) fn encloses(&self, thread: u32, step: u32) -> bool {
        self.thread == thread && self.from <= step && self.to.is_none_or(|to| step <= to)
    }
}
