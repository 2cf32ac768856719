//! Builds stories: what threads do becomes the steps of a story.
//!
//! In: what happens, in order (`events`: from a trace), what of it decides, and where threads were left.
//! Out: a [`Story`]. A thread that takes a lock at once is not shown asking for it first.
//!
//! A story has a limit. Beyond it, what decides stays, and so do the last steps; how many are left out
//! is noted.

#[cfg(feature = "trace")]
mod bytes;
#[cfg(feature = "trace")]
mod events;

#[cfg(feature = "trace")]
pub use events::Reads;

use std::collections::BTreeMap;

use raddle_finding::{Action, Leaving, Location, Object, ObjectKind, Step, Story, Switch};

/// How many steps a story has at most, unless more of them decide.
pub const STEPS_MAX: usize = 100_000;

/// Something that a thread does.
#[derive(Clone, Debug)]
pub struct Does<'a> {
    /// The thread.
    pub thread: &'a str,
    /// What it does.
    pub action: Action,
    /// What that is about.
    pub object: Option<(ObjectKind, &'a str)>,
    /// Where; empty if that is not known.
    pub place: &'a str,
    /// The value that is read or written.
    pub value: Option<String>,
    /// The value that a change found.
    pub found: Option<String>,
    /// Whether it decides.
    pub is_decisive: bool,
}

/// Makes a story, step by step.
#[derive(Default)]
pub struct StoryBuilder {
    story: Story,
    threads: BTreeMap<String, u32>,
    objects: BTreeMap<(ObjectKind, String), u32>,
    places: BTreeMap<String, u32>,
}

impl StoryBuilder {
    /// A story that begins.
    pub fn new() -> StoryBuilder {
        StoryBuilder::default()
    }

    /// The next step happens.
    pub fn step(&mut self, does: Does<'_>) {
        let Does { thread, action, object, place, value, found, is_decisive } = does;
        let thread = self.thread(thread);
        let object = object.map(|(kind, name)| self.object(kind, name));
        let place = (!place.is_empty()).then(|| self.place(place));
        self.forget_request(thread, action, object, place);
        self.push(Step { thread, action, object, place, value, found }, is_decisive);
    }

    /// How many steps there are so far.
    pub fn n_steps(&self) -> u32 {
        self.story.steps.len() as u32
    }

    /// Leaves out so many events.
    pub fn leave_out(&mut self, n: u64) {
        let before = self.story.steps.len() as u32;
        match self.story.omitted.last_mut().filter(|omitted| omitted.0 == before) {
            Some((_, more)) => *more += n,
            None if n > 0 => self.story.omitted.push((before, n)),
            None => {}
        }
    }

    /// A thread is left, and another one goes on. If no step of it was shown, that is noted only if the
    /// thread was interrupted.
    pub fn switch(&mut self, thread: &str, why: Leaving) {
        let before = self.story.steps.len() as u32;
        let thread = self.thread(thread);
        let was_left = self.story.switches.last().is_some_and(|switch| switch.before == before);
        let did = !was_left && self.story.steps.last().is_some_and(|step| step.thread == thread);
        if !did && !matches!(why, Leaving::Preempted { .. }) {
            return;
        }
        self.story.switches.push(Switch { before, thread, why });
    }

    /// A thread does what it must not do: `what` says it.
    pub fn fail(&mut self, thread: &str, place: &str, what: &str) {
        let thread = self.thread(thread);
        let place = (!place.is_empty()).then(|| self.place(place));
        // However an engine notices it, it reads the same.
        let (action, value) = match what == Action::AssertFail.phrase() {
            true => (Action::AssertFail, None),
            false => (Action::Fail, Some(what.to_owned())),
        };
        self.push(Step { place, value, ..Step::new(thread, action) }, true);
    }

    /// A thread asks for a lock in vain, unless its last step was to ask for it.
    pub fn ask(&mut self, thread: &str, place: &str, lock: &str) {
        let (thread, object) = (self.thread(thread), Some(self.object(ObjectKind::Lock, lock)));
        let last = self.story.steps.iter().rev().find(|step| step.thread == thread);
        let asks = |step: &Step| matches!(step.action, Action::Ask | Action::AskShared);
        if last.is_some_and(|step| asks(step) && step.object == object) {
            return;
        }
        let place = (!place.is_empty()).then(|| self.place(place));
        self.push(Step { object, place, ..Step::new(thread, Action::Ask) }, true);
    }

