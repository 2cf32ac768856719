//! Edits: ways to make a run simpler.
//!
//! In: what a run chose up to its failure, as blocks. Out: candidates, the n-th of each way; none
//! behind the last. Whether a candidate can be executed and shows anything is not known here.
//!
//! A *block* is a longest stretch of choices in which one thread runs.

use std::ops::Range;

use raddle_finding::Choice;

use crate::run::Run;

/// What a run chose up to its failure.
#[derive(Clone, Debug, Default)]
pub(super) struct Story {
    pub(super) choices: Vec<Choice>,
    blocks: Vec<(u32, Range<usize>)>,
    /// The points other than those of threads at which not the first alternative was taken, each
    /// with that.
    odd: Vec<(usize, Choice)>,
}

/// A way to make a run simpler.
pub(super) type Edit = fn(&Story, usize) -> Option<Vec<Choice>>;

/// All of them, those that save most first.
pub(super) const EDITS: [Edit; 7] = [
    Story::without_tail,
    Story::without_odd,
    Story::without_odd_and_tail,
    Story::without_block,
    Story::with_block_later,
    Story::with_block_earlier,
    Story::with_switch_earlier,
];

impl Story {
    /// The first `n_points` of a run.
    pub(super) fn new(run: &Run, n_points: usize) -> Story {
        let mut story = Story::default();
        for (point, choice) in run.choices().take(n_points).enumerate() {
            match (choice, story.blocks.last_mut()) {
                (Choice::Thread(thread), Some((last, _))) if *last != thread => {
                    story.blocks.push((thread, point..point + 1));
                }
                (_, Some((_, range))) => range.end = point + 1,
                (Choice::Thread(thread), None) => story.blocks.push((thread, 0..point + 1)),
                (_, None) => {}
            }
            let first = run.alternatives(point)[0];
            if !matches!(choice, Choice::Thread(_)) && choice != first {
                story.odd.push((point, first));
            }
            story.choices.push(choice);
        }
        story
    }

    /// How many times another thread goes on.
    pub(super) fn n_switches(&self) -> usize {
        self.blocks.len().saturating_sub(1)
    }

    /// How many choices other than those of threads are not the first.
    pub(super) fn n_odd(&self) -> usize {
        self.odd.len()
    }

    /// Without the last blocks: all of them, half of them, a quarter, and so on.
    fn without_tail(&self, n: usize) -> Option<Vec<Choice>> {
        let n_dropped = self.blocks.len().checked_shr(n as u32).filter(|&dropped| dropped > 0)?;
        let kept = self.blocks.len() - n_dropped;
        Some(self.choices[..self.blocks[kept].1.start].to_vec())
    }

    /// With the first alternative at a point, and what came after.
    fn without_odd(&self, n: usize) -> Option<Vec<Choice>> {
        let &(point, first) = self.odd.get(n)?;
        let mut choices = self.choices.clone();
        choices[point] = first;
        Some(choices)
    }

    /// With the first alternative at a point, and nothing after it.
    fn without_odd_and_tail(&self, n: usize) -> Option<Vec<Choice>> {
        let mut choices = self.without_odd(n)?;
        choices.truncate(self.odd[n].0 + 1);
        Some(choices)
    }

    /// Without a block.
    fn without_block(&self, n: usize) -> Option<Vec<Choice>> {
        let (_, block) = self.blocks.get(n)?;
        Some(self.join(&[0..block.start, block.end..self.choices.len()]))
    }

    /// With a block where its thread goes on the next time, or at the end.
    fn with_block_later(&self, n: usize) -> Option<Vec<Choice>> {
        let (_, block) = self.blocks.get(n)?;
        let end = self.choices.len();
        let next = self.next_of_same(n).map_or(end, |next| next.start);
        Some(self.join(&[0..block.start, block.end..next, block.clone(), next..end]))
    }

    /// With the next block of a thread right behind a block of it; if there is none, the same.
    fn with_block_earlier(&self, n: usize) -> Option<Vec<Choice>> {
        let (_, block) = self.blocks.get(n)?;
        let end = self.choices.len();
        let next = self.next_of_same(n).unwrap_or(end..end);
        Some(self.join(&[0..block.end, next.clone(), block.end..next.start, next.end..end]))
    }

    /// With a switch inside the block before it instead of at its end, and nothing after it.
    fn with_switch_earlier(&self, n: usize) -> Option<Vec<Choice>> {
        let inside = |(index, (_, block)): (usize, &(u32, Range<usize>))| {
            let points = block.start + 1..block.end;
            points.map(move |point| (point, index + 1))
        };
        let (point, next) = self.blocks.iter().enumerate().flat_map(inside).nth(n)?;
        let mut choices = self.choices[..point].to_vec();
        choices.extend(self.blocks.get(next).map(|&(thread, _)| Choice::Thread(thread)));
        Some(choices)
    }

    fn next_of_same(&self, n: usize) -> Option<Range<usize>> {
        let thread = self.blocks[n].0;
        let mut behind = self.blocks[n + 1..].iter();
        behind.find(|(other, _)| *other == thread).map(|(_, range)| range.clone())
    }

    fn join(&self, parts: &[Range<usize>]) -> Vec<Choice> {
        parts.iter().flat_map(|part| &self.choices[part.clone()]).copied().collect()
    }
}
