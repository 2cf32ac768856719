//! The machine on programs made by hand and on C programs.

mod c;
mod canon;
mod compute;
mod faults;
mod primitives;
mod record;
mod support;
