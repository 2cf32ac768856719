// The programs on which Raddle, loom and shuttle are compared. This text is included where `sync`,
// `thread` and `hint` are those of one of them, so that all three run the same.

use sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use sync::{Arc, Condvar, Mutex};

/// Starts threads with the numbers from 0 and joins them.
fn together(n: usize, f: impl Fn(usize) + Send + Sync + 'static) {
    let f = std::sync::Arc::new(f);
    let start = |number: usize| {
        let f = f.clone();
        thread::spawn(move || f(number))
    };
    let threads: Vec<_> = (0..n).map(start).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Two threads read, add and write.
pub fn lost_update() {
    let n = Arc::new(AtomicUsize::new(0));
    let shared = n.clone();
    together(2, move |_| {
        let old = shared.load(SeqCst);
        shared.store(old + 1, SeqCst);
    });
    assert_eq!(n.load(SeqCst), 2);
}

/// The same in one step.
pub fn no_lost_update() {
    let n = Arc::new(AtomicUsize::new(0));
    let shared = n.clone();
    together(2, move |_| {
        shared.fetch_add(1, SeqCst);
    });
    assert_eq!(n.load(SeqCst), 2);
}

/// Three threads, each with some sections of one mutex.
pub fn sections(n: usize) {
    let sum = Arc::new(Mutex::new(0));
    let shared = sum.clone();
    together(3, move |_| {
        for _ in 0..n {
            *shared.lock().unwrap() += 1;
        }
    });
    assert_eq!(*sum.lock().unwrap(), 3 * n);
}

/// Three threads that change an atomic again and again.
pub fn steps(n: usize) {
    let sum = Arc::new(AtomicUsize::new(0));
    together(3, move |_| {
        for _ in 0..n {
            sum.fetch_add(1, SeqCst);
        }
    });
}

/// Philosophers who all begin with the fork on the same side, or not.
fn dine(n: usize, is_fixed: bool) {
    let forks: Vec<_> = (0..n).map(|_| Arc::new(Mutex::new(()))).collect();
    together(n, move |number| {
        let (one, other) = (number, (number + 1) % n);
        let swaps = is_fixed && number == n - 1;
        let (one, other) = if swaps { (other, one) } else { (one, other) };
        let _one = forks[one].lock().unwrap();
        let _other = forks[other].lock().unwrap();
    });
}

pub fn dining_3() {
    dine(3, false);
}

pub fn dining_3_fixed() {
    dine(3, true);
}

pub fn dining_4() {
    dine(4, false);
}

pub fn dining_4_fixed() {
    dine(4, true);
}

/// A stack in an array, with a free node that comes back. The head may have a tag.
struct Treiber {
    /// An index from 1, and a tag above it.
    head: AtomicUsize,
    next: [AtomicUsize; 3],
    has_tags: bool,
}

impl Treiber {
    fn new(has_tags: bool) -> Treiber {
        let next = [AtomicUsize::new(2), AtomicUsize::new(0), AtomicUsize::new(0)];
        Treiber { head: AtomicUsize::new(1), next, has_tags }
    }

    fn with_tag(&self, old: usize, index: usize) -> usize {
        if self.has_tags { (old & !0xff) + 0x100 + index } else { index }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(SeqCst);
            let index = head & 0xff;
            if index == 0 {
                return None;
            }
            let next = self.next[index - 1].load(SeqCst);
            let new = self.with_tag(head, next);
            if self.head.compare_exchange(head, new, SeqCst, SeqCst).is_ok() {
                return Some(index);
            }
        }
    }

    fn push(&self, index: usize) {
        loop {
            let head = self.head.load(SeqCst);
            self.next[index - 1].store(head & 0xff, SeqCst);
            let new = self.with_tag(head, index);
            if self.head.compare_exchange(head, new, SeqCst, SeqCst).is_ok() {
                return;
            }
        }
    }
}

