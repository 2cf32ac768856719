//! The machine on programs made by hand.

mod support;

mod compute;
