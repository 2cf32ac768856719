//! The models that the known numbers belong to.

use raddle_explore::Access;

use crate::model::{END, Model, State};

/// n threads of k steps that never block.
pub fn straight(n: usize, k: u32) -> Model {
    Model {
        n_threads: n,
        n_vars: 0,
        first: vec![],
        enabled: Box::new(|_, _| true),
        step: Box::new(move |s, t| s.pc[t] = if s.pc[t] + 1 == k { END } else { s.pc[t] + 1 }),
        operation: Box::new(|s, t| (Access::Write, (t as u64) << 8 | u64::from(s.pc[t]))),
    }
}

/// An instruction of a model that is given as a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// Mixes a variable into the thread's register.
    Load(usize),
    /// Makes the variable the register, plus one.
    Store(usize),
    /// Takes a lock; blocks if another thread has it.
    Lock(usize),
    /// Releases a lock, if the thread has it.
    Unlock(usize),
    /// Takes a lock if it is free, and notes in the register whether it did.
    Try(usize),
    /// Lowers a semaphore; blocks if it is zero.
    Down(usize),
    /// Raises a semaphore.
    Up(usize),
    /// Fails if a variable is not what it was at first.
    Check(usize),
    /// Gives way: leaving the thread before it is no preemption.
    Yield,
}

/// What fails, by thread.
const CHECKS: [&str; 4] = ["check 0", "check 1", "check 2", "check 3"];

/// Threads that are lists of instructions.
pub fn listed(threads: Vec<Vec<Op>>) -> Model {
    const LOCKS: usize = 8;
    const SEMAPHORES: usize = 12;
    let n_threads = threads.len();
    let codes = threads.clone();
    let enabled = move |s: &State, t: usize| match codes[t].get(s.pc[t] as usize) {
        Some(&Op::Lock(lock)) => s.vars[LOCKS + lock] == 0,
        Some(&Op::Down(semaphore)) => s.vars[SEMAPHORES + semaphore] > 0,
        _ => true,
    };
    let codes = threads.clone();
    let operation = move |s: &State, t: usize| match codes[t][s.pc[t] as usize] {
        Op::Load(v) => (Access::Read, v as u64),
        Op::Store(v) => (Access::Write, v as u64),
        Op::Lock(l) => (Access::Block, 100 + l as u64),
        Op::Unlock(l) if s.vars[LOCKS + l] == t as i64 + 1 => (Access::Release, 100 + l as u64),
        Op::Unlock(l) | Op::Try(l) => (Access::Sync, 100 + l as u64),
        Op::Down(n) => (Access::Block, 200 + n as u64),
        Op::Up(n) => (Access::Sync, 200 + n as u64),
        Op::Check(v) => (Access::Read, v as u64),
        Op::Yield => (Access::Local, 0),
    };
    let step = move |s: &mut State, t: usize| {
        let (me, register) = (t as i64 + 1, 2 * LOCKS + t);
        match threads[t][s.pc[t] as usize] {
            Op::Load(v) => s.vars[register] = 3 * s.vars[register] + s.vars[v],
            Op::Store(v) => s.vars[v] = s.vars[register] + me,
            Op::Lock(l) => s.vars[LOCKS + l] = me,
            Op::Unlock(l) if s.vars[LOCKS + l] == me => s.vars[LOCKS + l] = 0,
            Op::Unlock(_) => {}
            Op::Try(l) if s.vars[LOCKS + l] == 0 => s.vars[LOCKS + l] = me,
            Op::Try(_) => s.vars[register] += 100,
            Op::Down(n) => s.vars[SEMAPHORES + n] -= 1,
            Op::Up(n) => s.vars[SEMAPHORES + n] += 1,
            Op::Check(v) if s.vars[v] != 0 => s.failed = Some(CHECKS[t]),
            Op::Check(_) | Op::Yield => {}
        }
        s.pc[t] = if s.pc[t] as usize + 1 == threads[t].len() { END } else { s.pc[t] + 1 };
    };
    Model {
        n_threads,
        n_vars: 2 * LOCKS + n_threads,
        first: vec![],
        enabled: Box::new(enabled),
        step: Box::new(step),
        operation: Box::new(operation),
    }
}

/// n threads that lock, read a variable and unlock.
pub fn section(n: usize) -> Model {
    listed(vec![vec![Op::Lock(0), Op::Load(0), Op::Unlock(0)]; n])
}

/// Two threads that take two locks in opposite orders.
pub fn ab_ba() -> Model {
    use Op::*;
    listed(vec![
        vec![Lock(0), Lock(1), Unlock(1), Unlock(0)],
        vec![Lock(1), Lock(0), Unlock(0), Unlock(1)],
    ])
}

/// Philosophers who all take the fork on the same side first.
pub fn philosophers(n: usize) -> Model {
    let dines = |i: usize| {
        let other = (i + 1) % n;
        vec![Op::Lock(i), Op::Lock(other), Op::Unlock(other), Op::Unlock(i)]
    };
    listed((0..n).map(dines).collect())
}

