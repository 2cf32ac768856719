//! Programs as steps and jumps: what the enumerator goes through.

use crate::program::{N_VARIABLES, Program, Statement, Wait};

/// One step of a thread that others can see, or one that they cannot.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// The thread begins.
    Enter,
    Store(usize, i32),
    StoreScratch(usize),
    Load(usize, usize),
    /// Into the scratch register, or added to it.
    Look(usize),
    LookMore(usize),
    Add(usize, i32),
    Exchange(usize, usize, i32, i32),
    Lock(usize),
    Unlock(usize),
    TryLock(usize, usize),
    TimedLock(usize, usize),
    ReadLock,
    WriteLock,
    TryRead(usize),
    TryWrite(usize),
    ReadUnlock,
    WriteUnlock,
    Wait {
        cond: usize,
        lock: usize,
        register: Option<usize>,
    },
    Signal(usize),
    Broadcast(usize),
    SemWait,
    SemPost,
    SemTry(usize),
    SemTimed(usize),
    Barrier,
    Rest,
    Input(usize),
    Create(usize),
    Join(usize),
    End,
    // Nothing that others can see.
    AddScratch(i32),
    Jump(usize),
    /// If the register is not the number.
    JumpUnless(usize, i32, usize),
    JumpIfScratch(i32, usize),
    JumpUnlessScratch(i32, usize),
    Begin(usize),
    /// Counts, and jumps when it was so many times.
    Count(usize, u8, usize),
    Fail(usize, i32),
    Assume(usize, i32),
}

/// The steps of all threads, `main` first.
pub fn code(program: &Program) -> Vec<Vec<Step>> {
    let n = program.threads.len();
    let main = (1..=n).map(Step::Create).chain((1..=n).map(Step::Join)).chain([Step::End]);
    let thread = |body: &Vec<Statement>| {
        let mut maker = Maker { plain: program.plain, code: vec![Step::Enter], n_counters: 0 };
        maker.block(body, &mut Vec::new());
        maker.code.push(Step::End);
        maker.code
    };
    [main.collect()].into_iter().chain(program.threads.iter().map(thread)).collect()
}

/// Makes steps of statements.
struct Maker {
    plain: [bool; N_VARIABLES],
    code: Vec<Step>,
    n_counters: usize,
}

impl Maker {
    fn block(&mut self, body: &[Statement], breaks: &mut Vec<usize>) {
        body.iter().for_each(|statement| self.statement(statement, breaks));
    }

    fn put(&mut self, step: Step) -> usize {
        self.code.push(step);
        self.code.len() - 1
    }

    fn statement(&mut self, statement: &Statement, breaks: &mut Vec<usize>) {
        use Statement as S;
        let step = match *statement {
            S::Add(v, c) if self.plain[v] => {
                self.put(Step::Look(v));
                self.put(Step::AddScratch(c));
                Step::StoreScratch(v)
            }
            S::Store(v, c) => Step::Store(v, c),
            S::Load(r, v) => Step::Load(r, v),
            S::Add(v, c) => Step::Add(v, c),
            S::Exchange(r, v, a, b) => Step::Exchange(r, v, a, b),
            S::Signal(c) => Step::Signal(c),
            S::Broadcast(c) => Step::Broadcast(c),
            S::SemWait => Step::SemWait,
            S::SemPost => Step::SemPost,
            S::SemTry(r) => Step::SemTry(r),
            S::SemTimed(r) => Step::SemTimed(r),
            S::Barrier => Step::Barrier,
            S::Yield | S::Sleep => Step::Rest,
            S::Input(r) => Step::Input(r),
            S::Assume(r, c) => Step::Assume(r, c),
            S::Assert(r, c) => Step::Fail(r, c),
            S::Hint => return,
            S::Wait(wait) => return self.wait(wait),
            S::Lock(m, ref body) => return self.section(Step::Lock(m), body, Step::Unlock(m)),
            S::ReadLock(ref body) => return self.section(Step::ReadLock, body, Step::ReadUnlock),
            S::WriteLock(ref body) => {
                return self.section(Step::WriteLock, body, Step::WriteUnlock);
            }
            S::TryLock(r, m, ref body) => {
                return self.tried(Step::TryLock(r, m), r, body, Step::Unlock(m));
            }
            S::TimedLock(r, m, ref body) => {
                return self.tried(Step::TimedLock(r, m), r, body, Step::Unlock(m));
            }
            S::TryRead(r, ref body) => {
                return self.tried(Step::TryRead(r), r, body, Step::ReadUnlock);
            }
            S::TryWrite(r, ref body) => {
                return self.tried(Step::TryWrite(r), r, body, Step::WriteUnlock);
            }
            _ => return self.jumps(statement, breaks),
        };
        self.put(step);
    }

