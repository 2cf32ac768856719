//! The search with several engines, each on a thread of its own.
//!
//! Plans travel in batches, since a run can be shorter than it takes to wake a thread. Whatever
//! comes back early waits for the runs before it.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::engine::{Engine, EngineError, Watch};
use crate::plan::Plan;
use crate::report::Ending;
use crate::run::{Outcome, Run};
use crate::search::{Desk, Left, watch_for};
use crate::strategy::{Next, PlanId, Strategy};

/// How many plans travel together at most, unless an engine wants more.
const BATCH: usize = 8;

/// A plan and, when it comes back, its run.
struct Task {
    id: PlanId,
    plan: Plan,
    run: Run,
    result: Result<(), EngineError>,
}

/// Who did it, and what.
type Done = (usize, Vec<Task>);

pub(super) fn together<E: Engine + Send, S: Strategy + ?Sized>(
    engines: &mut [E],
    desk: &mut Desk<'_, S>,
) -> Result<Left, EngineError> {
    thread::scope(|scope| {
        let (back, done) = channel();
        let batch = engines.iter().map(Engine::ahead).fold(BATCH, usize::max);
        let mut lines = Vec::new();
        for (worker, engine) in engines.iter_mut().enumerate() {
            let (line, tasks) = channel();
            let (back, watch) = (back.clone(), desk.strategy.watch());
            scope.spawn(move || work(engine, worker, watch.as_ref(), &tasks, &back));
            lines.push(line);
        }
        drop(back);
        // The lines close when this ends, and then the workers do.
        let idle = (0..lines.len()).collect();
        let waiting = VecDeque::new();
        Counter { lines, done, idle, batch, waiting, n_away: 0, spare: Vec::new() }.serve(desk)
    })
}

fn work<E: Engine>(
    engine: &mut E,
    me: usize,
    watch: &dyn Watch,
    tasks: &Receiver<Vec<Task>>,
    back: &Sender<Done>,
) {
    for mut batch in tasks {
        engine.announce(&mut batch.iter().map(|task| &task.plan));
        for task in &mut batch {
            task.result = engine.run(&task.plan, watch_for(&task.plan, watch), &mut task.run);
        }
        if back.send((me, batch)).is_err() {
            return;
        }
    }
}

/// Hands out plans and takes back runs.
struct Counter {
    lines: Vec<Sender<Vec<Task>>>,
    done: Receiver<Done>,
    idle: Vec<usize>,
    /// How many plans travel together at most.
    batch: usize,
    /// Runs that came back, from the one that is to be learned next; none where one is missing.
    waiting: VecDeque<Option<Task>>,
    n_away: usize,
    spare: Vec<Run>,
}

impl Counter {
    fn serve<S: Strategy + ?Sized>(mut self, desk: &mut Desk<'_, S>) -> Result<Left, EngineError> {
        let mut n_learned = None;
        loop {
            while !self.idle.is_empty() && self.hand_out(desk, &mut n_learned) {}
            if self.n_away == 0 {
                return Ok(Left::Ended(Ending::Done));
            }
            let (worker, batch) = self.done.recv().expect("workers last as long as their lines");
            self.n_away -= batch.len();
            self.idle.push(worker);
            let base = n_learned.expect("a plan was handed out");
            for task in batch {
                let place = (task.id.0 - base) as usize;
                self.waiting[place] = Some(task);
            }
            while let Some(Some(_)) = self.waiting.front() {
                let mut task = self.waiting.pop_front().flatten().expect("it was looked at");
                if let Some(ending) = desk.before(task.id) {
                    return Ok(Left::Ended(ending));
                }
                task.result?;
                if task.run.outcome == Outcome::Stopped {
                    return Ok(Left::Ended(desk.stopped()));
                }
                let races = desk.learn(task.id, &task.plan, &mut task.run)?;
                if !races.is_empty() {
                    return Ok(Left::Races(Box::new(task.run), races));
                }
                n_learned = Some(task.id.0 + 1);
                self.spare.push(task.run);
            }
        }
    }

    /// Gives one worker a batch; false if there is nothing to give.
    fn hand_out<S: Strategy + ?Sized>(
        &mut self,
        desk: &mut Desk<'_, S>,
        first: &mut Option<u64>,
    ) -> bool {
        let mut batch = Vec::with_capacity(self.batch);
        while batch.len() < self.batch && desk.has_room(self.waiting.len()) {
            let Next::Ready(id, plan) = desk.next() else { break };
            first.get_or_insert(id.0);
            self.waiting.push_back(None);
            let run = self.spare.pop().unwrap_or_default();
            batch.push(Task { id, plan, run, result: Ok(()) });
        }
        if batch.is_empty() {
            return false;
        }
        let worker = self.idle.pop().expect("a worker is idle");
        self.n_away += batch.len();
        self.lines[worker].send(batch).expect("workers last as long as their lines");
        true
    }
}
