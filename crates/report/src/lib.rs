//! Reports: one document of findings, in every form that people and tools read.
//!
//! ```text
//!  events ─ tell ─► Story ┐              ┌─► text      for a terminal
//!  sources ─ excerpt ─────┼─► Report ────┼─► html      one page with everything in it
//!  findings, counts ──────┘  (finding)   ├─► sarif, junit, csv
//!                                        └─► perfetto  (of a whole trace, too)
//! ```
//!
//! In: a [`Report`](raddle_finding::Report), and nothing else: what it does not have cannot be shown, so a
//! saved report shows the same as a fresh one. Out: text. Nothing here touches files or the terminal.
//!
//! Names, values and sources come from outside. Each form makes them harmless in its own way: [`sanitise`]
//! for terminals, escapes in JSON and XML, text nodes in the page.

mod causal;
pub mod csv;
mod fold;
mod form;
mod held;
pub mod html;
pub mod junit;
pub mod perfetto;
mod phrase;
pub mod quantity;
pub mod sanitise;
pub mod sarif;
mod short;
pub mod source;
pub mod table;
pub mod tell;
pub mod text;

pub use form::Form;
