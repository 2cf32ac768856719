//! Worked examples with known answers, among them those where published algorithms go wrong.

mod notation;
mod races;
mod reads;
