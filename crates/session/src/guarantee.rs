//! The guarantee: what a search covers, and under which conditions.

use raddle_explore::{
    Budget, Defect, Doubt, Ending, Outcome, Races, ReleaseSequence, Report, StrategyKind,
};
use raddle_finding::{Coverage, Guarantee, Restriction};
use raddle_report::quantity::plural;

use crate::exploration::{Collected, Explored};
use crate::merge::Merged;
use crate::method::Method;
use crate::subject::Terms;

/// What a bound counts where inputs are drawn: each answer other than the first costs as much as a preemption.
const WITH_INPUTS: (&str, &str) =
    ("preemption or input other than the first", "preemptions and inputs other than the first");

/// What a search covers.
pub(crate) struct Claim {
    /// As data.
    pub(crate) guarantee: Guarantee,
    /// One sentence.
    pub(crate) text: String,
    /// Whether the goal of the search was reached.
    pub(crate) is_complete: bool,
    /// What the claim depends on, and what would give more.
    pub(crate) conditions: Vec<String>,
}

/// What a search covers.
pub(crate) fn claim(
    explored: &Explored,
    (collected, merged): (&Collected, &Merged),
    method: &Method,
    budget: &Budget,
) -> Claim {
    let Explored { report, terms, .. } = explored;
    let is_clean = collected.all.is_empty() && merged.new.is_empty();
    let is_controlled = collected.unrepeated.is_empty();
    let (coverage, reaches_goal) = coverage(report, method, terms, is_controlled);
    let is_empty = matches!(coverage, Coverage::Nothing { .. });
    let restrictions = match coverage {
        Coverage::Nothing { .. } | Coverage::Sampled { .. } => Vec::new(),
        _ => restrictions(report, method, budget.races, terms),
    };
    let guarantee = Guarantee::new(coverage, restrictions);
    let mut conditions: Vec<String> = guarantee.others().collect();
    conditions.extend(in_doubt(&report.doubts));
    if collected.n_unreported > 0 {
        let races = plural(collected.n_unreported, "data race was", "data races were");
        conditions.push(format!("{races} found and used as scheduling points, but not reported"));
    }
    if !is_empty {
        conditions.extend(self::conditions(report, method, budget, terms));
        conditions.extend(more(&guarantee, method, terms));
    }
    let text = guarantee.headline(is_clean);
    let is_complete = reaches_goal && report.doubts.is_empty();
    Claim { guarantee, text, is_complete, conditions }
}

/// Which executions were seen, and whether that was the goal.
fn coverage(
    report: &Report,
    method: &Method,
    terms: &Terms,
    is_controlled: bool,
) -> (Coverage, bool) {
    let kind = method.kind;
    let lost = report.n_lost > 0;
    let nothing = |why: &str| (Coverage::Nothing { why: why.to_owned() }, false);
    let alone = report.maxima.threads <= 1 && !lost && report.assumptions == 0;
    match (report.exhausted, report.complete_to(), kind) {
        _ if report.executions > 0
            && report.assumptions == report.executions
            && !Defect::AssumptionsCount.is_there() =>
        {
            nothing("every execution ended in a false assumption")
        }
        _ if alone && report.executions > 0 => {
            nothing("the program never runs a second thread, so there is nothing to interleave")
        }
        _ if !is_controlled => nothing("the program is not determined by the schedule alone"),
        (true, ..) if !lost => (Coverage::Every, true),
        (_, Some(most), _) if kind.is_bounded() => {
            let goal = method.bound.is_some_and(|goal| most >= goal);
            let is_input = |it: &Restriction| matches!(it, Restriction::Inputs { .. });
            let draws = kind.counts_preemptions() && terms.restrictions.iter().any(is_input);
            let unit = if draws { WITH_INPUTS } else { kind.unit().unwrap_or_default() };
            let unit = [unit.0, unit.1].map(str::to_owned);
            (Coverage::Bounded { unit, most }, goal && report.ending == Ending::Done && !lost)
        }
        (_, _, StrategyKind::Depth(steps)) if report.ending == Ending::Done && !lost => {
            (Coverage::FirstSteps { steps }, true)
        }
        _ => (Coverage::Sampled { n: report.executions }, false),
    }
}

