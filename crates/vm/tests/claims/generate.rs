//! Random programs from numbers.

use crate::program::{N_LOCKS, N_REGISTERS, N_VARIABLES, Program, SPIN, Statement, Wait};

/// A small generator of numbers (xorshift), so that a seed is a program for ever.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            numbers.below(2);
        }
        numbers
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut numbers = Numbers::new(seed);
    let n_threads = if numbers.chance(75) { 2 } else { 3 };
    // What the threads may use: few things of few kinds, so that they meet.
    let kinds: Vec<usize> = (0..3).map(|_| numbers.below(N_KINDS)).collect();
    let n_inputs = 2 + i32::from(numbers.chance(30));
    let one_lock = numbers.chance(50);
    let mut maker = Maker { numbers, kinds, one_lock, depth: 0, in_loop: false, in_rwlock: false };
    let n_statements = if n_threads == 2 { 4 } else { 3 };
    let threads = (0..n_threads)
        .map(|_| {
            let n = 1 + maker.numbers.below(n_statements);
            maker.block(n)
        })
        .collect();
    let mut plain = [false; N_VARIABLES];
    let percent = maker.numbers.one_of(&[0, 0, 30]);
    plain.iter_mut().for_each(|plain| *plain = maker.numbers.chance(percent));
    let semaphore = maker.numbers.below(2) as u32;
    // By the seed, so that the programs of other seeds stay what they were.
    let writers_first = seed % 7 == 1;
    let mut program = Program { threads, plain, semaphore, n_inputs, writers_first };
    atomics_only(&mut program);
    if writers_first {
        program.threads.iter_mut().flatten().for_each(|it| reads_again(it, &mut maker.numbers));
    }
    program
}

/// Threads that read take the lock for reading once more, which fails only if a writer waits.
fn reads_again(statement: &mut Statement, numbers: &mut Numbers) {
    if let Statement::ReadLock(body) | Statement::TryRead(_, body) = statement
        && numbers.chance(50)
    {
        body.push(Statement::ReadLock(Vec::new()));
    }
}

/// What `compare_exchange` works on is an atomic, and so is what is reached by pointers.
fn atomics_only(program: &mut Program) {
    fn mark(body: &[Statement], plain: &mut [bool; N_VARIABLES]) {
        use Statement as S;
        for statement in body {
            match statement {
                S::Exchange(_, v, ..) => plain[*v] = false,
                S::Scan(_) => *plain = [false; N_VARIABLES],
                S::Lock(_, body)
                | S::TryLock(_, _, body)
                | S::TimedLock(_, _, body)
                | S::Both(_, _, _, body)
                | S::ReadLock(body)
                | S::WriteLock(body)
                | S::TryRead(_, body)
                | S::TryWrite(_, body)
                | S::For(_, body)
                | S::Loop(body)
                | S::While(_, _, body)
                | S::If(_, _, body) => mark(body, plain),
                _ => {}
            }
        }
    }
    let mut plain = program.plain;
    program.threads.iter().for_each(|body| mark(body, &mut plain));
    program.plain = plain;
}

/// How many kinds of things there are beside variables.
const N_KINDS: usize = 14;

struct Maker {
    numbers: Numbers,
    kinds: Vec<usize>,
    /// Whether all conditions go with the first lock, or each with its own.
    one_lock: bool,
    depth: usize,
    in_loop: bool,
    /// Whether the reader-writer lock is held.
    in_rwlock: bool,
}

impl Maker {
    fn block(&mut self, n: usize) -> Vec<Statement> {
        (0..n).map(|_| self.statement()).collect()
    }

    fn body(&mut self, is_loop: bool) -> Vec<Statement> {
        let before = (self.depth, self.in_loop);
        (self.depth, self.in_loop) = (self.depth + 1, is_loop || self.in_loop);
        let n = 1 + self.numbers.below(2);
        let body = self.block(n);
        (self.depth, self.in_loop) = before;
        body
    }

    /// What is done under a lock: no loop is left from there.
    fn section(&mut self, is_rwlock: bool) -> Vec<Statement> {
        let before = (self.in_loop, self.in_rwlock);
        (self.in_loop, self.in_rwlock) = (false, self.in_rwlock || is_rwlock);
        let body = self.body(false);
        (self.in_loop, self.in_rwlock) = before;
        body
    }

