//! Random programs, the same for the same number.

use super::program::{N, Program, Step};

/// Random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn id(&mut self) -> usize {
        self.below(N)
    }
}

/// What programs are made of, by the numbers in `part`: everything, locks of readers and writers, conditions, or
/// loops.
const KINDS: [&[usize]; 4] = [
    &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
    &[0, 1, 10, 12, 12, 12, 13, 13, 13],
    &[1, 1, 5, 5, 9, 11, 11],
    &[1, 1, 3, 6, 7, 8, 9, 10, 14, 16],
];

/// From this number on, threads look at all variables in turn until one is set.
pub(crate) const POLLING: u64 = 1 << 32;

/// From this number on, programs are written by hand: each notices a rule that few random ones depend on.
pub(crate) const BY_HAND: u64 = 2 << 32;

/// The program of a number.
pub(crate) fn program(seed: u64) -> Program {
    if seed >= BY_HAND {
        return by_hand().swap_remove((seed - BY_HAND) as usize);
    }
    let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    if seed >= POLLING {
        return polling(&mut random);
    }
    let n_threads = if random.one_in(4) { 3 } else { 2 };
    let spurious = random.one_in(3);
    let kinds = KINDS[random.below(KINDS.len())];
    let threads = (0..n_threads).map(|_| thread(&mut random, 7 / n_threads, kinds)).collect();
    Program { threads, spurious }
}

/// The programs that are written by hand.
pub(crate) fn by_hand() -> Vec<Program> {
    use Step as S;
    let program = |spurious, threads: &[&[Step]]| Program {
        threads: threads.iter().map(|steps| steps.to_vec()).collect(),
        spurious,
    };
    let waits = [S::Lock(0), S::Wait(0, 0), S::Unlock(0)];
    // Takes a lock if it can, and gives it back.
    let tries = |take: Step, give: Step| [take, S::JumpIf(0, 1, 3), S::Jump(4), give];
    vec![
        // A notification before the wait is lost.
        program(true, &[&waits, &[S::NotifyOne(0)]]),
        program(true, &[&waits, &[S::Lock(0), S::NotifyAll(0), S::Unlock(0)]]),
        // A writer waits between the two.
        program(
            false,
            &[
                &[S::Read(0), S::Read(N), S::ReadUnlock(N), S::ReadUnlock(0)],
                &[S::Write(0), S::WriteUnlock(0)],
            ],
        ),
        program(
            false,
            &[&tries(S::TryRead(0, 0), S::ReadUnlock(0)), &[S::Write(0), S::WriteUnlock(0)]],
        ),
        program(
            false,
            &[&tries(S::TryWrite(0, 0), S::WriteUnlock(0)), &[S::Read(0), S::ReadUnlock(0)]],
        ),
        program(false, &[&tries(S::TryLock(0, 0), S::Unlock(0)), &[S::Lock(0), S::Unlock(0)]]),
        // Who waits for ever could have been notified, or could have kept the lock from being tried.
        program(false, &[&tries(S::TryLock(0, 0), S::Unlock(0)), &waits]),
        program(false, &[&waits, &[S::NotifyOne(0)]]),
    ]
}

/// A thread that looks at all variables in turn until one is set, and one or two that set them.
fn polling(random: &mut Random) -> Program {
    let first = random.id();
    let order = [first, (first + 1) % N];
    let mut steps: Vec<_> = order.into_iter().map(|v| Step::Load(v, v)).collect();
    match random.below(4) {
        0 => steps.push(Step::Hint),
        1 => steps.insert(1, Step::Yield),
        _ => {}
    }
    let behind = steps.len() + N + 1;
    steps.extend((0..N).map(|r| Step::JumpIf(r, 1, behind)));
    steps.push(Step::Jump(0));
    let setting = |random: &mut Random| {
        let first = random.id();
        vec![Step::Store(first, 1), Step::Store((first + 1) % N, 1)]
    };
    let mut threads = vec![setting(random)];
    if random.one_in(3) {
        threads.push(setting(random));
    }
    threads.insert(random.below(threads.len() + 1), steps);
    Program { threads, spurious: false }
}

