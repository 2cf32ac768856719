//! Futexes (placeholder until the model is merged).
use crate::state::State;
/// See the module.
#[allow(clippy::too_many_arguments)]
pub unsafe fn futex(
    _s: &State,
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    _pc: u64,
) -> isize {
    crate::sys::call(202, [a, b, c, d, e, f])
}