    fn statement(&mut self) -> Statement {
        use Statement as S;
        let (v, r) = (self.numbers.below(N_VARIABLES), self.numbers.below(N_REGISTERS));
        let c = self.numbers.below(2) as i32;
        let deep = self.depth >= 2;
        match self.numbers.below(22) {
            0..=2 => S::Store(v, 1 + c),
            3..=4 => S::Load(r, v),
            5 => S::Add(v, 1),
            6 => S::Exchange(r, v, c, 1 - c),
            7 => S::Assert(r, c),
            8 if self.numbers.chance(30) => S::Hint,
            8 => S::Yield,
            9 if self.numbers.chance(30) => S::Sleep,
            10 if self.in_loop => S::BreakIf(r, c),
            10..=12 if !deep => {
                let n = self.numbers.one_of(&[2, 2, 3, 4, 6]);
                S::For(n, self.body(true))
            }
            13 if !deep => S::While(v, 1 + c, self.waiting()),
            14 if !deep && self.numbers.chance(50) => S::DoWhile(v, (v + 1) % N_VARIABLES),
            14 => S::Scan(r),
            15 if !deep => S::If(r, c, self.body(false)),
            16 if !deep => S::Loop(self.endless(r, v, c)),
            _ => self.special(),
        }
    }

    /// The body of a loop that waits.
    fn waiting(&mut self) -> Vec<Statement> {
        match self.numbers.below(4) {
            0 => vec![Statement::Hint],
            1 | 2 => vec![Statement::Yield],
            _ => self.body(true),
        }
    }

    /// The body of a loop that is left by what it sees, or by what it is given.
    fn endless(&mut self, r: usize, v: usize, c: i32) -> Vec<Statement> {
        use Statement as S;
        let mut body = match self.numbers.below(4) {
            0 => vec![S::Input(r), S::Load((r + 1) % N_REGISTERS, v)],
            1 => vec![S::SemTry(r)],
            _ => vec![S::Load(r, v)],
        };
        body.push(S::BreakIf(r, c));
        if self.numbers.chance(40) {
            body.extend(self.body(true));
        }
        body
    }

    fn special(&mut self) -> Statement {
        use Statement as S;
        let kind = self.kinds[self.numbers.below(3)];
        let (r, m) = (self.numbers.below(N_REGISTERS), self.numbers.below(N_LOCKS));
        let (v, c) = (self.numbers.below(N_VARIABLES), self.numbers.below(2) as i32);
        let half = self.numbers.chance(50);
        let shallow = self.depth < 2;
        match kind {
            0 if shallow => S::Lock(m, self.section(false)),
            1 if shallow => S::TryLock(r, m, self.section(false)),
            2 if shallow && !self.in_rwlock && half => S::ReadLock(self.section(true)),
            2 if shallow && !self.in_rwlock => S::WriteLock(self.section(true)),
            3 | 4 => self.condition(kind == 4, half),
            5 => S::SemPost,
            6 if half => S::SemWait,
            6 => S::SemTry(r),
            7 if self.depth == 0 => S::Barrier,
            8 if shallow && half => S::TryRead(r, self.section(true)),
            8 if shallow && self.in_rwlock => S::TryWrite(r, self.section(true)),
            8 if shallow => match self.numbers.below(3) {
                0 => S::ReadLock(self.section(true)),
                1 => S::WriteLock(self.section(true)),
                _ => S::TryWrite(r, self.section(true)),
            },
            9 if shallow && m != SPIN => S::TimedLock(r, m, self.section(false)),
            9 if half => S::SemTimed(r),
            9 => S::SemPost,
            10 => S::Input(r),
            11 if half => S::Assume(r, c),
            11 => S::Input(r),
            12 if shallow && half => S::Both(m, (m + 1) % N_LOCKS, c == 0, self.section(false)),
            12 if shallow => S::Lock(m, self.section(false)),
            13 => S::Load(r, v),
            _ => S::Yield,
        }
    }

    /// Waits on a condition, or wakes others that do.
    fn condition(&mut self, is_timed: bool, half: bool) -> Statement {
        let cond = self.numbers.below(2);
        let lock = if self.one_lock { 0 } else { cond };
        let register = self.numbers.below(N_REGISTERS);
        let until = (self.numbers.below(N_VARIABLES), 1 + self.numbers.below(2) as i32);
        match self.numbers.below(5) {
            0 | 1 if self.depth == 0 => Statement::Wait(Wait {
                cond,
                lock,
                timed: is_timed.then_some(register),
                until: half.then_some(until),
            }),
            0 | 2 => Statement::Broadcast(cond),
            _ => Statement::Signal(cond),
        }
    }
}
