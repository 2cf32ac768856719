//! Random runs: programs of a few threads, run step by step in a random order until all is done, nothing
//! can go on, or it is enough.
//!
//! In: a seed. Out: a [`Run`], the steps that happened, in their order, with the moments at which threads
//! came to locks that were not free.

use std::collections::VecDeque;

use crate::lock_cycles::random::Random;

const MAX_STEPS: usize = 18;
pub(crate) const N_LOCKS: usize = 3;
pub(crate) const N_VARS: usize = 2;

/// What a step does. Threads, locks, variables and conditions are numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Lock {
        lock: usize,
        shared: bool,
        tried: bool,
    },
    Unlock {
        lock: usize,
        shared: bool,
    },
    TryFail {
        lock: usize,
        shared: bool,
    },
    Read {
        var: usize,
    },
    Write {
        var: usize,
    },
    Fork {
        child: usize,
    },
    Join {
        child: usize,
    },
    /// Starts waiting and gives the lock up, which is one step.
    Wait {
        cond: usize,
        lock: usize,
    },
    /// Wakes the threads whose waits are these steps.
    Notify {
        cond: usize,
        all: bool,
        woken: Vec<usize>,
    },
    /// Takes the lock back after a wait that a notify ended, or time.
    Back {
        wait: usize,
        cond: usize,
        lock: usize,
        notified: bool,
    },
    /// Came to a lock and never got it: the last step of its thread.
    Stuck {
        lock: usize,
        shared: bool,
        wait: Option<usize>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub thread: usize,
    pub what: What,
}

/// What happened.
#[derive(Debug)]
pub(crate) struct Run {
    pub n_threads: usize,
    pub steps: Vec<Step>,
    /// Per step, after how many steps its thread came to the lock that it takes there.
    pub came_at: Vec<Option<usize>>,
    /// Threads that have done all they had to do.
    pub done: Vec<bool>,
}

/// What a thread sets out to do.
#[derive(Clone, Copy)]
enum Act {
    Lock(usize, bool),
    Try(usize, bool),
    Unlock(usize),
    Read(usize),
    Write(usize),
    Fork(usize),
    Join(usize),
    Wait(usize, usize),
    Notify(usize, bool),
}

#[derive(Default)]
struct Thread {
    acts: VecDeque<Act>,
    held: Vec<(usize, bool)>,
    forked_by_other: bool,
    forked: bool,
    /// When it came to the lock that it cannot have.
    came_at: Option<usize>,
    /// A wait that is under way: its step, what it waits on, its lock, and whether it was notified.
    waiting: Option<(usize, usize, usize, bool)>,
}

struct Runner {
    random: Random,
    threads: Vec<Thread>,
    run: Run,
}

impl Run {
    pub(crate) fn new(seed: u64) -> Run {
        let mut random = Random::new(seed);
        let n_threads = 2 + random.below(3);
        let theme = random.pick(&[&LOCKS, &MIXED, &WAITS]);
        Run::of(random, n_threads, theme)
    }

    /// One whose threads often read what others wrote while they had locks.
    pub(crate) fn with_values(seed: u64) -> Run {
        Run::of(Random::new(seed), 2, &VALUES)
    }

    fn of(mut random: Random, n_threads: usize, theme: &[Block]) -> Run {
        let mut threads: Vec<Thread> = (0..n_threads).map(|_| Thread::default()).collect();
        for thread in &mut threads {
            thread.acts = acts(&mut random, theme);
        }
        family(&mut random, &mut threads);
        let run = Run { n_threads, steps: Vec::new(), came_at: Vec::new(), done: Vec::new() };
        let mut runner = Runner { random, threads, run };
        runner.go_on();
        runner.finish()
    }
}

/// What there is to do, each as often as it is likely.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Nested,
    /// The same, with readers and accesses.
    Rich,
    /// The same, with many accesses.
    Values,
    Read,
    Write,
    Wait,
    Notify,
}

use Block::{Nested, Notify, Rich, Wait};

const LOCKS: [Block; 6] = [Nested; 6];
const VALUES: [Block; 6] = [Block::Values; 6];
const MIXED: [Block; 6] = [Rich, Rich, Rich, Rich, Block::Read, Block::Write];
const WAITS: [Block; 6] = [Nested, Nested, Wait, Wait, Notify, Rich];

