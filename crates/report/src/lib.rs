//! Reports: one document of findings, in every form that people and tools read.
//!
//! ```text
//!  events ─ story ─► Story┐              ┌─► text      for a terminal
//!  sources ─ excerpt ─────┼─► Report ────┼─► html      one page with everything in it
//!  findings, counts ──────┘  (finding)   ├─► sarif, junit, csv
//!                                        └─► perfetto  (of a whole trace, too)
//! ```
//!
//! In: a [`Report`](raddle_finding::Report), and nothing else: what it does not have cannot be shown, so a
//! saved report shows the same as a fresh one. Out: text. Nothing here touches files or the terminal.
//!
//! Text is always there. The other forms are the feature `forms`; stories from the events of a trace, and whole
//! traces for Perfetto, are the feature `trace`.
//!
//! Names, values and sources come from outside. Each form makes them harmless in its own way: [`sanitise`]
//! for terminals, escapes in JSON and XML, text nodes in the page.

#[cfg(feature = "forms")]
mod causal;
#[cfg(feature = "forms")]
pub mod csv;
mod fold;
#[cfg(feature = "forms")]
mod form;
mod held;
#[cfg(feature = "forms")]
pub mod html;
#[cfg(feature = "forms")]
pub mod junit;
#[cfg(feature = "forms")]
pub mod perfetto;
mod phrase;
pub mod quantity;
pub mod sanitise;
#[cfg(feature = "forms")]
pub mod sarif;
#[cfg(feature = "forms")]
mod short;
pub mod source;
pub mod story;
pub mod table;
pub mod text;

#[cfg(feature = "forms")]
pub use form::Form;
