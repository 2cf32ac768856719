//! Choices that are no threads': which waiter is woken, whether a time runs out (rule E2 of `decide`).

use raddle_explore::{Point, Scene};
use raddle_finding::Choice;

use super::table::path;
use super::{Here, World};

impl Here {
    /// Lets the current thread decide something that is no choice of a thread; answers with the
    /// index of what is taken.
    pub(crate) fn ask(self, open: &[Choice]) -> usize {
        let me = self.current();
        match self.with(|world| world.ask(open)) {
            Some(taken) => taken,
            None => {
                self.switch(me);
                0
            }
        }
    }
}

impl World {
    /// Decides something that is no choice of a thread (E2).
    fn ask(&mut self, open: &[Choice]) -> Option<usize> {
        if self.is_torn {
            return Some(0);
        }
        if self.trial.is_some() {
            let taken = self.answer_alone(open.len());
            self.see(taken as u64);
            return Some(taken);
        }
        if !self.announce() {
            return None;
        }
        let at = self.at;
        let planned = self.prefix.get(at).copied();
        if at < self.n_shared {
            let index = open.iter().position(|&other| Some(other) == planned);
            match index {
                Some(index) => self.answered(index, open[index]),
                None => self.diverge(planned, None),
            }
            return index;
        }
        if self.is_due(at) {
            return None;
        }
        open.iter().for_each(|&choice| self.run.open(choice));
        let taken = match planned {
            Some(_) => self.pick(open.len(), 0, planned, false)?,
            None => {
                let scene = Scene {
                    alternatives: open,
                    operations: &[],
                    current: self.current,
                    preemptible: false,
                    default: 0,
                };
                self.chooser.choose(&scene)?
            }
        };
        if self.tale.is_some() {
            self.portable.push(open[taken]);
        }
        if self.observe.ends_only {
            self.run.truncate_opened(); // E6
        } else {
            let (current, taken) = (self.current, taken as u32);
            self.run.push(Point { current, taken, ..Point::default() });
        }
        self.answered(taken, open[taken]);
        Some(taken)
    }

    fn answered(&mut self, taken: usize, choice: Choice) {
        self.me().steps.answered(taken);
        self.see(taken as u64);
        if self.follows_path {
            self.path = path(self.path, choice);
        }
        self.at += 1;
    }
}