/// What one thread has to do: a few blocks, most of them locks in each other.
fn acts(random: &mut Random, theme: &[Block]) -> VecDeque<Act> {
    let mut acts = VecDeque::new();
    for _ in 0..1 + random.below(2) {
        match random.pick(theme) {
            Nested => nested(random, false, 0, &mut acts),
            Rich => nested(random, true, 20, &mut acts),
            Block::Values => nested(random, false, 70, &mut acts),
            Block::Read => acts.push_back(Act::Read(random.below(N_VARS))),
            Block::Write => acts.push_back(Act::Write(random.below(N_VARS))),
            Wait => {
                let (lock, cond) = (random.below(2), random.below(2));
                let outer = 1 - lock;
                let is_nested = random.chance(80);
                acts.extend(is_nested.then_some(Act::Lock(outer, false)));
                acts.extend([Act::Lock(lock, false), Act::Wait(cond, lock), Act::Unlock(lock)]);
                acts.extend(is_nested.then_some(Act::Unlock(outer)));
            }
            Notify => {
                let notify = Act::Notify(random.below(2), random.chance(30));
                let lock = random.below(N_LOCKS);
                match random.chance(50) {
                    true => acts.extend([Act::Lock(lock, false), notify, Act::Unlock(lock)]),
                    false => acts.push_back(notify),
                }
            }
        }
    }
    acts
}

/// Two or three locks, one taken while the others are held, given back in any order; behind so many of a hundred is an
/// access.
fn nested(random: &mut Random, rich: bool, n_accesses: usize, acts: &mut VecDeque<Act>) {
    let first = random.below(N_LOCKS);
    let second = (first + 1 + random.below(N_LOCKS - 1)) % N_LOCKS;
    let mut locks = vec![first, second];
    if random.chance(15) {
        locks.push(N_LOCKS - first - second);
    }
    for (n, &lock) in locks.iter().enumerate() {
        let shared = rich && random.chance(25);
        let tried = random.chance(if n > 0 { 15 } else { 5 });
        acts.push_back(if tried { Act::Try(lock, shared) } else { Act::Lock(lock, shared) });
        // Who has it as a reader wants it alone.
        if shared && random.chance(10) {
            acts.push_back(Act::Lock(lock, false));
        }
        if n_accesses > 0 && random.chance(n_accesses) {
            acts.push_back(random.pick(&[Act::Read(0), Act::Write(0), Act::Write(1)]));
        }
    }
    while !locks.is_empty() {
        acts.push_back(Act::Unlock(locks.remove(random.below(locks.len()))));
    }
}

/// The first thread may fork and join others.
fn family(random: &mut Random, threads: &mut [Thread]) {
    for child in 1..threads.len() {
        if random.chance(40) {
            threads[child].forked_by_other = true;
            let at = random.below(2).min(threads[0].acts.len());
            threads[0].acts.insert(at, Act::Fork(child));
            if random.chance(30) {
                threads[0].acts.push_back(Act::Join(child));
            }
        }
    }
}

impl Runner {
    fn go_on(&mut self) {
        let enough = 4 + self.random.below(MAX_STEPS - 3);
        let mut n_idle = 0;
        while self.run.steps.len() < enough && n_idle < 40 {
            let thread = self.random.below(self.threads.len());
            let n_bursts = 1 + self.random.below(3);
            for _ in 0..n_bursts {
                let before = self.run.steps.len();
                self.act(thread);
                n_idle = if self.run.steps.len() > before { 0 } else { n_idle + 1 };
            }
        }
    }

    fn finish(mut self) -> Run {
        for (thread, it) in self.threads.iter().enumerate() {
            self.run.done.push(it.acts.is_empty() && it.waiting.is_none());
            let Some(came_at) = it.came_at else { continue };
            let (lock, shared, wait) = match (it.waiting, it.acts.front()) {
                (Some((wait, _, lock, _)), _) => (lock, false, Some(wait)),
                (None, Some(&Act::Lock(lock, shared))) => (lock, shared, None),
                _ => continue,
            };
            self.run.steps.push(Step { thread, what: What::Stuck { lock, shared, wait } });
            self.run.came_at.push(Some(came_at));
        }
        self.run
    }

    fn is_free(&self, lock: usize, shared: bool) -> bool {
        let mut held = self.threads.iter().flat_map(|thread| &thread.held);
        held.all(|&(l, s)| l != lock || s && shared)
    }

