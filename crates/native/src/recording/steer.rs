//! Steering: a witness as the steps of a schedule.
//!
//! In: events of a trace in another order. Out: how many events each thread does in turn. Events
//! that are not in the trace (memory of one thread, reads that say nothing new) happen right before
//! the next event of their thread that is: nobody but their thread notices.
//!
//! A notify that could wake more than one is followed by whom it wakes.

use raddle_trace::{CondId, EventId, Op, ThreadId};
use raddle_wire::Step;
use rustc_hash::FxHashMap;

use super::Native;

impl Native {
    /// The steps that make the events happen in this order.
    pub fn steer(&self, order: &[EventId]) -> Vec<Step> {
        let mut steering = Steering {
            native: self,
            n_done: vec![0; self.threads.len()],
            steps: Vec::new(),
            waiting: FxHashMap::default(),
        };
        order.iter().for_each(|&event| steering.event(event));
        steering.steps
    }

    /// The runtime's number for a thread of the trace.
    fn number(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()]
    }
}

struct Steering<'a> {
    native: &'a Native,
    n_done: Vec<u64>,
    steps: Vec<Step>,
    /// Per condition, how many wait and were not woken.
    waiting: FxHashMap<CondId, Vec<ThreadId>>,
}

impl Steering<'_> {
    fn event(&mut self, id: EventId) {
        let (thread, op) = (self.native.events.thread(id), self.native.events.op(id));
        self.advance(thread, self.native.positions[id.index()]);
        match op {
            Op::Wait { cond } => self.waiting.entry(cond).or_default().push(thread),
            Op::NotifyAll { cond } => _ = self.waiting.remove(&cond),
            Op::Notify { cond } => self.notify(id, cond),
            // Whoever goes on without being woken does not wait any more.
            Op::Wake { cond, .. } => self.remove(cond, thread),
            _ => {}
        }
    }

    /// Lets a thread do events until it has done so many.
    fn advance(&mut self, thread: ThreadId, position: u64) {
        let number = self.native.number(thread);
        let done = &mut self.n_done[thread.index()];
        let times = position.saturating_sub(*done);
        if times == 0 {
            return;
        }
        *done = position;
        match self.steps.last_mut() {
            Some(step) if *step == Step::thread(number, step.times) => step.times += times,
            _ => self.steps.push(Step::thread(number, times)),
        }
    }

    fn notify(&mut self, id: EventId, cond: CondId) {
        let woken = &self.native.woken;
        let Ok(at) = woken.binary_search_by_key(&id, |&(notify, _)| notify) else { return };
        let thread = woken[at].1;
        if self.waiting.get(&cond).is_some_and(|waiting| waiting.len() > 1) {
            self.steps.push(Step::waiter(self.native.number(thread)));
        }
        self.remove(cond, thread);
    }

    fn remove(&mut self, cond: CondId, thread: ThreadId) {
        if let Some(waiting) = self.waiting.get_mut(&cond) {
            waiting.retain(|&other| other != thread);
        }
    }
}
