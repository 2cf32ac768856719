//! Jobs: tasks done side by side, with results that do not depend on how many do them.
//!
//! Tasks are taken in batches of a fixed size. Within a batch every task sees the same knowledge,
//! that of the batches before it; when all are done, their results are added to the knowledge in the
//! order of the tasks. So neither the number of workers nor their speed shows in the outcome.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::causes::Causes;
use crate::engine::{Engine, Tally};

/// Tasks in a batch.
const BATCH: usize = 64;

/// How to do a job.
pub struct Job<'a> {
    /// How many work at it side by side.
    pub n_workers: usize,
    /// Is told how many tasks are done of how many, and stops the job by answering false; what was
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
    let mut engines: Vec<Engine> = (0..job.n_workers.max(1)).map(|_| Engine::new(causes)).collect();
    let mut complete = true;
    for start in (0..n_tasks).step_by(BATCH) {
        if !(job.progress)(start, n_tasks) {
            complete = false;
            break;
        }
        let batch = start..n_tasks.min(start + BATCH);
        for result in side_by_side(knowledge, &mut engines, batch) {
            knowledge.learn(result?);
        }
    }
    let tally = engines.iter().map(Engine::tally).fold(Tally::default(), Tally::add);
    Ok((tally, complete))
}

fn side_by_side<K: Knowledge>(
    knowledge: &K,
    engines: &mut [Engine],
    batch: Range<usize>,
) -> Vec<Result<K::Result, K::Error>> {
    if let [engine] = engines {
        return batch.map(|task| knowledge.work(engine, task)).collect();
    }
    let (next, failed) = (AtomicUsize::new(batch.start), AtomicBool::new(false));
    let results = Mutex::new(Vec::with_capacity(batch.len()));
    thread::scope(|scope| {
        for engine in engines {
            scope.spawn(|| {
                while !failed.load(Ordering::Relaxed) {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= batch.end {
                        return;
                    }
                    let result = knowledge.work(engine, task);
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    let mut results = results.lock().unwrap_or_else(|e| e.into_inner());
                    results.push((task, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|&(task, _)| task);
    results.into_iter().map(|(_, result)| result).collect()
}
