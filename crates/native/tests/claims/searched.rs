//! What searches show of a program.

use raddle_explore::{Bounded, Engine, Failure, Next, Outcome, Reduced, Run, Strategy};
use raddle_native::explore::NativeEngine;

use crate::enumerate::Outcomes;
use crate::program::N_LINES;

/// The most points of an execution.
const N_POINTS: u32 = 2_000;

type Make = Box<dyn Fn() -> Box<dyn Strategy>>;

/// All ways to search: name, strategy, and the bound if it goes by preemptions.
pub fn ways(bound: u32) -> Vec<(&'static str, Make, Option<u32>)> {
    vec![
        ("bounded", Box::new(move || Box::new(Bounded::icb(Some(bound)))), Some(bound)),
        ("reduced", Box::new(|| Box::new(Reduced::all())), None),
        ("both", Box::new(move || Box::new(Reduced::bounded(Some(bound)))), Some(bound)),
    ]
}

/// What a search showed.
pub enum Searched {
    /// How executions end, each with the bound at which one did.
    All(Outcomes),
    /// It takes too long to see all.
    TooMany,
}

/// Searches through a program, by so many executions at most. Accesses that race become points, and the search begins again with them.
pub fn searched(engine: &mut NativeEngine, make: &Make, n_runs: u64) -> Result<Searched, String> {
    let (mut strategy, mut found, mut run) = (make(), Outcomes::new(), Run::new());
    for _ in 0..n_runs {
        let Next::Ready(id, mut plan) = strategy.next() else { return Ok(Searched::All(found)) };
        let bound = strategy.bound().unwrap_or(0);
        plan.observe.races = true;
        plan.n_points_max = Some(N_POINTS);
        engine.run(&plan, &(), &mut run).map_err(|error| error.to_string())?;
        if engine.promote(&run.races) {
            (strategy, found) = (make(), Outcomes::new());
            continue;
        }
        match (run.outcome.failure(), &run.outcome) {
            (Some(failure), _) => _ = found.entry(name(failure)).or_insert(bound),
            (None, Outcome::Known) => {}
            (None, Outcome::Cut) => return Ok(Searched::TooMany),
            (None, other) => return Err(format!("{other:?}")),
        }
        strategy.learn(id, &mut run);
    }
    Ok(Searched::TooMany)
}

/// What an outcome is called: assertions by their threads, ends by their status.
fn name(failure: &Failure) -> String {
    let place = failure.places.first().map_or("", |place| &place.name);
    match failure.kind.name() {
        "assertion" => {
            let line = place.rsplit(':').next().and_then(|line| line.parse::<usize>().ok());
            format!("assertion {}", line.unwrap_or(0) / N_LINES)
        }
        "exit-status" => place.replace("status", "exit"),
        kind => kind.to_owned(),
    }
}
