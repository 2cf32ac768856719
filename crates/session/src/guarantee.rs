//! The guarantee: what a search has proved, and under which conditions.

use raddle_explore::{Ending, Outcome, Races, Report};
use raddle_report::quantity::plural;

use crate::hunt::{Catches, Caught};
use crate::merge::Merged;
use crate::method::Method;
use crate::subject::Terms;
use crate::way::Way;

/// What was proved.
pub(crate) struct Guarantee {
    /// One sentence.
    pub(crate) claim: String,
    /// Whether the goal of the search was reached.
    pub(crate) is_complete: bool,
    /// What the claim depends on.
    pub(crate) conditions: Vec<String>,
}

/// What a search has proved.
pub(crate) fn guarantee(
    caught: &Caught,
    (catches, merged): (&Catches, &Merged),
    method: &Method,
    races: Races,
) -> Guarantee {
    let way = method.way;
    let Caught { report, terms, .. } = caught;
    let all_ended = report.n_lost == 0 && report.assumptions == 0;
    let alone = report.maxima.threads <= 1 && all_ended;
    let lost = report.n_lost > 0;
    let clean = catches.all.is_empty() && merged.new.is_empty();
    let claim = |which: &str| match clean {
        true => format!("proved: no execution{which} fails"),
        false => {
            format!("covered: every execution{which}; they show nothing but the findings above")
        }
    };
    let (claim, is_complete) = match (report.exhausted, report.complete_to(), way) {
        _ if alone && report.executions > 0 => {
            ("the program never runs a second thread: there is nothing to interleave".into(), false)
        }
        _ if !catches.unrepeated.is_empty() => {
            ("nothing is proved: the program depends on more than the schedule".to_owned(), false)
        }
        (true, ..) if !lost => (claim(""), true),
        (_, Some(bound), _) if way.is_bounded() => {
            let goal = method.bound.is_some_and(|goal| bound >= goal);
            let (one, many) = way.unit().unwrap_or_default();
            let claim = claim(&match bound {
                0 => format!(" without {many}"),
                bound => format!(" with at most {}", plural(bound as usize, one, many)),
            });
            (claim, goal && report.ending == Ending::Done && !lost)
        }
        (_, _, Way::Depth(n)) if report.ending == Ending::Done && !lost => {
            (claim(&format!(" in its first {}", plural(n as usize, "step", "steps"))), true)
        }
        _ => {
            let tried = plural(report.executions as usize, "execution was", "executions were");
            (format!("nothing is proved; {tried} tried"), false)
        }
    };
    let conditions = if alone { Vec::new() } else { conditions(report, method, races, terms) };
    Guarantee { claim, is_complete, conditions }
}

fn conditions(report: &Report, method: &Method, races: Races, terms: &Terms) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |text: String| said.push(text);
    if let Some((part, n)) = method.part {
        say(format!("this is part {part} of {n}: it holds if it holds for all of them"));
    }
    say("memory is sequentially consistent, and time is virtual".to_owned());
    say(match (terms.all_points, terms.n_promoted) {
        _ if terms.is_blind => {
            "threads are interrupted before synchronisation only: the program is \
            not instrumented, and none of its accesses is seen"
                .to_owned()
        }
        (true, _) => "threads are interrupted before every access to shared memory".into(),
        (false, 0) => "threads are interrupted before synchronisation and atomic accesses".into(),
        (false, n) => format!(
            "threads are interrupted before synchronisation, atomic accesses and {}",
            plural(n, "access that races", "accesses that race")
        ),
    });
    match races {
        _ if terms.all_points || terms.is_blind => {}
        Races::Ignored => say("nobody looked for data races: if there are any, \
            executions are missing"
            .to_owned()),
        Races::Reported => say("accesses that race are no points: if there are \
            any, executions are missing"
            .to_owned()),
        Races::Promoted => say("every execution was checked for data races".to_owned()),
    }
    if method.is_reduced {
        say("executions that differ in the order of independent operations count as one".to_owned());
    }
    if method.is_cached {
        say("states with equal 128-bit fingerprints count as one".to_owned());
    }
    terms.more.iter().for_each(|term| say(term.clone()));
    if report.spins > 0 {
        let spins = terms.spinning;
        say(format!("{spins}: others go on for free, and it does when something has changed"));
    }
    if !report.doubts.is_empty() {
        let n = plural(report.doubts.len(), "pair of accesses", "pairs of accesses");
        say(format!(
            "{n} may be unordered: code that is not instrumented may order them, and no execution \
            was about to do both at once"
        ));
    }
    if report.assumptions > 0 {
        let n = plural(report.assumptions as usize, "execution does", "executions do");
        say(format!("{n} not count: an assumption of the program was false"));
    }
    if let Some(outcome) = &report.lost {
        let n = plural(report.n_lost as usize, "execution was", "executions were");
        let why = match outcome {
            Outcome::Unsupported(trouble) if trouble.places.is_empty() => trouble.message.clone(),
            Outcome::Unsupported(trouble) => {
                format!("{} at {}", trouble.message, trouble.places.join(", "))
            }
            _ => terms.limit.clone(),
        };
        say(format!("{n} not followed to the end: {why}"));
    }
    said
}
