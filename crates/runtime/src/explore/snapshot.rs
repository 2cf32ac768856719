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
mod region;

use core::mem::size_of;
use core::sync::atomic::Ordering;

use super::note::done;
use super::serve::wait_for;
use crate::context;
use crate::memory::plain;
use crate::state::State;
use crate::sys::{self, nr};
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

/// What is not put back.
pub struct Kept {
    regions: [Region; N_REGIONS_MAX],
    n_regions: usize,
    /// The pages that were written, in that order, and what was in them.
    pages: *mut usize,
    saved: *mut u8,
    n_pages: usize,
    /// Places of pages in `pages`, plus one, by their hashes.
    places: *mut u32,
    /// The end of the heap, and whether it was moved.
    heap_end: usize,
    pub(super) heap_moved: bool,
    /// What was mapped in this run.
    maps: [(usize, usize); N_MAPS_MAX],
    n_maps: usize,
    /// Files that were opened in this run.
    files: [u64; N_FILES_MAX / 64],
    any_file: bool,
    /// How signals were handled that were changed in this run.
    actions: [(usize, [usize; 4]); N_ACTIONS_MAX],
    n_actions: usize,
    /// Where the standard input is read from, if that can be said.
    stdin_offset: isize,
    signal_mask: u64,
    main_stack: usize,
    loop_stack: usize,
    /// Where the loop begins.
    loop_top: usize,
    pointer: usize,
    n_done: u32,
}

fn kept() -> Option<&'static mut Kept> {
    // SAFETY: it is set once; only one thread runs, and no reference is held while another does.
    unsafe { State::get().explore.kept.get().as_mut() }
}

/// Gets the memory that all of this takes; false if there is none.
pub(super) unsafe fn make_room(state: &State) -> bool {
    let kept = sys::map_kept(size_of::<Kept>()).cast::<Kept>();
    let pages = sys::map_kept(N_PAGES_MAX * size_of::<usize>());
    let saved = sys::map_kept(N_PAGES_MAX * PAGE);
    let places = sys::map_kept(N_PLACES * size_of::<u32>());
    let stack = sys::map_kept(STACK);
    if [kept.cast(), pages, saved, places, stack].iter().any(|place| place.is_null()) {
        return false;
    }
    (*kept).pages = pages.cast();
    (*kept).saved = saved;
    (*kept).places = places.cast();
    (*kept).loop_top = context::prepare(stack as usize + STACK, serve_on_own_stack);
    state.explore.kept.set(kept);
    true
}

/// Runs plan after plan; returns in each run, on the stack of `main`.
pub(super) unsafe fn serve(state: &'static State) -> u32 {
    let kept = state.explore.kept.get();
    (*kept).pointer = context::thread_pointer();
    (*kept).signal_mask = state.current().signal_mask.get();
    (*kept).stdin_offset = sys::call3(nr::LSEEK, 0, 0, 1);
    (*kept).heap_end = sys::call3(nr::BRK, 0, 0, 0) as usize;
    context::switch(&raw mut (*kept).main_stack, (*kept).loop_top, (*kept).pointer);
    // Here every run begins.
    (*kept).n_done
}

unsafe extern "C" fn serve_on_own_stack() -> ! {
    let state = State::get();
    let board = state.explore.board();
    let kept = state.explore.kept.get();
    take(&mut *kept);
    loop {
        wait_for(board, (*kept).n_done);
        context::switch(&raw mut (*kept).loop_stack, (*kept).main_stack, (*kept).pointer);
        restore(&mut *kept);
        board.n_pages.store((*kept).n_pages as u32, Ordering::Relaxed);
        if state.explore.is_again((*kept).n_done) {
            continue;
        }
        (*kept).n_done = (*kept).n_done.wrapping_add(1);
        done(board);
    }
}

/// Goes back to the loop over plans from wherever a run has ended.
pub(super) fn leave(kept: *mut Kept) -> ! {
    let mut unused = 0;
    // SAFETY: the loop waits where it let the run begin.
    unsafe { context::switch(&raw mut unused, (*kept).loop_stack, (*kept).pointer) };
    unreachable!("a run that has ended is never resumed")
}

/// Makes all private memory read-only, except for what the kernel writes to at any time (P4): that
/// must not be read-only for a moment.
unsafe fn take(kept: &mut Kept) {
    read_regions(kept);
    let (low, high) = (kept.pointer & !(PAGE - 1), (kept.pointer + PAGE).next_multiple_of(PAGE));
    touch(low, high - low);
    let protect = |start: usize, end: usize, rights: usize| {
        if start < end {
            sys::call3(nr::MPROTECT, start, end - start, rights);
        }
    };
    for &Region { start, end, rights, .. } in &kept.regions[..kept.n_regions] {
        protect(start, end.min(low.max(start)), rights);
        protect(start.max(high.min(end)), end, rights);
    }
}

const READ_WRITE: usize = 3;

