//! Trace programs in a small notation: graphs, intervals and answers against brute force.

mod adequate;
mod brute;
mod exact;
mod golden;
mod notation;
mod sound;
