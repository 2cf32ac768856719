/* treiber_aba: threads take buffers from a lock-free stack (Treiber's) and put them back.
 *
 * threads:  3
 * bug:      the top is the same again although the stack is not (ABA), a buffer is handed out twice
 * kinds:    atomicity, panic
 * shows:    panic
 * bound:    2
 * native:   yes
 * verdict:  fails
 */

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const N_BUFFERS: usize = 3;
const NONE: usize = N_BUFFERS;

struct Stack {
    top: AtomicUsize,
    /// The buffer below each, or `NONE`.
    next: [AtomicUsize; N_BUFFERS],
}

impl Stack {
    fn replace(&self, old: usize, new: usize) -> Result<usize, usize> {
        self.top.compare_exchange(old, new, Ordering::SeqCst, Ordering::SeqCst)
    }

    fn take(&self) -> usize {
        let mut index = self.top.load(Ordering::SeqCst);
        while index != NONE {
            let next = self.next[index].load(Ordering::SeqCst);
            match self.replace(index, next) {
                Ok(_) => break,
                Err(top) => index = top,
            }
        }
        index
    }

    fn put(&self, index: usize) {
        let mut old = self.top.load(Ordering::SeqCst);
        loop {
            self.next[index].store(old, Ordering::SeqCst);
            match self.replace(old, index) {
                Ok(_) => break,
                Err(top) => old = top,
            }
        }
    }
}

fn use_one(stack: &Stack) {
    stack.put(stack.take());
}

fn use_two(stack: &Stack) {
    let (first, second) = (stack.take(), stack.take());
    stack.put(first);
    stack.put(second);
}

fn main() {
    let next = core::array::from_fn(|_| AtomicUsize::new(NONE));
    let stack = Arc::new(Stack { top: AtomicUsize::new(NONE), next });
    (0..N_BUFFERS).rev().for_each(|index| stack.put(index));
    let shared = Arc::clone(&stack);
    let ann = thread::spawn(move || use_one(&shared));
    let shared = Arc::clone(&stack);
    let ben = thread::spawn(move || use_two(&shared));
    ann.join().unwrap();
    ben.join().unwrap();
    let mut seen = [false; N_BUFFERS];
    for _ in 0..N_BUFFERS {
        let index = stack.take();
        assert!(index != NONE && !seen[index]);
        seen[index] = true;
    }
    assert_eq!(stack.take(), NONE);
}
