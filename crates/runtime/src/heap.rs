//! The program's heap: `malloc` and its kin.
//!
//! In: what programs and libraries call. Out: blocks of the C library, records of who has which
//! memory, and the end of a run that uses memory after it was freed or frees it twice.
//!
//! - H1: An allocation is recorded but no event. A free is an event, so a schedule can stop a
//!   thread before it; it is no scheduling point.
//! - H2: A block that is freed under control is marked in the [`shadow`] and goes into the
//!   [`quarantine`]. The C library gets it back when it leaves, and then the marks are gone: so
//!   memory that is marked is never given out, whoever asks for memory.
//! - H3: While it is kept there, nobody writes to it: who uses it finds what was there.
//! - H4: Growing a block moves it unless there is room in it, so old pointers to it are noticed.
//!
//! The C library's functions are called by names of which nobody else has a definition. Looking
//! names up may itself allocate.

mod early;
mod freed;
mod quarantine;
mod shadow;

use core::ffi::c_void;
use core::ptr;

use raddle_wire::{Code, Record};

use crate::given::Given;
use crate::pthread::error::{EINVAL, ENOMEM};
use crate::sched;
use crate::state::{Shared, State};
use crate::{parallel, record, tsan, unseen};

pub use freed::{check, check_at};
pub use shadow::Shadow;

use quarantine::{BYTES_MAX, Block, Quarantine};

// SAFETY: as the C library declares them. Blocks are what it gave out and the program, or the quarantine, passes.
unsafe extern "C" {
    safe fn __libc_malloc(size: usize) -> Given<c_void>;
    safe fn __libc_free(block: Given<c_void>);
    safe fn __libc_calloc(n: usize, size: usize) -> Given<c_void>;
    safe fn __libc_realloc(block: Given<c_void>, size: usize) -> Given<c_void>;
    safe fn __libc_memalign(alignment: usize, size: usize) -> Given<c_void>;
    safe fn malloc_usable_size(block: Given<c_void>) -> usize;
}

hook! {
    1, malloc => allocate;
    2, calloc => allocate_zeroed;
    2, realloc => reallocate;
    3, reallocarray => reallocate_array;
    2, memalign => allocate_aligned;
    2, aligned_alloc => allocate_aligned;
    3, posix_memalign => allocate_into;
    1, valloc => allocate_pages;
    1, pvalloc => allocate_whole_pages;
    1, free => release;
    1, cfree => release;
    // What C++ calls, so that a block is known by the place that wanted it.
    1, _Znwm => make;
    1, _Znam => make;
    1, _ZdlPv => release;
    2, _ZdlPvm => release_sized;
    1, _ZdaPv => release;
    2, _ZdaPvm => release_sized;
}

const PAGE: usize = 4096;

struct Blocks(Shared<Quarantine>);

// SAFETY: only the running thread touches it.
unsafe impl Sync for Blocks {}

static BLOCKS: Blocks = Blocks(Shared::new(Quarantine::new()));

extern "C" fn allocate(size: usize, pc: u64) -> Given<c_void> {
    allocated(__libc_malloc(size), size, pc)
}

/// `operator new`.
extern "C" fn make(size: usize, pc: u64) -> Given<c_void> {
    match allocate(size.max(1), pc) {
        // C++'s own function throws.
        block if block.is_null() => real!(fn _Znwm(size: usize) -> Given<c_void>),
        block => block,
    }
}

/// `operator delete` of something whose size is known.
extern "C" fn release_sized(block: Given<c_void>, _size: usize, pc: u64) {
    release(block, pc);
}

extern "C" fn allocate_zeroed(n: usize, size: usize, pc: u64) -> Given<c_void> {
    allocated(__libc_calloc(n, size), n.wrapping_mul(size), pc)
}

extern "C" fn allocate_aligned(alignment: usize, size: usize, pc: u64) -> Given<c_void> {
    allocated(__libc_memalign(alignment, size), size, pc)
}

extern "C" fn allocate_into(
    block: Given<Given<c_void>>,
    alignment: usize,
    size: usize,
    pc: u64,
) -> i32 {
    if !alignment.is_power_of_two() || alignment < size_of::<usize>() {
        return EINVAL;
    }
    let new = allocate_aligned(alignment, size, pc);
    if new.is_null() {
        return ENOMEM;
    }
    block.set(new);
    0
}

extern "C" fn allocate_pages(size: usize, pc: u64) -> Given<c_void> {
    allocate_aligned(PAGE, size, pc)
}

extern "C" fn allocate_whole_pages(size: usize, pc: u64) -> Given<c_void> {
    // What is too large to be rounded up is too large to be had.
    allocate_aligned(PAGE, size.checked_next_multiple_of(PAGE).unwrap_or(size), pc)
}

/// Makes room in the heap for so many bytes.
pub fn grow(len: usize) {
    __libc_free(__libc_malloc(len));
}

/// Notes a new block, if there is one.
fn allocated(block: Given<c_void>, size: usize, pc: u64) -> Given<c_void> {
    if block.is_null() {
        return block;
    }
    let Some(state) = State::active() else {
        match parallel::lane() {
            Some(_) => parallel::sync_all(&extent(block.address(), size, pc)),
            None => early::note(block.address(), size, pc),
        }
        return block;
    };
    state.shadow.allocated(block.address(), size, malloc_usable_size(block));
    record_extent(state, block.address(), size, pc);
    block
}

