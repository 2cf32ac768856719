//! Systematic exploration of the schedules of a program.
//!
//! In: an [`Engine`] that runs one program, a [`Strategy`] that decides what to run, a [`Budget`].
//! Out: a [`Report`]: what was covered, bound by bound, and what was found on the way.
//!
//! ```text
//!              Plan                           Run
//!  Strategy ─────────► search ─► Engine ─────────────► search ─► Strategy::learn, Report
//! ```
//!
//! Follows Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of
//! Multithreaded Programs" (PLDI 2007). Strategies know nothing of engines and engines nothing of
//! strategies: a plan is data, and an engine executes one whole run from it.
//!
//! - `plan`, `policy`: what an engine gets; `run`: what it answers.
//! - `engine`, `strategy`: the two traits.
//! - `bounded` enumerates executions in the order of a `cost`, from a `backlog` of prefixes, with a
//!   `cache` of states if wanted, or a `part` of them; `reduced` leaves out those that differ only
//!   in the order of independent steps; `sample` draws them, with the `profile` of a run;
//!   `scout` plans the few that promise most; `portfolio` does all three.
//! - `registry` knows strategies by their names, and what is true of each.
//! - `classes` stands in for states where an engine has none.
//! - `shrink` makes a run simpler that shows something.
//! - `search` joins the two, `coverage` and `growth` count, `report` is what comes out; a
//!   `checkpoint` is a search as bytes, with `any` strategy.

mod any;
mod backlog;
mod bounded;
mod cache;
mod checkpoint;
mod classes;
mod cost;
mod coverage;
mod engine;
mod growth;
mod part;
mod plan;
mod policy;
mod portfolio;
mod profile;
mod reduced;
mod registry;
mod report;
mod run;
mod sample;
mod scout;
mod search;
mod shrink;
mod strategy;

pub use any::AnyStrategy;
pub use bounded::Bounded;
pub use checkpoint::{Checkpoint, CheckpointError, Flaw};
pub use classes::Classes;
pub use cost::Cost;
pub use coverage::{BoundCoverage, Maxima, theorem_1};
pub use engine::{Engine, EngineError, Patrol, Watch};
pub use growth::Growth;
pub use plan::{Observe, Plan};
pub use policy::{Chooser, Policy, Scene};
pub use portfolio::Portfolio;
#[doc(hidden)]
pub use raddle_wire::Defect;
pub use reduced::Reduced;
pub use registry::{Bounds, Draws, Entry, STRATEGIES, StrategyKind};
pub use report::{Doubt, Ending, Found, Report};
pub use run::{
    Access, Endless, Failure, FailureKind, LeftOut, Misuse, Operation, Outcome, Point, Race, Run,
    Touch,
};
pub use sample::{Sample, Sampler};
pub use search::{Budget, Ledger, Monitor, Races, ReleaseSequence, resume, search};
pub use shrink::{ShrinkBudget, Shrunk, shrink};
pub use strategy::{Next, PlanId, Strategy};
