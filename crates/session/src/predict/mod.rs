//! What other interleavings of the events of one trace show: the analyses, and the story of each prediction.
//!
//! In: a trace and a [`Plan`]. Out: [`Found`]; and, when the program was run along the witnesses,
//! which of them it did ([`Confirmed`]).

mod confirmed;
mod find;
mod ruled_out;
mod story;

pub use confirmed::{Confirmed, Shown};
pub use find::{Found, Plan, Search, check_threads, find, key, seconds};
pub use ruled_out::list as ruled_out;
pub use story::{Order, place, story, story_with_orders};
