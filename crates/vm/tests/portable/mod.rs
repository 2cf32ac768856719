//! Portable schedules: what a search with few points finds shows again with points everywhere.

mod by_hand;
mod program;
mod random;
mod support;