    /// What jumps.
    fn jumps(&mut self, statement: &Statement, breaks: &mut Vec<usize>) {
        use Statement as S;
        match *statement {
            S::Both(a, b, yields, ref body) => self.both(a, b, yields, body),
            S::For(n, ref body) => {
                let (counter, n) = (self.n_counters, n as u8);
                self.n_counters += 1;
                self.put(Step::Begin(counter));
                let head = self.put(Step::Count(counter, n, 0));
                self.repeat(head, head, body, |end| Step::Count(counter, n, end));
                self.n_counters -= 1;
            }
            S::Loop(ref body) => {
                let head = self.put(Step::Jump(self.code.len() + 1));
                self.repeat(head, head, body, |_| Step::Jump(head + 1));
            }
            S::While(v, c, ref body) => {
                let look = self.put(Step::Look(v));
                let head = self.put(Step::JumpIfScratch(c, 0));
                self.repeat(look, head, body, |end| Step::JumpIfScratch(c, end));
            }
            S::DoWhile(v, w) => {
                let look = self.put(Step::Look(v));
                self.put(Step::LookMore(w));
                let leave = self.code.len() + 2;
                self.put(Step::JumpUnlessScratch(0, leave));
                self.put(Step::Jump(look));
            }
            S::Scan(r) => {
                // A load, and a jump to the end unless it is zero.
                let end = self.code.len() + 2 * N_VARIABLES;
                for v in 0..N_VARIABLES {
                    self.put(Step::Load(r, v));
                    self.put(Step::JumpUnless(r, 0, end));
                }
            }
            S::If(r, c, ref body) => {
                let jump = self.put(Step::JumpUnless(r, c, 0));
                self.block(body, breaks);
                self.code[jump] = Step::JumpUnless(r, c, self.code.len());
            }
            S::BreakIf(r, c) => {
                let next = self.code.len() + 2;
                self.put(Step::JumpUnless(r, c, next));
                breaks.push(self.code.len());
                self.put(Step::Jump(0));
            }
            ref other => unreachable!("{other:?} is one step"),
        }
    }

    fn section(&mut self, take: Step, body: &[Statement], give: Step) {
        self.put(take);
        self.block(body, &mut Vec::new());
        self.put(give);
    }

    fn tried(&mut self, take: Step, register: usize, body: &[Statement], give: Step) {
        self.put(take);
        let jump = self.put(Step::JumpUnless(register, 1, 0));
        self.block(body, &mut Vec::new());
        self.put(give);
        self.code[jump] = Step::JumpUnless(register, 1, self.code.len());
    }

    fn both(&mut self, a: usize, b: usize, yields: bool, body: &[Statement]) {
        let begin = self.put(Step::Lock(a));
        self.put(Step::TryLock(SCRATCH, b));
        let leave = self.put(Step::JumpUnlessScratch(0, 0));
        self.put(Step::Unlock(a));
        if yields {
            self.put(Step::Rest);
        }
        self.put(Step::Jump(begin));
        self.code[leave] = Step::JumpUnlessScratch(0, self.code.len());
        self.block(body, &mut Vec::new());
        self.put(Step::Unlock(b));
        self.put(Step::Unlock(a));
    }

    fn wait(&mut self, wait: Wait) {
        let Wait { cond, lock, timed, until } = wait;
        let step = Step::Wait { cond, lock, register: timed };
        self.put(Step::Lock(lock));
        match until {
            None => drop(self.put(step)),
            Some((v, c)) => {
                let look = self.put(Step::Look(v));
                let end = self.code.len() + 3;
                self.put(Step::JumpIfScratch(c, end));
                self.put(step);
                self.put(Step::Jump(look));
            }
        }
        self.put(Step::Unlock(lock));
    }

    /// The body of a loop that goes on at `to`, and is left at `head`.
    fn repeat(
        &mut self,
        to: usize,
        head: usize,
        body: &[Statement],
        at_head: impl Fn(usize) -> Step,
    ) {
        let mut inner = Vec::new();
        self.block(body, &mut inner);
        self.put(Step::Jump(to));
        let end = self.code.len();
        self.code[head] = at_head(end);
        inner.into_iter().for_each(|jump| self.code[jump] = Step::Jump(end));
    }
}

/// The number of the scratch register, where a step needs a register that the program does not have.
pub const SCRATCH: usize = usize::MAX;