/// One thread pops twice and pushes the first again, another one pops: no thread may have a node that
/// another one has.
fn treiber(has_tags: bool) {
    let stack = Arc::new(Treiber::new(has_tags));
    let shared = stack.clone();
    let kept = Arc::new(AtomicUsize::new(0));
    let keeps = kept.clone();
    together(2, move |number| {
        let keep = |index: usize| {
            let bit = 1 << index;
            assert_eq!(keeps.fetch_add(bit, SeqCst) & bit, 0, "a node is popped twice");
        };
        if number == 0 {
            if let Some(index) = shared.pop() {
                keep(index);
            }
            return;
        }
        let first = shared.pop();
        if let Some(second) = shared.pop() {
            keep(second);
        }
        if let Some(first) = first {
            shared.push(first);
        }
    });
    let mut left = 0;
    while let Some(index) = stack.pop() {
        left += 1;
        assert!(left <= 3);
        assert_eq!(kept.load(SeqCst) & (1 << index), 0, "a node is in the stack that was popped");
    }
}

pub fn treiber_aba() {
    treiber(false);
}

pub fn treiber_tagged() {
    treiber(true);
}

/// The driver of "Iterative context bounding": an adder works while a stopper stops.
fn bluetooth(is_fixed: bool) {
    let pending = Arc::new(AtomicUsize::new(1));
    let stopping = Arc::new(AtomicBool::new(false));
    let stopped = Arc::new(AtomicBool::new(false));
    let event = Arc::new((Mutex::new(false), Condvar::new()));
    together(2, move |number| {
        let leave = || {
            if pending.fetch_sub(1, SeqCst) == 1 {
                *event.0.lock().unwrap() = true;
                event.1.notify_one();
            }
        };
        if number == 1 {
            stopping.store(true, SeqCst);
            leave();
            let mut is_set = event.0.lock().unwrap();
            while !*is_set {
                is_set = event.1.wait(is_set).unwrap();
            }
            drop(is_set);
            stopped.store(true, SeqCst);
            return;
        }
        if is_fixed {
            pending.fetch_add(1, SeqCst);
        }
        if !stopping.load(SeqCst) {
            if !is_fixed {
                pending.fetch_add(1, SeqCst);
            }
            assert!(!stopped.load(SeqCst), "the driver works after it was stopped");
            leave();
        } else if is_fixed {
            leave();
        }
    });
}

pub fn bluetooth_broken() {
    bluetooth(false);
}

pub fn bluetooth_fixed() {
    bluetooth(true);
}

/// A buffer with room for one: a producer of two, two consumers of one. With `if` instead of
/// `while` a consumer takes what is not there.
fn buffer(is_fixed: bool) {
    let buffer = Arc::new((Mutex::new(0), Condvar::new(), Condvar::new()));
    together(3, move |number| {
        let (n, filled, emptied) = &*buffer;
        if number == 0 {
            for _ in 0..2 {
                let mut n = n.lock().unwrap();
                while *n == 1 {
                    n = emptied.wait(n).unwrap();
                }
                *n += 1;
                filled.notify_one();
            }
            return;
        }
        let mut n = n.lock().unwrap();
        if is_fixed {
            while *n == 0 {
                n = filled.wait(n).unwrap();
            }
        } else if *n == 0 {
            n = filled.wait(n).unwrap();
        }
        assert_eq!(*n, 1, "the buffer is empty");
        *n -= 1;
        emptied.notify_one();
    });
}

pub fn buffer_if() {
    buffer(false);
}

pub fn buffer_while() {
    buffer(true);
}

/// A waiter that looks whether it has to wait before it has the mutex.
fn wake_up(is_fixed: bool) {
    let ready = Arc::new(AtomicBool::new(false));
    let pair = Arc::new((Mutex::new(()), Condvar::new()));
    together(2, move |number| {
        let (mutex, condition) = &*pair;
        if number == 0 {
            if is_fixed {
                let mut guard = mutex.lock().unwrap();
                while !ready.load(SeqCst) {
                    guard = condition.wait(guard).unwrap();
                }
            } else if !ready.load(SeqCst) {
                let guard = mutex.lock().unwrap();
                drop(condition.wait(guard).unwrap());
            }
            return;
        }
        let guard = mutex.lock().unwrap();
        ready.store(true, SeqCst);
        condition.notify_one();
        drop(guard);
    });
}