fn thread(random: &mut Random, size: usize, kinds: &'static [usize]) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..1 + random.below(size) {
        part(random, &mut steps, Held { depth: 2, mutexes: [false; N], locks: [false; N], kinds });
    }
    if random.one_in(4) {
        steps.push(Step::Never(random.id(), random.below(3) as i8));
    }
    steps
}

/// What a thread has while it does a part, and how many parts of parts there may be.
#[derive(Clone, Copy)]
struct Held {
    depth: usize,
    mutexes: [bool; N],
    locks: [bool; N],
    /// The kinds of parts.
    kinds: &'static [usize],
}

impl Held {
    fn with_mutex(mut self, m: usize) -> Held {
        self.mutexes[m] = true;
        Held { depth: self.depth - 1, ..self }
    }

    fn with_mutex_too(mut self, m: usize) -> Held {
        self.mutexes[m] = true;
        self
    }

    fn with_lock(mut self, l: usize) -> Held {
        self.locks[l] = true;
        Held { depth: self.depth - 1, ..self }
    }
}

/// One part of a thread; with parts of parts up to a depth.
fn part(random: &mut Random, steps: &mut Vec<Step>, held: Held) {
    let (v, r) = (random.id(), random.id());
    let depth = held.depth;
    let kind = match depth {
        0 => random.below(6),
        _ => held.kinds[random.below(held.kinds.len())],
    };
    match kind {
        0 => steps.push(Step::Load(v, r)),
        1 | 2 => steps.push(Step::Store(v, 1 + random.below(2) as i8)),
        3 => steps.push(Step::Add(v, 1, r)),
        4 => steps.push([Step::Yield, Step::Hint, Step::Sleep][random.below(3)]),
        5 => {
            let c = random.id();
            steps.push(if random.one_in(2) { Step::NotifyOne(c) } else { Step::NotifyAll(c) });
        }
        6 | 7 => bounded(random, steps),
        8 => endless(random, steps),
        9 if !held.mutexes[v] => {
            steps.push(Step::Lock(v));
            part(random, steps, held.with_mutex(v));
            steps.push(Step::Unlock(v));
        }
        10 => tried(random, steps, held),
        11 if !held.mutexes[v] => waits(random, steps, v),
        12 if !held.locks[v] => {
            let l = v;
            steps.push(Step::Read(l));
            part(random, steps, held.with_lock(l));
            if random.one_in(2) {
                steps.extend([Step::Read(l + N), Step::ReadUnlock(l + N)]);
            }
            steps.push(Step::ReadUnlock(l));
        }
        13 if !held.locks[v] => {
            let l = v;
            steps.push(Step::Write(l));
            part(random, steps, held.with_lock(l));
            steps.push(Step::WriteUnlock(l));
        }
        14 => scan(random, steps),
        16 if held.mutexes == [false; N] => both(random, steps, held),
        15 if random.one_in(3) => steps.push(Step::Barrier),
        _ => steps.push(Step::Load(v, r)),
    }
}

/// Looks a number of times, then goes on without having seen anything.
fn bounded(random: &mut Random, steps: &mut Vec<Step>) {
    let n = [1, 2, 3, 4, 9, 10, 12][random.below(7)];
    let (v, c) = (random.id(), 0);
    steps.push(Step::Set(c, 0));
    let begin = steps.len();
    let is_left = random.one_in(2);
    steps.push(Step::Load(v, 1));
    let leaves = steps.len();
    if is_left {
        steps.push(Step::JumpIf(1, 1, 0));
    }
    match random.below(4) {
        0 => steps.push(Step::Hint),
        1 => steps.push(Step::Yield),
        _ => {}
    }
    steps.push(Step::Count(c));
    let end = steps.len() + 2;
    steps.push(Step::JumpIf(c, n, end));
    steps.push(Step::Jump(begin));
    if is_left {
        steps[leaves] = Step::JumpIf(1, 1, end);
    }
}

