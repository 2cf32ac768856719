//! Snapshots: the memory of the process as it was before `main`, again and again.
//!
//! Before the first run all private memory that can be written is made read-only. The first write
//! to a page is a fault ([`fault`]): its content is saved and the page made writable, for good.
//! After a run the pages that were ever written are put back ([`restore`]), so that the cost follows
//! what runs touch, and after the first few runs there are no faults any more.
//!
//! What is not put back is shared memory: the control, the board, and what [`sys::map_kept`] gave,
//! which is where all of this lives and runs. The loop over plans has a stack of its own there.
//!
//! - P1: memory that is mapped during a run is unmapped after it ([`mapped`]).
//! - P2: the kernel must not be the first to write to a page, since its writes do not fault. Who
//!   passes memory to the kernel touches it before ([`touch`]).
//! - P3: a signal's frame is written by the kernel, too. Who sends a signal to itself touches the stack before
//!   ([`touch_frame`]). For a caught system call a fault without an address arrives instead, and the call is made again
//!   after its stack was touched.
//! - P4: the kernel writes to the C library's area for restartable sequences at any time.

mod changes;
mod pages;
mod region;

use core::cell::Cell;
use core::mem::size_of;
use core::sync::atomic::Ordering;

use super::note::done;
use super::serve::wait_for;
use crate::context;
use crate::memory::plain;
use crate::state::State;
use crate::sys::{self, Whence, nr};
use crate::trap::Context;
use raddle_wire::board::Model;
use region::{Region, each_region, read_regions};

const PAGE: usize = 4096;
const N_REGIONS_MAX: usize = 4096;
const N_MAPS_MAX: usize = 4096;
const N_FILES_MAX: usize = 1024;
const N_ACTIONS_MAX: usize = 256;
/// Pages that can be put back: 16 GiB.
const N_PAGES_MAX: usize = 1 << 22;
/// Twice as many, so that looking one up takes few steps.
const N_PLACES: usize = N_PAGES_MAX * 2;
const STACK: usize = 256 << 10;
/// The stack of `main` can grow so far.
const GROWTH_MAX: usize = 64 << 20;

/// What is not put back. All of it is in cells: the first write to a page, which may be one to a stack, can come while
/// something here is under way, and it comes here, too.
///
/// Zero bytes are one in which nothing has been noted.
pub struct Kept {
    regions: [Cell<Region>; N_REGIONS_MAX],
    n_regions: Cell<usize>,
    /// The pages that were written, in that order, and what was in them.
    pages: Cell<*mut usize>,
    saved: Cell<*mut u8>,
    n_pages: Cell<usize>,
    /// Places of pages in `pages`, plus one, by their hashes.
    places: Cell<*mut u32>,
    /// The end of the heap, and whether it was moved.
    heap_end: Cell<usize>,
    pub(super) heap_moved: Cell<bool>,
    /// What was mapped in this run.
    maps: [Cell<(usize, usize)>; N_MAPS_MAX],
    n_maps: Cell<usize>,
    /// Files that were opened in this run.
    files: [Cell<u64>; N_FILES_MAX / 64],
    any_file: Cell<bool>,
    /// How signals were handled that were changed in this run.
    actions: [Cell<(usize, [usize; 4])>; N_ACTIONS_MAX],
    n_actions: Cell<usize>,
    /// Where the standard input is read from, if that can be said.
    stdin_offset: Cell<isize>,
    signal_mask: Cell<u64>,
    main_stack: Cell<usize>,
    loop_stack: Cell<usize>,
    /// Where the loop begins.
    loop_top: Cell<usize>,
    pointer: Cell<usize>,
    n_done: Cell<u32>,
}

/// What is kept, if memory is put back.
fn kept() -> Option<&'static Kept> {
    State::get().explore.kept.get()
}

/// Gets the memory that all of this takes; false if there is none.
pub(super) fn make_room(state: &State) -> bool {
    let kept = sys::map_kept(size_of::<Kept>()).cast::<Kept>();
    let pages = sys::map_kept(N_PAGES_MAX * size_of::<usize>());
    let saved = sys::map_kept(N_PAGES_MAX * PAGE);
    let places = sys::map_kept(N_PLACES * size_of::<u32>());
    let stack = sys::map_kept(STACK);
    if [kept.cast(), pages, saved, places, stack].iter().any(|place| place.is_null()) {
        return false;
    }
    // SAFETY: a mapping of that size, which is never given back, begins with zero bytes, and those are a `Kept`.
    let kept: &'static Kept = unsafe { &*kept };
    kept.pages.set(pages.cast());
    kept.saved.set(saved);
    kept.places.set(places.cast());
    // SAFETY: the stack was just mapped for this alone.
    kept.loop_top.set(unsafe { context::prepare(stack as usize + STACK, serve_on_own_stack) });
    state.explore.kept.set(Some(kept));
    true
}

/// Runs plan after plan; returns in each run, on the stack of `main`.
pub(super) fn serve(state: &State, kept: &'static Kept) -> u32 {
    kept.pointer.set(context::thread_pointer());
    kept.signal_mask.set(state.current().signal_mask.get());
    kept.stdin_offset.set(sys::seek(0, 0, Whence::Here));
    kept.heap_end.set(sys::set_heap_end(0));
    // SAFETY: the loop was prepared, and runs on a stack of its own.
    unsafe {
        context::switch(kept.main_stack.as_ptr(), kept.loop_top.get(), kept.pointer.get());
    }
    // Here every run begins.
    kept.n_done.get()
}

