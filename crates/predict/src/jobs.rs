//! Jobs: tasks done side by side, with results that do not depend on how many do them.
//!
//! Tasks are taken in batches of a fixed size. Within a batch every task sees the same knowledge,
//! that of the batches before it; when all are done, their results are added to the knowledge in the
//! order of the tasks. So neither the number of workers nor their speed shows in the outcome.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::causes::Causes;
use crate::engine::{Engine, Tally};

/// Tasks in a batch.
const BATCH: usize = 256;

/// How long a job goes on before it reports progress.
const PATIENCE: Duration = Duration::from_millis(20);

/// How to do a job.
pub struct Job<'a> {
    /// How many work at it side by side.
    pub n_workers: usize,
    /// Receives how many tasks of how many are done, and stops the job by answering false; what was
    /// found until then is the result.
    pub progress: &'a mut dyn FnMut(usize, usize) -> bool,
}

/// What a job knows, and how results add to it.
pub(crate) trait Knowledge: Sync {
    /// What comes out of a task.
    type Result: Send;
    /// What can go wrong.
    type Error: Send;

    /// Does a task.
    fn work(&self, engine: &mut Engine, task: usize) -> Result<Self::Result, Self::Error>;

    /// Adds the result of a task.
    fn learn(&mut self, result: Self::Result);
}

/// Does all tasks; the tally says how their queries were answered, the flag whether all were done.
pub(crate) fn run<K: Knowledge>(
    causes: &Causes,
    knowledge: &mut K,
    n_tasks: usize,
    job: &mut Job,
) -> Result<(Tally, bool), K::Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let engine = || Engine::stopped_by(causes, Arc::clone(&stop));
    let mut engines: Vec<Engine> = (0..job.n_workers.max(1)).map(|_| engine()).collect();
    for start in (0..n_tasks).step_by(BATCH) {
        let batch = start..n_tasks.min(start + BATCH);
        let mut report = |done| {
            if !(job.progress)(start + done, n_tasks) {
                stop.store(true, Ordering::Relaxed);
            }
        };
        for result in side_by_side(knowledge, &mut engines, batch, &stop, &mut report) {
            knowledge.learn(result?);
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    let tally = engines.iter().map(Engine::tally).fold(Tally::default(), Tally::add);
    Ok((tally, !stop.load(Ordering::Relaxed)))
}

/// Does a batch; `report` is called now and then with the number of tasks that are done.
fn side_by_side<K: Knowledge>(
    knowledge: &K,
    engines: &mut [Engine],
    batch: Range<usize>,
    stop: &AtomicBool,
    report: &mut dyn FnMut(usize),
) -> Vec<Result<K::Result, K::Error>> {
    let (next, n_done) = (AtomicUsize::new(batch.start), AtomicUsize::new(0));
    let n_idle = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let results = Mutex::new(Vec::with_capacity(batch.len()));
    let caller = thread::current();
    report(0);
    let work = |engine: &mut Engine| {
        while !failed.load(Ordering::Relaxed) && !stop.load(Ordering::Relaxed) {
            let task = next.fetch_add(1, Ordering::Relaxed);
            if task >= batch.end {
                break;
            }
            let result = knowledge.work(engine, task);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.lock().unwrap_or_else(PoisonError::into_inner).push((task, result));
            n_done.fetch_add(1, Ordering::Relaxed);
        }
        n_idle.fetch_add(1, Ordering::Release);
        caller.unpark();
    };
    thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = engines.iter_mut().map(|e| scope.spawn(move || work(e))).collect();
        let all_idle = || n_idle.load(Ordering::Acquire) == workers.len();
        // A worker that panics is never idle, but finished.
        while !all_idle() && !workers.iter().all(|worker| worker.is_finished()) {
            thread::park_timeout(PATIENCE);
            report(n_done.load(Ordering::Relaxed));
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|&(task, _)| task);
    results.into_iter().map(|(_, result)| result).collect()
}
