//! Blocks from before `main`.
//!
//! No thread is under control yet when constructors ask for memory. What they have then is kept, and recorded when
//! control begins: otherwise it would look like a stack.
//!
//! Constructors may start threads, so the list has a lock.

use alloc::vec::Vec;

use crate::host;
use crate::parallel::spin::Spin;

/// A block: where, how many bytes, and from where it was asked for.
#[derive(Clone, Copy)]
pub(super) struct Early {
    pub(super) address: u64,
    pub(super) size: usize,
    pub(super) pc: u64,
}

/// What there is; nothing once control has begun.
static BLOCKS: Spin<Option<Vec<Early>>> = Spin::new(Some(Vec::new()));

/// The program got a block while it is not under control.
pub(super) fn note(address: u64, size: usize, pc: u64) {
    if host::page().is_some() {
        let block = Early { address, size, pc };
        BLOCKS.with(|blocks| blocks.as_mut().map(|blocks| blocks.push(block)));
    }
}

/// It gave one back while it is not under control.
pub(super) fn forget(address: u64) {
    BLOCKS.with(|blocks| {
        // What is given back was mostly asked for lately.
        if let Some(blocks) = blocks
            && let Some(index) = blocks.iter().rposition(|block| block.address == address)
        {
            blocks.remove(index);
        }
    });
}

/// Control begins: what the program has.
pub(super) fn take() -> Vec<Early> {
    BLOCKS.with(Option::take).unwrap_or_default()
}
