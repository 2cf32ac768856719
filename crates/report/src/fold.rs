//! Folding: which steps of a story stay when it is long.
//!
//! In: a story. Out: per step, whether it stays. The page folds by the same rules (`page/model.js`).
//!
//! - F1: a step that decides stays, and so do its neighbours of the same thread.
//! - F2: so do the steps that take and let go of every lock that is held there.
//! - F3: so do the last step before a preemption and the first one after it.

use raddle_finding::{Leaving, Story};

use crate::held;

/// Per step, whether it stays.
pub(crate) fn stays(story: &Story) -> Vec<bool> {
    let n = story.steps.len();
    let mut stays = vec![false; n];
    // F1
    for &at in &story.decisive {
        let at = at as usize;
        let thread = story.steps[at].thread;
        stays[at] = true;
        let is_own = |&other: &usize| story.steps[other].thread == thread;
        let near = [at.checked_sub(1), Some(at + 1).filter(|&next| next < n)];
        near.into_iter().flatten().filter(is_own).for_each(|near| stays[near] = true);
    }
    // F2
    for scope in held::scopes(story) {
        let encloses = |&at: &u32| scope.encloses(story.steps[at as usize].thread, at);
        if story.decisive.iter().any(encloses) {
            stays[scope.from as usize] = true;
            scope.to.into_iter().for_each(|to| stays[to as usize] = true);
        }
    }
    // F3
    let preemptions =
        story.switches.iter().filter(|switch| matches!(switch.why, Leaving::Preempted { .. }));
    for switch in preemptions {
        let after = switch.before as usize;
        let near = [after.checked_sub(1), Some(after).filter(|&after| after < n)];
        near.into_iter().flatten().for_each(|near| stays[near] = true);
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_finding::{Action, Object, ObjectKind, Step, Switch};

    /// Steps like `0 lock 1`: thread, action, object.
    #[track_caller]
    fn check(steps: &str, decisive: &[u32], preempted_before: &[u32], expected: &[usize]) {
        let mut story = Story::default();
        for line in steps.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let action = Action::ALL.iter().find(|action| action.name() == words[1]);
            let step = Step::new(words[0].parse().unwrap(), *action.unwrap());
            story.steps.push(Step { object: Some(words[2].parse().unwrap()), ..step });
        }
        story.threads = vec!["a".into(), "b".into()];
        story.objects = vec![Object::new(ObjectKind::Lock, "l"); 3];
        story.decisive = decisive.to_vec();
        let switch =
            |&before: &u32| Switch { before, thread: 0, why: Leaving::Preempted { number: 1 } };
        story.switches = preempted_before.iter().map(switch).collect();
        let stays = stays(&story);
        let kept: Vec<_> = (0..stays.len()).filter(|&n| stays[n]).collect();
        assert_eq!(kept, expected);
    }

    #[test]
    fn every_scope_around_what_decides_stays() {
        let steps = "0 lock 0\n0 read 2\n0 lock 1\n0 read 2\n0 write 2\n0 read 2\n0 read 2\n\
                     0 unlock 1\n0 read 2\n0 unlock 0";
        check(steps, &[4], &[], &[0, 2, 3, 4, 5, 7, 9]);
    }

    #[test]
    fn scopes_of_others_and_closed_ones_do_not() {
        let steps = "0 lock 0\n0 read 2\n0 unlock 0\n1 lock 1\n1 read 2\n0 write 2\n1 unlock 1";
        check(steps, &[5], &[], &[5]);
    }

    #[test]
    fn a_lock_that_is_never_let_go_encloses_all_that_follows() {
        check("0 lock 0\n0 read 2\n0 read 2\n0 ask 1", &[3], &[], &[0, 2, 3]);
    }

    #[test]
    fn both_sides_of_a_preemption_stay() {
        check("0 read 2\n0 read 2\n1 read 2\n1 read 2", &[], &[2], &[1, 2]);
        check("0 read 2\n0 read 2", &[], &[2], &[1]);
    }
}
