//! A pool of threads, made before `main` so that making one in a run costs next to nothing.
//!
//! A member is made by the C library as any thread is, and its thread of the system parks for good:
//! what the program gets is its stack, its thread pointer and its name. So a process whose memory
//! is put back has them again, and a child has them, too, though their threads of the system have
//! stayed behind.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::AtomicU32;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::pthread::create::stack_range;
use crate::state::{Shared, State};
use crate::thread::{self, PARKING, Thread};
use crate::{context, export, sys, trap};

/// A thread that nobody uses yet.
struct Member {
    handle: Cell<usize>,
    stack: Cell<usize>,
    pointer: Cell<usize>,
    system_id: Cell<u32>,
    stack_range: Cell<(usize, usize)>,
    ready: AtomicU32,
    /// What its thread of the system waits for, on the way and for good: never set.
    awake: AtomicU32,
    asleep: AtomicU32,
    /// What it became.
    thread: Cell<*const Thread>,
}

/// All of them, in the order in which they are used.
pub struct Pool {
    members: Shared<Vec<&'static Member>>,
    n_used: Cell<usize>,
    /// The C library's note that there is only one thread; null if it has none.
    single: Cell<*mut u8>,
}

impl Pool {
    /// An empty one.
    pub const fn new() -> Pool {
        Pool {
            members: Shared::new(Vec::new()),
            n_used: Cell::new(0),
            single: Cell::new(ptr::null_mut()),
        }
    }

    /// Makes so many threads, or as many as the system allows.
    pub fn fill(&self, state: &State, n: u32) {
        type Entry = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
        self.single.set(export::first(c"__libc_single_threaded") as *mut u8);
        for _ in 0..n {
            let member: &'static Member = Box::leak(Box::new(Member {
                handle: Cell::new(0),
                stack: Cell::new(0),
                pointer: Cell::new(0),
                system_id: Cell::new(0),
                stack_range: Cell::new((0, 0)),
                ready: AtomicU32::new(0),
                awake: AtomicU32::new(0),
                asleep: AtomicU32::new(0),
                thread: Cell::new(ptr::null()),
            }));
            let mut name = 0usize;
            let (handle, attributes) = (&raw mut name, ptr::null::<c_void>());
            let (start, argument) = (enter as Entry, ptr::from_ref(member) as *mut c_void);
            let result = trap::paused(
                || real!(fn pthread_create(handle: *mut usize, attributes: *const c_void, start: Entry, argument: *mut c_void) -> i32),
            );
            if result != 0 {
                break;
            }
            sys::take(&member.ready);
            // It has to be asleep in the kernel: on its way there it would write to memory.
            while !sys::futex_move(&member.awake, &member.asleep) {
                sys::give_way();
            }
            member.handle.set(name);
            member.stack_range.set(stack_range(state, name));
            self.members.with(|members| members.push(member));
        }
        self.say_single(true);
    }

    /// Visits the stacks of members that no thread of the program uses.
    pub fn each_unused(&self, mut visit: impl FnMut((usize, usize))) {
        let n_used = self.n_used.get();
        self.members.with(|members| {
            members.iter().skip(n_used).for_each(|member| visit(member.stack_range.get()));
        });
    }

    /// The C library, and C++'s after it, count references with less care while there is only one
    /// thread: for the program there is, until it makes one.
    fn say_single(&self, is_single: bool) {
        let place = self.single.get();
        if !place.is_null() {
            // SAFETY: a byte of the C library, meant to be looked at.
            unsafe { place.write(is_single.into()) };
        }
    }

    /// Whether there is no member left.
    pub fn is_used_up(&self) -> bool {
        self.members.with(|members| members.len() == self.n_used.get())
    }

    /// Lets a member become a thread of the program; its name, unless there is none left or its
    /// stack is too small.
    pub fn take(&self, thread: &'static Thread, stack: usize) -> Option<usize> {
        // What the C library takes from a stack for itself is part of what is asked for.
        const OWN: usize = 64 << 10;
        let index = self.n_used.get();
        let member = self.members.with(|members| members.get(index).copied())?;
        let (low, high) = member.stack_range.get();
        if stack > high - low + OWN {
            return None;
        }
        self.n_used.set(index + 1);
        self.say_single(false);
        member.thread.set(thread);
        thread.is_pooled.set(true);
        thread.stack.set(member.stack.get());
        thread.pointer.set(member.pointer.get());
        thread.system_id.set(member.system_id.get());
        thread.stack_range.set(member.stack_range.get());
        Some(member.handle.get())
    }
}

/// What the C library starts a member with.
unsafe extern "C" fn enter(argument: *mut c_void) -> *mut c_void {
    // SAFETY: `fill` passes a member, which is never freed.
    let member: &'static Member = unsafe { &*argument.cast::<Member>() };
    member.pointer.set(context::thread_pointer());
    member.system_id.set(sys::thread_id());
    sys::set_signal_mask(u64::MAX);
    let parking = sys::map(PARKING);
    let end = parking as usize + PARKING - 64;
    // SAFETY: the parking was just mapped for this alone, and `parked` never returns.
    unsafe { context::park(member.stack.as_ptr(), end, parked, argument.cast()) };
    // From here on whoever runs the program runs this.
    // SAFETY: who runs a member has made it a thread, which is never freed.
    let thread: &'static Thread = unsafe { &*member.thread.get() };
    context::set_own_thread(thread);
    let state = State::get();
    thread::resumed(state);
    thread::run(state, thread);
    unreachable!("a thread that has ended is never resumed");
}

/// The thread of the system stays here.
unsafe extern "C" fn parked(argument: *const Thread) {
    // SAFETY: `enter` passes a member, which is never freed.
    let member = unsafe { &*argument.cast::<Member>() };
    sys::raise(&member.ready);
    loop {
        sys::take(&member.awake);
    }
}