/// Records what the program has from before `main`; control has begun.
pub fn record_early() {
    for early::Early { address, size, pc } in early::take() {
        match State::active() {
            Some(state) => record_extent(state, address, size, pc),
            None => parallel::sync_all(&extent(address, size, pc)),
        }
    }
}

/// Records which memory belongs to the program.
fn record_extent(state: &State, address: u64, size: usize, pc: u64) {
    if state.recorder.is_on() || state.explore.looks_for_races() {
        extent(address, size, pc).into_iter().for_each(|record| record::note(state, record));
        sched::settle(state);
        sched::arm(state);
    }
}

fn extent(address: u64, size: usize, pc: u64) -> [Record; 2] {
    let alloc = Record::new(Code::Alloc, address, 0, pc, 0);
    [alloc, Record::new(Code::Extent, size as u64, 0, pc, 0)]
}

extern "C" fn release(block: Given<c_void>, pc: u64) {
    let Some(state) = State::active() else {
        if parallel::lane().is_none() {
            early::forget(block.address());
        } else if !block.is_null() {
            parallel::sync(Record::new(Code::Free, block.address(), 0, pc, 0));
        }
        return __libc_free(block);
    };
    if !block.is_null() {
        announce_release(state, block.address(), pc);
        retire(state, block, pc);
    }
}

/// The event of a free; nobody else runs between it and what the caller does next.
fn announce_release(state: &State, address: u64, pc: u64) {
    if !address.is_multiple_of(16) {
        freed::misaligned(state, address, pc);
    }
    tsan::access(state, Record::new(Code::Free, address, 0, pc, 0));
    state.n_others.set(state.n_others.get() + 1);
}

/// How many bytes a block has that is about to be freed; 1 if it is none.
pub fn block_size(state: &State, address: u64) -> u64 {
    if !state.shadow.is_block(address) {
        return 1;
    }
    // SAFETY: the shadow knows a block that begins there, which the program passed to be freed.
    let usable = malloc_usable_size(unsafe { Given::new(address as usize) });
    state.shadow.size(address, usable) as u64
}

/// Takes a block away from the program.
fn retire(state: &State, block: Given<c_void>, pc: u64) {
    let (address, usable) = (block.address(), malloc_usable_size(block));
    let size = state.shadow.size(address, usable);
    if state.explore.looks_for_races() {
        let (thread, point) = (state.current().number, state.explore.point());
        state.races.freed(thread, address..address + size as u64, pc, point);
    }
    state.objects.with(|objects| objects.forget_within(address, address + usable as u64));
    unseen::forget(state, address, address + usable as u64);
    if usable > BYTES_MAX || !state.shadow.prepare() {
        state.shadow.forget(address, 1);
        return __libc_free(block);
    }
    state.shadow.freed(address, usable);
    let thread = state.current().number;
    BLOCKS.0.with(|blocks| blocks.push(Block { address, size, usable, pc, thread }));
    while let Some(oldest) = BLOCKS.0.with(Quarantine::pop_excess) {
        state.shadow.forget(oldest.address, oldest.usable);
        // SAFETY: the program passed the block to be freed, and it is freed only now.
        __libc_free(unsafe { Given::new(oldest.address as usize) });
    }
}

extern "C" fn reallocate(block: Given<c_void>, size: usize, pc: u64) -> Given<c_void> {
    let controlled = State::active();
    if controlled.is_none() && parallel::lane().is_none() {
        early::forget(block.address());
        let new = __libc_realloc(block, size);
        if !new.is_null() {
            early::note(new.address(), size, pc);
        }
        return new;
    }
    if block.is_null() {
        return allocate(size, pc);
    }
    if size == 0 {
        // As in the C library: the block is freed and there is no new one.
        release(block, pc);
        return Given::NULL;
    }
    if let Some(state) = controlled {
        check(state, Record::new(Code::Free, block.address(), 0, pc, 0));
    }
    let usable = malloc_usable_size(block);
    if size <= usable && (size >= usable / 2 || usable < PAGE) {
        return allocated(block, size, pc);
    }
    let new = allocate(size, pc);
    if !new.is_null() {
        if let Some(state) = controlled {
            announce_release(state, block.address(), pc);
        }
        let (from, to) = (block.cast::<u8>().pointer(), new.cast::<u8>().pointer());
        // SAFETY: both blocks have so many bytes, and neither has been freed.
        unsafe { ptr::copy_nonoverlapping(from, to, usable.min(size)) };
        match controlled {
            Some(state) => retire(state, block, pc),
            None => release(block, pc),
        }
    }
    new
}

extern "C" fn reallocate_array(
    block: Given<c_void>,
    n: usize,
    size: usize,
    pc: u64,
) -> Given<c_void> {
    match n.checked_mul(size) {
        Some(size) => reallocate(block, size, pc),
        // The C library sets `errno`.
        None => {
            real!(fn reallocarray(block: Given<c_void>, n: usize, size: usize) -> Given<c_void>)
        }
    }
}