    /// The story; its last steps, so many, are about to happen.
    pub fn finish(self, pending: u32) -> Story {
        let mut story = shortened(self.story, STEPS_MAX);
        story.pending = pending;
        story
    }

    fn push(&mut self, step: Step, is_decisive: bool) {
        if is_decisive {
            self.story.decisive.push(self.story.steps.len() as u32);
        }
        self.story.steps.push(step);
    }

    /// Drops the request of a thread that takes the lock next.
    fn forget_request(
        &mut self,
        thread: u32,
        action: Action,
        object: Option<u32>,
        place: Option<u32>,
    ) {
        let asked = match action {
            Action::Lock => Action::Ask,
            Action::LockShared => Action::AskShared,
            _ => return,
        };
        let is_it = |step: &&Step| {
            (step.thread, step.action, step.object, step.place) == (thread, asked, object, place)
        };
        let n = self.story.steps.len() as u32;
        let was_left = self.story.switches.last().is_some_and(|switch| switch.before == n);
        if !was_left && self.story.steps.last().filter(is_it).is_some() {
            self.story.steps.pop();
            self.story.decisive.pop_if(|last| *last == n - 1);
        }
    }

    fn thread(&mut self, name: &str) -> u32 {
        number(&mut self.threads, name.to_owned(), || self.story.threads.push(name.to_owned()))
    }

    fn object(&mut self, kind: ObjectKind, name: &str) -> u32 {
        let object = Object::new(kind, name);
        number(&mut self.objects, (kind, name.to_owned()), || self.story.objects.push(object))
    }

    fn place(&mut self, name: &str) -> u32 {
        let place = || self.story.places.push(Location::parse(name));
        number(&mut self.places, name.to_owned(), place)
    }
}

/// The number of something that may be new.
fn number<K: Ord>(known: &mut BTreeMap<K, u32>, key: K, add: impl FnOnce()) -> u32 {
    let next = known.len() as u32;
    *known.entry(key).or_insert_with(|| {
        add();
        next
    })
}

/// The story with at most so many steps, and what decides.
fn shortened(story: Story, most: usize) -> Story {
    let first = story.steps.len().saturating_sub(most) as u32;
    if first == 0 {
        return story;
    }
    let stays = |n: u32| n >= first || story.decisive.binary_search(&n).is_ok();
    let (mut steps, mut omitted) = (Vec::new(), Vec::new());
    // Per old step, its new number.
    let mut numbers = Vec::with_capacity(story.steps.len() + 1);
    let (mut hidden, mut noted) = (0, story.omitted.iter().peekable());
    for (n, step) in (0..).zip(story.steps) {
        while let Some((_, more)) = noted.next_if(|(before, _)| *before <= n) {
            hidden += more;
        }
        numbers.push(steps.len() as u32);
        if !stays(n) {
            hidden += 1;
            continue;
        }
        if hidden > 0 {
            omitted.push((steps.len() as u32, std::mem::take(&mut hidden)));
        }
        steps.push(step);
    }
    numbers.push(steps.len() as u32);
    let renumber = |n: &u32| numbers[*n as usize];
    let decisive = story.decisive.iter().map(renumber).collect();
    let kept = story.switches.into_iter().filter(|switch| switch.before >= first);
    let switches = kept.map(|s| Switch { before: renumber(&s.before), ..s }).collect();
    Story { steps, omitted, decisive, switches, ..story }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_story_keeps_what_decides_and_its_end() {
        let mut teller = StoryBuilder::new();
        for n in 0..10 {
            if n == 8 {
                teller.switch("a", Leaving::GaveWay);
            }
            teller.fail("a", "", &n.to_string());
        }
        let mut story = teller.story;
        story.decisive = vec![2, 9];
        story.omitted = vec![(1, 100)];
        let short = shortened(story, 3);
        let values: Vec<_> = short.steps.iter().filter_map(|step| step.value.as_deref()).collect();
        assert_eq!(values, ["2", "7", "8", "9"]);
        assert_eq!(short.decisive, [0, 3]);
        assert_eq!(short.omitted, [(0, 102), (1, 4)]);
        assert_eq!(short.switches[0].before, 2);
        assert!(short.is_sound());
    }
}
