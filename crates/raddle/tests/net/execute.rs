//! Programs in the crate: a closure that does what the data says, with the types of the crate.

use std::collections::BTreeSet;
use std::sync::Mutex as StdMutex;
use std::time::Duration;

use raddle::sync::atomic::{AtomicI8, Ordering::SeqCst};
use raddle::sync::{
    Arc, Barrier, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use raddle::{Config, Report, hint, thread};

use super::program::{N, Outcome, Program, Step};

struct Shared {
    variables: [AtomicI8; N],
    mutexes: [Mutex<()>; N],
    locks: [RwLock<()>; N],
    conditions: [Condvar; N],
    barrier: Barrier,
}

/// What a search says of a program, and the outcomes of the executions that came to their end.
pub(crate) fn explore(program: &Program, config: Config) -> (Report, BTreeSet<Outcome>) {
    let outcomes = std::sync::Arc::new(StdMutex::new(BTreeSet::new()));
    let (program, all) = (program.clone(), outcomes.clone());
    let report = config.explore(move || {
        let outcome = Outcome::Ends(execute(&program));
        all.lock().unwrap().insert(outcome);
    });
    let outcomes = outcomes.lock().unwrap().clone();
    (report, outcomes)
}

fn execute(program: &Program) -> Vec<i8> {
    let shared = Arc::new(Shared {
        variables: Default::default(),
        mutexes: Default::default(),
        locks: Default::default(),
        conditions: Default::default(),
        barrier: Barrier::new(2),
    });
    let start = |steps: &Vec<Step>| {
        let (shared, steps) = (shared.clone(), steps.clone());
        thread::spawn(move || act(&shared, &steps))
    };
    let threads: Vec<_> = program.threads.iter().map(start).collect();
    let registers: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let values = shared.variables.iter().map(|variable| variable.load(SeqCst));
    values.chain(registers.into_iter().flatten()).collect()
}

fn act(shared: &Shared, steps: &[Step]) -> [i8; N] {
    let mut registers = [0; N];
    let mut held: [Option<MutexGuard<'_, ()>>; N] = Default::default();
    let mut reads: [Option<RwLockReadGuard<'_, ()>>; 2 * N] = Default::default();
    let mut writes: [Option<RwLockWriteGuard<'_, ()>>; N] = Default::default();
    let mut at = 0;
    while let Some(&step) = steps.get(at) {
        at += 1;
        match step {
            Step::Load(v, r) => registers[r] = shared.variables[v].load(SeqCst),
            Step::Store(v, value) => shared.variables[v].store(value, SeqCst),
            Step::Add(v, value, r) => registers[r] = shared.variables[v].fetch_add(value, SeqCst),
            Step::Lock(m) => held[m] = Some(shared.mutexes[m].lock().unwrap()),
            Step::TryLock(m, r) => {
                held[m] = shared.mutexes[m].try_lock().ok();
                registers[r] = held[m].is_some().into();
            }
            Step::Unlock(m) => held[m] = None,
            Step::Read(l) => reads[l] = Some(shared.locks[l % N].read().unwrap()),
            Step::TryRead(l, r) => {
                reads[l] = shared.locks[l].try_read().ok();
                registers[r] = reads[l].is_some().into();
            }
            Step::ReadUnlock(l) => reads[l] = None,
            Step::Write(l) => writes[l] = Some(shared.locks[l].write().unwrap()),
            Step::TryWrite(l, r) => {
                writes[l] = shared.locks[l].try_write().ok();
                registers[r] = writes[l].is_some().into();
            }
            Step::WriteUnlock(l) => writes[l] = None,
            Step::Wait(c, m) => {
                let guard = held[m].take().unwrap();
                held[m] = Some(shared.conditions[c].wait(guard).unwrap());
            }
            Step::WaitTimeout(c, m, r) => {
                let guard = held[m].take().unwrap();
                let time = Duration::from_millis(1);
                let (guard, result) = shared.conditions[c].wait_timeout(guard, time).unwrap();
                (held[m], registers[r]) = (Some(guard), result.timed_out().into());
            }
            Step::NotifyOne(c) => shared.conditions[c].notify_one(),
            Step::NotifyAll(c) => shared.conditions[c].notify_all(),
            Step::Barrier => drop(shared.barrier.wait()),
            Step::Yield => thread::yield_now(),
            Step::Hint => hint::spin_loop(),
            Step::Sleep => thread::sleep(Duration::from_millis(1)),
            Step::Set(r, value) => registers[r] = value,
            Step::Count(r) => registers[r] += 1,
            Step::Jump(to) => at = to,
            Step::JumpIf(r, value, to) if registers[r] == value => at = to,
            Step::Never(r, value) => assert_ne!(registers[r], value),
            Step::JumpIf(..) => {}
        }
    }
    registers
}
