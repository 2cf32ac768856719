//! What compilers call: TSan's interface, as gcc, clang and rustc use it.

mod access;
mod atomic;
mod atomic128;
mod frame;

pub use access::{access, range};
