//! Frames: the calls that threads are in, and where on their stacks these keep their variables.
//!
//! In: calls as they are entered and left, and what threads do in between. Out: the calls whose variables an
//! address may be among. Whose stack it is does not matter: others access a variable through its address.
//!
//! - A1: a call is over when its function is left, or when its thread enters another one with the stack pointer
//!   at or above its own: `longjmp` leaves functions without a word.
//! - A2: a call is being executed at what its thread did last, or where it called the next one.
//! - A3: what lies at or above the stack pointer of a call, and below that of its caller, is its own or was passed to the
//!   call inside of it.
//! - A4: who enters a function with the same stack pointer and the same caller as the one before is still in that one:
//!   the function was inlined after the call that reports its entry had been added.

use std::collections::BTreeMap;

use raddle_wire::Record;

use crate::symbol::Registers;

/// A call that is not over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call {
    /// Counts calls from 0.
    pub(super) number: u32,
    /// The place that reported its entry.
    pub(super) entered: u64,
    /// What it had in its registers then.
    pub(super) registers: Registers,
    thread: u32,
    /// How many calls of its thread it is inside of.
    depth: usize,
    /// Where it returns to.
    caller: u64,
    /// How many functions were entered in it since that were inlined.
    n_inside: u32,
}

/// All calls that are not over, of all threads.
pub(super) struct Frames {
    /// By stack pointer.
    open: BTreeMap<u64, Call>,
    threads: Vec<Thread>,
    n_calls: u32,
}

#[derive(Clone, Default)]
struct Thread {
    /// The stack pointers of its calls, the innermost last.
    calls: Vec<u64>,
    /// Where it is.
    at: u64,
    /// What it has entered, of which the frame comes next.
    entered: Option<Record>,
}

impl Frames {
    pub(super) fn new(n_threads: usize) -> Frames {
        let threads = vec![Thread::default(); n_threads];
        Frames { open: BTreeMap::new(), threads, n_calls: 0 }
    }