/// What is left out of what was seen.
fn restrictions(report: &Report, method: &Method, races: Races, terms: &Terms) -> Vec<Restriction> {
    let mut all = terms.restrictions.clone();
    if let Some((part, n)) = method.part {
        all.push(Restriction::Part { part, n });
    }
    let why = match races {
        _ if terms.is_blind => {
            Some("the program is not instrumented, so its accesses are not seen")
        }
        _ if terms.all_points => None,
        Races::Ignored => Some("they were not checked for"),
        Races::Reported => Some("threads are not interrupted at racing accesses"),
        Races::Promoted => None,
    };
    all.extend(why.map(|why| Restriction::Races { why: why.to_owned() }));
    all.extend(report.endless.iter().map(|endless| Restriction::Endless {
        place: endless.place.clone(),
        operations: endless.operations,
    }));
    if !report.doubts.is_empty() {
        all.push(Restriction::Doubts { pairs: report.doubts.len() as u64 });
    }
    all
}

/// Where the accesses are that code may order that is not seen.
fn in_doubt(doubts: &[Doubt]) -> Option<String> {
    const N_SHOWN: usize = 5;
    let mut pairs = doubted(doubts);
    let n_more = pairs.len().saturating_sub(N_SHOWN);
    pairs.truncate(N_SHOWN);
    let pairs: Vec<_> = pairs.iter().map(|pair| pair.join(" and ")).collect();
    let more = if n_more == 0 { String::new() } else { format!("; and {n_more} more") };
    (!pairs.is_empty()).then(|| format!("in doubt are the accesses at {}{more}", pairs.join("; ")))
}

/// The places of doubted races, each once.
pub(crate) fn doubted(doubts: &[Doubt]) -> Vec<Vec<String>> {
    let names = |doubt: &Doubt| doubt.failure.places.iter().map(ToString::to_string).collect();
    let mut pairs: Vec<Vec<String>> = doubts.iter().map(names).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// What to add for more.
fn more(guarantee: &Guarantee, method: &Method, terms: &Terms) -> Option<String> {
    let mut options = Vec::new();
    if let Coverage::Bounded { most, .. } = guarantee.coverage {
        let next = most.max(method.bound.unwrap_or(0)) + 1;
        options.push(format!("--bound {next}"));
        options.push("--bound all".to_owned());
    }
    for restriction in &guarantee.restrictions {
        match restriction {
            Restriction::Inputs { .. } => options.push("--nondet LOW..HIGH".to_owned()),
            Restriction::WakeUps if terms.model.is_none() => options.push("--spurious".to_owned()),
            _ => {}
        }
    }
    (!options.is_empty()).then(|| format!("to cover more: {}", options.join(", ")))
}

fn conditions(report: &Report, method: &Method, budget: &Budget, terms: &Terms) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |text: String| said.push(text);
    say("memory is sequentially consistent, and time is virtual".to_owned());
    say("executions that never end are found if nothing can end them".to_owned());
    say(match (terms.all_points, terms.n_promoted) {
        _ if terms.is_blind => {
            "threads are interrupted only before synchronisation: the program is not \
             instrumented, and none of its accesses is seen"
                .to_owned()
        }
        (true, _) => "threads are interrupted before every access to shared memory".into(),
        (false, 0) => "threads are interrupted before synchronisation and atomic accesses".into(),
        (false, n) => format!(
            "threads are interrupted before synchronisation, atomic accesses and {}",
            plural(n, "access that races", "accesses that race")
        ),
    });
    if budget.races == Races::Promoted && !terms.all_points && !terms.is_blind {
        say("every execution was checked for data races".to_owned());
    }
    if budget.races != Races::Ignored && budget.release_sequence == ReleaseSequence::C11 {
        say("release sequences order accesses as in C11 and C++17, not as in C++20".to_owned());
    }
    if method.is_reduced {
        say("executions that differ in the order of independent operations count as one".to_owned());
    }
    if method.is_cached {
        say("states with equal 128-bit hashes count as one".to_owned());
    }
    terms.more.iter().for_each(|term| say(term.clone()));
    if report.assumptions > 0 {
        let n = plural(report.assumptions as usize, "execution does", "executions do");
        say(format!("{n} not count: an assumption of the program was false"));
    }
    if let Some(outcome) = &report.lost {
        let n = plural(report.n_lost as usize, "execution was", "executions were");
        let why = match outcome {
            Outcome::Unsupported(failure) if failure.places.is_empty() => failure.message.clone(),
            Outcome::Unsupported(failure) => {
                let places: Vec<_> = failure.places.iter().map(ToString::to_string).collect();
                format!("{} at {}", failure.message, places.join(", "))
            }
            _ => terms.limit.clone(),
        };
        say(format!("{n} not followed to the end: {why}"));
    }
    said
}

#[cfg(test)]
mod tests;