unsafe extern "C" fn serve_on_own_stack() -> ! {
    let state = State::get();
    let board = state.explore.board();
    let kept = kept().expect("who comes here has made room");
    kept.take();
    loop {
        let n_done = kept.n_done.get();
        wait_for(board, n_done);
        // SAFETY: `serve` waits there, on memory that was put back since; or it has just come from there.
        unsafe {
            context::switch(kept.loop_stack.as_ptr(), kept.main_stack.get(), kept.pointer.get());
        }
        kept.restore();
        board.n_pages.store(kept.n_pages.get() as u32, Ordering::Relaxed);
        if state.explore.is_again(n_done) {
            continue;
        }
        kept.n_done.set(n_done.wrapping_add(1));
        done(board);
    }
}

/// Goes back to the loop over plans from wherever a run has ended.
pub(super) fn leave(kept: &Kept) -> ! {
    let mut unused = 0;
    // SAFETY: the loop waits where it let the run begin.
    unsafe { context::switch(&raw mut unused, kept.loop_stack.get(), kept.pointer.get()) };
    unreachable!("a run that has ended is never resumed")
}

impl Kept {
    fn regions(&self) -> &[Cell<Region>] {
        &self.regions[..self.n_regions.get()]
    }

    /// What is mapped of what was mapped in this run.
    fn maps(&self) -> impl Iterator<Item = (usize, usize)> {
        self.maps[..self.n_maps.get()].iter().map(Cell::get).filter(|map| map.1 > 0)
    }

    /// Makes all private memory read-only, except for what the kernel writes to at any time (P4): that
    /// must not be read-only for a moment.
    fn take(&self) {
        read_regions(self);
        let pointer = self.pointer.get();
        let (low, high) = (pointer & !(PAGE - 1), (pointer + PAGE).next_multiple_of(PAGE));
        touch(low, high - low);
        for Region { start, end, rights, .. } in self.regions().iter().map(Cell::get) {
            for (start, end) in [(start, end.min(low.max(start))), (start.max(high.min(end)), end)]
            {
                if start < end {
                    // SAFETY: the first write to each page makes it writable again.
                    unsafe { sys::protect(start, end - start, rights) };
                }
            }
        }
    }

    /// Puts everything back.
    fn restore(&self) {
        for index in 0..self.n_pages.get() {
            // SAFETY: the page was made writable when its content was saved, and the run, which is over, has the only
            // threads that look at it.
            unsafe { plain::copy_page(self.page(index) as *mut u8, self.content(index)) };
        }
        for (start, len) in self.maps() {
            // SAFETY: P1; what the run mapped goes with it.
            unsafe { sys::unmap(start as *mut u8, len) };
        }
        self.n_maps.set(0);
        if self.heap_moved.replace(false) {
            sys::set_heap_end(self.heap_end.get());
        }
        if self.any_file.replace(false) {
            for file in (0..N_FILES_MAX).filter(|&file| self.is_own(file)) {
                sys::close(file as i32);
            }
            self.files.iter().for_each(|files| files.set(0));
        }
        for (signal, action) in self.actions[..self.n_actions.get()].iter().map(Cell::get) {
            // SAFETY: an action as the kernel has given it.
            unsafe {
                sys::call(nr::RT_SIGACTION, [signal, action.as_ptr() as usize, 0, 8, 0, 0]);
            }
        }
        self.n_actions.set(0);
        if self.stdin_offset.get() >= 0 {
            sys::seek(0, self.stdin_offset.get(), Whence::Start);
        }
        sys::set_signal_mask(self.signal_mask.get());
    }
}

/// A fault: true if it was the first write to a page, or the lack of room for a signal's frame.
pub fn fault(address: u64, code: i32, context: &mut Context) -> bool {
    const BY_KERNEL: i32 = 0x80;
    let Some(kept) = kept() else { return false };
    if code == BY_KERNEL {
        // SAFETY: it was interrupted in code.
        let is_call = unsafe { context.is_behind_call() };
        if is_call {
            touch_frame(context.stack_pointer() as usize);
            context.repeat_call();
        }
        return is_call;
    }
    context.is_write() && kept.open(address as usize & !(PAGE - 1))
}

/// Sees to it that the kernel can write a signal's frame below a place on a stack (P3).
pub fn touch_frame(stack: usize) {
    const FRAME_MAX: usize = 16 << 10;
    touch(stack - FRAME_MAX, FRAME_MAX);
}

/// Sees to it that memory can be written, if it is memory that is put back.
pub fn touch(start: usize, len: usize) {
    let Some(kept) = kept() else { return };
    let end = start.saturating_add(len.max(1));
    let mut page = start & !(PAGE - 1);
    while page < end {
        kept.open(page);
        page += PAGE;
    }
}

/// Visits the memory that a run may have changed, as `start..end`, until a visit says no; whether none did. Where
/// memory is not put back, that is all that could be written.
pub(super) fn each_range(state: &State, visit: &mut dyn FnMut(usize, usize) -> bool) -> bool {
    match state.explore.kept.get() {
        Some(kept) if state.explore.model.get() == Model::Snapshot => {
            let mut pages = (0..kept.n_pages.get()).map(|index| kept.page(index));
            pages.all(|page| visit(page, page + PAGE))
                && kept.maps().all(|(start, len)| visit(start, start + len))
        }
        _ => each_region(&mut |region| visit(region.start, region.end)),
    }
}

/// Memory was mapped, by the program or for it.
pub fn mapped(start: usize, len: usize) {
    if let Some(kept) = kept()
        && kept.loop_stack.get() != 0
        && let Some(map) = kept.maps.get(kept.n_maps.get())
    {
        map.set((start, len));
        kept.n_maps.set(kept.n_maps.get() + 1);
    }
}