    fn push(&mut self, thread: usize, what: What) {
        let came_at = self.threads[thread].came_at.take();
        self.run.steps.push(Step { thread, what });
        self.run.came_at.push(came_at);
    }

    /// Lets a thread do the next thing, if it can.
    fn act(&mut self, thread: usize) {
        let it = &self.threads[thread];
        if it.forked_by_other && !it.forked {
            return;
        }
        if let Some(waiting) = it.waiting {
            return self.wake(thread, waiting);
        }
        let Some(&act) = it.acts.front() else { return };
        if self.does(thread, act) {
            self.threads[thread].acts.pop_front();
        }
    }

    /// Does something; false if that has to wait.
    fn does(&mut self, thread: usize, act: Act) -> bool {
        let held = &self.threads[thread].held;
        let hold = |lock| held.iter().find(|hold| hold.0 == lock).copied();
        match act {
            Act::Lock(lock, shared) => return self.lock(thread, lock, shared),
            Act::Try(lock, _) if hold(lock).is_some() => {}
            Act::Try(lock, shared) if self.is_free(lock, shared) => {
                self.threads[thread].held.push((lock, shared));
                self.push(thread, What::Lock { lock, shared, tried: true });
            }
            Act::Try(lock, shared) => self.push(thread, What::TryFail { lock, shared }),
            Act::Unlock(lock) => {
                if let Some((_, shared)) = hold(lock) {
                    self.threads[thread].held.retain(|hold| hold.0 != lock);
                    self.push(thread, What::Unlock { lock, shared });
                }
            }
            Act::Read(var) => self.push(thread, What::Read { var }),
            Act::Write(var) => self.push(thread, What::Write { var }),
            Act::Fork(child) => {
                self.threads[child].forked = true;
                self.push(thread, What::Fork { child });
            }
            Act::Join(child) => {
                let it = &self.threads[child];
                if !it.forked || !it.acts.is_empty() || it.waiting.is_some() {
                    return false;
                }
                self.push(thread, What::Join { child });
            }
            Act::Wait(cond, lock) => {
                if hold(lock) == Some((lock, false)) {
                    self.threads[thread].held.retain(|hold| hold.0 != lock);
                    let wait = self.run.steps.len();
                    self.threads[thread].waiting = Some((wait, cond, lock, false));
                    self.push(thread, What::Wait { cond, lock });
                }
            }
            Act::Notify(cond, all) => return self.notify(thread, cond, all),
        }
        true
    }

    fn lock(&mut self, thread: usize, lock: usize, shared: bool) -> bool {
        if self.is_free(lock, shared) {
            self.threads[thread].held.push((lock, shared));
            self.push(thread, What::Lock { lock, shared, tried: false });
            return true;
        }
        self.come(thread);
        false
    }

    /// A thread comes to a lock that is not free.
    fn come(&mut self, thread: usize) {
        let n = self.run.steps.len();
        self.threads[thread].came_at.get_or_insert(n);
    }

    fn wake(&mut self, thread: usize, (wait, cond, lock, notified): (usize, usize, usize, bool)) {
        if !notified && !self.random.chance(3) {
            return;
        }
        if !self.is_free(lock, false) {
            // Only a notified thread is certain to want its lock back.
            return if notified {
                self.come(thread)
            };
        }
        self.threads[thread].waiting = None;
        self.threads[thread].held.push((lock, false));
        self.push(thread, What::Back { wait, cond, lock, notified });
    }

    /// Wakes one or all; not while a thread that was woken has not gone on, so that a reader of the log
    /// can only match each wake-up with its own notify.
    fn notify(&mut self, thread: usize, cond: usize, all: bool) -> bool {
        let others = self.threads.iter_mut().enumerate().filter(|&(n, _)| n != thread);
        let waiting = others.filter_map(|(_, other)| other.waiting.as_mut());
        let mut waiting: Vec<_> = waiting.filter(|waiting| waiting.1 == cond).collect();
        if waiting.iter().any(|waiting| waiting.3) {
            return false;
        }
        let n_woken = if all { waiting.len() } else { waiting.len().min(1) };
        let woken = waiting.iter_mut().take(n_woken).map(|waiting| {
            waiting.3 = true;
            waiting.0
        });
        let woken = woken.collect();
        self.push(thread, What::Notify { cond, all, woken });
        true
    }
}