pub fn lost_wake_up() {
    wake_up(false);
}

pub fn no_lost_wake_up() {
    wake_up(true);
}

/// A deque of Chase and Lev: its owner pops what a thief steals, unless the last one is taken by
/// compare-and-swap.
struct Deque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    items: [AtomicUsize; 2],
    has_cas: bool,
}

impl Deque {
    fn push(&self, item: usize) {
        let bottom = self.bottom.load(SeqCst);
        self.items[bottom % 2].store(item, SeqCst);
        self.bottom.store(bottom + 1, SeqCst);
    }

    fn pop(&self) -> Option<usize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if top > bottom {
            self.bottom.store(bottom + 1, SeqCst);
            return None;
        }
        let item = self.items[bottom % 2].load(SeqCst);
        if top < bottom {
            return Some(item);
        }
        let is_mine =
            !self.has_cas || self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok();
        if !self.has_cas {
            self.top.store(top + 1, SeqCst);
        }
        self.bottom.store(bottom + 1, SeqCst);
        is_mine.then_some(item)
    }

    fn steal(&self) -> Option<usize> {
        let top = self.top.load(SeqCst);
        let bottom = self.bottom.load(SeqCst);
        if top >= bottom {
            return None;
        }
        let item = self.items[top % 2].load(SeqCst);
        self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).ok().map(|_| item)
    }
}

fn chase_lev(has_cas: bool) {
    // It begins at 1, so that nothing goes below 0.
    let deque = Arc::new(Deque {
        top: AtomicUsize::new(1),
        bottom: AtomicUsize::new(1),
        items: [AtomicUsize::new(0), AtomicUsize::new(0)],
        has_cas,
    });
    let taken = Arc::new(AtomicUsize::new(0));
    together(2, move |number| {
        let take = |item: Option<usize>| {
            if let Some(item) = item {
                assert_eq!(taken.fetch_or(item, SeqCst) & item, 0, "an item is taken twice");
            }
        };
        if number == 0 {
            deque.push(1);
            deque.push(2);
            take(deque.pop());
            take(deque.pop());
        } else {
            take(deque.steal());
            take(deque.steal());
        }
    });
}

pub fn chase_lev_without_cas() {
    chase_lev(false);
}

pub fn chase_lev_with_cas() {
    chase_lev(true);
}

/// Dekker's entry: each says that it wants in and looks whether the other one does. Needs
/// sequential consistency.
pub fn dekker() {
    let wants = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let inside = Arc::new(AtomicUsize::new(0));
    together(2, move |number| {
        wants[number].store(true, SeqCst);
        if !wants[1 - number].load(SeqCst) {
            assert_eq!(inside.fetch_add(1, SeqCst), 0, "both are inside");
            inside.fetch_sub(1, SeqCst);
        }
        wants[number].store(false, SeqCst);
    });
}

/// The programs that fail, with the fewest preemptions that it takes.
pub const BROKEN: [(&str, fn(), u32); 8] = [
    ("lost update", lost_update, 1),
    ("dining 3", dining_3, 1),
    ("dining 4", dining_4, 1),
    ("treiber, aba", treiber_aba, 1),
    ("bluetooth", bluetooth_broken, 1),
    ("buffer, if", buffer_if, 0),
    ("lost wake-up", lost_wake_up, 1),
    ("chase-lev, no cas", chase_lev_without_cas, 3),
];

/// Those that do not.
pub const CORRECT: [(&str, fn()); 12] = [
    ("one step", no_lost_update),
    ("3 threads, 1 section", || sections(1)),
    ("3 threads, 2 sections", || sections(2)),
    ("3 threads, 3 sections", || sections(3)),
    ("dining 3, fixed", dining_3_fixed),
    ("dining 4, fixed", dining_4_fixed),
    ("treiber, tags", treiber_tagged),
    ("bluetooth, fixed", bluetooth_fixed),
    ("buffer, while", buffer_while),
    ("wake-up", no_lost_wake_up),
    ("chase-lev", chase_lev_with_cas),
    ("dekker", dekker),
];