/// Puts everything back.
unsafe fn restore(kept: &mut Kept) {
    for index in 0..kept.n_pages {
        let (page, saved) = (*kept.pages.add(index), kept.saved.add(index * PAGE));
        plain::copy_page(page as *mut u8, saved);
    }
    for &(start, len) in kept.maps[..kept.n_maps].iter().filter(|map| map.1 > 0) {
        sys::unmap(start as *mut u8, len); // P1
    }
    kept.n_maps = 0;
    if kept.heap_moved {
        sys::call3(nr::BRK, kept.heap_end, 0, 0);
        kept.heap_moved = false;
    }
    if kept.any_file {
        for file in (0..N_FILES_MAX).filter(|&file| kept.is_own(file)) {
            sys::close(file as i32);
        }
        kept.files = [0; N_FILES_MAX / 64];
        kept.any_file = false;
    }
    for (signal, action) in &kept.actions[..kept.n_actions] {
        sys::call(nr::RT_SIGACTION, [*signal, action.as_ptr() as usize, 0, 8, 0, 0]);
    }
    kept.n_actions = 0;
    if kept.stdin_offset >= 0 {
        sys::call3(nr::LSEEK, 0, kept.stdin_offset as usize, 0);
    }
    sys::set_signal_mask(kept.signal_mask);
}

/// A fault: true if it was the first write to a page, or the lack of room for a signal's frame.
pub unsafe fn fault(address: u64, code: i32, context: &mut Context) -> bool {
    const BY_KERNEL: i32 = 0x80;
    let Some(kept) = kept() else { return false };
    if code == BY_KERNEL {
        let is_call = context.is_behind_call();
        if is_call {
            touch_frame(context.stack_pointer() as usize);
            context.repeat_call();
        }
        return is_call;
    }
    context.is_write() && open(kept, address as usize & !(PAGE - 1))
}

/// Sees to it that the kernel can write a signal's frame below a place on a stack (P3).
pub unsafe fn touch_frame(stack: usize) {
    const FRAME_MAX: usize = 16 << 10;
    touch(stack - FRAME_MAX, FRAME_MAX);
}

/// Sees to it that memory can be written, if it is memory that is put back.
pub unsafe fn touch(start: usize, len: usize) {
    let Some(kept) = kept() else { return };
    let end = start.saturating_add(len.max(1));
    let mut page = start & !(PAGE - 1);
    while page < end {
        open(kept, page);
        page += PAGE;
    }
}

/// Saves a page and makes it writable; false if it is none of ours, or was writable.
unsafe fn open(kept: &mut Kept, page: usize) -> bool {
    let regions = &mut kept.regions[..kept.n_regions];
    let index = regions.partition_point(|region| region.end <= page);
    let Some(region) = regions.get_mut(index) else { return false };
    if page < region.start {
        let grows = region.is_stack && region.start - page <= GROWTH_MAX;
        if !grows {
            return false;
        }
        region.start = page;
    }
    if kept.n_pages >= N_PAGES_MAX {
        return false;
    }
    let mut place = (page >> 12).wrapping_mul(0x9e37_79b9_7f4a_7c15) % N_PLACES;
    loop {
        match *kept.places.add(place) {
            0 => break,
            other if *kept.pages.add(other as usize - 1) == page => return false,
            _ => place = (place + 1) % N_PLACES,
        }
    }
    if sys::call3(nr::MPROTECT, page, PAGE, READ_WRITE) < 0 {
        return false;
    }
    let index = kept.n_pages;
    plain::copy_page(kept.saved.add(index * PAGE), page as *const u8);
    *kept.pages.add(index) = page;
    *kept.places.add(place) = index as u32 + 1;
    kept.n_pages = index + 1;
    true
}

/// Visits the memory that a run may have changed, as `start..end`, until a visit says no; whether none did. Where
/// memory is not put back, that is all that could be written.
pub(super) fn each_range(state: &State, visit: &mut dyn FnMut(usize, usize) -> bool) -> bool {
    let kept = state.explore.kept.get();
    if kept.is_null() || state.explore.model.get() != Model::Snapshot {
        // SAFETY: asks the system only.
        return unsafe { each_region(&mut |region| visit(region.start, region.end)) };
    }
    // SAFETY: only the running thread touches it, and a visit changes nothing there.
    let kept = unsafe { &*kept };
    // SAFETY: so many pages were noted.
    let mut pages = (0..kept.n_pages).map(|index| unsafe { *kept.pages.add(index) });
    pages.all(|page| visit(page, page + PAGE))
        && kept.maps[..kept.n_maps]
            .iter()
            .filter(|map| map.1 > 0)
            .all(|&(start, len)| visit(start, start + len))
}

/// Memory was mapped, by the program or for it.
pub fn mapped(start: usize, len: usize) {
    if let Some(kept) = kept()
        && kept.loop_stack != 0
        && kept.n_maps < N_MAPS_MAX
    {
        kept.maps[kept.n_maps] = (start, len);
        kept.n_maps += 1;
    }
}