/// The Bluetooth driver: the last thread stops it, the others add work.
pub fn bluetooth(n_adders: usize, fixed: bool) -> Model {
    let stopper = n_adders;
    const PENDING: usize = 0;
    const FLAG: usize = 1;
    const EVENT: usize = 2;
    const STOPPED: usize = 3;
    let adder = move |s: &mut State, t: usize| {
        let (read_flag, add) = if fixed { (1, 0) } else { (0, 1) };
        s.pc[t] = match s.pc[t] {
            pc if pc == read_flag && s.vars[FLAG] == 1 => 3,
            pc if pc == read_flag => pc + 1,
            pc if pc == add => {
                s.vars[PENDING] += 1;
                pc + 1
            }
            2 => {
                if s.vars[STOPPED] == 1 {
                    s.failed = Some("assert !stopped");
                }
                3
            }
            3 => {
                s.vars[PENDING] -= 1;
                if s.vars[PENDING] == 0 { 4 } else { END }
            }
            _ => {
                s.vars[EVENT] = 1;
                END
            }
        }
    };
    let stop = |s: &mut State, t: usize| {
        s.pc[t] = match s.pc[t] {
            0 => {
                s.vars[FLAG] = 1;
                1
            }
            1 => {
                s.vars[PENDING] -= 1;
                if s.vars[PENDING] == 0 { 2 } else { 3 }
            }
            2 => {
                s.vars[EVENT] = 1;
                3
            }
            3 => 4,
            _ => {
                s.vars[STOPPED] = 1;
                END
            }
        }
    };
    let operation = move |s: &State, t: usize| match (t == stopper, s.pc[t]) {
        (true, 3) => (Access::Block, EVENT as u64),
        (true, pc) => (Access::Write, [FLAG, PENDING, EVENT, EVENT, STOPPED][pc as usize] as u64),
        (false, 2) => (Access::Read, STOPPED as u64),
        (false, 3) => (Access::Write, PENDING as u64),
        (false, 4) => (Access::Write, EVENT as u64),
        (false, pc) if (pc == 0) == fixed => (Access::Write, PENDING as u64),
        (false, _) => (Access::Read, FLAG as u64),
    };
    Model {
        n_threads: n_adders + 1,
        n_vars: 4,
        first: vec![1],
        enabled: Box::new(move |s, t| t != stopper || s.pc[t] != 3 || s.vars[EVENT] == 1),
        step: Box::new(move |s, t| if t == stopper { stop(s, t) } else { adder(s, t) }),
        operation: Box::new(operation),
    }
}

/// The file system: each thread gives its inode a block, if it has none. With `fine` every access
/// to data is a step, else it runs with the lock operation before it.
pub fn file_system(n: usize, n_inodes: usize, n_blocks: usize, fine: bool) -> Model {
    // inode, busy, lock of inode, lock of block, and the block that a thread looks at.
    let (inode, busy, lock_i) = (0, n_inodes, n_inodes + n_blocks);
    let lock_b = lock_i + n_inodes;
    let local = lock_b + n_blocks;
    let enabled = move |s: &State, t: usize| match s.pc[t] {
        0 => s.vars[lock_i + t % n_inodes] == 0,
        2 => s.vars[lock_b + s.vars[local + t] as usize] == 0,
        _ => true,
    };
    let operation = move |s: &State, t: usize| {
        let (i, b) = (t % n_inodes, s.vars[local + t] as usize);
        match s.pc[t] {
            0 => (Access::Block, (lock_i + i) as u64),
            1 => (Access::Read, (inode + i) as u64),
            2 => (Access::Block, (lock_b + b) as u64),
            3 => (Access::Read, (busy + b) as u64),
            4 => (Access::Write, (busy + b) as u64),
            5 => (Access::Write, (inode + i) as u64),
            6 | 8 => (Access::Release, (lock_b + b) as u64),
            _ => (Access::Release, (lock_i + i) as u64),
        }
    };
    let one = move |s: &mut State, t: usize| {
        let (i, b) = (t % n_inodes, s.vars[local + t] as usize);
        let me = t as i64 + 1;
        s.pc[t] = match s.pc[t] {
            0 => {
                s.vars[lock_i + i] = me;
                1
            }
            1 if s.vars[inode + i] != 0 => 7,
            1 => {
                s.vars[local + t] = (2 * i % n_blocks) as i64;
                2
            }
            2 => {
                s.vars[lock_b + b] = me;
                3
            }
            3 => {
                if s.vars[busy + b] == 0 {
                    4
                } else {
                    8
                }
            }
            4 => {
                s.vars[busy + b] = 1;
                5
            }
            5 => {
                s.vars[inode + i] = b as i64 + 1;
                6
            }
            6 => {
                s.vars[lock_b + b] = 0;
                7
            }
            8 => {
                s.vars[lock_b + b] = 0;
                s.vars[local + t] = ((b + 1) % n_blocks) as i64;
                2
            }
            _ => {
                s.vars[lock_i + i] = 0;
                END
            }
        };
    };
    let step = move |s: &mut State, t: usize| {
        one(s, t);
        while !fine && matches!(s.pc[t], 1 | 3 | 4 | 5) {
            one(s, t);
        }
    };
    Model {
        n_threads: n,
        n_vars: local + n,
        first: vec![],
        enabled: Box::new(enabled),
        step: Box::new(step),
        operation: Box::new(operation),
    }
}
