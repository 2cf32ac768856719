//! The smallest engine: everything in lists, which have no more than some room.

use raddle_happens::{Happens, Head, Known, Location, Lock, Ordered, Table, Thread, Times, raise};

use super::execution::{Event, N, N_PARTIES, What};

/// A list with room for so many.
#[derive(Debug, Default)]
struct List<T> {
    items: Vec<T>,
    room: u32,
}

impl<T: Copy> Table<T> for List<T> {
    fn len(&self) -> u32 {
        self.items.len() as u32
    }

    fn get(&self, index: u32) -> &T {
        &self.items[index as usize]
    }

    fn change(&mut self, index: u32) -> &mut T {
        &mut self.items[index as usize]
    }

    fn push(&mut self, item: T) -> bool {
        let has_room = self.len() < self.room;
        if has_room {
            self.items.push(item);
        }
        has_room
    }
}

impl Times for List<u32> {
    fn slice(&self, start: u32, n: u32) -> &[u32] {
        &self.items[start as usize..][..n as usize]
    }

    fn grow(&mut self, n: u32) -> bool {
        let has_room = self.len() + n <= self.room;
        if has_room {
            // What is not written is found by the values that it has.
            self.items.extend((0..n).map(|index| 1_000_000 + index));
        }
        has_room
    }

    fn raise(&mut self, to: u32, from: u32, n: u32) {
        raise(&mut self.items, to, from, n);
    }
}

/// What is remembered of an execution.
pub struct Replay {
    happens: Happens<List<u32>, List<Thread>, List<Head>>,
    locks: [Lock; N],
    semaphores: [Known; N],
    barriers: [Known; N],
    n_arrived: [usize; N],
    locations: [Location; N],
    /// The events so far: the thread and its time.
    past: Vec<(u32, u32)>,
}

impl Replay {
    /// With room for so many numbers, threads and heads of release sequences.
    pub fn new(room: [u32; 3]) -> Replay {
        let mut happens: Happens<List<u32>, List<Thread>, List<Head>> = Happens::default();
        let (times, threads, heads) = happens.tables_mut();
        [times.room, threads.room, heads.room] = room;
        happens.begin();
        Replay {
            happens,
            locks: Default::default(),
            semaphores: Default::default(),
            barriers: Default::default(),
            n_arrived: Default::default(),
            locations: Default::default(),
            past: Vec::new(),
        }
    }

    pub fn is_full(&self) -> bool {
        self.happens.is_full()
    }

    /// The next event: the earlier ones of other threads, each with whether it is before. Nothing is asked of who arrives
    /// at a barrier: the last one learns there what it will know when it leaves.
    pub fn step(&mut self, event: &Event) -> Vec<(usize, Ordered)> {
        let me = event.thread;
        let has_room = self.happens.has(me);
        let time = self.happens.time(me);
        self.act(*event);
        let orders = match event.what {
            What::Arrive(_) => Vec::new(),
            _ if !has_room => Vec::new(),
            _ => {
                let view = self.happens.view_of(me);
                let others = self.past.iter().enumerate().filter(|(_, past)| past.0 != me);
                others.map(|(index, &(thread, time))| (index, view.order(thread, time))).collect()
            }
        };
        self.past.push((me, time));
        orders
    }

    fn act(&mut self, event: Event) {
        let (me, happens) = (event.thread, &mut self.happens);
        match event.what {
            What::Access => {}
            What::Load(at, order) | What::Fail(at, order) => {
                happens.load(me, &self.locations[at], order);
            }
            What::Store(at, order) => happens.store(me, &mut self.locations[at], order),
            What::Modify(at, order) => {
                happens.load(me, &self.locations[at], order);
                happens.modify(me, &mut self.locations[at], order);
            }
            What::Overwrite(at) => happens.overwrite(&mut self.locations[at]),
            What::Fence(order) => happens.fence(me, order),
            What::Lock(at, shared) => happens.acquire(me, &self.locks[at], shared),
            What::Unlock(at, shared) => happens.release(me, &mut self.locks[at], shared),
            What::Post(at) => happens.give(me, &mut self.semaphores[at]),
            What::Take(at) => happens.take(me, self.semaphores[at]),
            What::Fork(child) => happens.fork(me, child),
            What::Join(child) => {
                happens.join(me, child);
                happens.bury(child);
            }
            What::Wait(at) => happens.wait(me, 8 + at as u64),
            What::Wake(is_notified) => happens.wake(me, is_notified),
            What::Notify(woken) => happens.notify(me, woken),
            What::NotifyAll(at) => happens.notify_all(me, 8 + at as u64),
            What::Arrive(at) => {
                happens.arrive(me, 8 + at as u64, &mut self.barriers[at]);
                self.n_arrived[at] += 1;
                if self.n_arrived[at] == N_PARTIES {
                    happens.depart(8 + at as u64, self.barriers[at]);
                    self.n_arrived[at] = 0;
                }
            }
            What::Depart(at) => assert!(happens.is_full() || !happens.is_at(me, 8 + at as u64)),
            What::LeaveFor(other) => happens.leave_for(me, other),
            What::TakeLeft => happens.take_left(me),
            What::Renew(at) => {
                happens.discard_location(&mut self.locations[at]);
                happens.discard(&mut self.locks[at].given);
                happens.discard(&mut self.locks[at].readers);
            }
        }
    }
}