    /// Whether no call was ever seen.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.n_calls == 0
    }

    /// A thread does something.
    #[inline]
    pub(super) fn does(&mut self, thread: u32, pc: u64) {
        self.threads[thread as usize].at = pc;
    }

    /// A thread enters a function.
    pub(super) fn enter(&mut self, thread: u32, record: Record) {
        self.threads[thread as usize].entered = Some(record);
    }

    /// Where the frame is of the function that a thread has entered.
    pub(super) fn place(&mut self, thread: u32, record: Record) {
        let Some(enter) = self.threads[thread as usize].entered.take() else { return };
        let registers = Registers { stack: record.object(), frame: record.pc() };
        let (number, entered, caller) = (self.n_calls, enter.pc(), enter.object());
        // A1
        while self.innermost(thread).is_some_and(|stack| stack < registers.stack) {
            self.over(thread);
        }
        if self.innermost(thread) == Some(registers.stack) {
            let same = self.open.get_mut(&registers.stack).filter(|call| call.caller == caller);
            if let Some(same) = same {
                (same.entered, same.registers, same.n_inside) =
                    (entered, registers, same.n_inside + 1); // A4
                return self.does(thread, entered);
            }
            self.over(thread);
        }
        self.n_calls = self.n_calls.wrapping_add(1).max(1);
        // Where another thread had its stack, nothing of that is left.
        if let Some(old) = self.open.get(&registers.stack) {
            self.end(old.thread);
        }
        let calls = &mut self.threads[thread as usize].calls;
        let depth = calls.len();
        let call = Call { number, entered, registers, thread, depth, caller, n_inside: 0 };
        calls.push(registers.stack);
        self.open.insert(registers.stack, call);
        self.does(thread, entered);
    }

    /// A thread leaves the function that it is in.
    pub(super) fn leave(&mut self, thread: u32) {
        let innermost = self.innermost(thread).and_then(|stack| self.open.get_mut(&stack));
        match innermost.filter(|call| call.n_inside > 0) {
            Some(call) => call.n_inside -= 1,
            None => self.over(thread),
        }
    }

    /// The innermost call of a thread is over.
    fn over(&mut self, thread: u32) {
        let thread = &mut self.threads[thread as usize];
        if let Some(call) = thread.calls.pop().and_then(|stack| self.open.remove(&stack)) {
            thread.at = call.caller;
        }
    }

    /// A thread has ended.
    pub(super) fn end(&mut self, thread: u32) {
        while self.innermost(thread).is_some() {
            self.over(thread);
        }
    }

    /// The calls that may have a variable at an address, the likeliest first, each with where it is being
    /// executed (A2, A3).
    pub(super) fn around(&self, address: u64) -> impl Iterator<Item = (Call, u64)> {
        let own = self.open.range(..=address).next_back().map(|(_, &call)| call);
        let inner = own.and_then(|own| self.inner(own));
        let both = [own, inner].into_iter().flatten();
        both.map(|call| (call, self.inner(call).map_or(self.at(call.thread), |inner| inner.caller)))
    }

    /// The call that a call has made.
    fn inner(&self, call: Call) -> Option<Call> {
        let stack = self.threads[call.thread as usize].calls.get(call.depth + 1)?;
        self.open.get(stack).copied()
    }

    fn at(&self, thread: u32) -> u64 {
        self.threads[thread as usize].at
    }

    fn innermost(&self, thread: u32) -> Option<u64> {
        self.threads[thread as usize].calls.last().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_wire::Code;

    /// Calls of threads as `(thread, stack pointer, caller)`; 0 leaves a function.
    fn frames(steps: &[(u32, u64, u64)]) -> Frames {
        let mut frames = Frames::new(3);
        for &(thread, stack, caller) in steps {
            if stack == 0 {
                frames.leave(thread);
                continue;
            }
            frames.enter(thread, Record::new(Code::Enter, caller, 0, stack + 7, 0));
            frames.place(thread, Record::new(Code::Frame, stack, 0, 0, 0));
        }
        frames
    }

    /// Numbers of the calls around an address, and where they are being executed.
    #[track_caller]
    fn check(frames: &Frames, address: u64, expected: &[(u32, u64)]) {
        let around: Vec<_> = frames.around(address).map(|(call, at)| (call.number, at)).collect();
        assert_eq!(around, expected);
    }

    #[test]
    fn an_address_belongs_to_the_call_below_it_and_to_what_that_has_called() {
        let frames = frames(&[(0, 900, 1), (0, 800, 2), (0, 700, 3), (1, 500, 4)]);
        check(&frames, 950, &[(0, 2), (1, 3)]);
        check(&frames, 700, &[(2, 707)]);
        check(&frames, 699, &[(3, 507)]);
        check(&frames, 499, &[]);
    }

    #[test]
    fn a_call_is_where_its_thread_was_last() {
        let mut frames = frames(&[(0, 900, 1), (0, 800, 2)]);
        frames.does(0, 77);
        check(&frames, 800, &[(1, 77)]);
        frames.leave(0);
        check(&frames, 900, &[(0, 2)]);
        frames.end(0);
        check(&frames, 900, &[]);
    }

    #[test]
    fn functions_that_were_left_without_a_word_are_over() {
        let frames = frames(&[(0, 900, 1), (0, 800, 2), (0, 700, 3), (0, 850, 4)]);
        check(&frames, 860, &[(3, 857)]);
        check(&frames, 800, &[]);
        check(&frames, 900, &[(0, 4), (3, 857)]);
    }

    #[test]
    fn what_was_inlined_is_in_the_frame_of_its_caller() {
        let mut frames = frames(&[(0, 900, 1), (0, 800, 2), (0, 800, 2), (0, 0, 0)]);
        check(&frames, 800, &[(1, 807)]);
        frames.leave(0);
        check(&frames, 800, &[]);
        check(&frames, 900, &[(0, 2)]);
    }

    #[test]
    fn another_call_with_the_same_stack_pointer_is_another_one() {
        let frames = frames(&[(0, 900, 1), (0, 800, 2), (0, 800, 3)]);
        check(&frames, 800, &[(2, 807)]);
    }

    #[test]
    fn a_stack_that_is_used_again_has_the_calls_of_its_new_thread() {
        let mut frames = frames(&[(1, 900, 1), (1, 800, 2), (2, 900, 3)]);
        check(&frames, 900, &[(2, 907)]);
        frames.end(1);
        check(&frames, 900, &[(2, 907)]);
    }
}
