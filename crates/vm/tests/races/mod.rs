//! Data races: by hand, and of random programs against brute force.

mod by_hand;
mod oracle;
mod program;
mod random;
mod support;
