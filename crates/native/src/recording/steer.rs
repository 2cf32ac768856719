//! Steering: a witness as the steps of a schedule.
//!
//! In: events of a trace in another order. Out: how many events each thread does in turn. Events
//! that are not in the trace (memory of one thread, reads that say nothing new) happen right before
//! the next event of their thread that is: only their own thread notices them.
//!
//! Positions of a recording of threads at once leave out what only runs under control do
//! ([`Passes`]).
//!
//! Before a notify that could wake more than one, a step says which one it wakes.

use raddle_trace::{CondId, EventId, Events, Op, ThreadId};
use raddle_wire::Step;
use rustc_hash::FxHashMap;

use super::{Native, Passes};

/// What turns an order of events into steps, without the events themselves.
#[derive(Debug)]
pub struct Guide {
    positions: Vec<u64>,
    threads: Vec<u32>,
    woken: Vec<(EventId, ThreadId)>,
    guesses: Vec<EventId>,
    unseen: Vec<String>,
}

impl Native {
    /// The events, and what steers the program along any order of them.
    pub fn split(self) -> (Events, Guide) {
        let Native { events, positions, threads, woken, guesses, unseen, .. } = self;
        (events, Guide { positions, threads, woken, guesses, unseen })
    }
}

impl Guide {
    /// The steps that make events happen in this order, up to right before the events that are
    /// about to happen: those of their threads that are not in the trace come before them.
    pub fn steer(
        &self,
        events: &Events,
        order: &[EventId],
        next: &[EventId],
        passes: &Passes,
    ) -> Vec<Step> {
        let mut steering = Steering {
            guide: self,
            events,
            passes,
            n_done: vec![0; self.threads.len()],
            steps: Vec::new(),
            waiting: FxHashMap::default(),
        };
        order.iter().for_each(|&event| steering.event(event));
        for &event in next {
            let position = steering.position(event).saturating_sub(1);
            steering.advance(events.thread(event), position);
        }
        steering.steps
    }

    /// Whether some thread does something in a reordering behind a guess of its own: what it does
    /// there may not be what it would do. Such a reordering has to be replayed to be believed.
    pub fn rests_on_guess(&self, events: &Events, order: &[EventId]) -> bool {
        let mut guessed = vec![false; self.threads.len()];
        order.iter().any(|&event| {
            let thread = events.thread(event).index();
            let rests = guessed[thread];
            guessed[thread] |= self.guesses.binary_search(&event).is_ok();
            rests
        })
    }

    /// The names of object files whose code was not instrumented: what they do may order threads, so what is predicted
    /// has to be replayed to be believed.
    pub fn unseen(&self) -> &[String] {
        &self.unseen
    }

    /// Where an event is: the runtime's number of its thread, and how many events that has done
    /// with it.
    pub fn position(&self, events: &Events, event: EventId) -> (u32, u64) {
        (self.number(events.thread(event)), self.positions[event.index()])
    }

    /// The runtime's number for a thread of the trace.
    fn number(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()]
    }
}

struct Steering<'a> {
    guide: &'a Guide,
    events: &'a Events,
    passes: &'a Passes,
    n_done: Vec<u64>,
    steps: Vec<Step>,
    /// Per condition, how many wait and were not woken.
    waiting: FxHashMap<CondId, Vec<ThreadId>>,
}

impl Steering<'_> {
    fn event(&mut self, id: EventId) {
        let (thread, op) = (self.events.thread(id), self.events.op(id));
        let position = self.position(id);
        if let Op::Notify { cond } = op {
            // A step right before it says which thread it wakes.
            self.advance(thread, position.saturating_sub(1));
            self.notify(id, cond);
        }
        self.advance(thread, position);
        match op {
            Op::Wait { cond } => self.waiting.entry(cond).or_default().push(thread),
            Op::NotifyAll { cond } => _ = self.waiting.remove(&cond),
            // A thread that goes on without being woken does not wait any more.
            Op::Wake { cond, .. } => self.remove(cond, thread),
            _ => {}
        }
    }

    /// How many events the thread of an event has done with it.
    fn position(&self, event: EventId) -> u64 {
        let (thread, position) = self.guide.position(self.events, event);
        self.passes.position(thread, position)
    }

    /// Lets a thread do events until it has done so many.
    fn advance(&mut self, thread: ThreadId, position: u64) {
        let number = self.guide.number(thread);
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
        let woken = &self.guide.woken;
        let Ok(at) = woken.binary_search_by_key(&id, |&(notify, _)| notify) else { return };
        let thread = woken[at].1;
        if self.waiting.get(&cond).is_some_and(|waiting| waiting.len() > 1) {
            self.steps.push(Step::waiter(self.guide.number(thread)));
        }
        self.remove(cond, thread);
    }

    fn remove(&mut self, cond: CondId, thread: ThreadId) {
        if let Some(waiting) = self.waiting.get_mut(&cond) {
            waiting.retain(|&other| other != thread);
        }
    }
}
