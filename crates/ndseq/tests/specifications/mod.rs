//! Specifications of traces that are written down, against the definitions.

mod brute;
mod golden;
mod random;
mod raw;
