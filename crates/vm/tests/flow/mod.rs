//! Data flow of small C programs, derived by hand, and against runs with other values.

mod by_hand;
mod perturbed;
mod support;