/// Looks until another thread has set a variable.
fn endless(random: &mut Random, steps: &mut Vec<Step>) {
    let (v, other) = (random.id(), random.id());
    let begin = steps.len();
    let wanted = 1 + random.below(2) as i8;
    if random.one_in(3) {
        steps.push(Step::Load(other, 0));
    }
    match random.below(4) {
        0 => steps.push(Step::Hint),
        1 => steps.push(Step::Yield),
        _ => {}
    }
    steps.push(Step::Load(v, 1));
    let end = steps.len() + 2;
    steps.push(Step::JumpIf(1, wanted, end));
    steps.push(Step::Jump(begin));
}

/// Looks at different variables, one after the other.
fn scan(random: &mut Random, steps: &mut Vec<Step>) {
    for v in 0..N {
        steps.push(Step::Load(v, random.id()));
    }
}

/// Tries to take a lock, once or some times, and gives up.
fn tried(random: &mut Random, steps: &mut Vec<Step>, held: Held) {
    let (m, r) = (random.id(), 0);
    let (take, give) = match random.below(3) {
        0 if held.mutexes[m] => return,
        1 | 2 if held.locks[m] => return,
        0 => (Step::TryLock(m, r), Step::Unlock(m)),
        1 => (Step::TryRead(m, r), Step::ReadUnlock(m)),
        _ => (Step::TryWrite(m, r), Step::WriteUnlock(m)),
    };
    let n = [1, 2, 3, 10][random.below(4)];
    let first = steps.len();
    for _ in 0..n {
        steps.push(take);
        steps.push(Step::JumpIf(r, 1, usize::MAX));
    }
    let fails = steps.len();
    steps.push(Step::Jump(usize::MAX));
    let has = steps.len();
    let held = match give {
        Step::Unlock(_) => held.with_mutex(m),
        _ => held.with_lock(m),
    };
    part(random, steps, held);
    steps.push(give);
    let end = steps.len();
    for step in &mut steps[first..fails] {
        if let Step::JumpIf(_, _, to) = step {
            *to = has;
        }
    }
    steps[fails] = Step::Jump(end);
}

/// Takes one lock and tries the other one, and gives the first one back until it has both.
fn both(random: &mut Random, steps: &mut Vec<Step>, held: Held) {
    let (one, other, r) = (random.id(), 0, 1);
    let other = if one == other { 1 } else { other };
    let begin = steps.len();
    steps.extend([Step::Lock(one), Step::TryLock(other, r)]);
    let leaves = steps.len();
    steps.extend([Step::Jump(0), Step::Unlock(one)]);
    if random.one_in(2) {
        steps.push(Step::Yield);
    }
    steps.push(Step::Jump(begin));
    steps[leaves] = Step::JumpIf(r, 1, steps.len());
    part(random, steps, held.with_mutex(one).with_mutex_too(other));
    steps.extend([Step::Unlock(other), Step::Unlock(one)]);
}

/// Waits on a condition: once, or until another thread has set a variable.
fn waits(random: &mut Random, steps: &mut Vec<Step>, m: usize) {
    let (c, v) = (random.id(), random.id());
    let wait = match random.below(2) {
        0 => Step::Wait(c, m),
        _ => Step::WaitTimeout(c, m, 0),
    };
    steps.push(Step::Lock(m));
    match random.below(3) {
        0 => steps.push(wait),
        _ => {
            let begin = steps.len();
            steps.push(Step::Load(v, 1));
            let end = begin + 4;
            steps.push(Step::JumpIf(1, 1, end));
            steps.push(wait);
            steps.push(Step::Jump(begin));
        }
    }
    steps.push(Step::Unlock(m));
}
