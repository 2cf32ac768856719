//! Vector clocks: for each thread, up to when its doings are known.
//!
//! All of them lie in one table as rows of the same length, which grows with the number of threads
//! and stays from run to run: no clock is allocated once the table has grown.

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row(u32);

impl Row {
    /// A clock that knows nothing.
    pub(crate) const NONE: Row = Row(u32::MAX);
}

/// The clocks of a thread.
#[derive(Clone, Copy, Debug)]
struct Actor {
    /// What it knows.
    knows: Row,
    /// What it would know after an acquire fence.
    overheard: Row,
    /// What it knew at its last release fence.
    fenced: Row,
    /// What those knew who left a token for it.
    token: Row,
}

/// All vector clocks.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    times: Vec<u32>,
    stride: usize,
    actors: Vec<Actor>,
}

/// The length of rows to begin with.
const STRIDE: usize = 8;

impl Clocks {
    /// Drops everything but the memory.
    pub(super) fn clear(&mut self) {
        self.times.clear();
        self.actors.clear();
        self.stride = self.stride.max(STRIDE);
    }

    /// A thread begins with what another one knows; the first one with nothing.
    pub(crate) fn fork(&mut self, child: u32, parent: u32) {
        if child as usize >= self.stride {
            self.widen();
        }
        let knows = self.row();
        self.actors.push(Actor {
            knows,
            overheard: Row::NONE,
            fenced: Row::NONE,
            token: Row::NONE,
        });
        if child != parent {
            self.join(knows, self.actors[parent as usize].knows);
            self.tick(parent);
        }
        self.tick(child);
    }

    /// Up to when a thread knows another.
    #[inline]
    pub(crate) fn known(&self, thread: u32, other: u32) -> u32 {
        self.times[self.at(self.actors[thread as usize].knows) + other as usize]
    }

    /// A thread learns what a clock knows.
    #[inline]
    pub(crate) fn learn(&mut self, thread: u32, from: Row) {
        self.join(self.actors[thread as usize].knows, from);
    }

    /// A thread learns all that another one knows.
    pub(crate) fn learn_thread(&mut self, thread: u32, other: u32) {
        self.learn(thread, self.actors[other as usize].knows);
    }

    /// A clock gets to know what a thread knows, beside what it knows; the thread's time goes on.
    pub(crate) fn teach(&mut self, clock: Row, thread: u32) -> Row {
        let clock = self.some(clock);
        self.join(clock, self.actors[thread as usize].knows);
        self.tick(thread);
        clock
    }

    /// A clock knows what a thread knows, and nothing else; the thread's time goes on.
    #[inline]
    pub(crate) fn copy(&mut self, clock: Row, thread: u32) -> Row {
        let clock = self.some(clock);
        let from = self.at(self.actors[thread as usize].knows);
        let to = self.at(clock);
        self.times.copy_within(from..from + self.stride, to);
        self.tick(thread);
        clock
    }

    /// A thread is left a token by another one.
    pub(crate) fn leave_token(&mut self, thread: u32, from: u32) {
        let token = self.teach(self.actors[thread as usize].token, from);
        self.actors[thread as usize].token = token;
    }

    /// A thread takes its token.
    pub(crate) fn take_token(&mut self, thread: u32) {
        self.learn(thread, self.actors[thread as usize].token);
    }

    /// An atomic load of what a clock came with.
    pub(crate) fn load(&mut self, thread: u32, clock: Row, acquires: bool) {
        if acquires {
            return self.learn(thread, clock);
        }
        if clock != Row::NONE {
            let overheard = self.some(self.actors[thread as usize].overheard);
            self.actors[thread as usize].overheard = overheard;
            self.join(overheard, clock);
        }
    }

    /// An atomic store; a read-modify-write continues what was there before.
    pub(crate) fn store(&mut self, thread: u32, clock: Row, releases: bool, modifies: bool) -> Row {
        let Actor { fenced, .. } = self.actors[thread as usize];
        match (releases, modifies) {
            (true, true) => self.teach(clock, thread),
            (true, false) => self.copy(clock, thread),
            (false, _) => {
                if !modifies && clock != Row::NONE {
                    let at = self.at(clock);
                    self.times[at..at + self.stride].fill(0);
                }
                if fenced == Row::NONE {
                    return clock;
                }
                let clock = self.some(clock);
                self.join(clock, fenced);
                clock
            }
        }
    }

    /// A fence.
    pub(crate) fn fence(&mut self, thread: u32, acquires: bool, releases: bool) {
        if acquires {
            self.learn(thread, self.actors[thread as usize].overheard);
        }
        if releases {
            let fenced = self.copy(self.actors[thread as usize].fenced, thread);
            self.actors[thread as usize].fenced = fenced;
        }
    }

    #[inline]
    fn tick(&mut self, thread: u32) {
        let at = self.at(self.actors[thread as usize].knows) + thread as usize;
        self.times[at] += 1;
    }

    #[inline]
    fn join(&mut self, clock: Row, other: Row) {
        if other == Row::NONE {
            return;
        }
        let (to, from) = (self.at(clock), self.at(other));
        for thread in 0..self.stride {
            let time = self.times[from + thread];
            let known = &mut self.times[to + thread];
            *known = time.max(*known);
        }
    }

    fn some(&mut self, clock: Row) -> Row {
        if clock == Row::NONE { self.row() } else { clock }
    }

    fn row(&mut self) -> Row {
        let row = Row((self.times.len() / self.stride) as u32);
        self.times.resize(self.times.len() + self.stride, 0);
        row
    }

    #[inline]
    fn at(&self, row: Row) -> usize {
        row.0 as usize * self.stride
    }

    fn widen(&mut self) {
        let (old, new) = (self.stride, self.stride * 2);
        let mut times = vec![0; self.times.len() * 2];
        for (from, to) in self.times.chunks_exact(old).zip(times.chunks_exact_mut(new)) {
            to[..old].copy_from_slice(from);
        }
        (self.times, self.stride) = (times, new);
    }
}
